"""Grow a tree: cut groups where that lowers the loss most, while both sides keep every rule.

The loss of a cut is that of its two sides, tight over all columns. One pass over a group's rows sums them up in
buckets, one for each value of each column; sums of the buckets from both ends then give both sides of every cut.
Numbers are cut at each value, trees at each node (the node against the rest), sets at each value and each prefix.
"""

import numpy as np

from withhold._compiled import Array
from withhold.methods.local._asked import Asked, all_met
from withhold.methods.local._buckets import BUCKETS, fill, find_buckets, scan, sum_up
from withhold.methods.local._cuts import best_of_column, mixed
from withhold.methods.local._lean import entry, pasted, woven
from withhold.methods.local._prices import KIND, NUMBER, Prices, price_of_line
from withhold.methods.local._slices import Growth, Rows, Scratch

__all__ = ["KEPT", "LEFT", "TODO", "grow"]

KEPT, LEFT, TODO = range(3)
WORTH = 1e-9


@entry
def grow(
    rows: Rows,
    tasks: Array,
    prices: Prices,
    asked: Asked,
    growth: Growth,
    scratch: Scratch,
    found: Array,
    price: Array,
    counts: Array,
    stack: Array,
) -> int:
    """Cut each slice of rows until no cut pays; write slices and what became of them, return their number.

    Parameters
    ----------
    rows
        Packed rows; moved inside their slices.
    tasks
        Begin and end of each slice: (slices, 2).
    found
        Room for begin, end and KEPT, LEFT (for later) or TODO (small enough for others): (rows, 3).
    price
        Room for the price of one row of each kept slice.
    counts
        Room for the histogram of each slice that is not TODO.
    stack
        Room for slices that are not cut yet: (rows + slices, 2).
    """
    n_found, depth = 0, 0
    group = 3 * scratch.key.size
    for t in range(tasks.shape[0] - 1, -1, -1):
        stack[depth, 0], stack[depth, 1] = tasks[t, 0], tasks[t, 1]
        depth += 1
    while depth:
        depth -= 1
        start, stop = stack[depth, 0], stack[depth, 1]
        what, side, middle = TODO, 0, start
        if stop - start > growth.small:
            what = KEPT
            price[n_found], middle, side = _cut(rows, start, stop, prices, asked, growth, scratch)
        if middle > start and side == 0:
            stack[depth, 0], stack[depth, 1] = middle, stop
            stack[depth + 1, 0], stack[depth + 1, 1] = start, middle
            depth += 2
            continue
        if middle > start:
            what = LEFT
            stack[depth, 0], stack[depth, 1] = (middle, stop) if side == 1 else (start, middle)
            depth += 1
            start, stop = (start, middle) if side == 1 else (middle, stop)
            scan(
                prices.spec, rows.lines, rows.weight, rows.lanes, start, stop, 1,
                scratch.lines, scratch.words, scratch.counts, group,
            )  # fmt: skip
        found[n_found, 0], found[n_found, 1], found[n_found, 2] = start, stop, what
        for h in range(counts.shape[1]):
            counts[n_found, h] = scratch.counts[group, h]
        n_found += 1
    return n_found


