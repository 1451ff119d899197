"""The adversary who may know any set of columns: the risk of each record."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.record_risk._all_sets import SECONDS, sum_all_sets
from withhold.auditing.record_risk._known_sets import N_HEAD, exact_risk
from withhold.auditing.record_risk._patterns import Patterns
from withhold.errors import InputError

__all__ = ["RiskCheck", "check_record_risk"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

_SHARES = (0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0)
"""Where the classes of a histogram end, in shares of the limit."""
_SHORT = 1.0
"""The seconds that plain counting may take in any case; above it a walk is worth its start …"""
_LONG = 10.0
"""… and where it seems the quicker one."""
_BATCH = 100
"""After how many distinct records progress is reported."""
_TINY = 1e-290
"""Covers what underflow can take away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskCheck:
    """What a check of record risk found. It holds no values."""

    n_checked: int
    """The number of records that were checked."""
    n_above: int
    """The number of checked records whose risk is above the limit."""
    n_undecided: int
    """The number of checked records whose interval holds the limit."""
    largest: tuple[float, float]
    """An interval that holds the largest risk among the checked records."""
    is_complete: bool
    """Whether all records were checked, not a sample."""
    histogram: tuple[tuple[float, float | None, int], ...] = ()
    """How many checked records have their bound above the first and at most the second number; None has no end."""


def check_record_risk(
    codes: Sequence[NDArray[np.int64]],
    known: Sequence[float],
    weights: Sequence[NDArray[np.float64]],
    *,
    alpha: float,
    at_most: float,
    counts: NDArray[np.int64] | None = None,
    sample: int | None = None,
    seconds: float | None = None,
    say: Callable[[str], object] = lambda what: None,
    rng: np.random.Generator | None = None,
) -> RiskCheck:
    """Count the records whose risk is above a limit.

    An adversary knows some columns of a person, finds the rows that agree on them, and learns the person's sensitive
    values with a chance of one in the number of these rows. The risk adds this up over all sets of columns.

    Parameters
    ----------
    codes
        For each column one code per row. A negative code is a blank: it belongs to no known set and agrees with
        nothing, not with another blank either.
    known
        For each column the chance that the adversary knows it, from 0 to 1.
    weights
        For each column and row the weight of the column times that of the value, at least 0. A blank counts as 0.
    alpha
        The factor of all risks, above 0.
    at_most
        The limit, at least 0; a risk equal to it is not above it.
    counts
        How many records each row stands for; one where None.
    sample
        The number of rows to compute if all would take too long; 200 by default. One half are those with the
        highest bounds on their risk, the other half are drawn.
    seconds
        The estimated time above which only a sample is computed; by default all records are, however long it takes.
    say
        Receives how many records are done, where that takes long.
    rng
        The source of the sample.

    Notes
    -----
    The risk of a record r is alpha times the sum over the sets K of columns published in r of the product of their
    chances, over the number of rows that agree with r on K, times the weight in r of the columns outside K. The
    empty set is one of them. A column of chance 0 adds to the weights alone.

    Sums of positive floats, with an allowance for rounding, decide all records but those close to the limit; these
    are computed in fractions, where each float stands for its decimal text. With c columns of positive chance, the
    cost is at most 2**c passes over the distinct records, far less where a few columns distinguish them, or for each of
    them one pass over all and c times 2**c sums. Where that is too much, the likeliest sets bound the risk of all
    records first; what this decides counts as checked. Beyond 16 columns a record may be bounded by its likeliest sets
    alone, which may leave it undecided.

    References
    ----------
    M. Orooji, G. M. Knapp: Improving Suppression to Reduce Disclosure Risk and Enhance Data Utility, IISE 2019.

    Examples
    --------
    >>> gender, dropout = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    >>> weights = [np.zeros(4), np.array([0.0, 0.0, 0.0, 1.0])]
    >>> found = check_record_risk([gender, dropout], [0.8, 0.0], weights, alpha=100, at_most=60)
    >>> found.n_checked, found.n_above, round(found.largest[1], 6)
    (4, 1, 65.0)
    """
    _refuse_mistakes(codes, known, weights, alpha, at_most, sample)
    if counts is not None and ({len(each) for each in codes} - {len(counts)} or (counts < 1).any()):
        raise InputError("check_record_risk: `counts` must hold a number of at least 1 for each row.")
    if not codes or not len(codes[0]):
        return RiskCheck(n_checked=0, n_above=0, n_undecided=0, largest=(0.0, 0.0), is_complete=True)
    risks = _Risks(Patterns(codes, known, weights, counts), alpha, at_most, say)
    if risks.cost() <= min(max(_SHORT, min(_LONG, risks.cost_of_walk())), np.inf if seconds is None else seconds):
        risks.compute()
    elif seconds is None:
        risks.finish()
    elif not risks.walk(seconds / 2):
        rows = risks.bound(seconds / 4)
        if risks.cost_of_each(len(np.unique(risks.table.pattern[rows]))) > seconds:
            rows = risks.draw(rows, 200 if sample is None else sample, rng or np.random.default_rng())
        risks.compute_each(rows)
    return risks.found()


