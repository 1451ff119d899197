"""The cells of a release as numbers, for learners."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attack_problem import Problem
from withhold.learners import Features
from withhold.table import is_number, parse_interval

__all__ = ["Encoding", "midpoint"]

MOST_CATEGORIES = 64
"""The categories of a column; rarer values share one more."""
_FEW_CATEGORIES = 8


def midpoint(text: str) -> float:
    """Return the number that a text is, the middle of an interval, its only end, or nan.

    Examples
    --------
    >>> midpoint("7"), midpoint("[20, 40)"), midpoint("20-39"), midpoint(">=60"), midpoint("high")
    (7.0, 30.0, 29.5, 60.0, nan)
    """
    if is_number(text):
        return float(text)
    interval = parse_interval(text)
    return float("nan") if interval is None else interval.middle


@dataclass(frozen=True, slots=True)
class _Column:
    """One predictor."""

    codes: NDArray[np.int64]
    category: NDArray[np.int64]
    n_categories: int
    number: NDArray[np.float64] | None

    @classmethod
    def of(cls, problem: Problem, position: int) -> "_Column":
        labels, codes = problem.view.labels[position], problem.view.codes[position]
        n_by_value = np.bincount(codes[codes >= 0], minlength=len(labels))
        n_kept = min(len(labels), MOST_CATEGORIES)
        category = np.full(len(labels) + 1, n_kept, dtype=np.int64)
        category[np.sort(np.argsort(-n_by_value, kind="stable")[:n_kept])] = np.arange(n_kept)
        category[-1] = n_kept + 1  # unknown
        number = np.array([*(midpoint(text) for text in labels), np.nan])
        is_numeric = np.isfinite(number[:-1]).sum() >= max(2, 0.9 * len(labels))
        return cls(codes, category, n_kept + 2, _standard(number, n_by_value) if is_numeric else None)


def _standard(number: NDArray[np.float64], n_by_value: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the numbers with mean 0 and deviation 1 over the rows."""
    weights = np.where(np.isfinite(number[:-1]), n_by_value, 0)
    values = np.where(np.isfinite(number[:-1]), number[:-1], 0)
    mean = (values * weights).sum() / max(1, weights.sum())
    spread = np.sqrt((weights * (values - mean) ** 2).sum() / max(1, weights.sum()))
    return np.asarray((number - mean) / (spread or 1.0))


class Encoding:
    """The predictors of a problem in the shapes that learners take.

    Unknown is a category of its own where categories are spread over columns, since that a cell is blank may reveal
    something; it is missing where a learner knows missing values. A column whose texts are numbers or intervals also
    gives their midpoints.
    """

    def __init__(self, problem: Problem) -> None:
        self._columns = [_Column.of(problem, position) for position in problem.predictors]
        self._ends = np.cumsum([column.n_categories for column in self._columns], dtype=np.int64)

    def one_hot(self, rows: NDArray[np.int64]) -> Any:
        """Return a sparse matrix with a column for each category, and the numbers with 0 for unknown."""
        from scipy import sparse

        if not self._columns:
            return sparse.csr_matrix(np.ones((len(rows), 1)))
        starts = np.concatenate([[0], self._ends[:-1]])
        places = [column.category[column.codes[rows]] + s for column, s in zip(self._columns, starts, strict=True)]
        width, indices = int(self._ends[-1]), np.stack(places, axis=1).reshape(-1)
        pointers = np.arange(len(rows) + 1) * len(places)
        hot = sparse.csr_matrix((np.ones(indices.size), indices, pointers), shape=(len(rows), width))
        numbers = [
            np.nan_to_num(column.number[column.codes[rows]]) for column in self._columns if column.number is not None
        ]
        return sparse.hstack([hot, *(each[:, np.newaxis] for each in numbers)], format="csr")

    def dense(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return ordered codes and numbers with -9 for unknown, and a column for each category where there are few."""
        found = [np.zeros(len(rows))]
        for column in self._columns:
            category = column.category[column.codes[rows]]
            unknown = column.n_categories - 1
            place = category if column.number is None else column.number[column.codes[rows]]
            found.append(np.where((category == unknown) | np.isnan(place), -9, place))
            if column.number is None and column.n_categories <= _FEW_CATEGORIES + 2:
                found.extend(category == each for each in range(column.n_categories))
        return np.stack(found, axis=1).astype(np.float32)

    def native(self, rows: NDArray[np.int64]) -> Features:
        """Return categories and numbers as such, and a column that holds no information, for there may be no other."""
        found: list[NDArray[Any]] = [np.zeros(len(rows))]
        for column in self._columns:
            category = column.category[column.codes[rows]]
            category = np.where(category == column.n_categories - 1, -1, category)
            found.append(category if column.number is None else column.number[column.codes[rows]])
        return Features.of(found)
