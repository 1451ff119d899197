"""Columns as learners see them: categories or numbers, with unknown cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.errors import DataError

__all__ = ["Features", "labels_of"]

UNKNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Columns of equal length; whole numbers are codes of categories, floats are numbers.

    A code of -1 and a number that is not a number are unknown.

    Examples
    --------
    >>> import numpy as np
    >>> features = Features.of([np.array([0, 1, -1]), np.array([2.5, np.nan, 7.0])])
    >>> features.n_rows, features.is_number
    (3, (False, True))
    >>> features.take(np.array([2, 0])).columns[0].tolist()
    [-1, 0]
    """

    columns: tuple[NDArray[Any], ...]
    """The columns; the type of an array says what its cells are."""
    n_rows: int
    """The number of rows; it is kept because there may be no column."""

    @classmethod
    def of(cls, columns: "Sequence[ArrayLike] | Features") -> "Features":
        """Return columns as features."""
        if isinstance(columns, Features):
            return columns
        arrays = [np.asarray(column) for column in columns]
        if not arrays or any(array.ndim != 1 or len(array) != len(arrays[0]) for array in arrays):
            raise DataError("Features: columns must be one or more sequences of equal length.")
        if any(array.dtype.kind not in "iuf" for array in arrays):
            raise DataError("Features: a column must hold whole numbers (categories) or floats (numbers).")
        typed = tuple(array.astype(np.float64 if array.dtype.kind == "f" else np.int64) for array in arrays)
        if any(bool((array < UNKNOWN).any()) for array in typed if array.dtype.kind == "i"):
            raise DataError("Features: codes of categories must be at least -1. Hint: numbers are given as floats.")
        if any(bool(np.isinf(array).any()) for array in typed if array.dtype.kind == "f"):
            raise DataError("Features: numbers must be finite. Hint: a number that is not known is NaN.")
        return cls(typed, len(arrays[0]))

    @property
    def is_number(self) -> tuple[bool, ...]:
        """For each column whether its cells are numbers."""
        return tuple(column.dtype.kind == "f" for column in self.columns)

    def take(self, rows: NDArray[np.int64]) -> "Features":
        """Return some rows, in the given order."""
        return Features(tuple(column[rows] for column in self.columns), len(rows))

    def without(self, places: Sequence[int]) -> "Features":
        """Return all columns but some."""
        left = tuple(column for place, column in enumerate(self.columns) if place not in places)
        return Features(left, self.n_rows)


def labels_of(labels: ArrayLike, features: Features) -> NDArray[np.int64]:
    """Return the codes of the class of each row, checked."""
    codes = np.asarray(labels)
    if codes.ndim != 1 or codes.dtype.kind not in "iu" or len(codes) != features.n_rows or not len(codes):
        raise DataError("fit: `labels` must hold one whole number for each of one or more rows.")
    if (codes < 0).any():
        raise DataError("fit: `labels` must not be negative. Hint: leave out the rows whose class is unknown.")
    return codes.astype(np.int64)
