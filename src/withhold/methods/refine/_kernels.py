"""Compiled loops of the search.

Rows lie group by group; a split moves rows only inside their group. `rows` is row-major (one line of codes a row), so
that one pass over a group counts all its columns; `weights` holds a line for each row, the number of records first,
then how many of them hold each sensitive value. A *slot* is the child that a code goes to under the move that is open
for its node: ``slots[offset[column] + code]``. Where values are disclosed one by one, the slot of a code is the code
itself, and each code has a move of its own.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from withhold.methods.refine._style import CLOSED, DISCLOSE

__all__ = [
    "UNBOUNDED",
    "class_counts",
    "dense_counts",
    "disclosure_gains",
    "entropy",
    "fold_confidences",
    "fold_sizes",
    "forbid_confident_splits",
    "forbid_small_splits",
    "gain_of_children",
    "gains_of_splits",
    "rough_gains",
    "split_groups",
]

UNBOUNDED = np.iinfo(np.int64).max

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Array = NDArray[Any]


def compiled(function: Kernel) -> Kernel:
    """Compile with an on-disk cache, or without one where none can be written."""
    try:
        return cast(Kernel, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:
        return cast(Kernel, numba.njit(nogil=True)(function))


@compiled
def _times_log(number: int, table: Array) -> float:
    """Return ``number * log2(number)``, from the table where it reaches."""
    if number < table.size:
        return table[number]  # type: ignore[no-any-return]
    return number * np.log2(number)  # type: ignore[no-any-return]


@compiled
def class_counts(codes: Array, classes: Array, weights: Array, counts: Array) -> None:
    """Add each row's weight to ``counts[code, class]``."""
    for i in range(codes.size):
        counts[codes[i], classes[i]] += weights[i]


@compiled
def dense_counts(keys: Array, weights: Array, counts: Array) -> None:
    """Add each row's line of weights to ``counts[key]``."""
    for i in range(keys.size):
        for lane in range(weights.shape[1]):
            counts[keys[i], lane] += weights[i, lane]


@compiled
def entropy(counts: Array) -> float:
    """Return the entropy in bits of class counts; of no records it is 0."""
    n_all = 0
    for c in range(counts.size):
        n_all += counts[c]
    bits = 0.0
    for c in range(counts.size):
        if counts[c] > 0:
            share = counts[c] / n_all
            bits -= share * np.log2(share)
    return bits


@compiled
def gain_of_children(children: Array) -> float:
    """Return the entropy that is lost when records are told apart by child; class counts, one line a child.

    It is exactly 0 where all children have the same class shares, which is decided in integers.
    """
    n_children, n_classes = children.shape
    whole = np.zeros(n_classes, np.int64)
    for i in range(n_children):
        for c in range(n_classes):
            whole[c] += children[i, c]
    n_all = whole.sum()
    if n_all == 0:
        return 0.0
    gain = entropy(whole)
    tells_nothing = True
    for i in range(n_children):
        n_here = 0
        for c in range(n_classes):
            n_here += children[i, c]
        for c in range(n_classes):
            if children[i, c] * n_all != n_here * whole[c]:
                tells_nothing = False
        gain -= n_here / n_all * entropy(children[i])
    return 0.0 if tells_nothing else gain


@compiled
def gains_of_splits(prefix: Array, first: int, last: int, points: Array) -> Array:
    """Return the exact gain of splitting the codes ``first … last - 1`` at each of `points`."""
    gains = np.empty(points.size, np.float64)
    children = np.empty((2, prefix.shape[1]), np.int64)
    for i in range(points.size):
        for c in range(prefix.shape[1]):
            children[0, c] = prefix[points[i], c] - prefix[first, c]
            children[1, c] = prefix[last, c] - prefix[points[i], c]
        gains[i] = gain_of_children(children)
    return gains


