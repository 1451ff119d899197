"""Counting compatible rows: those that agree on every column that neither of both has blanked."""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled, inlined

__all__ = ["Asked", "Cells", "Held", "add_compatible"]


class Cells(NamedTuple):
    """The distinct rows."""

    codes: Array
    """What each row holds: (rows, columns)."""
    hashes: Array
    """A random number for each of these cells, the same for equal ones of a column."""
    whole: Array
    """The sum over all columns, row by row."""


class Asked(NamedTuple):
    """Rows whose compatible rows are counted, in the order of their masks."""

    rows: Array
    masks: Array
    """The masks that occur: bit `j` is set where column `j` is blank."""
    starts: Array
    """Where the rows of each mask begin, and where the last end."""


class Held(NamedTuple):
    """Rows that are counted, in the order of their masks."""

    rows: Array
    masks: Array
    starts: Array
    weights: Array


@compiled
def add_compatible(cells: Cells, asked: Asked, held: Held, found: Array) -> None:
    """Add to `found`, for each row that is asked about, the weights of all held rows that may be the same."""
    most = 1
    for a in range(asked.masks.size):
        most = max(most, asked.starts[a + 1] - asked.starts[a])
    size = 2
    while size < 2 * most:
        size *= 2
    slots = np.empty(size, np.int64)
    places = np.empty(most, np.int64)
    sums = np.empty(most, np.int64)
    for a in range(asked.masks.size):
        own = asked.rows[asked.starts[a] : asked.starts[a + 1]]
        unions = held.masks | asked.masks[a]
        order = np.argsort(unions)
        at = 0
        while at < order.size:
            union = unions[order[at]]
            n_slots = _place(cells, own, union, slots, places)
            sums[: own.size] = 0
            while at < order.size and unions[order[at]] == union:
                b = order[at]
                for i in range(held.starts[b], held.starts[b + 1]):
                    row = held.rows[i]
                    slot = _slot(cells, own, row, union, slots, n_slots)
                    if slots[slot] >= 0:
                        sums[slots[slot]] += held.weights[i]
                at += 1
            for i in range(own.size):
                found[asked.starts[a] + i] += sums[places[i]]


@inlined
def _place(cells: Cells, own: Array, union: int, slots: Array, places: Array) -> int:
    """Put rows into a table, one of those that agree outside of `union`; return how large the table is."""
    n_slots = 2
    while n_slots < 2 * own.size:
        n_slots *= 2
    slots[:n_slots] = -1
    for i in range(own.size):
        slot = _slot(cells, own, own[i], union, slots, n_slots)
        if slots[slot] < 0:
            slots[slot] = i
        places[i] = slots[slot]
    return n_slots


@inlined
def _slot(cells: Cells, own: Array, row: int, union: int, slots: Array, n_slots: int) -> int:
    """Return the slot of a row, or the free one where it would stand."""
    key = cells.whole[row]
    n_columns = cells.codes.shape[1]
    for j in range(n_columns):
        if union >> j & 1:
            key -= cells.hashes[row, j]
    slot = (key ^ (key >> 31)) & (n_slots - 1)
    while slots[slot] >= 0:
        other = own[slots[slot]]
        agrees = True
        for j in range(n_columns):  # the hash only finds them fast; what counts is that they agree
            if not union >> j & 1 and cells.codes[row, j] != cells.codes[other, j]:
                agrees = False
                break
        if agrees:
            break
        slot = (slot + 1) & (n_slots - 1)
    return slot  # type: ignore[no-any-return]
