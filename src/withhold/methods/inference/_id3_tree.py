"""ID3, multiway, with unknown and generalised values, grown only where a row passes.

Rows with an unknown value, or one without a branch, follow the most common child; rows with a generalised value the
most common one below it. Where ties count, a node has alternatives: other nodes over the same rows that ask for another
column as good, or send rows without a branch into another child as common.
"""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled, inner, pasted
from withhold.methods.inference._gains import depends, find_question
from withhold.methods.inference._state import State, is_at_or_below

__all__ = ["CUT", "LEAF", "Tree", "grown", "new_tree", "plant", "size_of", "split_up"]

LEAF, UNSEEN, CUT, TO_SPLIT = -1, -2, -3, -4
"""What stands in the place of a node's column: it is a leaf, has not been looked at, stands for more ways than are kept
apart, or (this and below) will ask for column ``TO_SPLIT - column`` once a row comes to it."""
TIED = 2e-9
"""Gains that differ by less may be equal. A check takes half of it, so that whatever is tied there is tied here."""
MOST_WAYS = 64
"""How many ways to split a node by one column are kept apart."""


class Tree(NamedTuple):
    """A decision tree as flat arrays; node 0 is the root, children lie side by side in domain order."""

    rows: Array
    """The training rows; each node has a stretch of them. Alternatives have copies, behind."""
    n_rows: Array
    """How many rows there are, copies included."""
    column: Array
    """For each node the column it asks for, LEAF, UNSEEN, CUT, or TO_SPLIT and below."""
    begin: Array
    """For each node where its rows begin."""
    end: Array
    """For each node where its rows end."""
    label: Array
    """For each node its most frequent class; -1 where it has no rows."""
    n_label: Array
    """For each node how many rows of that class it has …"""
    n_tied: Array
    """… and of how many classes it has as many."""
    margin: Array
    """For each node how many rows of such a class must lose their label until it is none of them."""
    up: Array
    """For each node the one above it."""
    value: Array
    """For each node the value of the column above that leads to it."""
    first_child: Array
    """For each node its first child."""
    n_children: Array
    """For each node how many children it has."""
    common_child: Array
    """For each node its child with the most rows."""
    other: Array
    """For each node the next of its alternatives, -1 for none."""
    way: Array
    """For each node which of the equally common children rows without a branch join: a number for each way."""
    n_nodes: Array
    """How many nodes there are."""
    is_full: Array
    """Whether there was no room for something, so that the tree is not to be believed."""
    spare: Array
    """Room to reorder rows."""
    cells: Array
    """Room to count value by class; zero between uses."""
    weights: Array
    """x log2 x for whole numbers."""


def new_tree(n_rows: int, n_cells: int) -> Tree:
    """Return room for a tree over `n_rows` rows; `n_cells` is the size of the largest model it is grown for."""
    size = 3 * n_rows + (1 << 16)  # most of it for alternatives; what stays untouched takes no memory
    counts = np.arange(n_rows + 1, dtype=np.float64)
    counts[1:] *= np.log2(counts[1:])
    of_nodes = np.empty((14, 2 * size), dtype=np.int32)
    return Tree(
        rows=np.empty(size, dtype=np.int32),
        n_rows=np.zeros(1, dtype=np.int64),
        column=of_nodes[0],
        begin=of_nodes[1],
        end=of_nodes[2],
        label=of_nodes[3],
        n_label=of_nodes[4],
        n_tied=of_nodes[5],
        margin=of_nodes[6],
        up=of_nodes[7],
        value=of_nodes[8],
        first_child=of_nodes[9],
        n_children=of_nodes[10],
        common_child=of_nodes[11],
        other=of_nodes[12],
        way=of_nodes[13],
        n_nodes=np.zeros(1, dtype=np.int64),
        is_full=np.zeros(1, dtype=np.bool_),
        spare=np.empty(n_rows, dtype=np.int32),
        cells=np.zeros(max(n_cells, 1), dtype=np.int32),
        weights=counts,
    )


@compiled
def plant(tree: Tree, state: State, target: int, top: int) -> None:
    """Begin a tree for a target, over the rows whose class is known and can stand below `top` (any where -1).

    The target's model must be prepared.
    """
    n = 0
    for row in range(state.codes.shape[0]):
        label = state.codes[row, target]
        if 0 <= label < state.n_leaves[target] and (top < 0 or is_at_or_below(state, target, label, top)):
            tree.rows[n] = row
            n += 1
    tree.n_rows[0] = n
    tree.n_nodes[0] = 0
    tree.is_full[0] = False
    _new_node(tree, 0, n, -1, -1)