@compiled
def rough_gains(prefix: Array, first: int, last: int, allowed: Array, times_log: Array, gains: Array) -> None:
    """Fill ``gains[s - first]`` with the gain of a split at each code, in a fast but slightly noisy way; -1 for none.

    Parameters
    ----------
    prefix
        Class counts of all codes below each code.
    allowed
        For each code of the range whether a split may begin there.
    times_log
        A table of ``n * log2(n)``.
    """
    n_classes = prefix.shape[1]
    n_all = 0
    for c in range(n_classes):
        n_all += prefix[last, c] - prefix[first, c]
    whole = _times_log(n_all, times_log)
    for c in range(n_classes):
        whole -= _times_log(prefix[last, c] - prefix[first, c], times_log)
    for s in range(first, last):
        n_below = 0
        n_here = 0
        parts = whole
        for c in range(n_classes):
            below = prefix[s, c] - prefix[first, c]
            n_below += below
            n_here += prefix[s + 1, c] - prefix[s, c]
            parts += _times_log(below, times_log) + _times_log(prefix[last, c] - prefix[s, c], times_log)
        if n_below == 0 or n_here == 0 or not allowed[s - first]:
            gains[s - first] = -1.0
        else:
            parts -= _times_log(n_below, times_log) + _times_log(n_all - n_below, times_log)
            gains[s - first] = parts / n_all


@compiled
def disclosure_gains(counts: Array, is_withheld: Array, gains: Array) -> None:
    """Fill ``gains[code]`` with the gain of telling one withheld code from the rest of them."""
    n_codes, n_classes = counts.shape
    rest = np.zeros(n_classes, np.int64)
    for code in range(n_codes):
        if is_withheld[code]:
            for c in range(n_classes):
                rest[c] += counts[code, c]
    children = np.empty((2, n_classes), np.int64)
    for code in range(n_codes):
        gains[code] = 0.0
        if is_withheld[code]:
            for c in range(n_classes):
                children[0, c] = counts[code, c]
                children[1, c] = rest[c] - counts[code, c]
            gains[code] = gain_of_children(children)


@compiled
def split_groups(
    rows: Array,
    weights: Array,
    start: Array,
    stop: Array,
    size: Array,
    node: Array,
    n_groups: int,
    column: int,
    chosen: Array,
    slots: Array,
    place: Array,
    child_of: Array,
    touched: Array,
) -> tuple[int, int]:
    """Split the chosen groups on one column, in place; return the new number of groups, and how many changed.

    Parameters
    ----------
    rows, weights
        Row-major codes and their weights, group by group.
    start, stop, size, node
        For each group its slice of rows, its summed weights, its node on each column. Grown in place.
    column
        The position of the column in `rows`.
    chosen
        The groups that hold the refined node.
    slots
        For each code of the column its slot.
    place
        Scratch for each slot, all -1 before and after.
    child_of
        For each slot the node it becomes.
    touched
        Filled with the groups that are new or have changed.

    Notes
    -----
    Cost: the rows of the chosen groups, whatever the number of slots.
    """
    n_columns = rows.shape[1]
    n_lanes = weights.shape[1]
    n_touched = 0
    longest = 1
    for g in chosen:
        longest = max(longest, stop[g] - start[g])
    longest = min(longest, place.size)
    slot_at = np.empty(longest, np.int64)
    n_in = np.empty(longest, np.int64)
    weight_in = np.empty((longest, n_lanes), np.int64)
    head = np.empty(longest, np.int64)
    tail = np.empty(longest, np.int64)
    for g in chosen:
        n_parts = 0
        for i in range(start[g], stop[g]):
            slot = slots[rows[i, column]]
            part = place[slot]
            if part < 0:
                part = n_parts
                place[slot] = part
                slot_at[part] = slot
                n_in[part] = 0
                for lane in range(n_lanes):
                    weight_in[part, lane] = 0
                n_parts += 1
            n_in[part] += 1
            for lane in range(n_lanes):
                weight_in[part, lane] += weights[i, lane]
        begin = start[g]
        for part in range(n_parts):
            head[part] = begin
            begin += n_in[part]
            tail[part] = begin
        for part in range(n_parts):
            while head[part] < tail[part]:
                i = head[part]
                home = place[slots[rows[i, column]]]
                if home == part:
                    head[part] += 1
                    continue
                j = head[home]
                head[home] += 1
                for c in range(n_columns):
                    moved = rows[i, c]
                    rows[i, c] = rows[j, c]
                    rows[j, c] = moved
                for lane in range(n_lanes):
                    weight = weights[i, lane]
                    weights[i, lane] = weights[j, lane]
                    weights[j, lane] = weight
        for part in range(n_parts):
            target = g
            if part > 0:
                target = n_groups
                n_groups += 1
                for c in range(n_columns):
                    node[target, c] = node[g, c]
            start[target] = tail[part] - n_in[part]
            stop[target] = tail[part]
            for lane in range(n_lanes):
                size[target, lane] = weight_in[part, lane]
            touched[n_touched] = target
            n_touched += 1
        for part in range(n_parts):
            target = g if part == 0 else n_groups - n_parts + part
            node[target, column] = child_of[slot_at[part]]
            place[slot_at[part]] = -1
    return n_groups, n_touched


