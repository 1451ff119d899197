"""Cells as learners take them: a column for each frequent value, one for the others, one for unknown."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["OneHot"]

MOST_VALUES = 40
"""Rarer values of a column share one place."""


class OneHot:
    """Which place each code of each column has; that a cell is unknown is a value like any other.

    Parameters
    ----------
    codes
        Rows by columns of codes, below 0 where unknown.
    columns
        The columns to use.

    Examples
    --------
    >>> hot = OneHot(np.array([[0, 1], [1, -1]]), [0, 1])
    >>> hot.of(np.array([[0, -1]])).tolist()
    [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]
    """

    def __init__(self, codes: NDArray[np.int32], columns: list[int]) -> None:
        self.columns = columns
        self._places: list[NDArray[np.int64]] = []
        self.width = 0
        for j in columns:
            n_by_value = np.bincount(codes[codes[:, j] >= 0, j], minlength=1)
            frequent = np.sort(np.argsort(-n_by_value, kind="stable")[:MOST_VALUES])
            place = np.full(n_by_value.size + 1, self.width + frequent.size, dtype=np.int64)
            place[frequent] = self.width + np.arange(frequent.size)
            place[-1] = self.width + frequent.size + 1
            self._places.append(place)
            self.width += frequent.size + 2

    def of(self, codes: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the table of some rows, given as codes of all columns."""
        found = np.zeros((len(codes), max(self.width, 1)), dtype=np.float32)
        rows = np.arange(len(codes))
        for j, place in zip(self.columns, self._places, strict=True):
            found[rows, place[np.minimum(codes[:, j], place.size - 2)]] = 1.0
        return found
