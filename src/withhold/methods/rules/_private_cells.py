"""The table and its private cells, as they are handed in."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError, did_you_mean
from withhold.table import Grid, Table

__all__ = ["Private", "grid_of", "private_mask"]

Private = Iterable[tuple[int, str]] | NDArray[np.bool_]
"""Cells as (row, column) pairs, or which cells as rows by columns."""


def grid_of(who: str, table: Table | Grid) -> Grid:
    """Return the table cell by cell."""
    grid = table if isinstance(table, Grid) else Grid.of(table)
    if not grid.columns:
        raise InputError(f"{who}: the table has no columns.")
    return grid


def private_mask(who: str, grid: Grid, private: Private) -> tuple[NDArray[np.bool_], int]:
    """Return which cells are private, and how many of them were missing and left out."""
    if isinstance(private, np.ndarray) and private.dtype == np.bool_:
        if private.shape != grid.codes.shape:
            raise InputError(
                f"{who}: `private` must have {grid.n_rows:,} rows and {len(grid.columns)} columns as the table has; "
                f"got {' by '.join(map(str, private.shape))}."
            )
        mask = private.copy()
    else:
        mask = _mask_of_pairs(who, grid, list(private))
    missing = mask & (grid.codes < 0)
    mask &= ~missing
    return mask, int(missing.sum())


def _mask_of_pairs(who: str, grid: Grid, pairs: list[tuple[int, str]]) -> NDArray[np.bool_]:
    places = {name: place for place, name in enumerate(grid.columns)}
    try:
        rows = np.array([row for row, _ in pairs] or np.empty(0, np.int64))
        names = [name for _, name in pairs]
    except (TypeError, ValueError):
        raise InputError(f"{who}: `private` must hold pairs of a row and the name of a column.") from None
    unknown = next((name for name in names if name not in places), None)
    if unknown is not None:
        raise InputError(f'{who}: `private` names the column "{unknown}"{did_you_mean(str(unknown), grid.columns)}.')
    if rows.dtype.kind not in "iu":
        raise InputError(f"{who}: the rows of `private` must be integers, counted from 0.")
    n_outside = int(np.count_nonzero((rows < 0) | (rows >= grid.n_rows)))
    if n_outside:
        raise InputError(f"{who}: {n_outside:,} private cells lie outside the {grid.n_rows:,} rows of the table.")
    mask = np.zeros(grid.codes.shape, np.bool_)
    mask[rows, [places[name] for name in names]] = True
    n_twice = len(pairs) - int(mask.sum())
    if n_twice:
        raise InputError(f"{who}: {n_twice:,} private cells are listed twice.")
    return mask
