"""Which rows belong together: the members of a household, the visits of a patient."""

import numpy as np
from numpy.typing import NDArray

from withhold.table._table import Table

__all__ = ["units_of"]


def units_of(table: Table, column: str) -> NDArray[np.int64]:
    """Return for each row a number of its unit; a row whose cell is missing is a unit of its own.

    Examples
    --------
    >>> table = Table.from_columns({"home": ["a", "a", None, "b", None]})
    >>> units_of(table, "home").tolist()
    [0, 0, 1, 2, 3]
    """
    values = table.store.values(column)
    is_missing = np.array([value is None or value == "" or value in table.missing for value in values], dtype=bool)
    cells = table.store.cells(column).astype(np.int64)
    alone = is_missing[cells] if cells.size else np.zeros(0, dtype=bool)
    keys = np.where(alone, len(values) + np.arange(cells.size), cells)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    return rank[place.reshape(-1)]
