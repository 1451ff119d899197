"""HID3 and HID3-G: withhold values of a row until the decision tree leads it to another class."""

import numpy as np

from withhold._compiled import compiled, inner
from withhold.methods.inference._id3_tree import Tree
from withhold.methods.inference._state import HIDDEN, State, change, undo
from withhold.methods.inference._walks import NOWHERE, classify, find_exposing_leaf, matching_child

__all__ = ["run_hid3", "run_hid3_g"]

NEW, TRIED_MATCH, TRIED_COMMON = 0, 1, 2
"""How far the search has come at a node: not begun, its matching child failed, its most common child failed."""


@compiled
def run_hid3(tree: Tree, state: State, target: int, top: int, row: int, actual: int) -> bool:
    """Blank values of the row until the tree gives it another class; else change nothing.

    Follows the branch of the row first; where every way below leads to the actual class, hides the value that the node
    asks for, so that the row follows the most common child. A walk with its own stack: one frame for each node above.
    """
    size = state.codes.shape[1] + 2
    nodes, stages, marks = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    nodes[0], stages[0], marks[0], depth = 0, NEW, state.n_log[0], 0
    while depth >= 0:
        node, stage = nodes[depth], stages[depth]
        if stage == NEW and not _gives(tree, state, target, top, row, node, actual):
            return True
        child = -1
        if stage == TRIED_COMMON:
            undo(state, marks[depth])
        elif tree.column[node] >= 0:
            common, match = tree.common_child[node], matching_child(tree, state, row, node)
            if stage == NEW and match >= 0 and match != common:
                stages[depth], child = TRIED_MATCH, match
            else:
                stages[depth], child = TRIED_COMMON, common
                if match >= 0:
                    change(state, row, tree.column[node], HIDDEN)
        depth -= 1
        if child >= 0:
            depth += 2
            nodes[depth], stages[depth], marks[depth] = child, NEW, state.n_log[0]
    return False


@compiled
def run_hid3_g(tree: Tree, state: State, target: int, top: int, row: int, actual: int) -> bool:
    """Generalise values of the row, one level at a time, until the tree gives it another class; else change nothing.

    A walk like `run_hid3`: while the value that a node asks for can climb, the child it leads to is tried before each
    climb, unless that is the most common one; that one is tried after a climb.
    """
    size = state.codes.shape[1] + 2
    nodes, stages, marks = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    nodes[0], stages[0], marks[0], depth = 0, NEW, state.n_log[0], 0
    while depth >= 0:
        node, stage = nodes[depth], stages[depth]
        if stage == NEW and not _gives(tree, state, target, top, row, node, actual):
            return True
        child = -1
        if tree.column[node] >= 0:
            common, column = tree.common_child[node], tree.column[node]
            first = state.node_at[column]
            over = state.parent[first + state.codes[row, column]]
            match = matching_child(tree, state, row, node)
            if stage == NEW and (match < 0 or over < 0):
                stages[depth], child = TRIED_COMMON, common  # nothing can climb here
            elif over >= 0 and stage != TRIED_MATCH and match != common:
                stages[depth], child = TRIED_MATCH, match
            else:
                while over >= 0 and child < 0:
                    was_common = match == common
                    change(state, row, column, over)
                    over = state.parent[first + over]
                    match = matching_child(tree, state, row, node)
                    if was_common or over < 0:
                        stages[depth], child = TRIED_COMMON, match
                    elif match != common:
                        stages[depth], child = TRIED_MATCH, match
        if child < 0:
            undo(state, marks[depth])
            depth -= 1
        else:
            depth += 1
            nodes[depth], stages[depth], marks[depth] = child, NEW, state.n_log[0]
    return False


@inner
def _gives(tree: Tree, state: State, target: int, top: int, row: int, node: int, actual: int) -> bool:
    """Return whether the tree gives a row that has come to a node the actual class; any of them, where ties count."""
    gives = classify(tree, state, target, row, node) == actual  # in any case it grows the node
    if state.is_strict:
        return find_exposing_leaf(tree, state, target, top, row, actual) != NOWHERE
    return gives
