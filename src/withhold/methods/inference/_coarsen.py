"""Which cells of a row to coarsen against all adversaries at once: all sets of them, the smallest first."""

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._id3_tree import Tree, plant
from withhold.methods.inference._inside import next_set
from withhold.methods.inference._posteriors import is_predicted
from withhold.methods.inference._question import Question
from withhold.methods.inference._state import State
from withhold.methods.inference._walks import NOWHERE, find_exposing_leaf

__all__ = ["find_coarser"]


@compiled
def find_coarser(state: State, tree: Tree, asked: Question, columns: Array, most: int, nodes: Array) -> bool:
    """Find nodes for cells of a row under which no adversary recovers a cell.

    The smallest set of cells is looked for that works at their roots, in at most `most` tries; then each of them stays
    as far below its root as it can. The nodes are written beside their columns; ties must count.
    """
    if asked.from_id3:
        plant(tree, state, asked.target, asked.top)
    for k in range(columns.size):
        nodes[k] = state.codes[asked.row, columns[k]]
    before = nodes.copy()
    n_tried, is_found = 0, False
    for size in range(columns.size + 1):
        mask = (1 << size) - 1
        while mask < (1 << columns.size) and n_tried < most and not is_found:
            n_tried += 1
            for k in range(columns.size):
                root = state.node_at[columns[k] + 1] - state.node_at[columns[k]] - 1
                nodes[k] = root if (mask >> k) & 1 == 1 else before[k]
            is_found = not _is_exposed(state, tree, asked, columns, nodes)
            if mask == 0:
                break
            mask = next_set(mask)
    for k in range(columns.size if is_found else 0):
        root, nodes[k] = nodes[k], before[k]
        while nodes[k] != root and _is_exposed(state, tree, asked, columns, nodes):
            nodes[k] = state.parent[state.node_at[columns[k]] + nodes[k]]
    for k in range(columns.size):
        state.codes[asked.row, columns[k]] = before[k]
    return is_found


@inner
def _is_exposed(state: State, tree: Tree, asked: Question, columns: Array, nodes: Array) -> bool:
    """Return whether an adversary would recover a cell if these nodes stood in its row."""
    for k in range(columns.size):
        # No model counts this cell: a row without a label trains none.
        state.codes[asked.row, columns[k]] = nodes[k]
    row, target, top, actual = asked.row, asked.target, asked.top, asked.actual
    if asked.from_bayes and is_predicted(state, row, target, top, actual):
        return True
    return asked.from_id3 and find_exposing_leaf(tree, state, target, top, row, actual) != NOWHERE
