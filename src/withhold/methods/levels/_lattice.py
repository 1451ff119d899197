"""All combinations of levels: how small the loss of each may be, as far as that is known."""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from withhold.methods.levels._partition import Levels

__all__ = ["LargeLattice", "SmallLattice", "lattice_of"]

LARGEST = 2**21
"""The largest number of combinations that are listed one by one."""
LARGEST_RAISED = 2**16
"""The largest number of combinations whose bounds are raised at once."""
SLACK = 1 - 1e-12
"""Sums in another order differ by less; a bound must not exceed the loss by rounding."""
Totals = Sequence[NDArray[np.float64]]


class SmallLattice:
    """A lattice that is listed in full, in the order of the loss without withheld rows.

    Parameters
    ----------
    finest, coarsest
        The ends of the lattice.
    totals
        The price of each level of each column, over all records.
    """

    def __init__(self, finest: Levels, coarsest: Levels, totals: Totals) -> None:
        self.finest = finest
        self.shape = tuple(b - a + 1 for a, b in zip(finest, coarsest, strict=True))
        self.n_all = prod(self.shape)
        self._bound = self._sums(totals, coarsest)
        self._order = np.argsort(self._bound.ravel(), kind="stable")
        self._n_passed = 0

    def is_open(self, levels: Levels, below: float) -> bool:
        """Tell whether a combination was not looked at yet and may lose less than `below`."""
        return bool(self._bound[self._at(levels)] < below)

    def settle(self, levels: Levels) -> None:
        """Note that a combination was looked at."""
        self._bound[self._at(levels)] = np.inf

    def exclude(self, levels: Levels) -> None:
        """Note that a combination, and all that are finer, are not allowed."""
        self._bound[self._finer(levels)] = np.inf

    def raise_finer(self, levels: Levels, totals: Totals, rest: float) -> None:
        """Note that all finer combinations lose at least the sum of `totals` at their levels, and the rest."""
        here = self._finer(levels)
        if self._bound[here].size <= LARGEST_RAISED:
            np.maximum(self._bound[here], (self._sums(totals, levels) + rest) * SLACK, out=self._bound[here])

    def next_open(self, below: float) -> Levels | None:
        """Return the first combination in the order that may lose less than `below`, or None."""
        flat = self._bound.ravel()
        while self._n_passed < self.n_all:
            ahead = flat[self._order[self._n_passed : self._n_passed + 1024]] < below
            if ahead.any():
                self._n_passed += int(np.argmax(ahead))
                at = np.unravel_index(int(self._order[self._n_passed]), self.shape)
                return tuple(int(a) + b for a, b in zip(at, self.finest, strict=True))
            self._n_passed += ahead.size
        return None

    def _sums(self, totals: Totals, coarsest: Levels) -> NDArray[np.float64]:
        found = np.zeros((), dtype=np.float64)
        for total, low, high in zip(totals, self.finest, coarsest, strict=True):
            found = np.add.outer(found, total[low : high + 1])
        return np.ascontiguousarray(found)

    def _at(self, levels: Levels) -> tuple[int, ...]:
        return tuple(a - b for a, b in zip(levels, self.finest, strict=True))

    def _finer(self, levels: Levels) -> tuple[slice, ...]:
        return tuple(slice(0, at + 1) for at in self._at(levels))


class LargeLattice:
    """A lattice too large to list: only what was learned is kept."""

    def __init__(self, finest: Levels, coarsest: Levels) -> None:
        self.n_all = prod(b - a + 1 for a, b in zip(finest, coarsest, strict=True))
        self._looked: set[Levels] = set()
        self._refused = np.zeros((0, len(finest)), dtype=np.int64)

    def is_open(self, levels: Levels, below: float) -> bool:
        """Tell whether a combination was not looked at yet and is not known to be refused."""
        return levels not in self._looked and not (np.array(levels) <= self._refused).all(axis=1).any()

    def settle(self, levels: Levels) -> None:
        """Note that a combination was looked at."""
        self._looked.add(levels)

    def exclude(self, levels: Levels) -> None:
        """Note that a combination, and all that are finer, are not allowed."""
        line = np.array(levels, dtype=np.int64)
        rest = self._refused[~(self._refused <= line).all(axis=1)]
        self._refused = np.vstack([rest, line])

    def raise_finer(self, levels: Levels, totals: Totals, rest: float) -> None:
        """Keep no bounds."""


def lattice_of(finest: Levels, coarsest: Levels, totals: Totals) -> SmallLattice | LargeLattice:
    """Return the lattice between two combinations."""
    n_all = prod(b - a + 1 for a, b in zip(finest, coarsest, strict=True))
    return SmallLattice(finest, coarsest, totals) if n_all <= LARGEST else LargeLattice(finest, coarsest)
