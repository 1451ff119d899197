"""What a promise asks of the people of the population whom the rows of a group stand for.

A histogram is the number of rows of a group, and how many people these stand for, in parts of a person. Both measures
are kept by the union of two groups that keep them. For the risk: of two groups, take the one whose rows stand for fewer
people each. Added rows lower its risk, and so does that each stands for more.
"""

from dataclasses import dataclass, field
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups._group_measures import Counts, Figures, Measure
from withhold.methods.groups._regroup import Ints, Lanes
from withhold.population import negative_binomial_risk, poisson_risk

__all__ = ["PeopleLanes", "PeopleSum", "PersonRisk"]

SURE = 1 - 1e-9
"""A risk is kept this much below what is allowed, so that no rounding decides."""
MOST_ROWS = 1 << 40


@dataclass(frozen=True, slots=True, eq=False)
class PeopleLanes(Lanes):
    """A promise about the people whom rows stand for; rows in one lane stand for equally many."""

    amounts: Ints = field(kw_only=True)
    """For each row how many people it stands for, in parts of a person."""

    def histogram(self, rows: Ints, weights: Ints) -> Ints:
        """Return the rows and the people of some rows."""
        own = weights[rows].astype(np.int64)
        return np.array([own.sum(), (self.amounts[rows] * own).sum()], dtype=np.int64)

    def histograms(self, groups: Ints, n_groups: int) -> Ints:
        """Return the rows and the people of all groups, one line each."""
        found = np.zeros((n_groups, 2), dtype=np.int64)
        found[:, 0] = np.bincount(groups, minlength=n_groups)
        np.add.at(found[:, 1], groups, self.amounts)
        return found

    def only(self, rows: Ints) -> "PeopleLanes":
        """Return the same promise about some of the rows."""
        return PeopleLanes(self.measure, self.lane[rows], self.n_lanes, amounts=self.amounts[rows])


@dataclass(frozen=True)
class PeopleSum(Measure):
    """At least `k` people.

    Examples
    --------
    >>> PeopleSum(10, unit=2, mean=5.0).is_met(np.array([[1, 19], [2, 20]])).tolist()
    [False, True]
    """

    k: int
    unit: int
    """How many parts a person has."""
    mean: float
    """How many people a row stands for on average."""
    by_rows: bool = False
    """Whether a search counts rows, because groups may stand for more people than their rows together."""

    @property
    def asked(self) -> float:
        """The bound."""
        return self.k

    @property
    def least_rows(self) -> int:
        """How many rows stand for enough people on average."""
        return max(1, ceil(self.k / self.mean))

    def figures(self, counts: Counts) -> Figures:
        """Return the number of people."""
        return np.asarray(counts[:, 1] / self.unit)

    def is_met(self, counts: Counts) -> NDArray[np.bool_]:
        """Return which groups stand for enough people, in integers."""
        return np.asarray((counts[:, 1] >= self.k * self.unit) | (counts[:, 0] == 0))


@dataclass(frozen=True)
class PersonRisk(Measure):
    """An individual risk of at most a bound.

    Examples
    --------
    >>> risk = PersonRisk(0.05, unit=1, mean=20.0, estimator="negative-binomial")
    >>> risk.is_met(np.array([[1, 20], [2, 60]])).tolist(), risk.least_rows
    ([False, True], 2)
    """

    at_most: float
    unit: int
    mean: float
    estimator: Literal["negative-binomial", "poisson"]
    is_lower_worse = False

    @property
    def asked(self) -> float:
        """The bound."""
        return self.at_most

    @property
    def least_rows(self) -> int:
        """How many rows that stand for people as the average row does have a risk that is low enough."""
        low, high = 0, 1
        while high < MOST_ROWS and not self._is_low(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._is_low(middle) else (middle, high)
        return high

    @property
    def least_people(self) -> float:
        """How many people are enough for groups of half as many rows; larger groups need fewer."""
        n_rows = max(self.least_rows // 2, 2)
        low, high = float(n_rows), 2.0 * n_rows
        while high < MOST_ROWS and not self._is_low(n_rows, high):
            low, high = high, 2 * high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if self._is_low(n_rows, middle) else (middle, high)
        return high

    def _is_low(self, n_rows: int, people: float | None = None) -> bool:
        held = n_rows * self.mean if people is None else people
        return bool(self._risk(np.array([n_rows]), np.array([held]))[0] <= self.at_most * SURE)

    def figures(self, counts: Counts) -> Figures:
        """Return the individual risk of the rows of each group."""
        return self._risk(np.maximum(counts[:, 0], 1), counts[:, 1] / self.unit)

    def is_met(self, counts: Counts) -> NDArray[np.bool_]:
        """Return which groups have a risk that is low enough."""
        return np.asarray((self.figures(counts) <= self.at_most * SURE) | (counts[:, 0] == 0))

    def _risk(self, rows: NDArray[np.int64], people: Figures) -> Figures:
        if self.estimator == "poisson":
            return poisson_risk(rows, np.maximum(people - rows, 0.0))
        return negative_binomial_risk(rows, people)
