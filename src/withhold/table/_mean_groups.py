"""Microaggregation of one column: groups of at least k rows that lie closest together, each published as its mean."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_groups"]


def mean_groups(values: NDArray[np.float64], counts: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return where groups of numbers begin, so that each holds k rows or more and numbers lie closest to their means.

    Parameters
    ----------
    values
        The distinct numbers, ascending.
    counts
        How many rows hold each.
    k
        How many rows a group holds at least, from 1.

    Returns
    -------
    The first place of each group, ascending; one group where there are fewer than 2 k rows.

    Notes
    -----
    The sum of squared distances to the means is the least possible among all groupings that keep equal numbers
    together. A group of which a part could be cut off that holds k rows is never better than the two parts, so that
    each number looks at those of at most 2 k rows before it: the cost is n k for n distinct numbers.

    References
    ----------
    Hansen, Mukherjee: A polynomial algorithm for optimal univariate microaggregation. IEEE Transactions on Knowledge
    and Data Engineering 15 (4), 2003.

    Examples
    --------
    >>> mean_groups(np.array([1.0, 2, 3, 10, 11, 12, 13]), np.ones(7, dtype=np.int64), 3).tolist()
    [0, 3]
    """
    from withhold.table._mean_kernel import best_starts

    if not values.size:
        return np.zeros(0, dtype=np.int64)
    # Far from zero, sums of squares would lose the digits in which numbers differ.
    middle = values - float(np.average(values, weights=counts))
    return best_starts(middle, counts.astype(np.int64), int(k))
