"""Minimal sample uniques (SUDA): the smallest sets of columns on which a record stands alone, and their scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled
from withhold.errors import InputError, did_you_mean
from withhold.table import Grid, Table

__all__ = ["MinimalUniques", "minimal_uniques"]

_Ints = NDArray[np.int64]
FULL = -1
MAX_COLUMNS = 62


@dataclass(frozen=True, slots=True, eq=False)
class MinimalUniques:
    """Records with the sets of columns that make them unique, none of which could do without one of its columns."""

    columns: tuple[str, ...]
    """The columns that were combined."""
    max_size: int
    """The largest size of a set."""
    n_rows: int
    """How many records the table has."""
    rows: _Ints
    """The record of each finding, in order."""
    sets: _Ints
    """The set of each finding; bit i stands for the i-th column."""

    @property
    def sizes(self) -> _Ints:
        """How many columns each set has."""
        return np.bitwise_count(self.sets).astype(np.int64)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The SUDA score of every record: 0 where no set makes it unique, larger for smaller and for more sets.

        Each set of k of m columns adds ``(m - k) (m - k - 1) … (m - M)`` with M the largest size, at most m - 1.
        """
        m = len(self.columns)
        last = min(self.max_size, m - 1)
        worth = np.array([float(np.prod(m - np.arange(k, last + 1.0))) for k in range(m + 1)])
        scores: NDArray[np.float64] = np.bincount(self.rows, weights=worth[self.sizes], minlength=self.n_rows).astype(
            np.float64
        )
        return scores

    def by_column(self) -> dict[str, float]:
        """Return for each column the share of the summed scores that comes from sets that hold it."""
        m = len(self.columns)
        last = min(self.max_size, m - 1)
        worth = np.array([float(np.prod(m - np.arange(k, last + 1.0))) for k in range(m + 1)])[self.sizes]
        total = worth.sum()
        return {
            name: float(worth[(self.sets >> j) & 1 == 1].sum() / total) if total else 0.0
            for j, name in enumerate(self.columns)
        }

    def of(self, row: int) -> list[tuple[str, ...]]:
        """Return the minimal sets of a record, small ones first."""
        lo, hi = np.searchsorted(self.rows, [row, row + 1])
        named = [
            tuple(name for j, name in enumerate(self.columns) if mask >> j & 1) for mask in self.sets[lo:hi].tolist()
        ]
        return sorted(named, key=lambda names: (len(names), [self.columns.index(name) for name in names]))

    def __len__(self) -> int:
        return int(self.rows.size)

    def __repr__(self) -> str:
        n_records = np.unique(self.rows).size
        return f"<MinimalUniques: {len(self)} sets of up to {self.max_size} columns make {n_records} records unique>"


def minimal_uniques(
    table: Table | Grid,
    columns: Sequence[str] | None = None,
    max_size: int | None = None,
    *,
    counts: NDArray[np.int64] | None = None,
) -> MinimalUniques:
    """Find all smallest sets of columns on which a record is the only one of its kind.

    Parameters
    ----------
    table
        The table, or its cells as codes.
    columns
        The columns to combine, at most 62; all where None.
    max_size
        The largest set to look at; any size where None.
    counts
        How many records each row stands for; one where None.

    Returns
    -------
    MinimalUniques
        Every such set of every record, and the scores.

    Notes
    -----
    Exact: a set counts only if the record is not unique on any part of it. The sets are visited so that all parts of a
    set come before it, and a record leaves the walk where it becomes unique. A missing value is a value of its own.
    Cost: for each set the rows that are not unique on it yet.

    References
    ----------
    A. M. Manning, D. J. Haglin, J. A. Keane: A Recursive Search Algorithm for Statistical Disclosure Assessment, Data
    Mining and Knowledge Discovery 16, 2008 (SUDA2). M. J. Elliot, A. M. Manning, R. W. Ford: A Computational Algorithm
    for Handling the Special Uniques Problem, 2002 (scores).

    Examples
    --------
    >>> table = Table.from_columns({"sex": list("ffmm"), "town": list("ABAA"), "job": list("xxyx")})
    >>> found = minimal_uniques(table, max_size=2)
    >>> found
    <MinimalUniques: 4 sets of up to 2 columns make 4 records unique>
    >>> found.of(0), found.scores.tolist()
    ([('sex', 'town')], [1.0, 2.0, 2.0, 1.0])
    """
    names = table.columns if isinstance(table, Grid) else table.names
    chosen = tuple(names if columns is None else columns)
    for name in chosen:
        if name not in names:
            raise InputError(f'minimal_uniques: there is no column "{name}"{did_you_mean(name, names)}')
    if not 1 <= len(chosen) <= MAX_COLUMNS:
        raise InputError(f"minimal_uniques: between 1 and {MAX_COLUMNS} columns can be combined; got {len(chosen)}.")
    size = len(chosen) if max_size is None else max_size
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise InputError(f"minimal_uniques: `max_size` must be an integer of at least 1; got {max_size!r}.")
    size = min(int(size), len(chosen))
    grid = table if isinstance(table, Grid) else Grid.of(table, chosen)
    codes = grid.codes[:, [grid.columns.index(name) for name in chosen]] + 1
    # Columns with few values last: their sets leave few records unique, and are walked least often.
    order = np.argsort([np.unique(codes[:, j]).size for j in range(len(chosen))], kind="stable")[::-1]
    rows, sets = _found(codes[:, order], size, counts)
    bits = np.zeros(sets.size, np.int64)
    for at, j in enumerate(order.tolist()):
        bits |= (sets >> at & 1) << j
    by_row = np.lexsort((bits, rows))
    return MinimalUniques(chosen, size, grid.n_rows, rows[by_row], bits[by_row])


