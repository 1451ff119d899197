"""The cheapest way out of a decision tree: other labels in a leaf, or another child made the most common one.

A row that lacks the value a node asks for follows the node's most common child. A few blanks in other rows make another
child the most common one, which may lead to another class for far fewer cells than it takes to turn a large leaf.
"""

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._id3_tree import LEAF, Tree, grown, size_of
from withhold.methods.inference._state import HIDDEN, State, change
from withhold.methods.inference._walks import NOWHERE, find_exposing_leaf, matching_child, may_say

__all__ = ["FAR", "cheapest_escape", "run_escape"]

FAR = 1 << 40
"""More cells than any table has."""
MOST_NODES = 64
"""How many nodes are looked at for one row."""


@inner
def cheapest_escape(tree: Tree, state: State, target: int, row: int, actual: int, limit: int) -> tuple[int, int, Array]:
    """Return about how many cells of other rows must go until the tree does not give a row its class, which leaf it
    comes to then, and the way that it takes now; more than `limit` is not looked for.

    Where ties leave several ways open, the cost is that of one that gives the class: the others are met in their turn.
    """  # noqa: D205
    exposing = find_exposing_leaf(tree, state, target, HIDDEN, row, actual)
    way = _way_to(tree, exposing)
    if exposing < 0:
        return 0 if exposing == NOWHERE else FAR, exposing, way
    best, best_leaf = limit + 1, NOWHERE
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
        node = _on_way(tree, node, way)
        if tree.column[node] == LEAF:
            to_turn = tree.margin[node] if may_say(tree, state, target, node, actual) else 0
            if cost + to_turn < best:
                best, best_leaf = cost + to_turn, node
            continue
        match = matching_child(tree, state, row, node)
        if match >= 0:
            nodes[n_open], costs[n_open] = match, cost
            n_open += 1
            continue
        last = -1
        for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
            dearer = cost + _to_enter(tree, node, child, way)
            if dearer == cost:
                last = child
            elif dearer < best and n_open < MOST_NODES - 1:
                nodes[n_open], costs[n_open] = child, dearer
                n_open += 1
        if last >= 0:
            nodes[n_open], costs[n_open] = last, cost  # the last in is looked at first
            n_open += 1
    return best, best_leaf, way


@inner
def _way_to(tree: Tree, leaf: int) -> Array:
    """Return a leaf and the nodes above it."""
    n, node = 0, leaf
    while node >= 0:
        n, node = n + 1, tree.up[node]
    way = np.empty(n, dtype=np.int64)
    node = leaf
    for i in range(n):
        way[i], node = node, tree.up[node]
    return way


@inner
def _on_way(tree: Tree, node: int, way: Array) -> int:
    """Return the alternative of a node that lies on a way, else the node."""
    other = node
    while other >= 0:
        if _is_on(way, other):
            return other
        other = tree.other[other]
    return node


@inner
def _is_on(way: Array, node: int) -> bool:
    is_on = False
    for each in way:
        is_on = is_on or each == node
    return is_on


@inner
def _to_enter(tree: Tree, node: int, child: int, way: Array) -> int:
    """Return how many rows must lose their value until a row without one enters a child and no other."""
    n = 0
    for other in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
        n += _too_many(tree, child, other)
    return 0 if _is_on(way, _on_way(tree, child, way)) else n


@inner
def _too_many(tree: Tree, child: int, other: int) -> int:
    """Return how many rows another child must lose until it is smaller than a child."""
    is_same = tree.value[other] == tree.value[child]  # a child and its alternatives have the same value
    return 0 if is_same else max(size_of(tree, other) - size_of(tree, child) + 1, 0)


@compiled
def run_escape(tree: Tree, state: State, target: int, row: int, actual: int) -> int:
    """Blank cells of other rows along the cheapest way out, and return how many; the tree no longer holds then."""
    begin = state.n_log[0]
    _, leaf, way = cheapest_escape(tree, state, target, row, actual, state.codes.size)
    if leaf < 0:
        return 0
    if may_say(tree, state, target, leaf, actual):
        _blank(tree, state, leaf, target, actual, tree.margin[leaf])
    child, node = leaf, tree.up[leaf]
    while node >= 0:
        if not _is_on(way, _on_way(tree, child, way)) and matching_child(tree, state, row, node) < 0:
            for other in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
                _blank(tree, state, other, tree.column[node], tree.value[other], _too_many(tree, child, other))
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
