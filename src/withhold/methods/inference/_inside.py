"""Which cells of a row to blank: all sets of them, the smallest first, with what each would leave to do elsewhere."""

import math

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._bayes import count_below, leads, n_labelled
from withhold.methods.inference._escape import FAR, cheapest_escape
from withhold.methods.inference._exact import CLEAR
from withhold.methods.inference._state import HIDDEN, State
from withhold.methods.inference._tree import Tree

__all__ = ["columns_code", "log_conditionals", "next_set", "try_blanks"]


@compiled
def try_blanks(
    state: State, tree: Tree, row: int, target: int, actual: int, guess: int, from_bayes: bool, from_id3: bool,
    columns: Array, masks: Array, to_bayes: Array, to_tree: Array, toward: Array,
) -> int:  # fmt: skip
    """Try sets of cells to blank in a row, the smallest first, until larger ones cannot be cheaper; return how many.

    The cost of a set is its size, plus about how many cells of other rows must go until naive Bayes does not predict
    the actual class (`to_bayes`, in favour of the class `toward`), plus as much until ID3 does not (`to_tree`).
    Sets are written as bit masks over `columns`; as many are tried as there is room for.
    """
    n, n_classes = columns.size, state.n_leaves[target]
    weights = log_conditionals(state, row, target, columns)
    kept = np.empty(n, dtype=np.bool_)
    cheapest, n_tried = FAR, 0
    for size in range(n + 1):
        if size > cheapest or n_tried == masks.size:
            break
        mask = (1 << size) - 1
        while mask < (1 << n) and n_tried < masks.size:
            for k in range(n):
                kept[k] = (mask >> k) & 1 == 0
                state.codes[row, columns[k]] = columns_code(state, row, columns[k], kept[k])
            masks[n_tried], to_bayes[n_tried], to_tree[n_tried], toward[n_tried] = mask, 0, 0, -1
            if from_bayes:
                to_bayes[n_tried], toward[n_tried] = _to_do_against_bayes(
                    state, row, target, actual, guess, columns, kept, weights, n_classes
                )
            if from_id3 and size + to_bayes[n_tried] <= cheapest:
                limit = min(cheapest, state.codes.size) - size - to_bayes[n_tried]
                to_tree[n_tried] = cheapest_escape(tree, state, target, row, actual, limit)[0]
            cheapest = min(cheapest, size + to_bayes[n_tried] + to_tree[n_tried])
            n_tried += 1
            if mask == 0:
                break
            mask = next_set(mask)
    for k in range(n):
        state.codes[row, columns[k]] = columns_code(state, row, columns[k], True)
    return n_tried


@inner
def next_set(mask: int) -> int:
    """Return the next larger number with as many bits: the next set of the same size."""
    lowest = mask & -mask
    ripple = mask + lowest
    return ripple | (((mask ^ ripple) >> 2) // lowest)


@inner
def columns_code(state: State, row: int, column: int, is_kept: bool) -> int:
    """Return what a cell holds with or without its blank; the value of a blanked cell is kept as its negative."""
    code = state.codes[row, column]
    value = code if code >= 0 else -2 - code
    return value if is_kept else -2 - value


@inner
def log_conditionals(state: State, row: int, target: int, columns: Array) -> Array:
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
        if lead < CLEAR and (lead < -CLEAR or not leads(state, row, target, HIDDEN, actual, label)):
            return 0, label
        if is_empty:
            to_do = n_labelled(state, target, actual) - n_labelled(state, target, label) + 1
        else:
            to_do = min(math.floor(rarest * (1.0 - math.exp(-lead)) + 1e-9) + 1, rarest)
        if toward < 0 or to_do < fewest:
            fewest, toward = to_do, label
    return max(fewest, 1), toward
