"""On how few columns are people unique: minimal unique sets, counted from the published cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from withhold.attackers import View

__all__ = ["Uniques", "count_uniques"]

MOST_LOOKS = 200_000_000
"""Rows times sets of columns that are looked at; larger sets are left out above it."""
LARGEST_SET = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniques:
    """Minimal unique sets of columns: a row is unique on the set, and on no part of it."""

    columns: tuple[str, ...]
    """The columns that were looked at."""
    largest_set: int
    """How many columns a set may have."""
    n_rows: int
    """The rows."""
    sets: tuple[int | None, ...]
    """How many minimal unique sets there are, by size from 1; None where it is not published."""
    rows: tuple[int | None, ...]
    """How many rows are unique on a set of at most this size."""
    by_column: dict[str, int | None]
    """In how many minimal unique sets each column takes part."""


def count_uniques(
    view: View, columns: Sequence[str], *, largest: int = LARGEST_SET, most_looks: int = MOST_LOOKS
) -> Uniques:
    """Count minimal unique sets; a blank makes no row unique.

    Notes
    -----
    Costs one count of the rows for each set of columns. `largest` is lowered where that would be more than `most_looks`
    rows times sets.

    Examples
    --------
    >>> view = View.of({"age": ["30", "30", "40"], "sex": ["f", "m", "m"]})
    >>> found = count_uniques(view, ["age", "sex"])
    >>> found.sets, found.rows
    ((2, 1), (2, 3))
    """
    codes = {name: view.codes[view.position(name)] for name in columns}
    largest = _affordable(len(columns), view.n_rows, min(largest, len(columns)), most_looks)
    is_unique: dict[tuple[str, ...], NDArray[np.bool_]] = {}
    n_sets, by_column = [0] * largest, dict.fromkeys(columns, 0)
    n_unique, anywhere = [], np.zeros(view.n_rows, dtype=bool)
    for size in range(1, largest + 1):
        for chosen in combinations(columns, size):
            alone = _alone([codes[name] for name in chosen])
            anywhere |= alone
            below = [is_unique[part] for part in combinations(chosen, size - 1) if part]
            n_minimal = int((alone & ~np.logical_or.reduce(below)).sum()) if below else int(alone.sum())
            n_sets[size - 1] += n_minimal
            for name in chosen:
                by_column[name] += n_minimal
            if size < largest:
                is_unique[chosen] = alone
        n_unique.append(int(anywhere.sum()))
    return Uniques(
        columns=tuple(columns),
        largest_set=largest,
        n_rows=view.n_rows,
        sets=tuple(n_sets),
        rows=tuple(n_unique),
        by_column=dict(by_column),
    )


def _affordable(n_columns: int, n_rows: int, largest: int, most_looks: int) -> int:
    n_sets = 0
    for size in range(1, largest + 1):
        n_sets += len(list(combinations(range(n_columns), size)))
        if size > 1 and n_sets * n_rows > most_looks:
            return size - 1
    return largest


def _alone(codes: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Return which rows are alone with their values, blanks left out."""
    known = np.logical_and.reduce([column >= 0 for column in codes])
    rows = np.flatnonzero(known)
    keys = np.zeros(rows.size, dtype=np.int64)
    for column in codes:
        here = column[rows]
        width = int(here.max(initial=0)) + 1
        if keys.size and int(keys.max()) > (2**62) // width:
            keys = np.unique(keys, return_inverse=True)[1]
        keys = keys * width + here
    alone = np.zeros(known.size, dtype=bool)
    alone[rows] = _once(keys)
    return alone


def _once(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which keys occur once: counted in a table where it is not much larger than the keys, else sorted."""
    if keys.size and int(keys.max()) < 4 * keys.size:
        return np.asarray(np.bincount(keys)[keys] == 1)
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[place] == 1)
