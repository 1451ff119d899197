"""ID3, multiway, with unknown and generalised values, grown only where a row passes.

Rows with an unknown value, or one without a branch, follow the most common child; rows with a generalised value the
most common one below it.
"""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._gains import find_question
from withhold.methods.inference._state import HIDDEN, State, change, is_at_or_below, undo

__all__ = ["Tree", "classify", "find_common_leaf", "find_leaf", "new_tree", "plant", "predict", "run_hid3"]

UNSEEN, LEAF = -2, -1


class Tree(NamedTuple):
    """A decision tree as flat arrays; node 0 is the root, children lie side by side in domain order."""

    rows: Array
    """The training rows; each node has a stretch of them."""
    column: Array
    """For each node the column it asks for, LEAF, or UNSEEN where it has not been grown yet."""
    begin: Array
    """For each node where its rows begin."""
    end: Array
    """For each node where its rows end."""
    label: Array
    """For each node its most frequent class; -1 where it has no rows."""
    margin: Array
    """For each node how many rows of that class must lose their label until it is another one's."""
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
    n_nodes: Array
    """How many nodes there are."""
    spare: Array
    """Room to reorder rows."""
    cells: Array
    """Room to count value by class; zero between uses."""
    weights: Array
    """x log2 x for whole numbers."""


def new_tree(n_rows: int, n_cells: int) -> Tree:
    """Return room for a tree over `n_rows` rows; `n_cells` is the size of the largest model it is grown for."""
    size = 2 * n_rows + 2
    counts = np.arange(n_rows + 1, dtype=np.float64)
    counts[1:] *= np.log2(counts[1:])
    of_nodes = np.empty((10, size), dtype=np.int32)
    return Tree(
        rows=np.empty(n_rows, dtype=np.int32),
        column=of_nodes[0],
        begin=of_nodes[1],
        end=of_nodes[2],
        label=of_nodes[3],
        margin=of_nodes[4],
        up=of_nodes[5],
        value=of_nodes[6],
        first_child=of_nodes[7],
        n_children=of_nodes[8],
        common_child=of_nodes[9],
        n_nodes=np.zeros(1, dtype=np.int64),
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
    tree.n_nodes[0] = 0
    _new_node(tree, 0, n, -1, -1)


@compiled
def predict(tree: Tree, state: State, target: int, top: int, row: int) -> int:
    """Plant a tree, and return the class that it gives a row."""
    plant(tree, state, target, top)
    return classify(tree, state, target, row, 0)


@inner
def _new_node(tree: Tree, begin: int, end: int, up: int, value: int) -> int:
    node = tree.n_nodes[0]
    tree.column[node] = UNSEEN
    tree.begin[node] = begin
    tree.end[node] = end
    tree.up[node] = up
    tree.value[node] = value
    tree.n_nodes[0] = node + 1
    return node


@inner
def _grow(tree: Tree, state: State, target: int, node: int) -> None:
    """Decide what a node asks for, and give it children."""
    begin, end = tree.begin[node], tree.end[node]
    n_classes = state.n_leaves[target]
    classes = np.zeros(n_classes, dtype=np.int64)
    for i in range(begin, end):
        classes[state.codes[tree.rows[i], target]] += 1
    best = 0
    for label in range(1, n_classes):
        if classes[label] > classes[best]:
            best = label
    tree.column[node] = LEAF
    tree.label[node] = best if classes[best] > 0 else -1
    tree.margin[node] = classes[best]
    for label in range(n_classes):
        if label != best and classes[label] > 0:
            tree.margin[node] = min(tree.margin[node], classes[best] - classes[label] + int(label > best))
    if begin == end or classes[best] == end - begin:
        return
    is_open = state.uses[target].copy()
    over = tree.up[node]
    while over >= 0:
        is_open[tree.column[over]] = False
        over = tree.up[over]
    column = find_question(
        state, target, tree.rows[begin:end], node == 0, is_open, classes, tree.cells, tree.weights
    )  # fmt: skip
    if column >= 0:
        _split(tree, state, node, column)


@inner
def _split(tree: Tree, state: State, node: int, column: int) -> None:
    """Give a node one child for each value that occurs, in domain order."""
    begin, end = tree.begin[node], tree.end[node]
    n_values = state.n_leaves[column]
    sizes = np.zeros(n_values, dtype=np.int64)
    n_known = 0
    for i in range(begin, end):
        value = state.codes[tree.rows[i], column]
        if 0 <= value < n_values:
            sizes[value] += 1
            n_known += 1
    common = 0
    for value in range(1, n_values):
        if sizes[value] > sizes[common]:
            common = value
    starts = np.zeros(n_values, dtype=np.int64)
    known = sizes.copy()
    for i in range(begin, end if n_known < end - begin else begin):
        value = state.codes[tree.rows[i], column]
        if not 0 <= value < n_values:
            sizes[_followed(state, column, value, known, common)] += 1
    place = begin
    for value in range(n_values):
        starts[value] = place
        place += sizes[value]
    for i in range(begin, end):
        row = tree.rows[i]
        value = state.codes[row, column]
        if not 0 <= value < n_values:
            value = _followed(state, column, value, known, common)
        tree.spare[starts[value]] = row
        starts[value] += 1
    for i in range(begin, end):
        tree.rows[i] = tree.spare[i]
    tree.column[node] = column
    tree.first_child[node] = tree.n_nodes[0]
    place = begin
    for value in range(n_values):
        if known[value] > 0:
            child = _new_node(tree, place, place + sizes[value], node, value)
            if child == tree.first_child[node] or _size(tree, child) > _size(tree, tree.common_child[node]):
                tree.common_child[node] = child
        place += sizes[value]
    tree.n_children[node] = tree.n_nodes[0] - tree.first_child[node]


@inner
def _followed(state: State, column: int, node: int, sizes: Array, common: int) -> int:
    """Return the value whose branch a row without one follows: the most common, below its node if it has one."""
    if node < 0:
        return common
    best = -1
    for value in range(state.n_leaves[column]):
        if sizes[value] > 0 and is_at_or_below(state, column, value, node) and (best < 0 or sizes[value] > sizes[best]):
            best = value
    return common if best < 0 else best


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
                best < 0 or _size(tree, child) > _size(tree, best)
            ):
                best = child
    return best


