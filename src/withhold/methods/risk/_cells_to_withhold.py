"""Which cells of a risky record to withhold: those whose known sets carry most of its risk for their cost."""

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled
from withhold.methods.risk._risk_problem import Problem
from withhold.methods.risk._worst_sets import contributions, worst_sets

__all__ = ["cells_by_gain", "cells_by_set", "sensitive_cells"]

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
_Bools = NDArray[np.bool_]
LEAST_SHARE = 0.03


def cells_by_set(problem: Problem, rows: _Ints, *, empty: bool) -> _Bools:
    """Return for each record and column whether it is in the known set that contributes most (Figure 1)."""
    known, inside = worst_sets(problem, rows, empty=empty)
    found = np.zeros((rows.size, len(problem.grid.columns)), dtype=bool)
    found[:, known] = inside
    return found


def cells_by_gain(problem: Problem, rows: _Ints, risk: _Floats, at_most: float, costs: _Floats) -> _Bools:
    """Return for each record the cells to withhold so that its risk falls to the threshold, as far as can be foreseen.

    Cells of known columns are taken one after the other, each the one whose sets carry most of the risk for its cost.
    Sets of small contribution are not listed; they are taken to fall in proportion. A record for which nothing is found
    loses the cell that is most likely known, unless even without any known cell its risk would be above the threshold.
    """
    listed = contributions(problem, rows, LEAST_SHARE * risk)
    known = listed.columns
    open_ = problem.grid.codes[rows][:, known] >= 0
    floor = problem.alpha * problem.sensitivity()[rows] / problem.n_records
    chosen = np.zeros((rows.size, known.size), dtype=bool)
    # One type for each argument, so that one version is compiled.
    free = np.ascontiguousarray(open_)
    choose_cells(listed.bounds, listed.sets, listed.values, risk, floor, float(at_most), costs[known], free, chosen)
    bare = np.flatnonzero(~chosen.any(axis=1) & open_.any(axis=1) & (floor <= at_most))
    if bare.size:
        likeliest = np.where(open_[bare], problem.chances[known][None, :], -1.0).argmax(axis=1)
        chosen[bare, likeliest] = True
    found = np.zeros((rows.size, len(problem.grid.columns)), dtype=bool)
    found[:, known] = chosen
    return found


def sensitive_cells(problem: Problem, rows: _Ints, risk: _Floats, at_most: float, *, one: bool) -> _Bools:
    """Return for each record the sensitive cells to withhold, the largest first: `one`, or a foreseen number."""
    weights = np.stack([np.append(w, 0.0)[problem.grid.codes[rows, j]] for j, w in enumerate(problem.weights)], axis=1)
    order = np.argsort(-weights, axis=1, kind="stable")
    falling = np.take_along_axis(weights, order, axis=1)
    before = np.cumsum(falling, axis=1) - falling
    total = weights.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        takes = (risk[:, None] * (total - before) > at_most * total) & (falling > 0)
    takes[:, 0] = falling[:, 0] > 0
    if one:
        takes[:, 1:] = False
    found: _Bools = np.zeros(takes.shape, dtype=bool)
    np.put_along_axis(found, order, takes, axis=1)
    return found


@compiled
def choose_cells(
    bounds: Array,
    sets: Array,
    values: Array,
    risk: Array,
    floor: Array,
    at_most: float,
    costs: Array,
    open_: Array,
    chosen: Array,
) -> None:
    """Fill `chosen`, greedily, for each record; `floor` is the part of its risk that no cell can lower."""
    n_columns = costs.size
    gain = np.zeros(n_columns)
    for r in range(risk.size):
        lo, hi = bounds[r], bounds[r + 1]
        left = 0.0
        for at in range(lo, hi):
            left += values[at]
        if left <= 0.0:
            continue
        scale = max(risk[r] - floor[r], 0.0) / left
        taken = 0
        while floor[r] + scale * left > at_most:
            gain[:] = 0.0
            for at in range(lo, hi):
                if sets[at] & taken == 0:
                    for j in range(n_columns):
                        if sets[at] >> j & 1:
                            gain[j] += values[at]
            best = -1
            for j in range(n_columns):
                is_open = open_[r, j] and not chosen[r, j] and gain[j] > 0.0
                if is_open and (best < 0 or gain[j] * costs[best] > gain[best] * costs[j]):
                    best = j
            if best < 0:
                break
            chosen[r, best] = True
            taken |= 1 << best
            left -= gain[best]
