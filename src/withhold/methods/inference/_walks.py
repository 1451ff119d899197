"""Where rows come to in a decision tree: to one leaf, or wherever ties may lead them."""

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._id3_tree import LEAF, Tree, grown, plant, size_of, split_up
from withhold.methods.inference._state import State, is_at_or_below

__all__ = [
    "NOWHERE",
    "TOO_MANY",
    "classify",
    "departs",
    "find_exposing_leaf",
    "matching_child",
    "may_say",
    "predict",
]

NOWHERE, TOO_MANY = -1, -2
MOST_NODES = 1000
"""How many nodes are looked at for one row over all ways to break ties; a check looks at more."""


@compiled
def predict(tree: Tree, state: State, target: int, top: int, row: int) -> int:
    """Plant a tree, and return the class that it gives a row."""
    plant(tree, state, target, top)
    return classify(tree, state, target, row, 0)


@compiled
def classify(tree: Tree, state: State, target: int, row: int, node: int) -> int:
    """Return the class that the tree gives a row, from a node down; -1 where it has nothing to learn from.

    Ties go to the earlier column and to the first value.
    """
    while True:
        grown(tree, state, target, node)
        if tree.column[node] == LEAF:
            return tree.label[node]
        match = matching_child(tree, state, row, node)
        node = tree.common_child[node] if match < 0 else match


@inner
def matching_child(tree: Tree, state: State, row: int, node: int) -> int:
    """Return the largest child of a node that fits the row's value; -1 where the value is unknown or fits none."""
    column = tree.column[node]
    cell = state.codes[row, column]
    first = tree.first_child[node]
    best = -1
    if cell >= 0:
        for child in range(first, first + tree.n_children[node]):
            if is_at_or_below(state, column, tree.value[child], cell) and (
                best < 0 or size_of(tree, child) > size_of(tree, best)
            ):
                best = child
    return best


@inner
def may_say(tree: Tree, state: State, target: int, leaf: int, label: int) -> bool:
    """Return whether a leaf has as many rows of a class as of any other."""
    if tree.n_tied[leaf] < 2 or tree.label[leaf] == label:
        return tree.label[leaf] == label
    n = 0
    for i in range(tree.begin[leaf], tree.end[leaf]):
        n += int(state.codes[tree.rows[i], target] == label)
    return n == tree.n_label[leaf]


@compiled
def find_exposing_leaf(tree: Tree, state: State, target: int, top: int, row: int, actual: int) -> int:
    """Return a leaf that may give a row its actual class, on any way that ties leave open.

    NOWHERE if there is none, TOO_MANY if there is none among the first nodes. The tree of the target must stand, with
    ties counted; where it has no room left, it is planted anew.
    """
    found = TOO_MANY
    for _ in range(2):
        found, _label = _walk(tree, state, target, row, 0, actual, False)
        if not tree.is_full[0]:
            return found
        plant(tree, state, target, top)
    return TOO_MANY


@inner
def _walk(tree: Tree, state: State, target: int, row: int, start: int, label: int, is_other: bool) -> tuple[int, int]:
    """Follow a row from a node down to the first leaf that may say a label, or (`is_other`) something else.

    Return that leaf and the label; the label of the first leaf, where it was below zero.
    """
    queue = np.empty(MOST_NODES, dtype=np.int64)
    queue[0] = start
    i, n, n_others = 0, 1, 0
    while i < n:
        node = queue[i]
        i += 1
        grown(tree, state, target, node)
        while node >= 0:
            split_up(tree, state, node)
            if tree.column[node] == LEAF:
                label = label if label >= 0 else tree.label[node]
                is_alone = tree.n_tied[node] < 2 and tree.label[node] == label
                if (not is_alone) if is_other else (is_alone or may_say(tree, state, target, node, label)):
                    return node, label
            elif tree.column[node] < 0:
                return TOO_MANY, label
            else:
                n = _add_children(tree, state, row, node, queue, n)
            node = tree.other[node]
            n_others += 1
        if n + n_others - i > MOST_NODES:
            return TOO_MANY, label
    return NOWHERE, label


@inner
def _add_children(tree: Tree, state: State, row: int, node: int, queue: Array, n: int) -> int:
    """Append the children that a row may follow: the largest that fit its value, else the largest.

    A row below zero has no values. More than there is room for are only counted.
    """
    column = tree.column[node]
    match = -1 if row < 0 else matching_child(tree, state, row, node)
    most = size_of(tree, tree.common_child[node] if match < 0 else match)
    cell = state.codes[row, column] if match >= 0 else -1
    first = tree.first_child[node]
    for child in range(first, first + tree.n_children[node]):
        if size_of(tree, child) == most and (match < 0 or is_at_or_below(state, column, tree.value[child], cell)):
            if n < queue.size:
                queue[n] = child
            n += 1
    return n


@inner
def departs(tree: Tree, state: State, target: int, row: int) -> bool:
    """Return whether a tree may say of a row with values what it does not say of a row without.

    As long as the row follows the branches of a row without values, what is said of one is said of the other. Where
    they part, both must come to one and the same label on every way from there. The tree must stand, as above.
    """
    for _ in range(2):
        found = _departs(tree, state, target, row)
        if not tree.is_full[0]:
            return found
        plant(tree, state, target, -1)
    return True


@inner
def _departs(tree: Tree, state: State, target: int, row: int) -> bool:
    queue = np.empty(MOST_NODES, dtype=np.int64)
    queue[0] = 0
    i, n, n_others = 0, 1, 0
    while i < n:
        node = queue[i]
        i += 1
        grown(tree, state, target, node)
        while node >= 0:
            split_up(tree, state, node)
            if tree.column[node] >= 0:
                begin, own = n, matching_child(tree, state, row, node)
                n = _add_children(tree, state, -1, node, queue, n)
                if n > queue.size:
                    return True
                if own >= 0:
                    n_alike = 0
                    for k in range(begin, n):
                        if queue[k] == own:
                            n_alike = 1
                            continue
                        found, label = _walk(tree, state, target, row, own, -1, True)
                        if found == NOWHERE:
                            found, _label = _walk(tree, state, target, -1, queue[k], label, True)
                        if found != NOWHERE:
                            return True
                    n, queue[begin] = begin + n_alike, own  # the row has a branch and follows no other
            elif tree.column[node] != LEAF:
                return True
            node = tree.other[node]
            n_others += 1
        if n + n_others - i > MOST_NODES:
            return True
    return False
