"""Which records a withheld cell is likely to push over the threshold: those near it that shared rare values."""

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled

__all__ = ["bystanders"]

EXPECTED = 50.0
"""Pairs that agree so rarely that fewer records than this would be expected to."""


def bystanders(
    before: NDArray[np.int32],
    changed: NDArray[np.int64],
    columns: NDArray[np.bool_],
    near: NDArray[np.int64],
    counts: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return the records of `near` that agreed with a changed one on one of its changed cells and on much else.

    A guess that saves time, not a proof: how rare an agreement is, is taken from its columns one by one.

    Parameters
    ----------
    before
        The cells before the change.
    changed, columns
        The records that changed, and for each which of its columns did.
    near
        The records that may be pushed over.
    counts
        How many records each row stands for; one where None.
    """
    m = before.shape[1]
    n_records = before.shape[0] if counts is None else int(counts.sum())
    width = int(before.max(initial=0)) + 2
    rarity = np.zeros((m, width))
    for j in range(m):
        n_holding = np.bincount(before[:, j] + 1, weights=counts, minlength=width)
        rarity[j] = np.log(n_records / np.maximum(n_holding, 1))
    is_hit = np.zeros(near.size, dtype=bool)
    mark_hits(before[near], before[changed], columns, rarity, np.log(n_records / EXPECTED), is_hit)
    return near[is_hit]


@compiled
def mark_hits(near: Array, changed: Array, columns: Array, rarity: Array, least: float, is_hit: Array) -> None:
    """Mark the rows of `near` that agree rarely enough with a row of `changed`, on a changed column among others."""
    m = near.shape[1]
    for i in range(near.shape[0]):
        for t in range(changed.shape[0]):
            touches = False
            rare = 0.0
            for j in range(m):
                if near[i, j] == changed[t, j] and near[i, j] >= 0:
                    rare += rarity[j, near[i, j] + 1]
                    touches = touches or columns[t, j]
            if touches and rare >= least:
                is_hit[i] = True
                break
