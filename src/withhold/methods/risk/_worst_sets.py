"""Which known sets contribute most to a record's risk: branch and bound over all sets, for many records at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled
from withhold.methods.risk._risk_problem import Problem

__all__ = ["Contributions", "contributions", "worst_sets"]

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
TIE = 1e-12
FULL = -1
LO, HI, COLUMN, TOP, PART, PARTS_END = range(6)


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Known sets of some records and what each adds to the risk, record by record."""

    columns: _Ints
    """The columns that may be known; bit i of a set stands for the i-th."""
    bounds: _Ints
    """Where the sets of each record start."""
    sets: _Ints
    """The columns of each set, as bits."""
    values: _Floats
    """What each set adds to the risk."""


def worst_sets(problem: Problem, rows: _Ints, *, empty: bool) -> tuple[_Ints, NDArray[np.bool_]]:
    """Return for each of some records the known set that contributes most.

    Parameters
    ----------
    rows
        The records.
    empty
        Whether the empty set is a candidate.

    Returns
    -------
        The columns that may be known, and for each record which of them are in its set; none where no candidate adds
        anything.

    Notes
    -----
    Only columns that the record publishes take part. Contributions within a relative 1e-12 are ties: fewer columns win,
    then the smaller columns. A column on which all matching records agree makes no set worse and is never added. In a
    group of frequency F with chance p, no larger set adds more than p times the next chance times the sensitivity that
    is left, so the walk takes columns by falling chance and stops where that is no more than the best found.
    """
    known = np.flatnonzero(problem.chances > 0)
    best, sets = np.zeros(rows.size), np.zeros(rows.size, np.int64)
    if empty:
        best = problem.alpha * problem.sensitivity()[rows] / problem.n_records
    _walk(problem, known, rows, np.zeros(rows.size), best, sets, np.empty(0, np.int32))
    return known, (sets[:, None] >> np.arange(known.size) & 1).astype(bool)


def contributions(problem: Problem, rows: _Ints, least: _Floats) -> Contributions:
    """Return for each of some records its non-empty known sets that add at least `least` to its risk.

    Sets with a column on which all matching records agree are left out.
    """
    known = np.flatnonzero(problem.chances > 0)
    n_room = max(64 * rows.size, 4096)
    n_found = FULL
    while n_found == FULL:
        of_row, sets, values = np.empty(n_room, np.int32), np.empty(n_room, np.int64), np.empty(n_room)
        n_found = _walk(problem, known, rows, least, values, sets, of_row)
        n_room *= 4
    order = np.argsort(of_row[:n_found], kind="stable")
    bounds = np.zeros(rows.size + 1, np.int64)
    np.cumsum(np.bincount(of_row[:n_found], minlength=rows.size), out=bounds[1:])
    return Contributions(known, bounds, sets[:n_found][order], values[:n_found][order])


def _walk(
    problem: Problem, known: _Ints, rows: _Ints, least: _Floats, values: _Floats, sets: _Ints, of_row: NDArray[np.int32]
) -> int:
    chances = problem.chances[known]
    order = np.lexsort((known, -chances))
    codes = problem.grid.codes
    wanted = np.full(len(codes), -1, np.int32)
    wanted[rows] = np.arange(rows.size)
    weights = np.zeros((rows.size, known.size))
    for at, j in enumerate(known[order]):
        weights[:, at] = np.append(problem.weights[j], 0.0)[codes[rows, j]]
    n_codes = int(codes.max(initial=0)) + 1
    n_found: int = walk_sets(
        _slim(codes[:, known[order]].T),
        np.empty(0, np.int64) if problem.counts is None else problem.counts,
        chances[order],
        np.int64(1) << order.astype(np.int64),
        wanted,
        weights,
        problem.sensitivity()[rows],
        problem.alpha,
        np.empty(len(codes) * (known.size + 2), np.int32),
        np.empty((4, n_codes * (known.size + 1)), np.int64),
        np.full(n_codes, -1, np.int64),
        least,
        values,
        sets,
        of_row,
    )
    return n_found


def _slim(codes: NDArray[np.int32]) -> Array:
    """Return codes in the smallest type that holds them, so that a column stays in the cache."""
    return np.ascontiguousarray(codes, dtype=np.int8 if codes.max(initial=0) < 128 else np.int32)


@compiled
def is_preferred(one: int, other: int) -> bool:
    """Return whether a set has fewer columns than another, or as many and smaller ones."""
    a, b = one, other
    while a and b:
        a &= a - 1
        b &= b - 1
    if a or b:
        return b != 0
    differ = one ^ other
    return one & differ & -differ != 0