@inner
def _new_node(tree: Tree, begin: int, end: int, up: int, value: int) -> int:
    node = tree.n_nodes[0]
    tree.column[node] = UNSEEN
    tree.begin[node] = begin
    tree.end[node] = end
    tree.up[node] = up
    tree.value[node] = value
    tree.other[node] = -1
    tree.way[node] = 0
    tree.n_nodes[0] = node + 1
    return node


@inner
def size_of(tree: Tree, node: int) -> int:
    """Return how many rows a node has."""
    return tree.end[node] - tree.begin[node]


@pasted
def grown(tree: Tree, state: State, target: int, node: int) -> None:
    """Decide what a node asks for, unless that is decided."""
    if tree.column[node] == UNSEEN:
        _grow(tree, state, target, node)


@pasted
def split_up(tree: Tree, state: State, node: int) -> None:
    """Split an alternative that waited for the first row to come to it."""
    if tree.column[node] <= TO_SPLIT:
        _split(tree, state, node, TO_SPLIT - tree.column[node])


@inner
def _grow(tree: Tree, state: State, target: int, node: int) -> None:
    """Decide what a node asks for, and give it children."""
    begin, end = tree.begin[node], tree.end[node]
    classes = np.zeros(state.n_leaves[target], dtype=np.int64)
    for i in range(begin, end):
        classes[state.codes[tree.rows[i], target]] += 1
    _label(tree, node, classes)
    tree.column[node] = LEAF
    if begin == end or tree.n_label[node] == end - begin:
        return
    is_open = state.uses[target].copy()
    over = tree.up[node]
    while over >= 0:
        is_open[tree.column[over]] = False
        over = tree.up[over]
    gains = np.empty(is_open.size, dtype=np.float64)
    column = find_question(
        state, target, tree.rows[begin:end], node == 0, is_open, classes, tree.cells, tree.weights, gains
    )  # fmt: skip
    if state.is_strict:
        _add_alternatives(tree, state, target, node, column, is_open, gains)
    if column >= 0:
        _split(tree, state, node, column)


@inner
def _label(tree: Tree, node: int, classes: Array) -> None:
    """Write down which class a node has most of, and by how much."""
    best = 0
    for label in range(1, classes.size):
        if classes[label] > classes[best]:
            best = label
    tree.label[node] = best if classes[best] > 0 else -1
    tree.n_label[node] = classes[best]
    tree.n_tied[node] = 1
    tree.margin[node] = classes[best]
    for label in range(classes.size):
        if label != best and classes[label] > 0:
            tree.margin[node] = min(tree.margin[node], classes[best] - classes[label] + 1)
            tree.n_tied[node] += int(classes[label] == classes[best])


@inner
def _add_alternatives(
    tree: Tree, state: State, target: int, node: int, column: int, is_open: Array, gains: Array
) -> None:
    """Note what a node may ask for as well as for its column; a leaf, too, where all gains are next to nothing."""
    rows = tree.rows[tree.begin[node] : tree.end[node]]
    most = 0.0
    for other in range(gains.size):
        if is_open[other]:
            most = max(most, gains[other])
    for other in range(gains.size):
        is_tied = is_open[other] and other != column and gains[other] >= most - TIED
        if is_tied and (most > TIED or depends(state, target, rows, other, tree.cells)):
            _add_alternative(tree, node, TO_SPLIT - other, 0)
    if column >= 0 and most <= TIED:
        _add_alternative(tree, node, LEAF, 0)


@inner
def _add_alternative(tree: Tree, node: int, column: int, way: int) -> None:
    """Add an alternative to a node, behind it."""
    if tree.n_nodes[0] == tree.column.size:
        tree.is_full[0] = True
        return
    other = _new_node(tree, tree.begin[node], tree.end[node], tree.up[node], tree.value[node])
    tree.column[other] = column
    tree.way[other] = way
    tree.label[other], tree.n_label[other] = tree.label[node], tree.n_label[node]
    tree.n_tied[other], tree.margin[other] = tree.n_tied[node], tree.margin[node]
    tree.other[other] = tree.other[node]
    tree.other[node] = other


