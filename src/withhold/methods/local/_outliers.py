"""Withhold rows that cost their groups more than ``*`` costs them."""

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.local._board import board_for
from withhold.methods.local._moves import bare_prices
from withhold.methods.local._prices import words_of
from withhold.methods.local._search import Search

__all__ = ["outliers"]

WORTH = 1e-9
TURNS = 100


def outliers(search: Search, most: int) -> NDArray[np.int64]:
    """Return rows of the problem to withhold, at most that many records, so that the loss falls and all rules hold.

    The rows withheld must be a group that meets all rules; otherwise there are none.
    """
    problem = search.problem
    group = search.group.copy()
    taken: list[NDArray[np.int64]] = []
    for _ in range(TURNS):
        rows = _candidates(search, group)
        rows = rows[np.cumsum(problem.weight[rows]) <= most]
        if not rows.size:
            break
        most -= int(problem.weight[rows].sum())
        group[rows] = -1
        taken.append(rows)
    found = np.concatenate([*taken, np.zeros(0, dtype=np.int64)])
    return found if found.size and problem.is_valid(problem.histogram(found)) else found[:0]


def _candidates(search: Search, group: Array) -> NDArray[np.int64]:
    """Return at most one row of each group whose withholding saves something, those that save most first."""
    problem = search.problem
    members = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
    starts = np.searchsorted(group[members], np.arange(search.n_groups + 1))
    left, weight, of = _left(search, members, starts), problem.weight[members], group[members]
    n = np.bincount(of, weights=weight, minlength=search.n_groups)[of]
    price = search.prices(group)[of]
    saved = np.where(n > weight, (n * price - (n - weight) * left) / weight - problem.star, 0.0)
    order = np.lexsort((-saved, of))
    order = order[np.concatenate([[True], np.diff(of[order]) > 0])[: order.size] & (saved[order] > WORTH)]
    order = order[np.argsort(-saved[order], kind="stable")]
    whole = [problem.histogram(members[starts[g] : starts[g + 1]]) for g in of[order]]
    is_fine = [problem.is_valid(n - problem.histogram(members[[i]])) for n, i in zip(whole, order, strict=True)]
    fine: NDArray[np.int64] = members[order[np.array(is_fine, dtype=bool)]]
    return fine


def _left(search: Search, members: Array, starts: Array) -> NDArray[np.float64]:
    """Return for each row the price of its group without it."""
    problem = search.problem
    n_rows = int(np.diff(starts).max(initial=1))
    board = board_for(n_rows, 1, problem.lines, words_of(problem.prices), problem.n_lanes)
    found = np.zeros(members.size)
    bare_prices(board, problem.lines, problem.weight, problem.lanes, members, starts, problem.prices, found)
    return found