@compiled
def fold_sizes(
    rows: Array,
    weights: Array,
    start: Array,
    stop: Array,
    size: Array,
    node: Array,
    groups: Array,
    columns: Array,
    style: Array,
    n_slots: Array,
    first_move: Array,
    slots: Array,
    offset: Array,
    bound: Array,
    tally: Array,
    base: Array,
) -> None:
    """Lower `bound` of every open move to the smallest group that it would make out of `groups`.

    Parameters
    ----------
    columns
        The columns of `rows` to look at.
    style, n_slots, first_move
        For each node how it is open, its number of slots, and its (first) move.
    slots, offset
        Flat slots, and where each column of `rows` starts in them.
    bound
        For each move the smallest group after it.
    tally, base
        Scratch counters, all zero before and after, and where each column starts in them.
    """
    active = np.empty(columns.size, np.int64)
    for g in groups:
        n_active = 0
        for column in columns:
            if style[node[g, column]] != CLOSED:
                active[n_active] = column
                n_active += 1
        if n_active == 0:
            continue
        for i in range(start[g], stop[g]):
            weight = weights[i, 0]
            for a in range(n_active):
                column = active[a]
                tally[base[column] + slots[offset[column] + rows[i, column]]] += weight
        for a in range(n_active):
            column = active[a]
            here = node[g, column]
            first = base[column]
            n_looks = min(n_slots[here], stop[g] - start[g])
            for look in range(n_looks):
                slot = look
                if n_slots[here] > n_looks:
                    slot = slots[offset[column] + rows[start[g] + look, column]]
                part = tally[first + slot]
                tally[first + slot] = 0
                if part == 0:
                    continue
                move = first_move[here]
                if style[here] == DISCLOSE:
                    move += slot
                    if 0 < size[g, 0] - part < part:
                        part = size[g, 0] - part
                if part < bound[move]:
                    bound[move] = part


