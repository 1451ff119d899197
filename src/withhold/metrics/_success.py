"""How many hidden cells an adversary fails to recover."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.table import UNKNOWN, WITHHELD, Grid, Table

__all__ = ["Adversary", "SuccessRate", "success_rate"]

Guess = Callable[[Grid, int, str], str | None]
"""Takes the published table, a row and a column; returns what it thinks stood in the cell."""


@runtime_checkable
class Adversary(Protocol):
    """A learner as scikit-learn has them; cells are whole numbers, -1 is unknown."""

    def fit(self, rows: NDArray[np.int32], labels: NDArray[np.int32]) -> Any:
        """Learn the labels of rows."""

    def predict(self, rows: NDArray[np.int32]) -> Any:
        """Return a label for each row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRate:
    """How many hidden cells stayed hidden."""

    n_cells: int
    """The hidden cells."""
    n_recovered: int
    """Those whose true value the adversary gave, in rows that were not deleted."""
    n_deleted: int
    """Those whose row was deleted."""

    @property
    def rate(self) -> float:
        """The share that stayed hidden in a row that is still there."""
        return 1 - (self.n_recovered + self.n_deleted) / self.n_cells if self.n_cells else 1.0

    @property
    def rate_with_deleted(self) -> float:
        """The share that stayed hidden, where a deleted row counts as a success."""
        return 1 - self.n_recovered / self.n_cells if self.n_cells else 1.0

    def __add__(self, other: "SuccessRate") -> "SuccessRate":
        return SuccessRate(
            n_cells=self.n_cells + other.n_cells,
            n_recovered=self.n_recovered + other.n_recovered,
            n_deleted=self.n_deleted + other.n_deleted,
        )


def success_rate(
    original: Grid | Table, published: Grid | Table, cells: Iterable[tuple[int, str]], adversary: Guess | Adversary
) -> SuccessRate:
    """Return how many hidden cells an adversary fails to recover from the published table.

    Parameters
    ----------
    original
        The table before cells were withheld: the truth.
    published
        The table as published; a deleted row is one without any known cell.
    cells
        The hidden cells: row and column.
    adversary
        A function of the published table, a row and a column that returns a value or None; or a learner with `fit` and
        `predict`. The learner is fitted for each column, on the codes of the rows whose cell holds a value of the
        original column; it predicts from all other columns.

    Examples
    --------
    >>> from withhold import Table
    >>> original = Table.from_columns({"job": ["cook", "cook", "smith"], "pay": ["low", "low", "high"]})
    >>> published = Table.from_columns({"job": ["cook", "cook", "smith"], "pay": ["*", "low", "high"]})
    >>> success_rate(original, published, [(0, "pay")], lambda grid, row, column: "low").rate
    0.0
    """
    was, now = (table if isinstance(table, Grid) else Grid.of(table) for table in (original, published))
    is_unknown = _unknown(now)
    by_column: dict[str, list[int]] = {}
    for row, column in cells:
        by_column.setdefault(column, []).append(row)
    n_recovered = n_deleted = 0
    for column, rows in by_column.items():
        left = [row for row in rows if not is_unknown[row].all()]
        n_deleted += len(rows) - len(left)
        j = was.place(column)
        actual = [was.labels[j][was.codes[row, j]] for row in left]
        if isinstance(adversary, Adversary):
            guesses = _learn(adversary, was, now, is_unknown, column, left)
        else:
            guesses = [adversary(now, row, column) for row in left]
        n_recovered += sum(guess == value for guess, value in zip(guesses, actual, strict=True))
    n_cells = sum(len(rows) for rows in by_column.values())
    return SuccessRate(n_cells=n_cells, n_recovered=n_recovered, n_deleted=n_deleted)


def _unknown(grid: Grid) -> NDArray[np.bool_]:
    """Return which cells are unknown."""
    is_unknown: NDArray[np.bool_] = np.equal(grid.codes, UNKNOWN)
    for j, labels in enumerate(grid.labels):
        if WITHHELD in labels:
            is_unknown[:, j] |= grid.codes[:, j] == labels.index(WITHHELD)
    return is_unknown


def _learn(
    learner: Adversary, was: Grid, now: Grid, is_unknown: NDArray[np.bool_], column: str, rows: list[int]
) -> list[str | None]:
    """Return what a learner gives for a column of some rows."""
    j, labels = now.place(column), now.labels[now.place(column)]
    values = set(was.labels[was.place(column)])
    codes = np.where(is_unknown, UNKNOWN, now.codes)
    is_value = np.array([*(label in values for label in labels), False])
    trains = is_value[codes[:, j]]
    trains[rows] = False
    classes = np.unique(codes[trains, j])
    if not rows or classes.size < 2:
        return [labels[classes[0]] if classes.size else None] * len(rows)
    others = np.delete(codes, j, axis=1)
    learner.fit(others[trains], codes[trains, j])
    return [labels[int(code)] for code in np.asarray(learner.predict(others[rows]))]
