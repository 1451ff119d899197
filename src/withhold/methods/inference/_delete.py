"""DECP, INCP and DROPP: blank cells until the actual class is not more probable than a guess."""

import math

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._posteriors import compare, count_below, is_predicted, log_lead, n_labelled
from withhold.methods.inference._ratios import CLEAR
from withhold.methods.inference._state import ATTRIBUTE, COMMON, FALLBACK, HIDDEN, State, change, note

__all__ = ["run_decp", "run_dropp", "run_incp"]


@compiled
def run_decp(state: State, row: int, target: int, actual: int, guess: int) -> bool:
    """Make the actual class less probable: blank, in rows of that class, values they share with the row.

    The value that the fewest rows of the class hold goes first: each blank counts most there. Return whether the class
    is no longer predicted.
    """
    while compare(state, row, target, HIDDEN, actual, guess) > 0:
        column = _rarest_value(state, row, target, actual)
        if column < 0:
            break
        note(state, ATTRIBUTE, -1, column, 1, -1)
        node = state.codes[row, column]
        count = count_below(state, target, column, node, actual)
        # The probability of the class falls with this count alone: above `near` it is ahead without a doubt.
        near = count * math.exp(-log_lead(state, row, target, HIDDEN, actual, guess)) * (1.0 + CLEAR)
        for other in range(state.codes.shape[0]):
            if count <= 1:
                break
            if state.codes[other, target] != actual or state.codes[other, column] != node:
                continue
            change(state, other, column, HIDDEN)
            count -= 1
            if count <= near and compare(state, row, target, HIDDEN, actual, guess) <= 0:
                break
    return not is_predicted(state, row, target, HIDDEN, actual)


@inner
def _rarest_value(state: State, row: int, target: int, actual: int) -> int:
    """Return the predictor whose value in the row the fewest rows of the class hold, more than one; -1 for none."""
    best, fewest = -1, 0
    for column in range(state.codes.shape[1]):
        if state.uses[target, column] and state.codes[row, column] >= 0:
            count = count_below(state, target, column, state.codes[row, column], actual)
            if count > 1 and (best < 0 or count < fewest):
                best, fewest = column, count
    return best


@compiled
def run_incp(state: State, row: int, target: int, actual: int, guess: int, guesses: Array, n_guesses: int) -> bool:
    """Make other classes more probable: blank the label of their rows that have nothing in common with the row.

    `guesses` are the classes that are at least as probable as the guess. Where that does not suffice, go on with DECP.
    """
    for i in range(n_guesses):
        label = guesses[i]
        note(state, COMMON, -1, target, 1, label)
        is_above = compare(state, row, target, HIDDEN, actual, label) > 0
        for other in range(state.codes.shape[0]):
            if not is_above:
                break
            if state.codes[other, target] == label and not _has_common_value(state, row, other, target):
                change(state, other, target, HIDDEN)
                is_above = compare(state, row, target, HIDDEN, actual, label) > 0
    if not is_predicted(state, row, target, HIDDEN, actual):
        return True
    note(state, FALLBACK, -1, target, -1, -1)
    return run_decp(state, row, target, actual, guess)


@inner
def _has_common_value(state: State, row: int, other: int, target: int) -> bool:
    for column in range(state.codes.shape[1]):
        if state.uses[target, column] and 0 <= state.codes[row, column] == state.codes[other, column]:
            return True
    return False


@compiled
def run_dropp(state: State, row: int, target: int, actual: int, guess: int) -> bool:
    """Blank, in the row itself, the values that speak for the actual class most and for the guess least."""
    while compare(state, row, target, HIDDEN, actual, guess) > 0:
        column = _most_revealing_value(state, row, target, actual, guess)
        if column < 0:
            break
        change(state, row, column, HIDDEN)
    return not is_predicted(state, row, target, HIDDEN, actual)


@inner
def _most_revealing_value(state: State, row: int, target: int, actual: int, guess: int) -> int:
    """Return the predictor with the largest ratio of counts, among those more frequent in the actual class."""
    best, best_for, best_against = -1, 0, 1
    n_actual, n_guess = n_labelled(state, target, actual), n_labelled(state, target, guess)
    for column in range(state.codes.shape[1]):
        node = state.codes[row, column]
        if not state.uses[target, column] or node < 0:
            continue
        for_it = count_below(state, target, column, node, actual)
        against = count_below(state, target, column, node, guess)
        if for_it * n_guess > against * n_actual and (best < 0 or for_it * best_against > best_for * against):
            best, best_for, best_against = column, for_it, against
    return best