@compiled
def walk_sets(
    codes: Array,
    counts: Array,
    chances: Array,
    bits: Array,
    wanted: Array,
    weights: Array,
    sensitivity: Array,
    alpha: float,
    stack: Array,
    parts: Array,
    place: Array,
    least: Array,
    values: Array,
    sets: Array,
    of_row: Array,
) -> int:
    """Walk over known sets, the columns by falling chance; return how many were stored, or `FULL`.

    Parameters
    ----------
    codes, chances, bits
        For each column its cells, its chance, and its bit in a set.
    counts
        How many records each row stands for; empty where that is one.
    wanted
        For each row its number among the wanted ones, or -1.
    weights, sensitivity
        For each wanted row its sensitivity by column, and in all.
    stack, parts, place
        Scratch: rows of open groups; bounds, code and records of open parts; for each code its part (-1 before and
        after).
    least
        For each wanted row what a set must add to be stored.
    values, sets, of_row
        Where `of_row` is empty: for each wanted row its best value and set, updated. Else the sets that are stored.
    """
    m, n_rows = codes.shape
    searching = of_row.size == 0
    is_counted = counts.size > 0
    frame = np.zeros((m + 2, 6), np.int64)
    chance = np.zeros(m + 2)
    chosen = np.zeros(m + 2, np.int64)
    members = np.zeros(m + 2, np.int64)
    n_found = 0
    for i in range(n_rows):
        stack[i] = i
    frame[0, HI], frame[0, TOP] = n_rows, n_rows
    frame[0, COLUMN] = -1
    chance[0] = alpha
    depth = 0
    while depth >= 0:
        if frame[depth, PART] < frame[depth, PARTS_END]:
            part = frame[depth, PART]
            frame[depth, PART] += 1
            lo, hi, n_records = parts[0, part], parts[1, part], parts[3, part]
            column = frame[depth, COLUMN]
            path = chance[depth] * chances[column]
            members[depth + 1] = members[depth] | bits[column]
            chosen[depth] = column
            for at in range(lo, hi):
                r = wanted[stack[at]]
                if r < 0:
                    continue
                left = sensitivity[r]
                for d in range(depth + 1):
                    left -= weights[r, chosen[d]]
                value = path * left / n_records
                if searching:
                    slack = TIE * max(value, values[r])
                    is_better = value > values[r] + slack
                    if abs(value - values[r]) <= slack and value > 0.0:
                        is_better = sets[r] != 0 and is_preferred(members[depth + 1], sets[r])
                    if is_better:
                        values[r] = max(value, values[r])
                        sets[r] = members[depth + 1]
                elif value >= least[r]:
                    if n_found == of_row.size:
                        return FULL
                    of_row[n_found] = r
                    sets[n_found] = members[depth + 1]
                    values[n_found] = value
                    n_found += 1
            depth += 1
            frame[depth, LO], frame[depth, HI], frame[depth, TOP] = lo, hi, frame[depth - 1, TOP]
            frame[depth, COLUMN] = column
            frame[depth, PART] = frame[depth, PARTS_END] = frame[depth - 1, PARTS_END]
            chance[depth] = path
            continue
        column = frame[depth, COLUMN] + 1
        frame[depth, COLUMN] = column
        first = frame[depth - 1, PARTS_END] if depth > 0 else 0
        frame[depth, PART] = frame[depth, PARTS_END] = first
        if column == m:
            depth -= 1
            continue
        lo, hi = frame[depth, LO], frame[depth, HI]
        top = frame[depth - 1, TOP] if depth > 0 else n_rows
        reach = chance[depth] * chances[column]
        n_parts = first
        any_live = False
        for at in range(lo, hi):
            i = stack[at]
            code = codes[column, i]
            r = wanted[i]
            is_live = False
            if r >= 0:
                left = sensitivity[r]
                for d in range(depth):
                    left -= weights[r, chosen[d]]
                goal = values[r] * (1.0 - 2 * TIE) if searching else least[r]
                is_live = reach * left > 0.0 and reach * left >= goal
                any_live = any_live or is_live
            if code < 0:
                continue
            part = place[code]
            if part < 0:
                part = n_parts
                place[code] = part
                parts[2, part] = code
                parts[0, part] = 0
                parts[1, part] = 0
                parts[3, part] = 0
                n_parts += 1
            parts[1, part] += 1
            parts[3, part] += counts[i] if is_counted else 1
            if is_live:
                parts[0, part] = 1
        if not any_live:
            for part in range(first, n_parts):
                place[parts[2, part]] = -1
            depth -= 1
            continue
        is_constant = n_parts == first + 1 and parts[1, first] == hi - lo
        end = top
        for part in range(first, n_parts):
            size = parts[1, part]
            if parts[0, part] == 1 and not is_constant:
                parts[0, part] = parts[1, part] = end
                end += size
            else:
                parts[0, part] = -1
        for at in range(lo, hi):
            code = codes[column, stack[at]]
            if code >= 0 and parts[0, place[code]] >= 0:
                stack[parts[1, place[code]]] = stack[at]
                parts[1, place[code]] += 1
        kept = first
        for part in range(first, n_parts):
            place[parts[2, part]] = -1
            if parts[0, part] >= 0:
                parts[0, kept], parts[1, kept], parts[3, kept] = parts[0, part], parts[1, part], parts[3, part]
                kept += 1
        frame[depth, PARTS_END] = kept
        frame[depth, TOP] = end
    return n_found
