"""Blank as few cells as possible, so that every row may be the same as k rows, a blank being any value."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError, InputError
from withhold.methods.suppression._cheapest import cheapest
from withhold.methods.suppression._distinct_rows import Masks, Rows
from withhold.methods.suppression._kernels import add_compatible
from withhold.methods.suppression._rounds import lighten
from withhold.methods.suppression._settle_kernel import settle

__all__ = ["compatible", "kernels", "suppress"]

LEAST_COST = 1e-6
MOST_COLUMNS = 62
"""As many columns as a mask has bits."""


def suppress(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    k: int,
    *,
    blanked: NDArray[np.bool_] | None = None,
    costs: Sequence[float] | None = None,
    keep: Sequence[int] = (),
) -> NDArray[np.bool_]:
    """Return which cells to blank.

    Afterwards every row may be the same as rows of weight `k` at least, itself among them: on each column both hold
    the same, or one of them is blank. And a row without any blank has `k` rows that hold exactly the same, so no rare
    row is published whole because others have blanks.

    Parameters
    ----------
    codes
        What each distinct row holds, from 0 on: (rows, columns). Below a blank anything may stand.
    weights
        How many people each row stands for.
    k
        How many people at least.
    blanked
        Which cells are blank already; they stay so.
    costs
        What a blank costs in each column, at least 0; by default 1.
    keep
        Columns in which nothing may be blanked.

    Returns
    -------
    NDArray[np.bool_]
        Which cells are blank: those of `blanked`, and the new ones.

    Raises
    ------
    InfeasibleError
        Where columns that are kept leave a row with fewer than `k`.

    Notes
    -----
    Blanking a cell never makes fewer rows compatible. So the cheapest set of columns for each row by itself, found
    over sets of growing cost, is a valid solution. Most rows that need two blanks by themselves need one where others
    have blanks, too: they begin with one, change the column while that brings them closer to `k`, and only those that
    still lack rows get another blank. At last blanks that are no longer needed are given back.

    The fewest blanks of all would be found by blanking `k - 1` rows throughout, which then are compatible with all
    others, and one cell of each other rare row. That keeps the letter of the promise and protects nobody, so it is
    not looked for: a cell is blanked for its own row. Where that has a choice, the column that helps others is taken,
    and a blank on which another row has come to depend stays.

    A counting pass costs about rows times different sets of blanks. Nothing is random.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> suppress(codes, np.array([5, 1, 2]), 2).tolist()
    [[False, False], [False, True], [False, False]]
    """
    n_columns = codes.shape[1]
    if n_columns > MOST_COLUMNS:
        raise InputError(f"suppress: at most {MOST_COLUMNS} columns can be suppressed together; got {n_columns}.")
    blank = np.zeros(codes.shape, dtype=bool) if blanked is None else blanked
    # What costs nothing is still not blanked without need.
    prices = np.maximum(np.ones(n_columns) if costs is None else np.asarray(costs, dtype=np.float64), LEAST_COST)
    free = [j for j in range(n_columns) if j not in set(keep)]
    rows = Rows(np.where(blank, 0, codes).astype(np.int32), weights, _masks(blank))
    needy = _needy(rows, k)
    if needy.size:
        _refuse_infeasible(rows, needy, k, free)
        base = cheapest(rows, needy, k, free, prices)
        lighten(rows, needy, base, k, free, prices)
    return _cells(rows.masks, n_columns)


def compatible(codes: NDArray[np.int32], weights: NDArray[np.int64], blanked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each distinct row the weight of all rows that may be the same, itself among them.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> compatible(codes, np.array([5, 1, 2]), np.array([[0, 0], [1, 0], [0, 0]], dtype=bool)).tolist()
    [5, 3, 3]
    """
    rows = Rows(np.where(blanked, 0, codes).astype(np.int32), weights, _masks(blanked))
    return rows.count(np.arange(len(codes)), rows.masks)


def kernels() -> list[Any]:
    """Return what is compiled on first use, longest first."""
    return [settle, add_compatible]


def _needy(rows: Rows, k: int) -> NDArray[np.int64]:
    """Return the rows for which something must be blanked: rare ones without a blank, and those that lack rows."""
    is_whole = rows.masks == 0
    whole, others = np.flatnonzero(is_whole), np.flatnonzero(~is_whole)
    found = np.zeros(is_whole.size, dtype=bool)
    found[whole] = rows.count(whole, rows.masks[whole], of=whole) < k
    found[others] = rows.count(others, rows.masks[others]) < k
    return np.flatnonzero(found)


def _refuse_infeasible(rows: Rows, needy: NDArray[np.int64], k: int, free: Sequence[int]) -> None:
    reached = rows.count(needy, rows.masks[needy] | sum(1 << j for j in free))
    is_lost = reached < k if free else np.ones(needy.size, dtype=bool)
    if is_lost.any():
        n_lost, least = int(rows.weights[needy[is_lost]].sum()), int(reached.min())
        raise InfeasibleError(
            f"k = {k} cannot be met: on the columns that are kept, {n_lost:,} rows have fewer than {k} that may be the "
            "same. Hint: lower k, or keep fewer columns.",
            requirement=-1,
            asked=k,
            reached=least,
        )


def _masks(blank: NDArray[np.bool_]) -> Masks:
    bits = np.left_shift(1, np.arange(blank.shape[1], dtype=np.int64))
    return np.asarray(blank @ bits, dtype=np.int64)


def _cells(masks: Masks, n_columns: int) -> NDArray[np.bool_]:
    return (masks[:, None] >> np.arange(n_columns) & 1).astype(bool)
