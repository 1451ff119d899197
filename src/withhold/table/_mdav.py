"""Microaggregation of several columns at once: groups of k to 2 k - 1 rows that lie close together."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["mdav_groups"]


def mdav_groups(numbers: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the group of each row, from 0, by maximum distance to the average vector (MDAV).

    Parameters
    ----------
    numbers
        A line for each row, a column for each number; none is missing.
    k
        How many rows a group holds at least, from 1; at most 2 k - 1.

    Notes
    -----
    The row farthest from the mean of all rows and its k - 1 nearest become a group, then the row farthest from that one
    and its nearest, and so on with the rest; fewer than 2 k rows that are left are the last group. Distances are
    Euclidean between columns divided by their standard deviations. Rows are looked at in the order of their numbers,
    and the first of equally distant ones is taken, so that the order of the table changes nothing. The cost is the
    square of the rows over k, times the columns.

    References
    ----------
    Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data Mining and
    Knowledge Discovery 11 (2), 2005.

    Examples
    --------
    >>> pay = np.array([[1.0, 10], [2, 11], [50, 90], [51, 92], [3, 10]])
    >>> mdav_groups(pay, 2).tolist()
    [1, 1, 0, 0, 1]
    """
    from withhold.table._mdav_kernel import group_rows

    rows = np.asarray(numbers, dtype=np.float64).reshape(len(numbers), -1)
    if not rows.size:
        return np.zeros(len(rows), dtype=np.int64)
    order = np.lexsort(rows.T[::-1])
    spread = rows.std(axis=0)
    points = (rows[order] - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    groups = np.empty(len(rows), dtype=np.int64)
    groups[order] = group_rows(np.ascontiguousarray(points), int(k))
    return groups
