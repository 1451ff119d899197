"""Exchange rows between neighbouring groups while that lowers the loss and every group keeps every rule.

A block of groups is copied into a small board, so that its rows and groups stay in the cache. The lines from 0 to
``n_rows - 1`` of the board are rows, the next ones groups, the last ones room for trials.
"""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled
from withhold.methods.local._asked import Asked, all_met
from withhold.methods.local._buckets import both
from withhold.methods.local._lean import lean, woven
from withhold.methods.local._prices import Prices, price_of_line
from withhold.methods.local._rows import join

__all__ = ["improve"]

WORTH = 1e-9
TRIALS = 4


class Board(NamedTuple):
    """A block of groups."""

    lines: Array
    words: Array
    weight: Array
    """How many records a row or group has."""
    counts: Array
    """Histograms of rows, groups and trials."""
    price: Array
    """The price of one row of each group."""
    group: Array
    """The group of each row."""
    next: Array
    """The next row of the same group, or -1."""
    head: Array
    """The first row of each group, or -1."""
    trail: Array
    """The rows moved on trial."""
    columns: Array
    """All columns."""
    size: Array
    """The number of rows and of groups."""


@compiled
def improve(
    lines: Array,
    weight: Array,
    lanes: Array,
    members: Array,
    starts: Array,
    blocks: Array,
    prices: Prices,
    asked: Asked,
    least: int,
    n_passes: int,
    group: Array,
) -> float:
    """Exchange rows within each block of groups; return by how much the loss fell.

    Parameters
    ----------
    lines, weight, lanes
        All rows.
    members, starts
        The rows of all groups of all blocks, group by group, and where each begins: (groups + 1,).
    blocks
        The first group of each block, and the number of groups.
    group
        The group of each row, by its position in `members`; changed in place.
    """
    n_rows, n_groups = 1, 1
    for b in range(blocks.size - 1):
        n_groups = max(n_groups, blocks[b + 1] - blocks[b])
        n_rows = max(n_rows, starts[blocks[b + 1]] - starts[blocks[b]])
    n_lines = n_rows + n_groups + TRIALS
    n_counts = 1
    for r in range(asked.at_most.size):
        n_counts = max(n_counts, asked.integers[r, 1] + asked.integers[r, 2])
    board = Board(
        np.zeros((n_lines, lines.shape[1]), lines.dtype),
        np.zeros((n_lines, prices.n_words), np.uint64),
        np.zeros(n_rows + n_groups, np.int64),
        np.zeros((n_rows + n_groups + TRIALS, n_counts), np.int64),
        np.zeros(n_groups),
        np.zeros(n_rows, np.int64),
        np.zeros(n_rows, np.int64),
        np.zeros(n_groups, np.int64),
        np.zeros(n_rows, np.int64),
        np.arange(prices.spec.shape[0]),
        np.zeros(2, np.int64),
    )
    gain = 0.0
    for b in range(blocks.size - 1):
        _load(board, lines, weight, lanes, members, starts, blocks[b], blocks[b + 1], prices)
        for _ in range(n_passes):
            fell = _pass(board, prices, asked, least)
            gain += fell
            if fell <= WORTH:
                break
        first = starts[blocks[b]]
        for r in range(board.size[0]):
            group[first + r] = blocks[b] + board.group[r]
    return gain


@lean
def _load(
    board: Board,
    lines: Array,
    weight: Array,
    lanes: Array,
    members: Array,
    starts: Array,
    first: int,
    last: int,
    prices: Prices,
) -> None:
    begin, n_groups = starts[first], last - first
    n_rows = starts[last] - begin
    board.size[0], board.size[1] = n_rows, n_groups
    for i in range(n_rows + n_groups):
        for w in range(board.words.shape[1]):
            board.words[i, w] = 0
        for h in range(board.counts.shape[1]):
            board.counts[i, h] = 0
    for r in range(n_rows):
        i = members[begin + r]
        for c in range(lines.shape[1]):
            board.lines[r, c] = lines[i, c]
        if board.words.shape[1]:
            join(prices.spec, lines, i, board.words, r)
        board.weight[r] = weight[i]
        board.counts[r, 0] = weight[i]
        for s in range(lanes.shape[1]):
            if lanes[i, s] >= 0:
                board.counts[r, lanes[i, s]] += weight[i]
    for g in range(n_groups):
        board.head[g] = -1
        for r in range(starts[first + g] - begin, starts[first + g + 1] - begin):
            board.group[r] = g
            board.next[r] = board.head[g]
            board.head[g] = r
            for h in range(board.counts.shape[1]):
                board.counts[n_rows + g, h] += board.counts[r, h]
        _refresh(board, prices, g)


@woven
def _price(board: Board, prices: Prices, line: int) -> float:
    return price_of_line(
        prices.spec,
        prices.floats,
        prices.nodes,
        prices.node_price,
        board.lines,
        board.words,
        line,
        board.columns,
    )


@lean
def _without(board: Board, g: int, r: int, to: int) -> bool:
    """Write the line of a group without one of its rows (-1: with all); tell whether any row is left."""
    is_some = False
    i = board.head[g]
    while i >= 0:
        if i != r:
            both(board.lines, board.words, i, to if is_some else i, to)
            is_some = True
        i = board.next[i]
    return is_some


@lean
def _refresh(board: Board, prices: Prices, g: int) -> None:
    """Make line, number of records and price of a group those of its rows."""
    line = board.size[0] + g
    board.weight[line] = board.counts[line, 0]
    board.price[g] = _price(board, prices, line) if _without(board, g, -1, line) else 0.0


