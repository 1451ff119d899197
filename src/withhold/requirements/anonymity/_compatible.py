"""Counting, for a check, the rows that may be the same: it shares nothing with what makes releases."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["rows_that_may_be_same"]

Integers = NDArray[np.int64]


def rows_that_may_be_same(keys: Integers, weights: Integers, is_open: NDArray[np.bool_]) -> Integers:
    """Return for each distinct row how many rows agree with it wherever neither of both is open.

    Rows with the same open columns are looked at together. Two such sets agree where they share all columns that
    neither has open, so rows are numbered by these columns and counted.

    Examples
    --------
    >>> keys, is_open = np.array([[0, 0], [0, 1], [1, 1]]), np.array([[False, False], [True, False], [False, False]])
    >>> rows_that_may_be_same(keys, np.array([5, 1, 2]), is_open).tolist()
    [5, 3, 3]
    """
    patterns, pattern_of = np.unique(is_open, axis=0, return_inverse=True)
    members = [np.flatnonzero(pattern_of.reshape(-1) == i) for i in range(len(patterns))]
    unions, union_of = np.unique(
        (patterns[:, None, :] | patterns[None, :, :]).reshape(-1, keys.shape[1]), axis=0, return_inverse=True
    )
    union_of = union_of.reshape(len(patterns), len(patterns))
    found = np.zeros(len(keys), dtype=np.int64)
    for number, union in enumerate(unions):
        place = _numbered(keys[:, ~union])
        for own in np.flatnonzero((union_of == number).any(axis=1)).tolist():
            theirs = np.concatenate([members[other] for other in np.flatnonzero(union_of[own] == number)])
            _, at = np.unique(np.concatenate([place[members[own]], place[theirs]]), return_inverse=True)
            n_own = members[own].size
            n_rows = np.zeros(int(at.max(initial=-1)) + 1, dtype=np.int64)
            np.add.at(n_rows, at[n_own:], weights[theirs])
            found[members[own]] += n_rows[at[:n_own]]
    return found


def _numbered(keys: Integers) -> Integers:
    """Return a number for each row, the same for equal ones."""
    found = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        found = np.unique(found * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1].reshape(-1)
    return found
