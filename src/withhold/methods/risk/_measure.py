"""Certified intervals around every record's risk, narrowed only where somebody needs them narrower."""

import numpy as np
from numpy.typing import NDArray

from withhold.methods.risk._encode import encode
from withhold.methods.risk._risk_problem import Problem

__all__ = ["Measure"]

_Floats = NDArray[np.float64]
_Bools = NDArray[np.bool_]
SHRINK = 0.1
FINEST = 1e-14


class Measure:
    """The risks of one table, as intervals that only become narrower.

    Attributes
    ----------
    low, high
        For each record the bounds of its risk.
    tolerance
        For each record the doubt that a single cut was last allowed to leave, as a share of the likelihood.
    """

    def __init__(self, problem: Problem) -> None:
        self._encoded = encode(
            problem.grid.codes,
            problem.chances,
            problem.weights,
            blank=problem.blank,
            complement=problem.complement,
            records=problem.counts,
        )
        self._n_records = problem.n_records
        self._chain = self._encoded.chain()
        self._outside = problem.sensitivity(known=False)
        self.sensitivity = problem.sensitivity()
        self._scale = problem.alpha * self._encoded.factor[self._encoded.of_row]
        n_rows = problem.grid.n_rows
        self.low = np.zeros(n_rows)
        self.high = np.where(self.sensitivity > 0, np.inf, 0.0)
        self.tolerance = np.full(n_rows, np.inf)
        # Each column puts at most 16 roundings on any term: its share, its look-ups, its joins.
        self._rounding = (16 * len(self._encoded.columns) + 64) * 2.0**-53

    @property
    def reach(self) -> _Floats:
        """For each record the risk it would have were it unique on the empty set: what a likelihood of 1 means."""
        return self._scale * self.sensitivity

    def in_order(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return rows in an order that only depends on what they hold: those that share a place have one risk."""
        return rows[np.lexsort((self._outside[rows], self._encoded.of_row[rows]))]

    def look(self, tolerance: _Floats) -> None:
        """Narrow the intervals of the records whose tolerance is not infinite."""
        wanted = (tolerance < np.inf) & (self.sensitivity > 0)
        if not wanted.any():
            return
        of_row = self._encoded.of_row[wanted]
        least = np.full(len(self._encoded.keys), np.inf)
        np.minimum.at(least, of_row, tolerance[wanted])
        likelihood, consequence, doubt = self._chain.solve(least)
        middle = self._scale[wanted] * (self._outside[wanted] * likelihood[of_row] + consequence[of_row])
        error = self.reach[wanted] * doubt[of_row]
        low = np.maximum((middle - error) * (1 - self._rounding), 0.0)
        high = (middle + error) * (1 + self._rounding)
        self.low[wanted] = np.maximum(self.low[wanted], low)
        self.high[wanted] = np.minimum(self.high[wanted], high)
        self.tolerance[wanted] = tolerance[wanted]

    def narrow(self, *, absolute: float, relative: float, among: _Bools | None = None) -> None:
        """Narrow every interval until half its width is at most `absolute`, or `relative` times its lower bound."""
        everybody = np.ones(self.low.size, dtype=bool) if among is None else among
        if absolute <= 0 and relative <= 0:
            self.look(np.where(everybody, 0.0, np.inf))
            return
        reach = np.where(self.reach > 0, self.reach, 1.0)
        start = np.maximum(0.02 * absolute / reach, 10 / max(self._n_records, 1) if relative > 0 else 0.0)
        self.look(np.where(everybody, start, np.inf))
        while (needy := self._too_wide(absolute, relative) & everybody).any():
            error = (self.high - self.low) / 2
            goal = np.maximum(absolute, relative * np.maximum(self.low, (self.low + self.high) / 8))
            with np.errstate(divide="ignore", invalid="ignore"):
                tolerance = np.where(needy, self.tolerance * np.clip(0.5 * goal / error, 0.03, 0.4), np.inf)
            self.look(np.where(tolerance < FINEST, 0.0, tolerance))

    def _too_wide(self, absolute: float, relative: float) -> _Bools:
        error = (self.high - self.low) / 2
        wide: _Bools = (error > np.maximum(absolute, relative * self.low)) & (self.tolerance > 0)
        return wide

    def decide(self, at_most: float, *, among: _Bools | None = None, start: _Floats | None = None) -> None:
        """Narrow intervals until none of a wanted record straddles `at_most`, or it is exact.

        Parameters
        ----------
        among
            The records to decide; all where None.
        start
            For each record the tolerance to begin with.
        """
        reach = np.where(self.reach > 0, self.reach, 1.0)
        tolerance = np.maximum(0.02 * at_most / reach, FINEST)
        if start is not None:
            tolerance = np.minimum(tolerance, start)
        while (open_ := self.straddling(at_most, among)).any():
            self.look(np.where(open_, tolerance, np.inf))
            tolerance = np.where(tolerance < FINEST, 0.0, tolerance * SHRINK)

    def straddling(self, at_most: float, among: _Bools | None = None) -> _Bools:
        """Return the records that are not decided yet but can be narrowed further."""
        open_: _Bools = (self.low <= at_most) & (self.high > at_most) & (self.tolerance > 0)
        return open_ if among is None else open_ & among
