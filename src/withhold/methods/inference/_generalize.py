"""DECP-G, INCP-G and DROPP-G: coarsen cells along their taxonomies until the actual class is not more probable."""

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._posteriors import (
    count_below,
    count_strictly_below,
    is_predicted,
    leads,
    ratio_of_value,
)
from withhold.methods.inference._ratios import Ratio, compare_ratios, new_ratio, turned
from withhold.methods.inference._state import ATTRIBUTE, COMMON, DEEPEST, State, change, is_at_or_below, note

__all__ = ["run_decp_g", "run_dropp_g", "run_incp_g"]


@inner
def ancestor(state: State, column: int, node: int, levels: int) -> int:
    """Return the node some levels above; -1 beyond the root."""
    for _ in range(levels):
        if node < 0:
            break
        node = state.parent[state.node_at[column] + node]
    return node


@compiled
def deepest(state: State) -> int:
    """Return the number of levels of the deepest taxonomy above its leaves."""
    most = 0
    for column in range(state.codes.shape[1]):
        for leaf in range(state.n_leaves[column]):
            levels, node = 0, state.parent[state.node_at[column] + leaf]
            while node >= 0:
                levels += 1
                node = state.parent[state.node_at[column] + node]
            most = max(most, levels)
    return most


@compiled
def n_may_climb(state: State, target: int, column: int, node: int, actual: int, level: int) -> int:
    """Return how many rows of a class hold exactly `node` and may climb at a level: at level 1 one stays."""
    exactly = count_below(state, target, column, node, actual) - count_strictly_below(
        state, target, column, node, actual
    )
    if level == 1:
        return exactly - 1
    over = state.parent[state.node_at[column] + node]
    return exactly if count_strictly_below(state, target, column, over, actual) > 1 else 0


@compiled
def run_decp_g(state: State, row: int, target: int, top: int, actual: int, guess: int) -> bool:
    """Make the actual class less probable: coarsen, in rows of that class, values they share with the row."""
    for level in range(1, deepest(state) + 1):
        while leads(state, row, target, top, actual, guess):
            column = _strongest_climb(state, row, target, actual, level)
            if column < 0:
                break
            note(state, ATTRIBUTE, -1, column, level, -1)
            node = ancestor(state, column, state.codes[row, column], level - 1)
            over = state.parent[state.node_at[column] + node]
            n_left = n_may_climb(state, target, column, node, actual, level)
            for other in range(state.codes.shape[0]):
                if state.codes[other, target] != actual or state.codes[other, column] != node:
                    continue
                if n_left <= 0:
                    break
                change(state, other, column, over)
                n_left -= 1
                if not leads(state, row, target, top, actual, guess):
                    break
    return not is_predicted(state, row, target, top, actual)


@inner
def _strongest_climb(state: State, row: int, target: int, actual: int, level: int) -> int:
    """Return the predictor whose climb by one level lowers the actual class most; -1 for none."""
    best, least = -1, new_ratio(2)
    for column in range(state.codes.shape[1]):
        if not state.uses[target, column]:
            continue
        node = ancestor(state, column, state.codes[row, column], level - 1)
        if node < 0 or state.parent[state.node_at[column] + node] < 0:
            continue
        over = state.parent[state.node_at[column] + node]
        if n_may_climb(state, target, column, node, actual, level) <= 0:
            continue
        held = count_below(state, target, column, node, actual)
        under = count_strictly_below(state, target, column, over, actual)
        room = new_ratio(2)
        room.above[0], room.above[1], room.below[0], room.below[1] = held - 1, under, held, under - 1
        ratio = Ratio(room.above, 2, room.below, 2)
        if best < 0 or compare_ratios(ratio, least) < 0:
            best, least = column, ratio
    return best


@compiled
def run_incp_g(state: State, row: int, target: int, top: int, actual: int, guesses: Array, n_guesses: int) -> bool:
    """Make other classes more probable: coarsen the label of their rows that have nothing in common with the row."""
    for level in range(1, deepest(state) + 1):
        for i in range(n_guesses):
            label = guesses[i]
            node = ancestor(state, target, label, level - 1)
            if node < 0 or state.parent[state.node_at[target] + node] < 0:
                continue
            note(state, COMMON, -1, target, level, label)
            over = state.parent[state.node_at[target] + node]
            is_above = leads(state, row, target, top, actual, label)
            for other in range(state.codes.shape[0]):
                if not is_above:
                    break
                if state.codes[other, target] == node and not _has_related_value(state, row, other, target):
                    change(state, other, target, over)
                    is_above = leads(state, row, target, top, actual, label)
    return not is_predicted(state, row, target, top, actual)


@inner
def _has_related_value(state: State, row: int, other: int, target: int) -> bool:
    """Return whether some predictor of one row is at or below that of the other; unknown is related to nothing."""
    for column in range(state.codes.shape[1]):
        if state.uses[target, column]:
            mine, its = state.codes[row, column], state.codes[other, column]
            first = state.node_at[column]
            if mine < 0 or its < 0 or state.parent[first + mine] < 0 or state.parent[first + its] < 0:
                continue
            if is_at_or_below(state, column, mine, its) or is_at_or_below(state, column, its, mine):
                return True
    return False


@compiled
def run_dropp_g(state: State, row: int, target: int, top: int, actual: int, guess: int) -> bool:
    """Coarsen, in the row itself, the values that speak for the actual class most and for the guess least."""
    n_columns = state.codes.shape[1]
    is_done = np.empty(n_columns, dtype=np.bool_)
    for _ in range(deepest(state)):
        is_done[:] = False
        while leads(state, row, target, top, actual, guess):
            column = _most_revealing_climb(state, row, target, actual, guess, is_done)
            if column < 0:
                break
            is_done[column] = True
            change(state, row, column, state.parent[state.node_at[column] + state.codes[row, column]])
    return not is_predicted(state, row, target, top, actual)


@inner
def _most_revealing_climb(state: State, row: int, target: int, actual: int, guess: int, is_done: Array) -> int:
    """Return the predictor whose climb raises the guess most against the actual class; -1 for none."""
    size = 4 * (DEEPEST + 2)
    best, most = -1, new_ratio(size)
    for column in range(state.codes.shape[1]):
        node = state.codes[row, column]
        if not state.uses[target, column] or is_done[column] or node < 0:
            continue
        over = state.parent[state.node_at[column] + node]
        if over < 0:
            continue
        ratio = ratio_of_value(state, target, column, over, guess, new_ratio(size))
        ratio = turned(ratio_of_value(state, target, column, node, actual, ratio))
        ratio = ratio_of_value(state, target, column, node, guess, ratio)
        ratio = turned(ratio_of_value(state, target, column, over, actual, ratio))
        if best < 0 or compare_ratios(ratio, most) > 0:
            best, most = column, ratio
    return best
