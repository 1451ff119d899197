"""Which rows belong together: the members of a household, the visits of a patient."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.table._table import Table

__all__ = ["joined_rows", "units_of"]


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


def joined_rows(units: NDArray[np.int64], cells: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return which rows a column joins to others of their unit: they share a value that no other unit has.

    Examples
    --------
    >>> joined_rows(np.array([0, 0, 1, 1, 2]), np.array([7, 7, 8, 9, 8])).tolist()
    [True, True, False, False, False]
    """
    values = cells.astype(np.int64)
    order = np.lexsort((units, values))
    is_new = np.ones(order.size, dtype=bool)
    is_new[1:] = (np.diff(values[order]) != 0) | (np.diff(units[order]) != 0)
    n_units = np.bincount(values[order][is_new], minlength=int(values.max(initial=0)) + 1)
    return np.asarray((n_units == 1)[values] & (np.bincount(values)[values] > 1))