@inner
def _split(tree: Tree, state: State, node: int, column: int) -> None:
    """Give a node one child for each value that occurs, in domain order."""
    begin, end = tree.begin[node], tree.end[node]
    n_values = state.n_leaves[column]
    held = np.zeros(state.node_at[column + 1] - state.node_at[column] + 1, dtype=np.int64)
    for i in range(begin, end):
        held[state.codes[tree.rows[i], column]] += 1  # what is unknown, -1, is counted last
    to = begin
    if tree.column[node] <= TO_SPLIT:  # the rows of an alternative are copied: others have them in their order
        to = tree.n_rows[0]
    if max(tree.n_rows[0], to + end - begin) > tree.rows.size or tree.n_nodes[0] + n_values > tree.column.size:
        tree.is_full[0] = True
        return
    goes_to, n_ways = _send(state, column, held, tree.way[node])
    if n_ways > 1 and tree.way[node] == 0 and state.is_strict:
        for way in range(1, min(n_ways, MOST_WAYS)):
            _add_alternative(tree, node, TO_SPLIT - column, way)
        if n_ways > MOST_WAYS:
            _add_alternative(tree, node, CUT, 0)
    sizes, starts = np.zeros(n_values, dtype=np.int64), np.zeros(n_values + 1, dtype=np.int64)
    for kind in range(held.size):
        if held[kind] > 0:
            sizes[goes_to[kind]] += held[kind]
    starts[1:] = np.cumsum(sizes)
    places = starts.copy()
    for i in range(begin, end):
        value = goes_to[state.codes[tree.rows[i], column]]
        tree.spare[places[value]] = tree.rows[i]
        places[value] += 1
    tree.rows[to : to + end - begin] = tree.spare[: end - begin]
    tree.n_rows[0] = max(tree.n_rows[0], to + end - begin)
    tree.begin[node], tree.end[node] = to, to + end - begin
    tree.column[node] = column
    tree.first_child[node] = tree.n_nodes[0]
    for value in range(n_values):
        if held[value] > 0:
            child = _new_node(tree, to + starts[value], to + starts[value + 1], node, value)
            if child == tree.first_child[node] or size_of(tree, child) > size_of(tree, tree.common_child[node]):
                tree.common_child[node] = child
    tree.n_children[node] = tree.n_nodes[0] - tree.first_child[node]


@inner
def _send(state: State, column: int, held: Array, way: int) -> tuple[Array, int]:
    """Return the branch that rows with each node of a column enter, and in how many ways that can be chosen.

    Rows without a branch join the most common one, those with a generalised value the most common one below it. All
    rows with the same value join the same one. The first way takes the first of those that are equally common.
    """
    goes_to = np.arange(held.size)
    unknown = held.size - 1
    n_ways, is_any_lost = 1, False
    for kind in range(state.n_leaves[column], held.size):
        if held[kind] > 0:
            goes_to[kind] = unknown
            if kind < unknown and state.parent[state.node_at[column] + kind] >= 0:
                goes_to[kind], n_tied = _most_common(state, column, held, kind, way)
                if n_tied > 0:
                    n_ways, way = min(n_ways * n_tied, MOST_WAYS + 1), way // n_tied
            is_any_lost = is_any_lost or goes_to[kind] == unknown
    if is_any_lost:
        common, n_tied = _most_common(state, column, held, unknown, way)
        n_ways = min(n_ways * n_tied, MOST_WAYS + 1)
        for kind in range(state.n_leaves[column], held.size):
            if goes_to[kind] == unknown:
                goes_to[kind] = common
    return goes_to, n_ways


@inner
def _most_common(state: State, column: int, held: Array, kind: int, place: int) -> tuple[int, int]:
    """Return the most common value at or below a node, and how many are; of several the one at a place.

    Where there is none, what stands for unknown, the last node, below which every value lies.
    """
    unknown, most, n_tied = held.size - 1, 0, 0
    for value in range(state.n_leaves[column]):
        if held[value] >= max(most, 1) and (kind == unknown or is_at_or_below(state, column, value, kind)):
            n_tied = n_tied + 1 if held[value] == most else 1
            most = held[value]
    for value in range(state.n_leaves[column] if n_tied > 0 else 0):
        if held[value] == most and (kind == unknown or is_at_or_below(state, column, value, kind)):
            if place % n_tied == 0:
                return value, n_tied
            place -= 1
    return unknown, 0
