"""Which cells of a row to blank: all sets of them, the smallest first, with what each would leave to do elsewhere."""

import math
from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._escape import FAR, cheapest_escape
from withhold.methods.inference._id3_tree import Tree
from withhold.methods.inference._posteriors import count_below, leads, n_labelled
from withhold.methods.inference._question import Question
from withhold.methods.inference._ratios import CLEAR
from withhold.methods.inference._state import HIDDEN, State

__all__ = ["Tried", "blank_all_but", "log_conditionals", "next_set", "try_blanks"]


class Tried(NamedTuple):
    """Sets of cells of a row that were tried, one after the other."""

    masks: Array
    """Each set as bits over the columns."""
    to_bayes: Array
    """About how many cells of other rows must go besides, until naive Bayes does not predict the actual class …"""
    to_tree: Array
    """… and as many until ID3 does not."""
    toward: Array
    """The class that naive Bayes is to prefer, -1 for any."""


@compiled
def try_blanks(state: State, tree: Tree, asked: Question, guess: int, columns: Array, tried: Tried) -> int:
    """Try sets of cells to blank in a row, the smallest first, until larger ones cannot be cheaper; return how many.

    The cost of a set is its size, plus what must go in other rows. As many are tried as there is room for.
    """
    n, row, target = columns.size, asked.row, asked.target
    weights = log_conditionals(state, row, target, columns)
    kept = np.empty(n, dtype=np.bool_)
    cheapest, n_tried = FAR, 0
    for size in range(n + 1):
        if size > cheapest or n_tried == tried.masks.size:
            break
        mask = (1 << size) - 1
        while mask < (1 << n) and n_tried < tried.masks.size:
            blank_all_but(state, row, columns, mask, kept)
            to_bayes, to_tree, toward = 0, 0, -1
            if asked.from_bayes:
                to_bayes, toward = _to_do_against_bayes(state, asked, guess, columns, kept, weights)
            if asked.from_id3 and size + to_bayes <= cheapest:
                limit = min(cheapest, state.codes.size) - size - to_bayes
                to_tree = cheapest_escape(tree, state, target, row, asked.actual, limit)[0]
            tried.masks[n_tried], tried.toward[n_tried] = mask, toward
            tried.to_bayes[n_tried], tried.to_tree[n_tried] = to_bayes, to_tree
            cheapest = min(cheapest, size + to_bayes + to_tree)
            n_tried += 1
            if mask == 0:
                break
            mask = next_set(mask)
    blank_all_but(state, row, columns, 0, kept)
    return n_tried


@inner
def next_set(mask: int) -> int:
    """Return the next larger number with as many bits: the next set of the same size."""
    lowest = mask & -mask
    ripple = mask + lowest
    return ripple | (((mask ^ ripple) >> 2) // lowest)


@inner
def blank_all_but(state: State, row: int, columns: Array, mask: int, kept: Array) -> None:
    """Blank the columns of a set in a row and give back the others; `kept` flags these.

    A row without a label trains no model, so only its cells change: the value of a blanked one is kept as its negative.
    """
    for k in range(columns.size):
        code = state.codes[row, columns[k]]
        value = code if code >= 0 else -2 - code
        kept[k] = (mask >> k) & 1 == 0
        state.codes[row, columns[k]] = value if kept[k] else -2 - value


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
    state: State, asked: Question, guess: int, columns: Array, kept: Array, weights: Array
) -> tuple[int, int]:
    """Return about how many cells of other rows must go, 0 where the class is not predicted, and for which class."""
    n, row, target, actual = columns.size, asked.row, asked.target, asked.actual
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
    for label in range(weights.shape[1]):
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
            # The rarest of its values weighs most: with that much less of it the product falls below the other.
            to_do = min(math.floor(rarest * (1.0 - math.exp(-lead)) + 1e-9) + 1, rarest)
        if toward < 0 or to_do < fewest:
            fewest, toward = to_do, label
    return max(fewest, 1), toward
