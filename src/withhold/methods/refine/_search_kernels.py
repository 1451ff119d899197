"""Compiled loops of the search.

Rows lie group by group; a split moves rows only inside their group. `rows` is row-major (one line of codes a row), so
that one pass over a group counts all its columns; `weights` holds a line for each row, the number of records first,
then how many of them hold each sensitive value. A *slot* is the child that a code goes to under the move that is open
for its node: ``slots[offset[column] + code]``. Where values are disclosed one by one, the slot of a code is the code
itself, and each code has a move of its own.
"""

import numpy as np

from withhold._compiled import Array, compiled
from withhold.methods.refine._style import CLOSED, DISCLOSE

__all__ = [
    "UNBOUNDED",
    "child_histograms",
    "dense_counts",
    "fold_confidences",
    "fold_sizes",
    "forbid_confident_splits",
    "forbid_small_splits",
    "split_groups",
    "split_histograms",
]

UNBOUNDED = np.iinfo(np.int64).max


@compiled
def dense_counts(keys: Array, weights: Array, counts: Array) -> None:
    """Add each row's line of weights to ``counts[key]``."""
    for i in range(keys.size):
        for lane in range(weights.shape[1]):
            counts[keys[i], lane] += weights[i, lane]


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
def open_columns(nodes: Array, columns: Array, style: Array, active: Array) -> int:
    """Fill `active` with the columns on which a group holds a node that is open; return how many there are."""
    n_active = 0
    for column in columns:
        if style[nodes[column]] != CLOSED:
            active[n_active] = column
            n_active += 1
    return n_active


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
        n_active = open_columns(node[g], columns, style, active)
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
        n_active = open_columns(node[g], columns, style, active)
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
    size: Array,
    node: Array,
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
    node: Array,
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


@compiled
def child_histograms(
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
    tally: Array,
    base: Array,
    moves: Array,
    counts: Array,
) -> int:
    """Write down what every open move would make out of `groups`: a line of counts for each new group.

    `moves` gets the move and `counts` the line; how many there are is returned. The other parameters are those of
    `fold_sizes`; `tally` has a line for each slot. Where a value is disclosed, what is left behind is a group too.
    """
    n_lanes = weights.shape[1]
    n_found = 0
    active = np.empty(columns.size, np.int64)
    for g in groups:
        n_active = open_columns(node[g], columns, style, active)
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
                line = base[column] + slot
                if tally[line, 0] == 0:
                    continue
                is_disclosed = style[here] == DISCLOSE
                move = first_move[here] + (slot if is_disclosed else 0)
                moves[n_found] = move
                for lane in range(n_lanes):
                    counts[n_found, lane] = tally[line, lane]
                n_found += 1
                if is_disclosed and size[g, 0] > tally[line, 0]:
                    moves[n_found] = move
                    for lane in range(n_lanes):
                        counts[n_found, lane] = size[g, lane] - tally[line, lane]
                    n_found += 1
                for lane in range(n_lanes):
                    tally[line, lane] = 0
    return n_found


@compiled
def split_histograms(
    rows: Array,
    weights: Array,
    start: Array,
    stop: Array,
    size: Array,
    node: Array,
    group: int,
    column: int,
    first: int,
    last: int,
    counts: Array,
) -> None:
    """Fill `counts` with what one group would hold below each split of an interval, then with what above it."""
    n_lanes = weights.shape[1]
    width = last - first
    for i in range(start[group], stop[group]):
        below = rows[i, column] - first + 1
        if below < width:
            for lane in range(n_lanes):
                counts[below, lane] += weights[i, lane]
    for s in range(1, width):
        for lane in range(n_lanes):
            counts[s, lane] += counts[s - 1, lane]
    for s in range(width):
        for lane in range(n_lanes):
            counts[width + s, lane] = size[group, lane] - counts[s, lane]