@lean
def _move(board: Board, prices: Prices, r: int, to: int) -> None:
    """Put a row into another group."""
    g, n_rows = board.group[r], board.size[0]
    if board.head[g] == r:
        board.head[g] = board.next[r]
    else:
        i = board.head[g]
        while board.next[i] != r:
            i = board.next[i]
        board.next[i] = board.next[r]
    board.next[r] = board.head[to]
    board.head[to] = r
    board.group[r] = to
    for h in range(board.counts.shape[1]):
        board.counts[n_rows + g, h] -= board.counts[r, h]
        board.counts[n_rows + to, h] += board.counts[r, h]
    _refresh(board, prices, g)
    _refresh(board, prices, to)


@lean
def _fits(board: Board, asked: Asked, least: int, line: int, minus: int, plus: int) -> bool:
    """Tell whether a histogram without one row, with another (-1: none), meets all rules or is empty."""
    size = board.counts[line, 0]
    size -= board.counts[minus, 0] if minus >= 0 else 0
    size += board.counts[plus, 0] if plus >= 0 else 0
    if size == 0:
        return True
    if size < least or asked.at_most.size == 0:
        return bool(size >= least)
    trial = board.counts[board.counts.shape[0] - 1]
    for h in range(trial.size):
        trial[h] = board.counts[line, h]
        trial[h] -= board.counts[minus, h] if minus >= 0 else 0
        trial[h] += board.counts[plus, h] if plus >= 0 else 0
    return all_met(asked, trial)


@lean
def _pass(board: Board, prices: Prices, asked: Asked, least: int) -> float:
    """Try every row and every group once; return by how much the loss fell."""
    gain = 0.0
    for r in range(board.size[0]):
        gain += _move_row(board, prices, asked, least, r)
    for g in range(board.size[1]):
        if board.head[g] >= 0 and board.price[g] > 0.0:
            gain += _dissolve(board, prices, asked, least, g)
    return gain


@lean
def _nearest(
    board: Board, prices: Prices, asked: Asked, least: int, r: int, own: int, limit: float
) -> tuple[float, int]:
    """Return the group that takes a row at the least cost below `limit`, and that cost."""
    n_rows, n_groups = board.size[0], board.size[1]
    trial, weight = n_rows + n_groups, board.weight[r]
    best, to = limit, -1
    for h in range(n_groups):
        # the price of a group never falls when a row joins
        if h == own or board.head[h] < 0 or weight * board.price[h] >= best:
            continue
        both(board.lines, board.words, n_rows + h, r, trial)
        n = board.weight[n_rows + h]
        cost = (n + weight) * _price(board, prices, trial) - n * board.price[h]
        if cost < best and (asked.at_most.size == 0 or _fits(board, asked, least, n_rows + h, -1, r)):
            best, to = cost, h
    return best, to


@lean
def _move_row(board: Board, prices: Prices, asked: Asked, least: int, r: int) -> float:
    """Move a row to the group where it costs least, or exchange it with a row of another group."""
    n_rows, n_groups = board.size[0], board.size[1]
    g, weight, rest = board.group[r], board.weight[r], n_rows + n_groups + 1
    n = board.weight[n_rows + g]
    if board.price[g] <= 0.0:
        return 0.0
    left = _price(board, prices, rest) if _without(board, g, r, rest) else 0.0
    saved = n * board.price[g] - (n - weight) * left
    if _fits(board, asked, least, n_rows + g, r, -1):
        cost, to = _nearest(board, prices, asked, least, r, g, saved - WORTH)
        if to >= 0:
            _move(board, prices, r, to)
            return float(saved - cost)
        return 0.0
    if n - weight <= 0:
        return 0.0
    return _exchange(board, prices, asked, least, r, left)


@lean
def _exchange(board: Board, prices: Prices, asked: Asked, least: int, r: int, left: float) -> float:
    """Exchange a row with the row of another group for which that lowers the loss most."""
    n_rows, n_groups = board.size[0], board.size[1]
    trial = n_rows + n_groups
    rest, other = trial + 1, trial + 2
    g, weight = board.group[r], board.weight[r]
    n = board.weight[n_rows + g]
    best, partner = -WORTH, -1
    for s in range(n_rows):
        h = board.group[s]
        if h == g or board.head[h] < 0:
            continue
        change = board.weight[s] - weight
        m = board.weight[n_rows + h]
        before = n * board.price[g] + m * board.price[h]
        # what is left of the own group costs at least as much with a new row
        if (n + change) * left - before >= best:
            continue
        both(board.lines, board.words, rest, s, trial)
        mine = (n + change) * _price(board, prices, trial)
        if mine - before >= best:
            continue
        if not _without(board, h, s, other):
            continue
        both(board.lines, board.words, other, r, other)
        yours = (m - change) * _price(board, prices, other)
        if mine + yours - before >= best or not _fits(board, asked, least, n_rows + g, r, s):
            continue
        if _fits(board, asked, least, n_rows + h, s, r):
            best, partner = mine + yours - before, s
    if partner < 0:
        return 0.0
    h = board.group[partner]
    _move(board, prices, r, h)
    _move(board, prices, partner, g)
    return -best


@lean
def _dissolve(board: Board, prices: Prices, asked: Asked, least: int, g: int) -> float:
    """Spread the rows of a group over others where that lowers the loss."""
    saved = board.weight[board.size[0] + g] * board.price[g]
    cost, n_moved = 0.0, 0
    while board.head[g] >= 0 and cost < saved - WORTH:
        r = board.head[g]
        more, to = _nearest(board, prices, asked, least, r, g, saved - WORTH - cost)
        if to < 0:
            break
        cost += more
        _move(board, prices, r, to)
        board.trail[n_moved] = r
        n_moved += 1
    if board.head[g] < 0:
        return float(saved - cost)
    for i in range(n_moved - 1, -1, -1):
        _move(board, prices, board.trail[i], g)
    return 0.0
