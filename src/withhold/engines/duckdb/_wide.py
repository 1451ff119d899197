"""Tables with very many columns or very few rows, read in blocks of columns and kept.

A statement about one column of a wide table costs as much as the table is wide, and any statement costs more than the
cells of a few rows.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.engines._protocol import SmallGroups
from withhold.engines.duckdb._connection import Database
from withhold.table import Codes

__all__ = ["Blocks", "Held", "is_in_blocks"]

WIDE = 50
"""The columns from which on a table may be wide."""
LONG = 20
"""A table with more rows than this for each column is long: then a statement costs more by its rows."""
FEW = 1_000
"""The rows up to which a table has few."""
MOST_CELLS = 10_000_000
"""The most cells of a table that are held in memory, at 12 bytes each."""
BLOCK = 500
MOST_SIZES = 10


def is_in_blocks(n_columns: int, n_rows: int) -> bool:
    """Return whether a table is better read in blocks of columns.

    Examples
    --------
    >>> is_in_blocks(200, 4_000), is_in_blocks(200, 1_000_000), is_in_blocks(8, 20), is_in_blocks(8, 2_000)
    (True, False, True, False)
    """
    is_wide = n_columns >= WIDE and n_rows <= LONG * n_columns
    return (is_wide or n_rows <= FEW) and n_columns * n_rows <= MOST_CELLS


class Held(NamedTuple):
    """One column: its dictionary, missing first, then texts in order; the place of each cell in it; hashes."""

    values: list[str | None]
    cells: Codes
    hashes: NDArray[np.uint64]

    @property
    def has_missing(self) -> bool:
        """Whether a cell is missing."""
        return bool(self.values) and self.values[0] is None


class Blocks:
    """The columns of a table, read a block at a time and kept."""

    def __init__(self, database: Database, n_columns: int, relation: str) -> None:
        self._database = database
        self._relation = relation
        self._n_columns = n_columns
        self._held: dict[int, Held] = {}

    def column(self, place: int) -> Held:
        """Return a column by its place."""
        with self._database.lock:
            if place not in self._held:
                self._read(place - place % BLOCK)
            return self._held[place]

    def small_groups(self, places: Sequence[int], k: int) -> SmallGroups:
        """Count the groups over some columns and those below `k` rows."""
        sizes = np.bincount(self._groups(places))
        few = np.sort(sizes[sizes < k])
        return SmallGroups(
            n_groups=sizes.size,
            smallest=int(sizes.min()),
            n_small=few.size,
            n_single=int(np.count_nonzero(sizes == 1)),
            n_small_rows=int(few.sum()),
            sizes=tuple(few[:MOST_SIZES].tolist()),
            sum_of_squares=int((sizes.astype(object) ** 2).sum()),
        )

    def counts(self, places: Sequence[int]) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the distinct rows over some columns as dictionary positions, with counts."""
        _, first, n_rows = np.unique(self._groups(places), return_index=True, return_counts=True)
        return [self.column(place).cells[first] for place in places], n_rows.astype(np.int64)

    def _groups(self, places: Sequence[int]) -> NDArray[np.int64]:
        """Return for each row the number of its group over some columns."""
        group = np.zeros(self.column(places[0]).cells.size, dtype=np.int64)
        for place in places:
            held = self.column(place)
            found, group = np.unique(group * len(held.values) + held.cells, return_inverse=True)
            if found.size == group.size:  # every row is alone already
                break
        return group

    def _read(self, first: int) -> None:
        places = range(first, min(first + BLOCK, self._n_columns))
        chosen = ", ".join(f"c{i}::VARCHAR AS t{i}, hash(c{i}::VARCHAR) AS h{i}" for i in places)
        found = self._database.arrays(f"SELECT {chosen} FROM {self._relation}")
        for i in places:
            values, cells = _coded(found[f"t{i}"])
            self._held[i] = Held(values, cells, found[f"h{i}"].astype(np.uint64))


def _coded(texts: NDArray[Any]) -> tuple[list[str | None], Codes]:
    """Return the dictionary of texts and the place of each in it."""
    held = np.not_equal(texts, np.array(None, dtype=object))
    values, places = np.unique(texts[held], return_inverse=True)
    has_missing = not held.all()
    cells = np.zeros(texts.size, dtype=np.uint32)
    cells[held] = places + has_missing
    return [*([None] if has_missing else []), *values.tolist()], cells
