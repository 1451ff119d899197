"""Cells as slots: what of a table the search for rules has to look at."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.rules._mine_kernel import GONE, HIDDEN, N_PLAIN, PUBLIC, Layout

__all__ = ["Slots", "slots_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The cells of a table as slots; see `_mine_kernel`."""

    layout: Layout
    """What the slots stand for."""
    cells: NDArray[np.int32]
    """One line of slots for each row."""
    hides: NDArray[np.bool_]
    """For each row whether it hides an item."""
    code: NDArray[np.int32]
    """For each slot of an item its code in its column."""


def slots_of(codes: Array, private: Array, *, least_cover: int, least_y: int) -> Slots:
    """Return the slots of a table.

    A value that is public in fewer than `least_cover` cells is in no antecedent, and one that is public in fewer than
    `least_y` cells, or hidden in none, is no consequent. Values that are neither share one slot.
    """
    n_rows, n_columns = codes.shape
    base = np.zeros(n_columns, np.int64)
    n_items = np.zeros(n_columns, np.int64)
    cells = np.empty((n_rows, n_columns), np.int32)
    hides = np.zeros(n_rows, np.bool_)
    leads: list[Array] = []
    names: list[Array] = []
    start = 0
    for j in range(n_columns):
        column, hidden = codes[:, j], private[:, j]
        public = ~hidden & (column >= 0)
        hidden = hidden & (column >= 0)
        size = int(column.max(initial=-1)) + 1
        n_public = np.bincount(column[public], minlength=size)
        n_hidden = np.bincount(column[hidden], minlength=size)
        can_lead = n_public >= least_cover
        can_follow = (n_public >= least_y) & (n_hidden > 0)
        kept = np.flatnonzero(can_lead | can_follow)
        number = np.full(size + 1, -1, np.int64)
        number[kept] = np.arange(kept.size)
        item = number[column]
        follows = np.append(can_follow, False)[column]
        base[j], n_items[j] = start, kept.size
        slot = np.full(n_rows, start + GONE, np.int64)
        slot[public] = np.where(item[public] >= 0, start + N_PLAIN + item[public], start + PUBLIC)
        hidden_slot = start + N_PLAIN + kept.size + item[hidden]
        slot[hidden] = np.where(follows[hidden], hidden_slot, start + HIDDEN)
        hides |= hidden & follows
        cells[:, j] = slot
        leads += [np.zeros(N_PLAIN, np.bool_), can_lead[kept], np.zeros(kept.size, np.bool_)]
        names += [np.full(N_PLAIN, -1), kept, kept]
        start += N_PLAIN + 2 * kept.size
    column_of = np.repeat(np.arange(n_columns), N_PLAIN + 2 * n_items)
    lead = np.concatenate(leads)
    leading = np.zeros(n_columns, np.bool_)
    leading[column_of[lead]] = True
    return Slots(Layout(base, n_items, column_of, lead, leading), cells, hides, np.concatenate(names).astype(np.int32))
