"""How many people of the population each row of a sample stands for, in integers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InputError, did_you_mean
from withhold.table import Table, is_number

__all__ = ["People", "looks_like_weights", "people_of", "positive_numbers"]

Ints = NDArray[np.int64]
FINEST = 10**6
"""Weights are read to a millionth of a person; what is finer is rounded down, so that no sum is too large."""
MOST = 2**62
NAMED_WEIGHTS = re.compile(
    r"(.*[_.])?((sample|sampling|survey|design|person|household|final|hh|fnl|p)[_.]?)?(weights?|wgt|wt|wght|gewicht|hochrechnung|poids)|w|[drp]b0[4-6]0|db090"
)
"""What statistical offices call their weights; EU-SILC has numbers."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """The people of the population that the rows of a sample stand for.

    Examples
    --------
    >>> people = People(amounts=np.array([180, 455]), unit=10)
    >>> people.n_people, people.sums(np.array([0, 0]), 1).tolist()
    (63.5, [635])
    """

    amounts: Ints
    """For each row: how many units."""
    unit: int
    """How many units are one person."""

    @classmethod
    def of_weights(cls, weights: Sequence[Fraction], cells: Ints, *, name: str) -> "People":
        """Return the people of rows that hold these weights; `cells` says which row holds which.

        Examples
        --------
        >>> People.of_weights([Fraction(91, 2), Fraction(2)], np.array([0, 1, 0]), name="w").n_people
        93.0
        """
        unit = min(lcm(1, *(each.denominator for each in weights)), FINEST)
        times = np.bincount(cells, minlength=len(weights)).tolist()
        total = sum(n * each for n, each in zip(times, weights, strict=True))
        while unit > 1 and total * unit > MOST:
            unit = max(unit // 10, 1)
        if total * unit > MOST:
            raise DataError(f'column "{name}": the weights add up to more people than can be counted.')
        units = np.array([int(each * unit) for each in weights], dtype=np.int64)
        return cls(amounts=units[cells], unit=unit)

    @property
    def n_people(self) -> float:
        """The estimated size of the population."""
        return int(self.amounts.sum()) / self.unit

    @property
    def mean(self) -> float:
        """How many people a row stands for on average."""
        return self.n_people / max(self.amounts.size, 1)

    def sums(self, groups: Ints, n_groups: int) -> Ints:
        """Return how many units each group of rows stands for, exactly."""
        found = np.zeros(n_groups, dtype=np.int64)
        np.add.at(found, groups, self.amounts)
        return found


def people_of(table: Table, *, weight: str | None = None, sample: float | None = None) -> People:
    """Return how many people each row of a table stands for.

    Parameters
    ----------
    table
        The sample.
    weight
        The column with sampling weights: positive numbers, the inverse of the chance of being in the sample.
    sample
        The share of the population that the sample is, above 0 and at most 1, where there are no weights.

    Raises
    ------
    InputError
        Where both are given, or none.
    DataError
        Where the column does not exist, or holds what is no weight.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["m", "f"], "w": ["18", "45.5"]})
    >>> people_of(table, weight="w").amounts.tolist(), people_of(table, sample=0.01).amounts.tolist()
    ([36, 91], [100, 100])
    """
    if (weight is None) == (sample is None):
        raise InputError("give either `weight`, a column, or `sample`, a share of the population.")
    if sample is not None:
        if isinstance(sample, bool) or not isinstance(sample, int | float) or not 0 < sample <= 1:
            raise InputError(f"`sample` must be a number above 0 and at most 1; got {sample!r}.")
        each = 1 / Fraction(str(sample))
        return People(amounts=np.full(table.n_rows, each.numerator, dtype=np.int64), unit=each.denominator)
    assert weight is not None
    if weight not in table.names:
        raise DataError(f'there is no column "{weight}"{did_you_mean(weight, table.names)}')
    weights = positive_numbers(table.store.values(weight), weight)
    return People.of_weights(weights, table.store.cells(weight).astype(np.int64), name=weight)


def looks_like_weights(name: str, numbers: NDArray[np.float64]) -> bool:
    """Return whether a column looks like sampling weights: by its name, and because every number is positive.

    Examples
    --------
    >>> looks_like_weights("rb050", np.array([612.4, 88.0])), looks_like_weights("weight_kg", np.array([70.0]))
    (True, False)
    """
    known = numbers[~np.isnan(numbers)]
    return bool(NAMED_WEIGHTS.fullmatch(name.strip().lower()) and known.size == numbers.size and (known > 0).all())


def positive_numbers(values: Sequence[str | None], name: str) -> list[Fraction]:
    """Return the values of a column of weights as fractions; what is no positive number is refused.

    Examples
    --------
    >>> positive_numbers(["45.5", "2"], "w")
    [Fraction(91, 2), Fraction(2, 1)]
    """
    found = []
    for value in values:
        if value is None or not is_number(value) or not float(value) < float("inf") or Fraction(value.strip()) <= 0:
            what = "is missing" if value is None else "is not a positive number"
            raise DataError(
                f'column "{name}": a weight must be a positive number in every row, but one {what}. '
                "Hint: mend the column, or give `sample` instead, the share of the population that the file is."
            )
        found.append(Fraction(value.strip()))
    return found