def _found(codes: NDArray[np.int32], max_size: int, records: _Ints | None) -> tuple[_Ints, _Ints]:
    """Return the records and sets, over distinct rows."""
    n_rows, m = codes.shape
    if n_rows == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    n_codes = codes.max(axis=0).astype(np.int64) + 1
    key = np.zeros(n_rows, np.int64)
    for j in range(m):  # ranks stay below the number of rows, so that keys of any width fit
        key = key * n_codes[j] + codes[:, j]
        if float(key.max()) * float(n_codes[min(j + 1, m - 1)]) > 2.0**62:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    _, first, place, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if records is not None:
        counts = np.bincount(place.reshape(-1), weights=records).astype(np.int64)
    distinct = np.ascontiguousarray(codes[first].T, dtype=np.int16 if n_codes.max() < 2**15 else np.int32)
    n_room = max(4 * first.size, 1024)
    while True:
        found_row, found_set, link = (np.empty(n_room, np.int64) for _ in range(3))
        n_found = walk_uniques(distinct, counts, max_size, int(n_codes.max()), found_row, found_set, link)
        if n_found != FULL:
            return first[found_row[:n_found]].astype(np.int64), found_set[:n_found]
        n_room *= 4


@compiled
def walk_uniques(
    codes: Array, counts: Array, max_size: int, n_codes: int, found_row: Array, found_set: Array, link: Array
) -> int:
    """Fill the findings; return how many there are, or `FULL`. `link` chains the findings of a row."""
    m, n_rows = codes.shape
    rows = np.empty((max_size + 1, n_rows), np.int32)
    bounds = np.empty((max_size + 1, n_rows + 1), np.int32)
    n_classes = np.zeros(max_size + 1, np.int64)
    next_column = np.zeros(max_size + 1, np.int64)
    lowest = np.full(max_size + 1, m, np.int64)
    members = np.zeros(max_size + 1, np.int64)
    head = np.full(n_rows, -1, np.int64)
    place = np.full(n_codes, -1, np.int64)
    part_n = np.empty(n_codes, np.int64)
    part_count = np.empty(n_codes, np.int64)
    part_code = np.empty(n_codes, np.int64)
    fill = np.empty(n_codes, np.int64)
    n_found = 0
    for i in range(n_rows):
        rows[0, i] = i
    bounds[0, 0], bounds[0, 1] = 0, n_rows
    n_classes[0] = 1
    if n_rows == 1 and counts[0] == 1:
        n_classes[0] = 0  # a single record is unique on the empty set
    depth = 0
    while depth >= 0:
        column = next_column[depth]
        if depth == max_size or column == lowest[depth] or n_classes[depth] == 0:
            depth -= 1
            continue
        next_column[depth] += 1
        here = members[depth] | (1 << column)
        end = 0
        n_new = 0
        for c in range(n_classes[depth]):
            lo, hi = bounds[depth, c], bounds[depth, c + 1]
            n_parts = 0
            for at in range(lo, hi):
                i = rows[depth, at]
                part = place[codes[column, i]]
                if part < 0:
                    part = n_parts
                    place[codes[column, i]] = part
                    part_code[part] = codes[column, i]
                    part_n[part] = 0
                    part_count[part] = 0
                    n_parts += 1
                part_n[part] += 1
                part_count[part] += counts[i]
            for part in range(n_parts):
                fill[part] = -1
                if part_n[part] > 1:
                    fill[part] = end
                    bounds[depth + 1, n_new] = end
                    n_new += 1
                    end += part_n[part]
            for at in range(lo, hi):
                i = rows[depth, at]
                part = place[codes[column, i]]
                if fill[part] >= 0:
                    rows[depth + 1, fill[part]] = i
                    fill[part] += 1
                elif part_count[part] == 1:
                    minimal = True
                    chain = head[i]
                    while chain >= 0:
                        if found_set[chain] & here == found_set[chain]:
                            minimal = False
                            break
                        chain = link[chain]
                    if minimal:
                        if n_found == found_row.size:
                            return FULL
                        found_row[n_found] = i
                        found_set[n_found] = here
                        link[n_found] = head[i]
                        head[i] = n_found
                        n_found += 1
            for part in range(n_parts):
                place[part_code[part]] = -1
        bounds[depth + 1, n_new] = end
        depth += 1
        n_classes[depth] = n_new
        members[depth] = here
        lowest[depth] = column
        next_column[depth] = 0
    return n_found
