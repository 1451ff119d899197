"""What coarser values lose about a target that is a number: the part of its variance that they no longer explain."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moments"]

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class Moments:
    """Rows, sums and squares of a number by cell of a column.

    Parameters
    ----------
    cells
        The cell of each row.
    numbers
        The number of each row.
    weights
        How many rows each stands for.
    n_cells
        How many cells there are.

    Examples
    --------
    >>> rows = np.repeat([0, 1, 2], 500)
    >>> pay = Moments(rows, np.where(rows == 2, 5.0, rows * 2.0), np.ones(1500), 3)
    >>> pay.lost(np.array([0, 0, 1]), np.array([2, 3, 2])).round(2).tolist()
    [0.24, 1.0, 0.0]
    """

    def __init__(self, cells: Places, numbers: Floats, weights: NDArray[np.integer] | Floats, n_cells: int) -> None:
        held = np.asarray(weights, dtype=np.float64)
        # Far from zero, squares would lose the digits in which numbers differ.
        numbers = numbers - (float(np.average(numbers, weights=held)) if held.sum() > 0 else 0.0)
        n, total = (np.bincount(cells, weights=held * each, minlength=n_cells) for each in (1.0, numbers))
        squares = float((held * numbers**2).sum())
        explained = np.divide(total**2, n, out=np.zeros(n_cells), where=n > 0)
        self._ends = [np.concatenate([[0.0], np.cumsum(each)]) for each in (n, total, explained, n > 0)]
        self._variance = squares / max(float(n.sum()), 1.0)
        self._noise = max(squares - float(explained.sum()), 0.0) / max(float(n.sum()) - np.count_nonzero(n), 1.0)

    def lost(self, first: Places, last: Places) -> Floats:
        """Return what publishing ranges of cells instead of the cells loses, for each row: a share of the variance.

        Cells of few rows seem to explain the number by chance: about its variance within cells for each cell more.
        """
        n, total, explained, n_cells = (ends[last] - ends[first] for ends in self._ends)
        lost = explained - np.divide(total**2, n, out=np.zeros(n.size), where=n > 0)
        lost -= np.maximum(n_cells - 1, 0) * self._noise
        whole = np.maximum(n, 1) * self._variance
        return np.asarray(np.divide(np.maximum(lost, 0.0), whole, out=np.zeros(n.size), where=whole > 0))
