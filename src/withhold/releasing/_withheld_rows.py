"""The papers' search with a limit of rows that may be withheld, so that a few of them do not cost whole columns."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.methods.refine import Search, SizePromise, rows_in_the_way
from withhold.table import Draft

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["rows_to_withhold"]

LEAST = 0.001
"""Which share of the rows is withheld at first; each time that the search is made anew it is twice as much."""


def rows_to_withhold(run: "Run") -> NDArray[np.bool_]:
    """Return which rows the search does better without: at most the limit, and at least k of them or none.

    The search is made to its end. Rows that keep it from going on are then withheld, those first that cost least for
    what they are in the way of, and it is made again without them. Of all that was tried the best is taken.
    """
    promises = [
        promise
        for requirement in run.policy.require
        if requirement.refines
        for promise in requirement.promise()
        if isinstance(promise, SizePromise)
    ]
    n_rows = run.table.n_rows
    most = int(run.policy.most_rows_withheld * n_rows)
    withheld = np.zeros(n_rows, dtype=bool)
    if not promises or most < max(promise.k for promise in promises):
        return withheld
    search = _ended(run, withheld)
    best, lowest = withheld, _loss(run, search, withheld)
    room = 0
    while room < most:
        room = min(max(2 * room, int(LEAST * n_rows), 1), most)
        n_before = int(withheld.sum())
        withheld = withheld.copy()
        for rows in rows_in_the_way(search, run.table, promises, withheld):
            if np.count_nonzero(~withheld[rows]) + np.count_nonzero(withheld) <= room:
                withheld[rows] = True
        n_withheld = int(withheld.sum())
        if n_withheld == n_before:
            continue
        search = _ended(run, withheld)
        loss = _loss(run, search, withheld)
        if loss < lowest and n_withheld >= max(promise.k for promise in promises):
            best, lowest = withheld, loss
    return best


def _ended(run: "Run", withheld: NDArray[np.bool_]) -> Search:
    search = run.start_search(withheld)
    for _ in search:
        pass
    return search


def _loss(run: "Run", search: Search, withheld: NDArray[np.bool_]) -> float:
    """Return what the search loses, withheld rows included."""
    draft = Draft(run.table)
    search.write_to(draft)
    total = 0.0
    for name in run.policy.counted:
        column = draft.column(name)
        total += float(np.where(withheld, 1.0, column.prices()[column.nodes]).sum())
    return total