@inner
def _size(tree: Tree, node: int) -> int:
    return tree.end[node] - tree.begin[node]


@compiled
def classify(tree: Tree, state: State, target: int, row: int, node: int) -> int:
    """Return the class that the tree gives a row, from a node down; -1 where it has nothing to learn from."""
    return tree.label[find_leaf(tree, state, target, row, node)]


@inner
def grown(tree: Tree, state: State, target: int, node: int) -> None:
    """Decide what a node asks for, unless that is decided."""
    if tree.column[node] == UNSEEN:
        _grow(tree, state, target, node)


@inner
def find_leaf(tree: Tree, state: State, target: int, row: int, node: int) -> int:
    """Return the leaf that a row comes to, from a node down."""
    while True:
        grown(tree, state, target, node)
        if tree.column[node] == LEAF:
            return node
        match = matching_child(tree, state, row, node)
        node = tree.common_child[node] if match < 0 else match


@inner
def find_common_leaf(tree: Tree, state: State, target: int) -> int:
    """Return the leaf that a row without values comes to."""
    node = 0
    while True:
        grown(tree, state, target, node)
        if tree.column[node] == LEAF:
            return node
        node = tree.common_child[node]


NEW, TRIED_MATCH, TRIED_COMMON = 0, 1, 2
"""How far the search has come at a node: not begun, its matching child failed, its most common child failed."""


@compiled
def run_hid3(tree: Tree, state: State, target: int, row: int, actual: int) -> bool:
    """Blank values of the row until the tree gives it another class; else change nothing.

    Follows the branch of the row first; where every way below leads to the actual class, hides the value that the node
    asks for, so that the row follows the most common child. A walk with its own stack: one frame for each node above.
    """
    size = state.codes.shape[1] + 2
    nodes, stages, marks = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    nodes[0], stages[0], marks[0], depth = 0, NEW, state.n_log[0], 0
    while depth >= 0:
        node, stage = nodes[depth], stages[depth]
        if stage == NEW and classify(tree, state, target, row, node) != actual:
            return True
        child = -1
        if stage == TRIED_COMMON:
            undo(state, marks[depth])
        elif tree.column[node] != LEAF:
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
def run_hid3_g(tree: Tree, state: State, target: int, row: int, actual: int) -> bool:
    """Generalise values of the row, one level at a time, until the tree gives it another class; else change nothing.

    A walk like `run_hid3`: while the value that a node asks for can climb, the child it leads to is tried before each
    climb, unless that is the most common one; that one is tried after a climb.
    """
    size = state.codes.shape[1] + 2
    nodes, stages, marks = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    nodes[0], stages[0], marks[0], depth = 0, NEW, state.n_log[0], 0
    while depth >= 0:
        node, stage = nodes[depth], stages[depth]
        if stage == NEW and classify(tree, state, target, row, node) != actual:
            return True
        child = -1
        if tree.column[node] != LEAF:
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
