"""How likely people of a sample are found in the population, by several estimators."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InputError, did_you_mean
from withhold.population._individual import negative_binomial_risk, poisson_risk
from withhold.population._people import People, people_of
from withhold.population._population_uniques import Uniqueness, population_uniques
from withhold.population._register import group_rows, people_who_share
from withhold.table import Table

__all__ = [
    "Basis",
    "Estimate",
    "Estimator",
    "PopulationRisk",
    "individual_risks",
    "population_risk",
    "risk_of_counted",
    "risk_of_rows",
]

Estimator = Literal["sample", "negative-binomial", "poisson", "independence", "counted"]
Basis = Literal["weights", "share", "table"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TITLES = {
    "sample": "as if the file were the population",
    "negative-binomial": "individual risk (Benedetti and Franconi)",
    "poisson": "Poisson, by weights",
    "independence": "Poisson, by a log-linear model",
    "counted": "counted in the population",
}
"""The estimators, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What one estimator says of the chance that a row is linked to the right person of the population."""

    estimator: Estimator
    """``sample`` takes the sample for the population, ``negative-binomial`` is the individual risk after Benedetti and
    Franconi, ``poisson`` lets the sum of the weights be a mean, ``independence`` takes the mean from the shares of
    single values (a log-linear model with main effects), ``counted`` knows the population."""
    average: float
    """The mean chance over all rows."""
    largest: float
    """The chance of the row that is most exposed."""
    expected: float
    """How many rows are expected to be linked rightly: the sum of the chances."""
    unique_rows: float
    """How many rows are expected to be of people who are alone in the population with their values."""

    @property
    def title(self) -> str:
        """Its name in words."""
        return TITLES[self.estimator]


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationRisk:
    """How exposed the people of a sample are in the population it was drawn from."""

    columns: tuple[str, ...]
    """What an outsider knows of a person."""
    basis: Basis
    """What the people of the population are counted by: ``weights``, the ``share`` in the sample, or a ``table``."""
    n_rows: int
    """The rows of the sample."""
    n_people: float
    """The people of the population."""
    n_groups: int
    """The combinations that the sample holds."""
    smallest: float
    """The people who share the rarest of these combinations: their expected number, or counted in a table."""
    estimates: tuple[Estimate, ...]
    """The chance of being found, by each estimator."""
    uniqueness: tuple[Uniqueness, ...] = ()
    """How many people of the population are alone with their values, by each model."""
    where: str = ""
    """The requirement that names the columns, where a policy does."""

    @property
    def best(self) -> Estimate:
        """The estimate that is reported where one must do: counted people, else the individual risk."""
        return self.estimate("counted" if self.basis == "table" else "negative-binomial")

    @property
    def says(self) -> str:
        """What it comes to, in a sentence."""
        about = "" if self.basis == "table" else "an estimated "
        found = self.best
        others = [] if self.basis == "table" else [self.estimate("independence")]
        linked = " to ".join(f"{each:,.1f}" for each in sorted({found.expected, *(each.expected for each in others)}))
        alone = " to ".join(f"{each:,.1f}" for each in sorted({found.unique_rows, *(e.unique_rows for e in others)}))
        largest = max(found.largest, *(each.largest for each in others)) if others else found.largest
        return (
            f"Among {about}{self.n_people:,.0f} people, the rarest combination of {', '.join(self.columns)} is shared "
            f"by {about}{self.smallest:,.4g}. Of {self.n_rows:,} rows {linked} are linked to the right person on "
            f"average{' (estimators differ)' if others else ''}, the most exposed with a chance of {largest:.1%}; "
            f"{alone} are of people who are alone."
        )

    def estimate(self, estimator: Estimator) -> Estimate:
        """Return what one estimator says."""
        return next(each for each in self.estimates if each.estimator == estimator)


def population_risk(
    table: object,
    columns: Sequence[str],
    *,
    weight: str | None = None,
    sample: float | None = None,
    population: object = None,
) -> PopulationRisk:
    """Estimate how likely the people of a sample are found by some columns in the population it was drawn from.

    Parameters
    ----------
    table
        The sample: a `Table`, or what `withhold.read` reads.
    columns
        What an outsider knows of a person.
    weight
        The column with sampling weights.
    sample
        The share of the population that the sample is, where there are no weights.
    population
        A table of the whole population, which must hold the columns: then people are counted, not estimated.

    Returns
    -------
    PopulationRisk
        Averages, largest chances and expected numbers by estimator; the rows' own chances are `individual_risks`.

    Raises
    ------
    InputError
        Where not exactly one of `weight`, `sample` and `population` is given.
    DataError
        Where a column does not exist, or a weight is no positive number.

    Notes
    -----
    Rows that hold the same values are one combination; a missing cell is a value. All estimators but the first take
    the sum of the weights for the expected number of people who share a combination. It is an estimate: a rare
    combination that happens to be in the sample looks more frequent than it is. `docs/samples.md` compares the
    estimators with the truth. The cost is that of sorting the rows once for each column.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["m", "m", "f"], "w": [18, 92, 17]})
    >>> risk = population_risk(table, ["sex"], weight="w")
    >>> risk.smallest, round(risk.estimate("negative-binomial").largest, 3), risk.estimate("sample").largest
    (17.0, 0.177, 1.0)
    """
    opened = _table(table)
    _check(opened, columns, weight, sample, population)
    cells = [opened.store.cells(name).astype(np.int64) for name in columns]
    if population is not None:
        register = _table(population)
        groups = group_rows(cells, opened.n_rows)
        first = np.unique(groups, return_index=True)[1]
        shared = people_who_share(opened, register, columns)[first]
        return risk_of_counted(np.bincount(groups), shared, columns=tuple(columns), n_people=register.n_rows)
    people = people_of(opened, weight=weight, sample=sample)
    return risk_of_rows(cells, people, columns=tuple(columns), basis="share" if weight is None else "weights")


def individual_risks(
    table: object,
    columns: Sequence[str],
    *,
    weight: str | None = None,
    sample: float | None = None,
    population: object = None,
    estimator: Estimator | None = None,
) -> Floats:
    """Return for each row of a sample the chance that it is linked to the right person of the population.

    Parameters
    ----------
    table, columns, weight, sample, population
        As for `population_risk`.
    estimator
        By default ``"negative-binomial"``, the individual risk after Benedetti and Franconi, or ``"counted"`` where
        the population is given.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["m", "m", "f"], "w": [18, 92, 17]})
    >>> individual_risks(table, ["sex"], weight="w").round(3).tolist()
    [0.017, 0.017, 0.177]
    """
    opened = _table(table)
    _check(opened, columns, weight, sample, population)
    if (estimator == "counted") != (population is not None) and estimator not in (None, "sample"):
        raise InputError('`estimator` "counted" is for a `population`, and the others are for samples without one.')
    cells = [opened.store.cells(name).astype(np.int64) for name in columns]
    if population is not None and estimator != "sample":
        return 1.0 / np.maximum(people_who_share(opened, _table(population), columns), 1)
    people = People(amounts=np.ones(opened.n_rows, dtype=np.int64), unit=1)
    if population is None:
        people = people_of(opened, weight=weight, sample=sample)
    return _Groups(cells, people).risks(estimator or "negative-binomial")


def risk_of_rows(cells: Sequence[Ints], people: People, *, columns: tuple[str, ...], basis: Basis) -> PopulationRisk:
    """Return the estimates for rows given as codes, column by column.

    Examples
    --------
    >>> people = People(amounts=np.array([18, 92, 17]), unit=1)
    >>> risk_of_rows([np.array([0, 0, 1])], people, columns=("sex",), basis="weights").n_groups
    2
    """
    groups = _Groups(cells, people)
    estimators: tuple[Estimator, ...] = ("sample", "negative-binomial", "poisson", "independence")
    return PopulationRisk(
        columns=columns,
        basis=basis,
        n_rows=groups.n_rows,
        n_people=people.n_people,
        n_groups=groups.rows.size,
        smallest=float(groups.people.min(initial=people.n_people)),
        estimates=tuple(_estimate(each, groups.risks(each), groups.alone(each)) for each in estimators),
        uniqueness=population_uniques(groups.rows, people.n_people) if groups.n_rows else (),
    )


class _Groups:
    """The combinations of a sample: how many rows hold each, and how many people these stand for."""

    def __init__(self, cells: Sequence[Ints], people: People) -> None:
        self.n_rows = int(people.amounts.size)
        self.groups = group_rows(cells, self.n_rows)
        self.rows = np.bincount(self.groups).astype(np.int64) if self.n_rows else np.zeros(0, dtype=np.int64)
        self.people = people.sums(self.groups, self.rows.size) / people.unit
        self._cells = cells

    def risks(self, estimator: Estimator) -> Floats:
        """Return the chance of each row."""
        return self._of_groups(estimator)[self.groups]

    def _of_groups(self, estimator: Estimator) -> Floats:
        if estimator == "sample":
            return 1.0 / self.rows
        if estimator == "negative-binomial":
            return negative_binomial_risk(self.rows, self.people)
        return poisson_risk(self.rows, self._others(estimator))

    def _others(self, estimator: Estimator) -> Floats:
        """Return for each combination how many people outside the sample are expected to hold it."""
        if estimator == "poisson":
            return np.maximum(self.people - self.rows, 0.0)
        share = np.ones(self.n_rows)
        for column in self._cells:
            share *= np.bincount(column)[column] / self.n_rows
        expected = np.zeros(self.rows.size)
        expected[self.groups] = share * self.n_rows
        return expected * np.maximum(self.people / np.maximum(self.rows, 1) - 1, 0.0)

    def alone(self, estimator: Estimator) -> float:
        """Return how many rows are expected to be alone in the population."""
        is_single = self.rows == 1
        if estimator == "sample":
            return float(is_single.sum())
        if estimator == "negative-binomial":
            return float((1.0 / np.maximum(self.people[is_single], 1.0)).sum())
        return float(np.exp(-self._others(estimator)[is_single]).sum())


def _estimate(estimator: Estimator, risks: Floats, alone: float) -> Estimate:
    total = float(risks.sum())
    return Estimate(
        estimator=estimator,
        average=total / max(risks.size, 1),
        largest=float(risks.max(initial=0.0)),
        expected=total,
        unique_rows=alone,
    )


def risk_of_counted(rows: Ints, shared: Ints, *, columns: tuple[str, ...], n_people: int) -> PopulationRisk:
    """Return the figures where people are counted: for each combination its rows, and the people who share it.

    Examples
    --------
    >>> found = risk_of_counted(np.array([2, 1]), np.array([8, 1]), columns=("sex",), n_people=9)
    >>> found.smallest, found.estimate("counted").expected
    (1.0, 1.25)
    """
    n_rows, chance = int(rows.sum()), rows / np.maximum(shared, 1)
    return PopulationRisk(
        columns=columns,
        basis="table",
        n_rows=n_rows,
        n_people=float(n_people),
        n_groups=rows.size,
        smallest=float(shared.min(initial=n_people)),
        estimates=(
            Estimate(
                estimator="sample",
                average=rows.size / max(n_rows, 1),
                largest=1.0 / int(rows.min(initial=n_rows or 1)),
                expected=float(rows.size),
                unique_rows=float((rows == 1).sum()),
            ),
            Estimate(
                estimator="counted",
                average=float(chance.sum()) / max(n_rows, 1),
                largest=float((1.0 / np.maximum(shared, 1)).max(initial=0.0)),
                expected=float(chance.sum()),
                unique_rows=float(rows[shared <= 1].sum()),
            ),
        ),
    )


def _table(data: object) -> Table:
    if isinstance(data, Table):
        return data
    from withhold.engines import open_source

    return Table(open_source(data))


def _check(table: Table, columns: Sequence[str], weight: str | None, sample: float | None, population: object) -> None:
    if isinstance(columns, str) or not columns:
        raise InputError("`columns` must be a list of at least one column.")
    if sum(each is not None for each in (weight, sample, population)) != 1:
        raise InputError("give one of `weight`, `sample` and `population`: what is known of the population.")
    for name in columns:
        if name not in table.names:
            raise DataError(f'there is no column "{name}"{did_you_mean(name, table.names)}')
