"""A table that is kept free of adversarial rules while cells are blanked and restored."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold._compiled import Array
from withhold.errors import InputError
from withhold.methods.rules._book import RuleBook
from withhold.methods.rules._book_kernels import Book, give_back, restore, withdraw
from withhold.methods.rules._limits import Counting, limits_of
from withhold.methods.rules._mine_kernel import GONE, Layout, Limits
from withhold.methods.rules._miner import Found, find
from withhold.methods.rules._slots import slots_of
from withhold.methods.rules._swap_kernels import swap
from withhold.methods.rules._weight_kernels import reasons_for
from withhold.methods.rules._weights import Round, blank_by_weight

__all__ = ["RuleGuard", "positions"]

Positions = NDArray[np.int64]
FEW = 64
"""Fewer entries than this are given back one by one; more in chunks of a quarter, and the table is mined after each."""
NEAR = 1
"""Rules that the loss of this many other public rows would make adversarial are remembered from the start."""


def positions(chosen: NDArray[np.bool_]) -> tuple[Positions, Positions]:
    """Return rows and columns of the chosen cells."""
    rows, columns = np.divmod(np.flatnonzero(chosen), chosen.shape[1])
    return rows, columns


class RuleGuard:
    """Watch over the private cells of a table while cells are blanked and published again, by anyone.

    It knows the rules it has met, keeps their counts, and mines again only around the rows that changed. Use it to run
    several adversaries against one table in turns; `grades` is the whole job for this one alone.

    Parameters
    ----------
    codes
        Rows by columns of codes; below 0 is a cell that is missing or withheld already.
    private
        Which cells are private, of the same shape. A missing cell is not protected, whatever it says here.
    confidence, support, min_antecedent, max_antecedent, counting
        The rules to guard against, as in `fair`.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 0], [0, 0], [1, 1]])
    >>> private = np.zeros((4, 2), dtype=bool)
    >>> private[0, 1] = True
    >>> guard = RuleGuard(codes, private, confidence=0.8, support=2)
    >>> guard.is_safe()
    False
    >>> guard.protect()
    (array([0]), array([0]))
    >>> guard.is_safe(), guard.still_safe_without(0, 0)
    (True, False)
    """

    def __init__(
        self,
        codes: Array,
        private: Array,
        *,
        confidence: float,
        support: float,
        min_antecedent: int = 1,
        max_antecedent: int | None = None,
        counting: Counting = "public",
    ) -> None:
        codes, private = np.asarray(codes), np.asarray(private)
        if codes.ndim != 2 or codes.shape != private.shape or codes.shape[1] == 0:
            raise InputError("RuleGuard: `codes` and `private` must have the same rows and columns, and a column.")
        self.limits: Limits = limits_of(
            "RuleGuard",
            *codes.shape,
            confidence=confidence,
            support=support,
            min_antecedent=min_antecedent,
            max_antecedent=max_antecedent,
            counting=counting,
        )
        self.slots = slots_of(codes, private, least_cover=self.limits.least_cover, least_y=self.limits.least_y)
        self.cells = self.slots.cells.copy()
        self.book = RuleBook(self.slots, self.limits)
        self._public: NDArray[np.bool_] = (codes >= 0) & ~private
        self._mined: Array | None = None
        self._changed = np.zeros(len(codes), np.bool_)

    @property
    def blanked(self) -> NDArray[np.bool_]:
        """Which cells are blanked now; private and missing ones are not counted."""
        gone: NDArray[np.bool_] = self.cells == self.slots.layout.base + GONE
        return self._public & gone

    def is_safe(self) -> bool:
        """Return whether no adversarial rule is left."""
        return not self.book.adversarial().any() and self.learn() == 0

    def blank(self, rows: ArrayLike, columns: ArrayLike) -> None:
        """Blank cells, given as positions; private, missing and blanked ones stay as they are."""
        chosen = self._chosen(rows, columns)
        self._blank(*positions(chosen & ~self.blanked))

    def restore(self, rows: ArrayLike, columns: ArrayLike) -> None:
        """Publish blanked cells again, given as positions, whether or not that is safe; other ones stay as they are."""
        chosen = self._chosen(rows, columns)
        row, column = positions(chosen & self.blanked)
        restore(self.cells, self.slots.cells, row, column, *self._known)
        self._changed[row] = True

    def still_safe_without(self, row: int, column: int) -> bool:
        """Return whether the table would be safe with this blanked cell published; nothing is changed."""
        if not self.blanked[row, column]:
            raise InputError("RuleGuard: only a cell that is blanked can be given back.")
        self.restore(row, column)
        is_safe = self.is_safe()
        self.blank(row, column)
        return is_safe

    def protect(self, *, blanking: float = 1) -> tuple[Positions, Positions]:
        """Blank entries until no adversarial rule is left; return rows and columns of those newly blanked, in order."""
        rounds = self.rounds(blanking=blanking)
        none = np.empty(0, np.int64)
        return (
            np.concatenate([none, *(each.rows for each in rounds)]),
            np.concatenate([none, *(each.columns for each in rounds)]),
        )

    def rounds(self, *, blanking: float = 1, most: int | None = None) -> list[Round]:
        """Mine and blank by weight until mining finds nothing, or `most` times."""
        done: list[Round] = []
        while most is None or len(done) < most:
            self.learn()
            active = self.book.adversarial()
            if not active.any():
                break
            done.append(blank_by_weight(self.cells, active, blanking, *self._known))
            self._changed[done[-1].rows] = True
        return done

    def give_back(self, rows: ArrayLike, columns: ArrayLike, *, verify: bool = True) -> NDArray[np.bool_]:
        """Publish blanked cells again, one by one in this order, where the table stays safe, until no more can be.

        Parameters
        ----------
        rows, columns
            Positions of blanked cells.
        verify
            Whether to mine what is given back; else only known rules are looked at.

        Returns
        -------
            For each cell whether it is published now. None of the others can be.
        """
        rows, columns = np.ascontiguousarray(rows, np.int64), np.ascontiguousarray(columns, np.int64)
        given = np.zeros(rows.size, np.bool_)
        n_chunk = 1 if rows.size < FEW else rows.size // 4
        while True:
            left = np.flatnonzero(~given)
            for first in range(0, left.size, n_chunk):
                chunk = left[first : first + n_chunk]
                given[chunk] = self._give_back(rows[chunk], columns[chunk], verify=verify)
            if not given[left].any():
                return given

    def exchange(self, n_tries: int, *, own: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Look for a smaller set by blanking other entries in place of `own` ones; return the set, now blanked.

        The table must be safe, and stays so.
        """
        before = own.copy()
        cells = self.cells.copy()
        after = own.copy()
        swap(self.cells, self.slots.cells, after, n_tries, 1, *self._known)
        self._changed |= (self.cells != cells).any(axis=1)
        if not self.is_safe():
            for each in self.rounds():
                after[each.rows, each.columns] = True
        where = positions(after)
        after[where] = ~self.give_back(*where)
        if after.sum() <= before.sum():
            return after
        self.restore(*positions(after & ~before))
        self.blank(*positions(before & ~after))
        return before

    def reasons(self, rows: ArrayLike, columns: ArrayLike) -> NDArray[np.float64]:
        """Return for each blanked cell its part in the invalidation and marginalization of the rules it alone hides."""
        row, column = np.ascontiguousarray(rows, np.int64), np.ascontiguousarray(columns, np.int64)
        why: NDArray[np.float64] = reasons_for(self.cells, self.slots.cells, row, column, *self._known)
        return why

    def learn(self) -> int:
        """Mine the rows that changed since the last time; return how many unknown adversarial rules were found.

        They are known from then on. A rule that no changed row is part of, before or after the change, is what it was.
        """
        if self._mined is None:
            found = find(self.slots, self.cells, self.limits._replace(near_public=NEAR))
            self._mined = self.cells.copy()
        elif self._changed.any():
            found = find(self.slots, self.cells, self.limits, witnesses=self._witnesses())
            self._mined[self._changed] = self.cells[self._changed]
        else:
            return 0
        self._changed[:] = False
        return self._remember(found)

    @property
    def _known(self) -> tuple[Book, Layout, Limits]:
        return self.book.arrays, self.slots.layout, self.limits

    def _remember(self, found: Found) -> int:
        known = self.book.adversarial()
        if len(found) and known.any():
            names = self.book.names(known)
            found = found.only(np.array([name not in names for name in found.names()]))
        n_before = len(self.book)
        if len(found):
            self.book.add(found, self.cells)
        return int(self.book.adversarial()[n_before:].sum())

    def _witnesses(self) -> Array:
        """Return the rows that changed, as they were and as they are, less those that hold nothing of their own."""
        assert self._mined is not None
        old, new = self._mined[self._changed], self.cells[self._changed]
        gone = self.slots.layout.base + GONE
        grew = ((old == gone) | (new == old)).all(axis=1)
        shrank = ((new == gone) | (new == old)).all(axis=1) & ~grew
        return np.concatenate([old[~grew], new[~shrank]])

    def _give_back(self, rows: Positions, columns: Positions, *, verify: bool) -> NDArray[np.bool_]:
        """Give back what can be of one chunk; what mining finds then is known when it is tried again."""
        while True:
            given: NDArray[np.bool_] = give_back(self.cells, self.slots.cells, rows, columns, *self._known)
            self._changed[rows[given]] = True
            if not verify or not given.any() or self.learn() == 0:
                return given
            self._blank(rows[given], columns[given])

    def _blank(self, rows: Positions, columns: Positions) -> None:
        withdraw(self.cells, rows, columns, *self._known)
        self._changed[rows] = True

    def _chosen(self, rows: ArrayLike, columns: ArrayLike) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = np.zeros(self.cells.shape, np.bool_)
        where: tuple[Any, Any] = (np.asarray(rows, np.int64), np.asarray(columns, np.int64))
        chosen[where] = True
        return chosen & self._public
