"""Which cells of a row to blank: all sets of them, the smallest first, with what each would leave to do elsewhere."""

import math

import numpy as np

from withhold.methods._compiled import Array, compiled, inner
from withhold.methods.inference._bayes import compare, count_below, n_labelled
from withhold.methods.inference._exact import CLEAR
from withhold.methods.inference._state import HIDDEN, State
from withhold.methods.inference._tree import Tree, find_leaf

__all__ = ["choose_blanks"]

FAR = 1 << 40
"""More cells than any table has."""


@compiled
def choose_blanks(
    state: State, tree: Tree, row: int, target: int, actual: int, guess: int, from_bayes: bool, from_id3: bool,
    columns: Array, most_sets: int, at_most: int, wanted: int, chosen: Array,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """Find a set of cells to blank in a row after which little is left to do elsewhere.

    The cost of a set is its size, plus about how many cells of other rows must go until naive Bayes does not predict
    the actual class, plus how many labels until ID3 does not. Sets that cost no more than `at_most` are numbered as
    they are met; the one numbered `wanted` is written to `chosen`, as flags over `columns`.

    Returns
    -------
    tuple
        The cost of the cheapest set, how many sets cost at most `at_most`; and of the set that was wanted: what is left
        to do against naive Bayes and ID3, and the class that naive Bayes is to prefer.
    """
    n, n_classes = columns.size, state.n_leaves[target]
    weights = _log_conditionals(state, row, target, columns)
    kept = np.empty(n, dtype=np.bool_)
    cheapest, n_found, n_tried = FAR, 0, 0
    left_bayes, left_tree, left_toward = 0, 0, -1
    for size in range(n + 1):
        bound = max(min(cheapest, FAR), at_most)
        if size > bound or n_tried > most_sets:
            break
        mask = (1 << size) - 1
        while mask < (1 << n):
            n_tried += 1
            for k in range(n):
                kept[k] = (mask >> k) & 1 == 0
                state.codes[row, columns[k]] = columns_code(state, row, columns[k], kept[k])
            to_bayes, toward, to_tree = 0, -1, 0
            if from_bayes:
                to_bayes, toward = _to_do_against_bayes(
                    state, row, target, actual, guess, columns, kept, weights, n_classes
                )
            if from_id3 and size + to_bayes <= max(cheapest, at_most):
                leaf = find_leaf(tree, state, target, row, 0)
                if tree.label[leaf] == actual:
                    to_tree = tree.margin[leaf]
            cost = size + to_bayes + to_tree
            cheapest = min(cheapest, cost)
            if cost <= at_most:
                if n_found == wanted:
                    chosen[:] = ~kept
                    left_bayes, left_tree, left_toward = to_bayes, to_tree, toward
                n_found += 1
            if mask == 0:
                break
            lowest = mask & -mask
            ripple = mask + lowest
            mask = ripple | (((mask ^ ripple) >> 2) // lowest)
    for k in range(n):
        state.codes[row, columns[k]] = columns_code(state, row, columns[k], True)
    return cheapest, n_found, left_bayes, left_tree, left_toward


@inner
def columns_code(state: State, row: int, column: int, is_kept: bool) -> int:
    """Return what a cell holds with or without its blank; the value of a blanked cell is kept as its negative."""
    code = state.codes[row, column]
    value = code if code >= 0 else -2 - code
    return value if is_kept else -2 - value


@inner
def _log_conditionals(state: State, row: int, target: int, columns: Array) -> Array:
    """Return log prior (last line) and the log of each column's conditional, by class."""
    n_classes = state.n_leaves[target]
    weights = np.full((columns.size + 1, n_classes), -math.inf)
    for label in range(n_classes):
        size = n_labelled(state, target, label)
        if size == 0:
            continue
        weights[columns.size, label] = math.log(size)
        for k in range(columns.size):
            count = count_below(state, target, columns[k], state.codes[row, columns[k]], label)
            if count > 0:
                weights[k, label] = math.log(count) - math.log(size)
    return weights


@inner
def _to_do_against_bayes(
    state: State, row: int, target: int, actual: int, guess: int, columns: Array, kept: Array, weights: Array,
    n_classes: int,
) -> tuple[int, int]:  # fmt: skip
    """Return about how many cells of other rows must go, 0 where the class is not predicted, and for which class."""
    n = columns.size
    rarest = n_labelled(state, target, actual)
    is_empty = True
    of_actual = weights[n, actual]
    for k in range(n):
        if kept[k]:
            of_actual += weights[k, actual]
            is_empty = False
            rarest = min(rarest, count_below(state, target, columns[k], state.codes[row, columns[k]], actual))
    if of_actual == -math.inf:
        return 0, -1
    fewest, toward = rarest, -1
    for label in range(n_classes):
        if label == actual or (guess >= 0 and label != guess):
            continue
        of_label = weights[n, label]
        for k in range(n):
            if kept[k]:
                of_label += weights[k, label]
        if of_label == -math.inf:
            continue
        lead = of_actual - of_label
        if lead < CLEAR and (lead < -CLEAR or compare(state, row, target, HIDDEN, actual, label) <= 0):
            return 0, label
        if is_empty:
            to_do = n_labelled(state, target, actual) - n_labelled(state, target, label)
        else:
            to_do = math.ceil(rarest * (1.0 - math.exp(-lead)) - 1e-9)
        to_do = max(to_do, 1)
        if toward < 0 or to_do < fewest:
            fewest, toward = to_do, label
    return max(fewest, 1), toward
