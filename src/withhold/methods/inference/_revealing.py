"""Of which hidden cells adversaries say more than of a row without values, and which blanks end that."""

import math

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._id3_tree import Tree, plant
from withhold.methods.inference._inside import blank_all_but, log_conditionals, next_set
from withhold.methods.inference._posteriors import compare, n_labelled
from withhold.methods.inference._question import Question, Questions
from withhold.methods.inference._ratios import CLEAR
from withhold.methods.inference._state import HIDDEN, State
from withhold.methods.inference._walks import departs

__all__ = ["fewest_blanks", "find_revealing", "give_back"]


@compiled
def find_revealing(state: State, tree: Tree, asked: Questions, is_revealing: Array) -> int:
    """Flag the cells of which an adversary may say more than of a row without values, and count them.

    Ties must count; a probability of zero for every class says nothing.
    """
    n = 0
    for i in range(asked.rows.size):
        row, target = asked.rows[i], asked.targets[i]
        if asked.from_id3 and (i == 0 or target != asked.targets[i - 1]):
            plant(tree, state, target, HIDDEN)
        columns = np.flatnonzero(state.uses[target] & (state.codes[row] >= 0))
        weights = log_conditionals(state, row, target, columns)
        kept = np.ones(columns.size, dtype=np.bool_)
        cell = Question(row, target, HIDDEN, HIDDEN, asked.from_bayes, asked.from_id3)
        is_revealing[i] = _is_revealing(state, tree, cell, columns, weights, kept)
        n += is_revealing[i]
    return n


@compiled
def fewest_blanks(state: State, tree: Tree, asked: Question, columns: Array, most: int, found: Array) -> int:
    """Write the smallest sets of cells whose blanks leave nothing revealed, and return how many; 0 after `most` tries.

    Sets are bit masks over `columns`; the tree of the target must stand. As many are written as there is room for.
    """
    n, n_tried, n_found = columns.size, 0, 0
    weights = log_conditionals(state, asked.row, asked.target, columns)
    kept = np.ones(n, dtype=np.bool_)
    for size in range(n + 1):
        mask = (1 << size) - 1
        while mask < (1 << n) and n_tried < most and n_found < found.size:
            n_tried += 1
            blank_all_but(state, asked.row, columns, mask, kept)
            if not _is_revealing(state, tree, asked, columns, weights, kept):
                found[n_found] = mask
                n_found += 1
            if mask == 0:
                break
            mask = next_set(mask)
        if n_found > 0 or n_tried == most:
            break
    blank_all_but(state, asked.row, columns, 0, kept)
    return n_found


@compiled
def give_back(state: State, tree: Tree, asked: Question, columns: Array, is_blank: Array) -> None:
    """Return which columns stay blank if all are blanked, and given back in their order while nothing is revealed."""
    row = asked.row
    weights = log_conditionals(state, row, asked.target, columns)
    values = np.empty(columns.size, dtype=np.int64)
    kept = np.zeros(columns.size, dtype=np.bool_)
    for k in range(columns.size):  # there may be more columns than a mask has bits
        values[k] = state.codes[row, columns[k]]
        state.codes[row, columns[k]] = HIDDEN
    for k in range(columns.size):
        kept[k] = True
        state.codes[row, columns[k]] = values[k]
        if _is_revealing(state, tree, asked, columns, weights, kept):
            kept[k] = False
            state.codes[row, columns[k]] = HIDDEN
    for k in range(columns.size):
        state.codes[row, columns[k]] = values[k]
        is_blank[k] = not kept[k]


@inner
def _is_revealing(state: State, tree: Tree, asked: Question, columns: Array, weights: Array, kept: Array) -> bool:
    """Return whether an adversary may say of a cell what it does not say of a row without values."""
    if not kept.any():
        return False
    if asked.from_bayes and _says_more(state, asked.row, asked.target, columns, weights, kept):
        return True
    return asked.from_id3 and departs(tree, state, asked.target, asked.row)


@inner
def _says_more(state: State, row: int, target: int, columns: Array, weights: Array, kept: Array) -> bool:
    """Return whether other classes are the most probable ones for a row than for one without values.

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
