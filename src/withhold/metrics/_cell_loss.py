"""How much a release lost that withholds single cells."""

from collections.abc import Mapping, Sequence

import numpy as np

from withhold.errors import InputError, did_you_mean
from withhold.table import Grid

__all__ = ["record_ncp"]


def record_ncp(
    published: Grid,
    *,
    original: Grid | None = None,
    columns: Sequence[str] | None = None,
    weights: Mapping[str, float] | None = None,
    penalties: Mapping[str, Mapping[str, float]] | None = None,
) -> float:
    """Return the normalised certainty penalty of a table of which single cells were withheld or generalised.

    Parameters
    ----------
    published
        The cells after; a blank costs 1.
    original
        The cells before; cells that were blank already cost nothing. Without it every blank counts.
    columns
        The columns to look at, such as those that outsiders may know; all where None.
    weights
        What each of them counts; equal where None. They are scaled to sum to 1.
    penalties
        For columns with generalised values what each label costs, 0 to 1; others cost 0.

    Notes
    -----
    The mean over all records of the weighted sum of their cells' penalties: equation (4) of Orooji and Knapp.

    References
    ----------
    J. Xu et al.: Utility-Based Anonymization Using Local Recoding, KDD 2006.

    Examples
    --------
    >>> from withhold import Table
    >>> grid = Grid.of(Table.from_columns({"sex": ["f", None], "town": ["Bern", "Biel"]}))
    >>> record_ncp(grid), record_ncp(grid, weights={"sex": 3, "town": 1})
    (0.25, 0.375)
    """
    chosen = tuple(published.columns if columns is None else columns)
    for name in (*chosen, *(weights or {})):
        if name not in published.columns:
            raise InputError(f'record_ncp: there is no column "{name}"{did_you_mean(name, published.columns)}')
    share = np.array([1.0 if weights is None else float(weights.get(name, 0.0)) for name in chosen])
    if (share < 0).any() or not share.sum() > 0:
        raise InputError("record_ncp: `weights` must be numbers of at least 0 that do not sum to 0.")
    if published.n_rows == 0:
        return 0.0
    total = 0.0
    for name, weight in zip(chosen, share / share.sum(), strict=True):
        j = published.place(name)
        cost = np.array([*((penalties or {}).get(name, {}).get(label, 0.0) for label in published.labels[j]), 1.0])
        lost = cost[published.codes[:, j]]
        if original is not None:
            lost = np.where(original.codes[:, original.place(name)] < 0, 0.0, lost)
        total += float(weight) * float(lost.mean())
    return total