@pasted
def _cut(
    rows: Rows, start: int, stop: int, prices: Prices, asked: Asked, growth: Growth, scratch: Scratch
) -> tuple[float, int, int]:
    """Cut a group in two; return its price, where the second begins (`start`: no cut), and the side left for later."""
    step = max((stop - start) // growth.sample, 1) if growth.sample else 1
    while True:
        price, column, first, last, side = _best_cut(rows, start, stop, step, prices, asked, growth, scratch)
        middle = start
        if column >= 0:
            middle = _partition(rows, start, stop, column, first, last)
        # where a sample has chosen the cut, all rows decide whether it is allowed
        if step == 1 or (column >= 0 and _both_fit(rows, start, middle, stop, prices, asked, growth, scratch)):
            break
        step = 1
    return price, middle, side


@pasted
def _both_fit(
    rows: Rows, start: int, middle: int, stop: int, prices: Prices, asked: Asked, growth: Growth, scratch: Scratch
) -> bool:
    """Return whether two slices of rows meet all rules."""
    group, counts = 3 * scratch.key.size, scratch.counts
    is_fine = True
    for i in range(2):
        begin, end = (start, middle) if i == 0 else (middle, stop)
        scan(
            prices.spec, rows.lines, rows.weight, rows.lanes, begin, end, 1,
            scratch.lines, scratch.words, counts, group,
        )  # fmt: skip
        is_fine = is_fine and counts[group, 0] >= growth.least
        is_fine = is_fine and (asked.at_most.size == 0 or all_met(asked, counts[group]))
    return is_fine


@woven
def _partition(rows: Rows, start: int, stop: int, column: int, first: int, last: int) -> int:
    """Move the rows with a code between `first` and `last` to the front; return where the others begin."""
    lines, weight, lanes, ids = rows.lines, rows.weight, rows.lanes, rows.ids
    i, j = start, stop - 1
    while True:
        while i <= j and first <= lines[i, column] <= last:
            i += 1
        while i <= j and not first <= lines[j, column] <= last:
            j -= 1
        if i >= j:
            return i
        for c in range(lines.shape[1]):
            lines[i, c], lines[j, c] = lines[j, c], lines[i, c]
        for s in range(lanes.shape[1]):
            lanes[i, s], lanes[j, s] = lanes[j, s], lanes[i, s]
        weight[i], weight[j] = weight[j], weight[i]
        ids[i], ids[j] = ids[j], ids[i]


@pasted
def _best_cut(
    rows: Rows, start: int, stop: int, step: int, prices: Prices, asked: Asked, growth: Growth, scratch: Scratch
) -> tuple[float, int, int, int, int]:
    """Return the group's price, and the best cut: column, first and last code inside, and the side left for later.

    Gains are measured on every `step`-th row; where rows are left out, none are left for later.
    """
    spec, lines_of_rows, weight, lanes = prices.spec, rows.lines, rows.weight, rows.lanes
    lines, words, counts = scratch.lines, scratch.words, scratch.counts
    slot, key, begin = scratch.slot, scratch.key, scratch.begin
    n_columns, half, group = spec.shape[0], lines.shape[1] // 2, 3 * key.size
    scan(spec, lines_of_rows, weight, lanes, start, stop, 1, lines, words, counts, group)
    total = counts[group, 0]
    active = scratch.active
    n_active, n_same = 0, n_columns
    mark = mixed(np.uint64(growth.seed) ^ np.uint64(total))
    for c in range(n_columns):
        mark = mixed(mark ^ (np.uint64(-lines[group, half + c]) << np.uint64(32)) ^ np.uint64(lines[group, c]))
        if -lines[group, half + c] < lines[group, c]:
            active[n_active] = c
            n_active += 1
        else:
            n_same -= 1
            active[n_same] = c
    floats, nodes = prices.floats, prices.nodes
    base = price_of_line(spec, floats, nodes, lines, words, group, active[n_active:])
    active = active[:n_active]
    price = price_of_line(spec, floats, nodes, lines, words, group, active)
    if total <= growth.least or (not growth.may_leave and total < 2 * growth.least) or price * total <= WORTH:
        return price + base, -1, 0, 0, 0
    find_buckets(spec, lines_of_rows, start, stop, step, lines, group, slot, key, begin)
    fill(spec, lines_of_rows, weight, lanes, start, stop, step, active, lines, words, counts, group, slot, key, begin)
    charge = max(growth.charge - base, price)
    least, may_leave = growth.least, growth.may_leave
    if step > 1:
        _sum_sample(counts, begin[active[0]], begin[active[0] + 1], group)
        least, may_leave = max(least * counts[group, 0] // total, 1), False
    gain, column, first, last, side = WORTH, -1, 0, 0, 0
    for n in range(n_active):
        c = active[n]
        sum_up(lines, words, counts, begin[c], begin[c + 1], key.size, 2 * key.size)
        found = best_of_column(prices, asked, growth, scratch, active, c, least, may_leave, price, charge, mark, gain)
        if found[0] > gain:
            gain, first, last, side = found
            column = c
    if column >= 0 and spec[column, KIND] == NUMBER:
        first, span = -lines[group, half + column], lines[group, column] + lines[group, half + column] + 1
        if span > BUCKETS:
            last = first + ((last + 1) * span + BUCKETS - 1) // BUCKETS - 1
    return price + base, column, first, last, side


@pasted
def _sum_sample(counts: Array, begin: int, end: int, group: int) -> None:
    """Make the histogram of the group that of the rows in the buckets of one column."""
    for h in range(counts.shape[1]):
        counts[group, h] = 0
        for b in range(begin, end):
            counts[group, h] += counts[b, h]
