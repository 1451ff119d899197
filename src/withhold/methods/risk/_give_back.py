"""Restore withheld cells that turn out not to be needed, without ever leaving the safe side."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.methods.risk._measure import Measure
from withhold.methods.risk._risk_problem import Problem

__all__ = ["give_back_cells"]

_Bools = NDArray[np.bool_]


class _Run(Protocol):
    codes: NDArray[np.int32]
    is_left: _Bools
    history: list[NDArray[np.int64]]
    measure: Measure
    problem: Problem

    @property
    def is_monotone(self) -> bool: ...

    def look(self, among: _Bools | None = None) -> _Bools: ...


def give_back_cells(run: _Run, original: NDArray[np.int32]) -> int:
    """Restore cells to their original values where all records stay safe; return how many.

    One cell of each record at a time is restored, all records together, those withheld last first. Records that are
    above the threshold then lose the cell again, which may push others over it, until none is: the table before was
    safe, so that ends. Where restoring can only lower the risk of others, only the records with a restored cell are
    measured.
    """
    cells = np.unique(np.concatenate(run.history[::-1]), axis=0)
    cells = cells[
        (run.codes[cells[:, 0], cells[:, 1]] != original[cells[:, 0], cells[:, 1]]) & run.is_left[cells[:, 0]]
    ]
    cells = cells[np.lexsort((-_age(run.history, cells), cells[:, 0]))]
    turn = np.arange(len(cells)) - np.searchsorted(cells[:, 0], cells[:, 0])
    n_given = 0
    for batch in range(int(turn.max(initial=-1)) + 1):
        n_given += _try(run, original, cells[turn == batch])
    run.look()
    return n_given


def _age(history: list[NDArray[np.int64]], cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each cell the round in which it was last touched."""
    age = {tuple(cell): at for at, touched in enumerate(history) for cell in touched.tolist()}
    return np.array([age[tuple(cell)] for cell in cells.tolist()], dtype=np.int64)


def _try(run: _Run, original: NDArray[np.int32], cells: NDArray[np.int64]) -> int:
    rows, columns = cells[:, 0], cells[:, 1]
    withheld = run.codes[rows, columns]
    kept = np.ones(len(cells), dtype=bool)
    run.codes[rows, columns] = original[rows, columns]
    while kept.any():
        among = None
        if run.is_monotone:
            among = np.zeros(run.is_left.size, dtype=bool)
            among[rows[kept]] = True
        above = run.look(among)
        if not above.any():
            break
        back = kept & above[rows]
        if not back.any():
            back = kept.copy()
        run.codes[rows[back], columns[back]] = withheld[back]
        kept &= ~back
    return run.problem.n_of(rows[kept])
