"""What adversaries tell of a hidden cell beyond what they say of a row without values, and which blanks end that."""

import math

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._bayes import compare, n_labelled
from withhold.methods.inference._exact import CLEAR
from withhold.methods.inference._inside import columns_code, log_conditionals, next_set
from withhold.methods.inference._state import HIDDEN, State
from withhold.methods.inference._tree import Tree, plant
from withhold.methods.inference._walks import departs

__all__ = ["fewest_blanks", "find_told", "give_back"]


@compiled
def find_told(
    state: State, tree: Tree, rows: Array, targets: Array, from_bayes: bool, from_id3: bool, is_told: Array
) -> int:
    """Flag the cells of which an adversary may say more than of a row without values, and count them.

    Cells are sorted by target. Ties must count; a probability of zero for every class says nothing.
    """
    n = 0
    for i in range(rows.size):
        target = targets[i]
        if from_id3 and (i == 0 or target != targets[i - 1]):
            plant(tree, state, target, HIDDEN)
        columns = _known(state, rows[i], target)
        weights = log_conditionals(state, rows[i], target, columns)
        kept = np.ones(columns.size, dtype=np.bool_)
        is_told[i] = _is_told(state, tree, rows[i], target, from_bayes, from_id3, columns, weights, kept)
        n += is_told[i]
    return n


@compiled
def fewest_blanks(
    state: State, tree: Tree, row: int, target: int, from_bayes: bool, from_id3: bool, columns: Array, most: int,
    found: Array,
) -> int:  # fmt: skip
    """Write the smallest sets of cells whose blanks leave nothing told, and return how many; 0 after `most` tries.

    Sets are bit masks over `columns`; the tree of the target must stand. As many are written as there is room for.
    """
    n, n_tried, n_found = columns.size, 0, 0
    weights = log_conditionals(state, row, target, columns)
    kept = np.ones(n, dtype=np.bool_)
    for size in range(n + 1):
        mask = (1 << size) - 1
        while mask < (1 << n) and n_tried < most and n_found < found.size:
            n_tried += 1
            for k in range(n):
                kept[k] = (mask >> k) & 1 == 0
                state.codes[row, columns[k]] = columns_code(state, row, columns[k], kept[k])
            if not _is_told(state, tree, row, target, from_bayes, from_id3, columns, weights, kept):
                found[n_found] = mask
                n_found += 1
            if mask == 0:
                break
            mask = next_set(mask)
        if n_found > 0 or n_tried == most:
            break
    for k in range(n):
        state.codes[row, columns[k]] = columns_code(state, row, columns[k], True)
    return n_found


@compiled
def give_back(
    state: State, tree: Tree, row: int, target: int, from_bayes: bool, from_id3: bool, columns: Array, is_blank: Array
) -> None:
    """Tell which columns stay blank if all are blanked, and given back in their order while nothing is told."""
    weights = log_conditionals(state, row, target, columns)
    kept = np.zeros(columns.size, dtype=np.bool_)
    for k in range(columns.size):
        state.codes[row, columns[k]] = columns_code(state, row, columns[k], False)
    for k in range(columns.size):
        kept[k] = True
        state.codes[row, columns[k]] = columns_code(state, row, columns[k], True)
        if _is_told(state, tree, row, target, from_bayes, from_id3, columns, weights, kept):
            kept[k] = False
            state.codes[row, columns[k]] = columns_code(state, row, columns[k], False)
    for k in range(columns.size):
        state.codes[row, columns[k]] = columns_code(state, row, columns[k], True)
        is_blank[k] = not kept[k]


@inner
def _known(state: State, row: int, target: int) -> Array:
    """Return the columns whose values predict the target in a row."""
    n_columns = state.codes.shape[1]
    found = np.empty(n_columns, dtype=np.int64)
    n = 0
    for column in range(n_columns):
        if state.uses[target, column] and state.codes[row, column] >= 0:
            found[n] = column
            n += 1
    return found[:n]


@inner
def _is_told(
    state: State, tree: Tree, row: int, target: int, from_bayes: bool, from_id3: bool, columns: Array, weights: Array,
    kept: Array,
) -> bool:  # fmt: skip
    """Tell whether an adversary may say of a cell what it does not say of a row without values."""
    if not kept.any():
        return False
    if from_bayes and _says_more(state, row, target, columns, weights, kept):
        return True
    return from_id3 and departs(tree, state, target, row)


@inner
def _says_more(state: State, row: int, target: int, columns: Array, weights: Array, kept: Array) -> bool:
    """Tell whether other classes are the most probable ones for a row than for one without values.

    Classes of which none is possible say nothing. A tie is broken by an order of classes: only where the same ones are
    tied does every order say the same of both.
    """
    n_classes = state.n_leaves[target]
    logs = weights[columns.size].copy()
    for k in range(columns.size):
        if kept[k]:
            logs += weights[k]
    best, most = 0, 0
    for label in range(n_classes):
        most = max(most, n_labelled(state, target, label))
        if logs[label] > logs[best] + CLEAR or (
            logs[label] > logs[best] - CLEAR and compare(state, row, target, HIDDEN, label, best) > 0
        ):
            best = label
    if logs[best] == -math.inf:
        return False
    for label in range(n_classes):
        is_best = logs[label] > logs[best] - 2 * CLEAR and compare(state, row, target, HIDDEN, label, best) == 0
        if is_best != (n_labelled(state, target, label) == most):
            return True
    return False
