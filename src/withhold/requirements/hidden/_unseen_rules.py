"""Association rules without a look at what is hidden: none of published rows names a hidden cell, right or wrong."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.table import UNKNOWN, Grid

__all__ = ["break_rules", "count_named"]

Flags = NDArray[np.bool_]


def count_named(grid: Grid, hidden: Mapping[str, NDArray[np.int64]], settings: Mapping[str, Any]) -> int:
    """Count the hidden cells that some rule names a value for."""
    from withhold.methods.rules import fair

    found: set[tuple[int, int]] = set()
    for column, value in _turns(grid, hidden):
        codes, private = _as_if(grid.codes, grid.place(column), hidden[column], value)
        rules = fair(Grid(grid.columns, grid.labels, codes), private, **settings)
        found |= {*zip(*(part.tolist() for part in rules.predictable), strict=True)}
    return len(found)


def break_rules(
    grid: Grid, hidden: Mapping[str, NDArray[np.int64]], settings: Mapping[str, Any], *, blanking: float = 1
) -> Flags:
    """Return which entries to blank so that no rule of published rows fires on a hidden cell.

    Each value in turn is taken to stand in all hidden cells of a column, where a rule about it counts by its published
    rows alone. A blank can make another rule stronger, so values take turns until none has a rule left; every turn
    that finds one blanks an entry, which ends.

    Parameters
    ----------
    grid
        The published cells; hidden ones are unknown in it.
    hidden
        For each column the rows of its hidden cells.
    settings
        The `confidence` and `support` of a rule that counts.
    blanking
        How many entries are blanked at a time.
    """
    from withhold.methods.rules import RuleGuard

    codes, turns, n_quiet = grid.codes.copy(), _turns(grid, hidden), 0
    while turns and n_quiet < len(turns):
        for column, value in turns:
            guard = RuleGuard(*_as_if(codes, grid.place(column), hidden[column], value), **settings)
            guard.give_back(*guard.protect(blanking=blanking))
            n_quiet = 1 if guard.blanked.any() else n_quiet + 1
            codes[guard.blanked] = UNKNOWN
            if n_quiet >= len(turns):
                break
    return np.asarray(codes != grid.codes)


def _turns(grid: Grid, hidden: Mapping[str, NDArray[np.int64]]) -> list[tuple[str, int]]:
    """Return each column with hidden cells, and each value that it publishes."""
    published = {
        name: np.unique(grid.codes[:, grid.place(name)]).tolist() for name, rows in hidden.items() if rows.size
    }
    return [(name, value) for name, values in published.items() for value in values if value != UNKNOWN]


def _as_if(
    codes: NDArray[np.int32], place: int, rows: NDArray[np.int64], value: int
) -> tuple[NDArray[np.int32], Flags]:
    """Return the cells as if a value stood in some rows of a column, and which cells these are."""
    made, private = codes.copy(), np.zeros(codes.shape, dtype=np.bool_)
    made[rows, place] = value
    private[rows, place] = True
    return made, private
