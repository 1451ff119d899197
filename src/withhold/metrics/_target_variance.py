"""How much of a target that is a number the published columns explain."""

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["variance_explained"]


def variance_explained(groups: ArrayLike, numbers: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return the share of the variance of some numbers that lies between groups of rows: 0 for none, 1 for all.

    Parameters
    ----------
    groups
        For each row a number of its group, from 0.
    numbers
        For each row its number; rows without one (NaN) are left out.
    weights
        How many rows each stands for; one where None.

    Notes
    -----
    It is what a model explains that predicts the mean of each group, measured on the rows it was made of: small groups
    explain more by chance, so compare it with that of the original columns.

    Examples
    --------
    >>> variance_explained([0, 0, 1, 1], [1, 2, 5, 6])
    0.9411764705882353
    """
    values = np.asarray(numbers, dtype=np.float64)
    is_known = np.isfinite(values)
    held = (np.ones(values.size) if weights is None else np.asarray(weights, dtype=np.float64))[is_known]
    values, places = values[is_known], np.asarray(groups)[is_known].astype(np.int64)
    if not held.sum():
        return 0.0
    values = values - np.average(values, weights=held)
    whole = float((held * values**2).sum())
    sizes, sums = np.bincount(places, weights=held), np.bincount(places, weights=held * values)
    between = float(np.divide(sums**2, sizes, out=np.zeros(sizes.size), where=sizes > 0).sum())
    return min(between / whole, 1.0) if whole > 0 else 0.0