def _refuse_mistakes(
    codes: Sequence[NDArray[np.int64]],
    known: Sequence[float],
    weights: Sequence[NDArray[np.float64]],
    alpha: float,
    at_most: float,
    sample: int | None,
) -> None:
    lengths = {len(each) for each in (*codes, *weights)}
    if not len(codes) == len(known) == len(weights) or len(lengths) > 1:
        raise InputError("check_record_risk: `codes`, `known` and `weights` must have the same columns and rows.")
    if not all(0 <= chance <= 1 for chance in known):
        raise InputError("check_record_risk: `known` must hold chances from 0 to 1.")
    if not all(np.isfinite(each).all() and (each >= 0).all() for each in weights):
        raise InputError("check_record_risk: `weights` must be finite and at least 0.")
    if not (0 < alpha < np.inf and 0 <= at_most < np.inf):
        raise InputError("check_record_risk: `alpha` must be above 0 and `at_most` at least 0, both finite.")
    if sample is not None and sample < 1:
        raise InputError(f"check_record_risk: `sample` must be at least 1; got {sample}.")


class _Risks:
    """The interval of each record's risk, and what is known to be above the limit."""

    def __init__(self, table: Patterns, alpha: float, at_most: float, say: Callable[[str], object]) -> None:
        self.table = table
        self._say = say
        self._alpha, self._at_most = float(alpha), float(at_most)
        n_columns = len(table.places)
        n_sums = (1 << min(n_columns, N_HEAD)) + 8 * (n_columns + len(table.others))
        self._rounding = 2.0**-52 * (n_sums + 64)
        self._low = np.zeros(table.n_rows)
        self._high = np.full(table.n_rows, np.inf)
        self._checked = np.zeros(table.n_rows, dtype=bool)
        self._above = np.zeros(table.n_rows, dtype=bool)

    def cost(self) -> float:
        """Estimate the seconds to compute all rows the cheaper way."""
        return min(self._cost_of_all(), self.cost_of_each(self.table.n_patterns))

    def cost_of_walk(self) -> float:
        """Estimate the seconds that a walk takes at most."""
        return 2.0 ** len(self.table.places) * self.table.n_patterns * SECONDS

    def _cost_of_all(self) -> float:
        return 2.0 ** len(self.table.places) * self._cost_of_set()

    def _cost_of_set(self) -> float:
        return 5e-5 + self.table.n_patterns * (1e-7 + 2e-9 * len(self.table.places))

    def cost_of_each(self, n_patterns: int) -> float:
        """Estimate the seconds to compute this many patterns one by one."""
        n_columns = len(self.table.places)
        counting = 2.0 ** min(n_columns, N_HEAD) * n_columns * 4e-9 + 1e-4
        if n_columns > N_HEAD:
            counting = min(20.0, 2.0 ** (n_columns - N_HEAD)) * (counting + self.table.n_patterns * 3e-9)
        return n_patterns * (counting + self.table.n_patterns * (1e-9 * n_columns + 3e-9))

    def compute(self) -> None:
        """Compute the risk of all rows the cheaper way."""
        rows = np.arange(self.table.n_rows)
        if self._cost_of_all() <= self.cost_of_each(self.table.n_patterns):
            self._set(rows, self.table.sums(1 << len(self.table.places)), self.table.pattern)
            self._settle(rows)
        else:
            self.compute_each(rows)

    def finish(self) -> None:
        """Decide all rows, however long it takes; where that is long, bounds may make most of it needless."""
        rows = self.bound(_LONG) if self.cost_of_walk() > 6 * _LONG else None
        if rows is not None and not rows.size:
            return
        if not self.walk(max(_SHORT, self.cost())):
            self.compute_each(self.bound(_LONG) if rows is None else rows)

    def walk(self, seconds: float) -> bool:
        """Compute the risk of all rows by a walk over all sets; return whether that took less than about so long."""
        if seconds < _SHORT / 2:
            return False
        n_sets = 2 ** len(self.table.places)
        found = sum_all_sets(
            self.table,
            seconds=seconds,
            say=lambda share: self._say(f"{int(share * n_sets):,} of {n_sets:,} sets of columns for all records"),
        )
        if found is not None:
            rows = np.arange(self.table.n_rows)
            self._set(rows, found, self.table.pattern)
            self._settle(rows)
        return found is not None

    def bound(self, seconds: float) -> _Ints:
        """Bound the risk of all rows, and return those that this leaves undecided; the others are checked."""
        rows = np.arange(self.table.n_rows)
        n_sets = min(1 << N_HEAD, max(1 + len(self.table.places), int(seconds / self._cost_of_set())))
        self._set(rows, self.table.sums(n_sets), self.table.pattern)
        self._above = self._low > self._at_most
        self._checked = self._above | (self._high <= self._at_most)
        return np.flatnonzero(~self._checked)

    def draw(self, rows: _Ints, n_drawn: int, rng: np.random.Generator) -> _Ints:
        """Draw some of the rows: one half with the highest intervals, ties by lot, the other half by lot."""
        if rows.size <= n_drawn:
            return rows
        mixed = rng.permutation(rows)
        mixed = mixed[np.argsort(-(self._low + self._high)[mixed], kind="stable")]
        n_first = n_drawn // 2
        return np.concatenate((mixed[:n_first], rng.choice(mixed[n_first:], n_drawn - n_first, replace=False)))

    def compute_each(self, rows: _Ints) -> None:
        """Compute the risk of the rows, pattern by pattern."""
        patterns, place = np.unique(self.table.pattern[rows], return_inverse=True)
        low, high = np.zeros((2, len(self.table.places) + 1, len(patterns)))
        finished = np.ones(len(patterns), dtype=bool)
        n_of = np.bincount(place, weights=self.table.counts_of(rows), minlength=len(patterns)).astype(np.int64)
        n_done = self.table.n_records - int(n_of.sum()) + np.cumsum(n_of)
        for i, pattern in enumerate(patterns.tolist()):
            if i % _BATCH == _BATCH - 1:
                self._say(f"{n_done[i]:,} of {self.table.n_records:,} records")
            sets = self.table.known_sets(pattern)
            lines = [0, *(k + 1 for k in self.table.published(pattern))]
            if not sets.is_finished:
                sets.narrow(self._is_enough(rows[place == i], lines))
            low[lines, i], high[lines, i] = sets.bounds()
            finished[i] = sets.is_finished
        self._set(rows, zip(low, high, strict=True), place)
        self._checked[rows] = True
        self._above[rows] = self._low[rows] > self._at_most
        self._settle(rows[finished[place]])

    def found(self) -> RiskCheck:
        """Return what the check found."""
        undecided = self._checked & ~self._above & (self._high > self._at_most)
        low, high = (float(each[self._checked].max(initial=0.0)) for each in (self._low, self._high))
        return RiskCheck(
            n_checked=self.table.records(self._checked),
            n_above=self.table.records(self._above & self._checked),
            n_undecided=self.table.records(undecided),
            largest=(low, high),
            is_complete=bool(self._checked.all()),
            histogram=self._histogram(),
        )

    def _histogram(self) -> tuple[tuple[float, float | None, int], ...]:
        """Count the checked records by the upper end of their interval, in shares of the limit."""
        is_zero = self._checked & (self._high == 0)
        edges = [0.0, *(share * (self._at_most or 1.0) for share in _SHARES), np.inf]
        found: list[tuple[float, float | None, int]] = [(0.0, 0.0, self.table.records(is_zero))]
        for low, top in pairwise(edges):
            inside = self._checked & (self._high > low) & (self._high <= top)
            found.append((low, top if np.isfinite(top) else None, self.table.records(inside)))
        return tuple(found)

    def _set(self, rows: _Ints, lines: Iterable[tuple[_Floats, _Floats]], pattern: _Ints) -> None:
        """Set the intervals of the rows from the bounds on the sums of their patterns."""
        low, high, total = np.zeros((3, len(rows)))
        for line, (least, greatest) in enumerate(lines):
            weight = self.table.weight(line, rows)
            total += weight
            low += weight * least[pattern]
            high += weight * greatest[pattern]
        self._low[rows] = np.maximum(self._alpha * low * (1 - self._rounding) - _TINY, 0)
        self._high[rows] = np.where(total > 0, self._alpha * high * (1 + self._rounding) + _TINY, 0)

    def _is_enough(self, rows: _Ints, lines: list[int]) -> Callable[[_Floats, _Floats], bool]:
        """Return what decides whether bounds on the sums decide the rows and leave short intervals."""
        weights = self._alpha * np.stack([self.table.weight(line, rows) for line in lines], axis=1)

        def is_enough(least: _Floats, greatest: _Floats) -> bool:
            low, high = weights @ least * (1 - self._rounding), weights @ greatest * (1 + self._rounding)
            decided = (low > self._at_most) | (high <= self._at_most)
            return bool((decided & (high <= 1.01 * low)).all())

        return is_enough

    def _settle(self, rows: _Ints) -> None:
        """Decide the rows whose sums hold every known set: in fractions where floats are too coarse.

        Ties that take over a minute are left undecided.
        """
        self._checked[rows] = True
        self._above[rows] = self._low[rows] > self._at_most
        close = rows[~self._above[rows] & (self._high[rows] > self._at_most)]
        alike = np.stack([self.table.pattern[close], *(each[close] for each in self.table.weights)], axis=1)
        _, first, which = np.unique(alike, axis=0, return_index=True, return_inverse=True)
        memo: dict[object, Fraction | None] = {}
        low, high, above = self._low[close[first]], self._high[close[first]], np.zeros(len(first), dtype=bool)
        for i, row in enumerate(close[first[: max(1000, int(60 / self.cost_of_each(1)))]].tolist()):
            share = self._exact_share(row, memo)
            if share is not None:
                risk = share * _decimal(self._alpha)
                low[i] = high[i] = float(risk)
                above[i] = risk > _decimal(self._at_most)
        self._low[close], self._high[close], self._above[close] = low[which], high[which], above[which]

    def _exact_share(self, row: int, memo: dict[object, Fraction | None]) -> Fraction | None:
        """Return the risk of a row over alpha; equal counts and weights are computed once."""
        pattern = int(self.table.pattern[row])
        shown = self.table.published(pattern)
        sets = self.table.known_sets(pattern)
        sets.narrow(lambda low, high: False)
        if not sets.is_finished:
            return None
        weights = [float(each[row]) for each in self.table.weights]
        key = (*shown, *weights, *((block.known, block.counts.tobytes()) for block in sets.blocks))
        if key not in memo:
            inside = {self.table.places[k] for k in shown}
            outside = sum((_decimal(weight) for j, weight in enumerate(weights) if j not in inside), Fraction(0))
            exact = [_decimal(weights[self.table.places[k]]) for k in shown]
            memo[key] = exact_risk(sets.blocks, [_decimal(self.table.chances[k]) for k in shown], exact, outside)
        return memo[key]


def _decimal(number: float) -> Fraction:
    """Return the number that the float's text spells."""
    return Fraction(repr(float(number)))
