"""The exact risk of a single record in rational numbers, for the few that rounding leaves undecided."""

from fractions import Fraction

import numpy as np

from withhold.methods.risk._risk_problem import Problem

__all__ = ["as_written", "exact_risk"]

MAX_GROUPS = 20_000
_Groups = dict[int, int]


class _TooManyError(Exception):
    pass


def exact_risk(problem: Problem, row: int) -> Fraction | None:
    """Return the risk of a record exactly, or None where that would take too long.

    Numbers are read as they are written: a chance of 0.1 is one tenth.
    """
    codes, chances = problem.grid.codes, problem.chances
    own = codes[row]
    known = np.flatnonzero(chances > 0)
    is_value = problem.blank == "category"
    columns = [int(j) for j in known if own[j] >= 0 or is_value]
    blank = [int(j) for j in known if own[j] < 0 and not is_value]
    same = np.zeros(len(codes), dtype=np.int64)
    for bit, j in enumerate(columns):
        alike = codes[:, j] == own[j]
        if problem.blank == "wildcard":
            alike |= codes[:, j] < 0
        same |= alike.astype(np.int64) << bit
    masks, place = np.unique(same, return_inverse=True)
    counts = np.bincount(place.reshape(-1), weights=problem.counts).astype(np.int64)
    taken = [as_written(chances[j]) for j in columns]
    left = [1 - chance if problem.complement else Fraction(1) for chance in taken]
    weights = [as_written(problem.weights[j][own[j]]) if own[j] >= 0 else Fraction(0) for j in columns]
    outside = sum(
        (as_written(w[own[j]]) for j, w in enumerate(problem.weights) if chances[j] == 0 and own[j] >= 0), Fraction(0)
    )
    try:
        likelihood, consequence = _sum(dict(zip(masks.tolist(), counts.tolist(), strict=True)), taken, left, weights)
    except _TooManyError:
        return None
    factor = as_written(problem.alpha)
    for j in blank:
        chance = as_written(chances[j])
        unknown = 1 - chance if problem.complement else Fraction(1)
        factor *= unknown if problem.blank == "exclude" else unknown + chance
    return factor * (outside * likelihood + consequence)


def as_written(number: float) -> Fraction:
    """Return a number as its shortest decimal reads."""
    return Fraction(repr(float(number)))


def _sum(
    groups: _Groups, taken: list[Fraction], left: list[Fraction], weights: list[Fraction]
) -> tuple[Fraction, Fraction]:
    """Return the sums of 1 / F, and of (sensitivity outside the set) / F, over all sets of the columns."""
    budget = [MAX_GROUPS]

    def go(masks: _Groups, k: int) -> tuple[Fraction, Fraction]:
        budget[0] -= 1
        if budget[0] < 0:
            raise _TooManyError
        if k == 0:
            return Fraction(1, sum(masks.values())), Fraction(0)
        bit = 1 << (k - 1)
        without: _Groups = {}
        for mask, count in masks.items():
            without[mask & ~bit] = without.get(mask & ~bit, 0) + count
        alike = {mask & ~bit: count for mask, count in masks.items() if mask & bit}
        a, c = go(without, k - 1)
        a2, c2 = (a, c) if len(alike) == len(masks) else go(alike, k - 1)
        out, into = left[k - 1], taken[k - 1]
        return out * a + into * a2, out * (c + weights[k - 1] * a) + into * c2

    return go(groups, len(taken))