@compiled
def fold_confidences(
    rows: Array,
    weights: Array,
    start: Array,
    stop: Array,
    size: Array,
    node: Array,
    groups: Array,
    columns: Array,
    style: Array,
    n_slots: Array,
    first_move: Array,
    slots: Array,
    offset: Array,
    some: Array,
    of_all: Array,
    tally: Array,
    base: Array,
) -> None:
    """Raise the bound of every open move to the largest confidence that it would make out of `groups`.

    The bound of move `m` for sensitive value `v` is the fraction ``some[m, v] / of_all[m, v]``; fractions are compared
    in integers. The other parameters are those of `fold_sizes`; `tally` has a line for each slot.
    """
    n_lanes = weights.shape[1]
    active = np.empty(columns.size, np.int64)
    for g in groups:
        n_active = 0
        for column in columns:
            if style[node[g, column]] != CLOSED:
                active[n_active] = column
                n_active += 1
        if n_active == 0:
            continue
        for i in range(start[g], stop[g]):
            for a in range(n_active):
                column = active[a]
                slot = base[column] + slots[offset[column] + rows[i, column]]
                for lane in range(n_lanes):
                    tally[slot, lane] += weights[i, lane]
        for a in range(n_active):
            column = active[a]
            here = node[g, column]
            n_looks = min(n_slots[here], stop[g] - start[g])
            for look in range(n_looks):
                slot = look
                if n_slots[here] > n_looks:
                    slot = slots[offset[column] + rows[start[g] + look, column]]
                n_part = tally[base[column] + slot, 0]
                tally[base[column] + slot, 0] = 0
                if n_part == 0:
                    continue
                move = first_move[here]
                if style[here] == DISCLOSE:
                    move += slot
                for lane in range(1, n_lanes):
                    held = tally[base[column] + slot, lane]
                    tally[base[column] + slot, lane] = 0
                    if held * of_all[move, lane - 1] > some[move, lane - 1] * n_part:
                        some[move, lane - 1] = held
                        of_all[move, lane - 1] = n_part
                    n_rest = size[g, 0] - n_part
                    left = size[g, lane] - held
                    if style[here] == DISCLOSE and left * of_all[move, lane - 1] > some[move, lane - 1] * n_rest:
                        some[move, lane - 1] = left
                        of_all[move, lane - 1] = n_rest


@compiled
def forbid_small_splits(
    rows: Array,
    weights: Array,
    start: Array,
    stop: Array,
    groups: Array,
    column: int,
    first: int,
    last: int,
    k: int,
    forbidden: Array,
) -> None:
    """Count in `forbidden` the groups that a split of the interval would leave with 1 … k - 1 records on one side.

    ``forbidden[s - first]`` belongs to the split that sends codes below `s` to the left. For one group the bad splits
    are those above its smallest code up to its k-th smallest, and those above its k-th largest up to its largest.
    """
    width = last - first
    tally = np.zeros(width, np.int64)
    change = np.zeros(width + 1, np.int64)
    for g in groups:
        low = width
        high = -1
        for i in range(start[g], stop[g]):
            code = rows[i, column] - first
            tally[code] += weights[i, 0]
            low = min(low, code)
            high = max(high, code)
        left = 0
        code = low
        while code < high:
            left += tally[code]
            if left >= k:
                break
            code += 1
        change[low + 1] += 1
        change[code + 1] -= 1
        right = 0
        code = high
        while code > low:
            right += tally[code]
            if right >= k:
                break
            code -= 1
        change[code + 1] += 1
        change[high + 1] -= 1
        if high - low <= stop[g] - start[g]:
            tally[low : high + 1] = 0
        else:
            for i in range(start[g], stop[g]):
                tally[rows[i, column] - first] = 0
    running = 0
    for s in range(width):
        running += change[s]
        forbidden[s] += running


@compiled
def forbid_confident_splits(
    rows: Array,
    weights: Array,
    start: Array,
    stop: Array,
    size: Array,
    groups: Array,
    column: int,
    first: int,
    last: int,
    at_most: Array,
    forbidden: Array,
) -> None:
    """Count in `forbidden` the groups in which a split of the interval would make a confidence above `at_most`.

    ``forbidden[s - first]`` belongs to the split that sends codes below `s` to the left.
    """
    n_lanes = weights.shape[1]
    tally = np.zeros((last - first, n_lanes), np.int64)
    below = np.zeros(n_lanes, np.int64)
    for g in groups:
        for i in range(start[g], stop[g]):
            for lane in range(n_lanes):
                tally[rows[i, column] - first, lane] += weights[i, lane]
        below[:] = 0
        for s in range(1, last - first):
            for lane in range(n_lanes):
                below[lane] += tally[s - 1, lane]
            n_above = size[g, 0] - below[0]
            if below[0] == 0 or n_above == 0:
                continue
            for lane in range(1, n_lanes):
                above = size[g, lane] - below[lane]
                if below[lane] / below[0] > at_most[lane - 1] or above / n_above > at_most[lane - 1]:
                    forbidden[s] += 1
        tally[:] = 0
