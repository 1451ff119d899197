"""The cheapest way out of a decision tree: other labels in a leaf, or another child made the most common one.

A row that lacks the value a node asks for follows the node's most common child. A few blanks in other rows make another
child the most common one, which may lead to another class for far fewer cells than it takes to turn a large leaf.
"""

import numpy as np

from withhold._compiled import compiled, inner
from withhold.methods.inference._state import HIDDEN, State, change
from withhold.methods.inference._tree import LEAF, Tree, grown, matching_child

__all__ = ["cheapest_escape", "run_escape"]

MOST_NODES = 64
"""How many nodes are looked at for one row."""


@inner
def cheapest_escape(tree: Tree, state: State, target: int, row: int, actual: int, limit: int) -> tuple[int, int]:
    """Return about how many cells of other rows must go until the tree gives a row another class, and which leaf it
    comes to then; more than `limit` is not looked for.
    """  # noqa: D205
    best, best_leaf = limit + 1, -1
    nodes, costs = np.empty(MOST_NODES, dtype=np.int64), np.empty(MOST_NODES, dtype=np.int64)
    nodes[0], costs[0] = 0, 0
    n_open, n_seen = 1, 0
    while n_open > 0 and n_seen < MOST_NODES:
        n_open -= 1
        n_seen += 1
        node, cost = nodes[n_open], costs[n_open]
        if cost >= best:
            continue
        grown(tree, state, target, node)
        if tree.column[node] == LEAF:
            to_turn = tree.margin[node] if tree.label[node] == actual else 0
            if cost + to_turn < best:
                best, best_leaf = cost + to_turn, node
            continue
        match = matching_child(tree, state, row, node)
        if match >= 0:
            nodes[n_open], costs[n_open] = match, cost
            n_open += 1
            continue
        common = tree.common_child[node]
        for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
            if child != common and n_open < MOST_NODES - 1:
                dearer = cost + to_make_common(tree, node, child)
                if dearer < best:
                    nodes[n_open], costs[n_open] = child, dearer
                    n_open += 1
        nodes[n_open], costs[n_open] = common, cost  # the last in is looked at first
        n_open += 1
    return best, best_leaf


@inner
def to_make_common(tree: Tree, node: int, child: int) -> int:
    """Return how many rows must lose their value until a child is the most common one of a node."""
    n = 0
    size = tree.end[child] - tree.begin[child]
    for other in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
        if other != child:
            n += max(tree.end[other] - tree.begin[other] - size + int(other < child), 0)
    return n


@compiled
def run_escape(tree: Tree, state: State, target: int, row: int, actual: int) -> int:
    """Blank cells of other rows along the cheapest way out, and return how many; the tree no longer holds then."""
    begin = state.n_log[0]
    _, leaf = cheapest_escape(tree, state, target, row, actual, state.codes.size)
    if leaf < 0:
        return 0
    if tree.label[leaf] == actual:
        _blank(tree, state, leaf, target, actual, tree.margin[leaf])
    child, node = leaf, tree.up[leaf]
    while node >= 0:
        if child != tree.common_child[node] and matching_child(tree, state, row, node) < 0:
            size = tree.end[child] - tree.begin[child]
            for other in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
                if other != child:
                    n = tree.end[other] - tree.begin[other] - size + int(other < child)
                    _blank(tree, state, other, tree.column[node], tree.value[other], n)
        child, node = node, tree.up[node]
    return state.n_log[0] - begin


@inner
def _blank(tree: Tree, state: State, node: int, column: int, value: int, n: int) -> None:
    """Blank some cells of the rows of a node that hold a value."""
    for i in range(tree.begin[node], tree.end[node]):
        if n <= 0:
            return
        if state.codes[tree.rows[i], column] == value:
            change(state, tree.rows[i], column, HIDDEN)
            n -= 1
