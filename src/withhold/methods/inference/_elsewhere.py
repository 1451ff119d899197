"""Changes in other rows: labels and values of the actual class, labels of a guess, labels in a leaf."""

import math

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._delete import _has_common_value
from withhold.methods.inference._posteriors import count_below, is_predicted, leads, n_labelled
from withhold.methods.inference._ratios import CLEAR
from withhold.methods.inference._state import HIDDEN, State, change, undo

__all__ = ["LABELS", "RAISE", "VALUES", "run_elsewhere"]

VALUES, LABELS, RAISE = 0, 1, 2


@compiled
def run_elsewhere(state: State, row: int, target: int, actual: int, guess: int, how: int, most: int) -> int:
    """Blank cells of other rows until naive Bayes does not predict the actual class; return how many, or `most`.

    VALUES blanks the value that the fewest rows of the class share with the row; LABELS blanks the class of rows most
    like the row; RAISE blanks the class of the guess's rows that have nothing in common with it.
    """
    begin = state.n_log[0]
    n_alike = 0
    for column in range(state.codes.shape[1]):
        n_alike += int(state.uses[target, column] and state.codes[row, column] >= 0)
    column = _rarest(state, row, target, actual) if how == VALUES else -1
    if how == VALUES and column < 0:
        return most
    alike = n_alike if how == LABELS else 0
    while alike >= 0:
        for other in range(state.codes.shape[0]):
            if state.n_log[0] - begin >= most:
                return most
            label = state.codes[other, target]
            if how == VALUES:
                if label == actual and state.codes[other, column] == state.codes[row, column]:
                    change(state, other, column, HIDDEN)
                else:
                    continue
            elif how == LABELS:
                if label == actual and _n_common(state, row, other, target) == alike:
                    change(state, other, target, HIDDEN)
                else:
                    continue
            elif label == guess and not _has_common_value(state, row, other, target):
                change(state, other, target, HIDDEN)
            else:
                continue
            if _is_done(state, row, target, actual, guess):
                return state.n_log[0] - begin
        alike -= 1
    return most


@inner
def _is_done(state: State, row: int, target: int, actual: int, guess: int) -> bool:
    if guess >= 0:
        return not leads(state, row, target, HIDDEN, actual, guess)
    return not is_predicted(state, row, target, HIDDEN, actual)


@inner
def _rarest(state: State, row: int, target: int, actual: int) -> int:
    """Return the predictor whose value in the row the fewest rows of the class hold; -1 for none."""
    best, fewest = -1, 0
    for column in range(state.codes.shape[1]):
        if state.uses[target, column] and state.codes[row, column] >= 0:
            count = count_below(state, target, column, state.codes[row, column], actual)
            if best < 0 or count < fewest:
                best, fewest = column, count
    return best


@inner
def _n_common(state: State, row: int, other: int, target: int) -> int:
    n = 0
    for column in range(state.codes.shape[1]):
        if state.uses[target, column] and 0 <= state.codes[row, column] == state.codes[other, column]:
            n += 1
    return n


@compiled
def count_stuck(state: State, target: int, rows: Array, actual: int, is_stuck: Array) -> int:
    """Count the rows whose actual class naive Bayes predicts whatever is blanked in them, ties included.

    For each other class it is best to keep exactly the values that speak for it; so no set need be tried.
    """
    n_stuck = 0
    n_actual = n_labelled(state, target, actual)
    for i in range(rows.size):
        is_stuck[i] = n_actual > 0
        for label in range(state.n_leaves[target]):
            n_label = n_labelled(state, target, label)
            if not is_stuck[i] or label == actual or n_label == 0:
                continue
            lead = math.log(n_actual) - math.log(n_label)
            for column in range(state.codes.shape[1]):
                node = state.codes[rows[i], column]
                if not state.uses[target, column] or node < 0:
                    continue
                for_it = count_below(state, target, column, node, actual)
                against = count_below(state, target, column, node, label)
                if for_it * n_label < against * n_actual:
                    lead += math.log(for_it * n_label / (against * n_actual)) if for_it > 0 else -math.inf
            is_stuck[i] = lead > -CLEAR
        n_stuck += is_stuck[i]
    return n_stuck


@compiled
def run_balance(state: State, target: int, actual: int, rows: Array, most: int) -> int:
    """Blank labels of a class, in rows most like those that are stuck, until none is; return how many, or `most`.

    At the latest it ends where the class is rarer than the next one: then a row without values is given that one.
    """
    begin = state.n_log[0]
    is_stuck = np.empty(rows.size, dtype=np.bool_)
    if count_stuck(state, target, rows, actual, is_stuck) == 0:
        return 0
    alike = np.zeros(state.codes.shape[0], dtype=np.int64)
    for other in range(state.codes.shape[0]):
        if state.codes[other, target] == actual:
            for i in range(rows.size):
                if is_stuck[i]:
                    alike[other] -= _n_common(state, rows[i], other, target)
            alike[other] -= 1
    order = np.argsort(alike, kind="mergesort")
    n_alike = int(np.count_nonzero(alike))
    step = max(n_alike // 64, 1)
    n_done = 0
    while n_done < n_alike:
        mark = state.n_log[0]
        n_next = min(n_done + step, n_alike)
        for i in range(n_done, n_next):
            change(state, order[i], target, HIDDEN)
        if count_stuck(state, target, rows, actual, is_stuck) > 0:
            n_done = n_next
        elif step == 1:
            return state.n_log[0] - begin
        else:
            undo(state, mark)  # somewhere in this stretch: go on one by one
            step = 1
        if state.n_log[0] - begin >= most:
            return most
    return most
