"""Record risk: likelihood times consequence, summed over every set of columns that an outsider may know."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError
from withhold.methods.risk._encode import Blank
from withhold.methods.risk._exact_risk import as_written, exact_risk
from withhold.methods.risk._measure import Measure
from withhold.methods.risk._risk_problem import Problem, Sensitive, problem_of
from withhold.table import Grid, Table

__all__ = ["Risk", "high_risk", "record_risk", "risk_by_column"]

_Floats = NDArray[np.float64]
_Bools = NDArray[np.bool_]
EDGES = (0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0)


@dataclass(frozen=True, slots=True, eq=False)
class Risk:
    """The risk of every record, as an interval that is certain to hold it."""

    low: _Floats
    """For each record a lower bound."""
    high: _Floats
    """For each record an upper bound; apart from `low` by rounding only where the risk was asked for exactly."""
    counts: NDArray[np.int64] | None = None
    """How many records each bound is about, where rows stand for several; None where that is one."""

    @property
    def value(self) -> _Floats:
        """For each record the middle of its interval."""
        return (self.low + self.high) / 2

    def above(self, at_most: float) -> tuple[int, int]:
        """Return how many records are certainly above a threshold, and how many may be."""
        return self._n_of(self.low > at_most), self._n_of(self.high > at_most)

    def histogram(self, edges: Sequence[float] = EDGES) -> list[tuple[float, float, int]]:
        """Return how many records have their middle in each class: its lower edge, its upper edge, the number.

        The first class holds the records without any risk; the others hold their upper edge.
        """
        middle = self.value
        bounds = [0.0, *edges, float("inf")]
        found = [(0.0, 0.0, self._n_of(middle == 0))]
        for low, high in pairwise(bounds):
            found.append((low, high, self._n_of((middle > low) & (middle <= high))))
        return found

    def _n_of(self, rows: _Bools) -> int:
        return int(rows.sum()) if self.counts is None else int(self.counts[rows].sum())

    def __repr__(self) -> str:
        if not self.low.size:
            return "<Risk of 0 records>"
        middle = self.value
        order, counts = np.argsort(middle), np.ones(middle.size, np.int64) if self.counts is None else self.counts
        ends = np.cumsum(counts[order])
        places = np.searchsorted(ends, np.ceil(np.array([0.5, 0.99, 1.0]) * ends[-1]))
        quantiles = ", ".join(f"{q:.3g}" for q in middle[order][places])
        wide = float(np.max((self.high - self.low) / 2, initial=0.0))
        return f"<Risk of {ends[-1]} records: median, 99 % and largest {quantiles}; each within {wide:.2g}>"


def record_risk(
    table: Table | Grid,
    known: Mapping[str, float],
    sensitive: Sensitive,
    *,
    alpha: float = 100.0,
    tolerance: float = 0.0,
    relative: float = 0.0,
    blank: Blank = "exclude",
    complement: bool = False,
    counts: NDArray[np.int64] | None = None,
) -> Risk:
    """Measure how exposed each record is, whatever columns an outsider knows.

    Somebody who knows some columns of a person finds the records that agree on them; the fewer there are, and the more
    of the rest is sensitive, the more is given away. That is summed over all sets of columns, each with the chance that
    exactly its columns are known.

    Parameters
    ----------
    table
        The table, or its cells as codes.
    known
        For columns that an outsider may know the chance of it, 0 to 1. Other columns have chance 0. At most 63 columns
        may have a positive chance.
    sensitive
        For sensitive columns their weight, 0 to 1: one number for all values, or a number for each sensitive value;
        values that are not listed then weigh 0. A blank weighs 0.
    alpha
        The coefficient of the consequence, above 0. It scales all risks alike.
    tolerance
        How far a bound may lie from the middle of its interval. 0 asks for the exact risk.
    relative
        The same as a share of the lower bound; either of the two suffices.
    blank
        What a blank cell means for frequencies. ``"exclude"``: it takes part in no known set, and matches nothing.
        ``"ignore"``: sets that hold it match on their other columns. ``"category"``: a value like any other.
        ``"wildcard"``: it matches every value.
    complement
        Weigh a set also with the chance that the other columns are *not* known; the paper does not.
    counts
        How many records each row of the table stands for, one where None: distinct rows with counts have the risks
        that the records have.

    Returns
    -------
    Risk
        An interval for each record, or for each row where `counts` are given.

    Notes
    -----
    ``D(r) = alpha * sum over sets K of (product of chances of K) / F(r, K) * (sensitivity of r outside K)``, where F is
    the number of records that agree with r on K; the empty set has F = number of rows. Exact up to about 20 columns of
    positive chance; with a tolerance also beyond. The work grows about linearly with the rows, and at worst three-fold
    with each column. Values are compared for equality: bin numbers first.

    References
    ----------
    M. Orooji, G. M. Knapp: Improving Suppression to Reduce Disclosure Risk and Enhance Data Utility, 2019.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["f", "f", "m"], "dropout": ["no", "yes", "no"]})
    >>> risk = record_risk(table, {"sex": 0.8}, {"dropout": {"yes": 1.0}}, alpha=100)
    >>> [round(value, 6) for value in risk.value.tolist()]
    [0.0, 73.333333, 0.0]
    """
    for name, value in (("tolerance", tolerance), ("relative", relative)):
        if not value >= 0:
            raise InputError(f"risk: `{name}` must be a number of at least 0; got {value!r}.")
    problem = problem_of(table, known, sensitive, alpha=alpha, blank=blank, complement=complement, counts=counts)
    measure = Measure(problem)
    measure.narrow(absolute=tolerance, relative=relative)
    return Risk(measure.low, measure.high, problem.counts)


def high_risk(
    table: Table | Grid,
    known: Mapping[str, float],
    sensitive: Sensitive,
    *,
    at_most: float,
    alpha: float = 100.0,
    blank: Blank = "exclude",
    complement: bool = False,
    counts: NDArray[np.int64] | None = None,
) -> _Bools:
    """Decide for every record whether its risk is above a threshold.

    Only records whose interval still holds the threshold are looked at more closely, so this is much faster than
    `record_risk`. The parameters are those of `record_risk`.

    Returns
    -------
        For each record whether its risk is above `at_most`; a risk that equals it is not. Where rounding leaves a
        record undecided it is computed in rational numbers, with all numbers read as they are written in decimals;
        should even that be too much work, the record counts as above.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["f", "f", "m"], "dropout": ["no", "yes", "no"]})
    >>> high_risk(table, {"sex": 0.8}, {"dropout": {"yes": 1.0}}, at_most=70).tolist()
    [False, True, False]
    """
    problem = problem_of(table, known, sensitive, alpha=alpha, blank=blank, complement=complement, counts=counts)
    check_threshold(at_most)
    measure = Measure(problem)
    measure.decide(at_most)
    return decided(problem, measure, at_most)


def check_threshold(at_most: float) -> None:
    """Refuse a threshold that no table can meet."""
    if not 0 <= at_most < float("inf"):
        raise InputError(f"risk: `at_most` must be a number of at least 0; got {at_most!r}.")


def decided(problem: Problem, measure: Measure, at_most: float, among: _Bools | None = None) -> _Bools:
    """Return which of the narrowed records are above a threshold; those on the edge exactly, or counted as above."""
    above: _Bools = measure.high > at_most
    edge = above & (measure.low <= at_most)
    if among is not None:
        edge &= among
    rows = np.flatnonzero(edge)
    if rows.size:
        _, first, same = np.unique(problem.grid.codes[rows], axis=0, return_index=True, return_inverse=True)
        risks = [exact_risk(problem, int(rows[i])) for i in first]
        verdicts = np.array([risk is None or risk > as_written(at_most) for risk in risks])
        above[rows] = verdicts[same.ravel()]
    return above


def risk_by_column(
    table: Table | Grid,
    known: Mapping[str, float],
    sensitive: Sensitive,
    *,
    alpha: float = 100.0,
    relative: float = 0.1,
    sample: int | None = 500,
    blank: Blank = "exclude",
    complement: bool = False,
    counts: NDArray[np.int64] | None = None,
    rng: int | np.random.Generator | None = 0,
) -> dict[str, float]:
    """Return for each known column the share of the risk that comes from sets that hold it.

    Parameters
    ----------
    relative
        How exactly the risks are measured.
    sample
        Look at this many records only, drawn at random among those with sensitive values; at all where None.
    rng
        The generator of the draw, or its seed.

    Notes
    -----
    A set of several columns counts for each of them, so that shares may sum to more than 1. Each column costs a
    measurement of the records without it. The other parameters are those of `record_risk`.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["f", "f", "m"], "dropout": ["no", "yes", "no"]})
    >>> shares = risk_by_column(table, {"sex": 0.8}, {"dropout": {"yes": 1.0}})
    >>> {name: round(share, 4) for name, share in shares.items()}
    {'sex': 0.5455}
    """
    problem = problem_of(table, known, sensitive, alpha=alpha, blank=blank, complement=complement, counts=counts)
    rows = np.flatnonzero(problem.sensitivity() > 0)
    times = np.zeros(problem.grid.n_rows, dtype=np.int64)
    times[rows] = 1 if problem.counts is None else problem.counts[rows]
    if sample is not None and times.sum() > sample:
        # Numbered by what they hold, so that the draw does not depend on the order of the rows.
        rows = Measure(problem).in_order(rows)
        drawn = np.random.default_rng(rng).choice(int(times.sum()), sample, replace=False)
        places = np.searchsorted(np.cumsum(times[rows]), drawn, side="right")
        times = np.bincount(rows[places], minlength=times.size)
    whole = _summed(problem, times, relative)
    shares = {}
    for j in np.flatnonzero(problem.chances > 0):
        rest = problem.without(int(j))
        factor = 1 - problem.chances[j] if complement else 1.0
        shares[problem.grid.columns[j]] = 1 - factor * _summed(rest, times, relative) / whole if whole else 0.0
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _summed(problem: Problem, times: NDArray[np.int64], relative: float) -> float:
    """Return the risks of rows, each as often as `times` says, added up."""
    measure = Measure(problem)
    chosen = times > 0
    measure.narrow(absolute=0.0, relative=relative, among=chosen)
    return math.fsum((((measure.low + measure.high) / 2)[chosen] * times[chosen]).tolist())
