"""The rules that are known, with counts that follow every change of the cells."""

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.rules._book_kernels import Book, adversarial, covers, recount, rows_by_kind
from withhold.methods.rules._mine_kernel import ITEMS, SLOT, Limits
from withhold.methods.rules._miner import Found, all_rows
from withhold.methods.rules._slots import Slots

__all__ = ["RuleBook"]


class RuleBook:
    """Known rules over a table.

    Parameters
    ----------
    slots
        The table before anything was blanked.
    limits
        The thresholds.
    """

    def __init__(self, slots: Slots, limits: Limits) -> None:
        self._slots = slots
        self._limits = limits
        self._lists: tuple[Array, Array] | None = None
        none = np.empty(0, np.int32)
        self.arrays = Book(
            items_end=np.zeros(1, np.int64),
            items=none,
            rules_end=np.zeros(1, np.int64),
            slot=np.empty(0, np.int64),
            counts=np.empty((0, 5), np.int64),
            cover_end=np.zeros(1, np.int64),
            cover=none,
            hidden_end=np.zeros(1, np.int64),
            hidden=none,
            entry=none,
            before=np.empty(0, np.int64),
            latest=np.full(len(slots.cells), -1, np.int64),
        )

    def __len__(self) -> int:
        return len(self.arrays.slot)

    def adversarial(self) -> NDArray[np.bool_]:
        """Return for each rule whether it is adversarial as the cells are now."""
        found: NDArray[np.bool_] = adversarial(self.arrays.counts, self._limits)
        return found

    def names(self, chosen: NDArray[np.bool_]) -> set[bytes]:
        """Return the names of the chosen rules, as `Found.names` makes them."""
        book = self.arrays
        antecedent = np.repeat(np.arange(book.rules_end.size - 1), np.diff(book.rules_end))
        return {
            book.items[book.items_end[antecedent[r]] : book.items_end[antecedent[r] + 1]].tobytes()
            + bytes(1)
            + book.slot[r].tobytes()
            for r in np.flatnonzero(chosen)
        }

    def add(self, found: Found, cells: Array) -> None:
        """Add rules that are not known yet, counted as the cells are now."""
        if self._lists is None:
            self._lists = all_rows(self._slots.cells, self._slots.layout.column.size)
        old = self.arrays
        layout = self._slots.layout
        cover_end, cover = covers(self._slots.cells, *self._lists, found.items_end, found.items, layout)
        n_old = old.items_end.size - 1
        entry = np.repeat(np.arange(n_old, n_old + cover_end.size - 1, dtype=np.int32), np.diff(cover_end))
        n_rules = np.bincount(found.rules[:, ITEMS], minlength=cover_end.size - 1)
        rules_end = np.append(0, np.cumsum(n_rules))
        slot = np.ascontiguousarray(found.rules[:, SLOT])
        hidden_end, hidden = rows_by_kind(self._slots.cells, rules_end, slot, cover_end, cover, layout, False)
        before, latest = _chained(cover, old.latest, old.cover.size)
        self.arrays = Book(
            items_end=_appended(old.items_end, found.items_end),
            items=np.concatenate([old.items, found.items]),
            rules_end=_appended(old.rules_end, rules_end),
            slot=np.concatenate([old.slot, slot]),
            counts=np.concatenate([old.counts, np.zeros((len(found), 5), np.int64)]),
            cover_end=_appended(old.cover_end, cover_end),
            cover=np.concatenate([old.cover, cover]),
            hidden_end=_appended(old.hidden_end, hidden_end),
            hidden=np.concatenate([old.hidden, hidden]),
            entry=np.concatenate([old.entry, entry]),
            before=np.concatenate([old.before, before]),
            latest=latest,
        )
        recount(cells, self.arrays, layout, n_old)


def _appended(old: Array, new: Array) -> Array:
    """Return the ends of two lists of lists, joined."""
    return np.concatenate([old, new[1:] + old[-1]])


def _chained(rows: Array, latest: Array, first: int) -> tuple[Array, Array]:
    """Return for each new element the one before it with the same row, and for each row the last element."""
    order = np.argsort(rows, kind="stable")
    is_first = np.append(True, np.diff(rows[order]) != 0)[: rows.size]
    before = np.empty(rows.size, np.int64)
    before[order] = np.where(is_first, latest[rows[order]], np.append(-1, order)[:-1] + first)
    newest = latest.copy()
    newest[rows] = np.arange(first, first + rows.size)
    return before, newest
