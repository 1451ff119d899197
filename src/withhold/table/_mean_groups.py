"""Microaggregation of one column: groups of at least k rows that lie closest together, each published as its mean."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_groups"]

MOST_TRIED = 4_096
"""How many more numbers than the fewest possible a group is tried with, where units are counted."""


def mean_groups(
    values: NDArray[np.float64], counts: NDArray[np.int64], k: int, *, holders: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return where groups of numbers begin, so that each holds k rows or more and numbers lie closest to their means.

    Parameters
    ----------
    values
        The distinct numbers, ascending.
    counts
        How many rows hold each.
    k
        How many rows a group holds at least, from 1.
    holders
        Where k counts units: a line for each pair of a value and a unit that holds it, the value's place first, in
        ascending order.

    Returns
    -------
    The first place of each group, ascending; one group where there are fewer than 2 k rows.

    Notes
    -----
    The sum of squared distances to the means is the least possible among all groupings that keep equal numbers
    together. A group of which a part could be cut off that holds k rows is never better than the two parts, so that
    each number looks at those of at most 2 k rows before it: the cost is n k for n distinct numbers. The same holds of
    units, but those of large ones may lie between many numbers; then at most `MOST_TRIED` starts of a group are tried.

    References
    ----------
    Hansen, Mukherjee: A polynomial algorithm for optimal univariate microaggregation. IEEE Transactions on Knowledge
    and Data Engineering 15 (4), 2003.

    Examples
    --------
    >>> mean_groups(np.array([1.0, 2, 3, 10, 11, 12, 13]), np.ones(7, dtype=np.int64), 3).tolist()
    [0, 3]
    >>> homes = np.array([[0, 0], [1, 0], [2, 0], [3, 1], [4, 2], [5, 3], [6, 4]])
    >>> mean_groups(np.array([1.0, 2, 3, 10, 11, 12, 13]), np.ones(7, dtype=np.int64), 2, holders=homes).tolist()
    [0, 4]
    """
    from withhold.table._mean_kernel import best_starts, latest_starts

    if not values.size:
        return np.zeros(0, dtype=np.int64)
    # Far from zero, sums of squares would lose the digits in which numbers differ.
    middle = values - float(np.average(values, weights=counts))
    counts = counts.astype(np.int64)
    if holders is None:
        held = np.concatenate([[0], np.cumsum(counts)])
        latest, most = np.searchsorted(held, held - int(k), side="right") - 1, values.size
    else:
        begin = np.searchsorted(holders[:, 0], np.arange(values.size + 1))
        n_units = int(holders[:, 1].max(initial=-1)) + 1
        latest, most = latest_starts(begin, np.ascontiguousarray(holders[:, 1]), n_units, int(k)), MOST_TRIED
    return best_starts(middle, counts, latest, most)
