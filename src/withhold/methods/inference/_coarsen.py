"""Which cells of a row to coarsen against all adversaries at once: all sets of them, the smallest first."""

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._bayes import is_predicted
from withhold.methods.inference._inside import next_set
from withhold.methods.inference._state import State
from withhold.methods.inference._tree import Tree, plant
from withhold.methods.inference._walks import NOWHERE, find_exposing_leaf

__all__ = ["find_coarser"]


@compiled
def find_coarser(
    state: State, tree: Tree, row: int, target: int, top: int, actual: int, from_bayes: bool, from_id3: bool,
    columns: Array, most: int, nodes: Array,
) -> bool:  # fmt: skip
    """Find nodes for cells of a row under which no adversary recovers a cell that is published as `top`.

    The smallest set of cells is looked for that works at their roots, in at most so many tries; then each of them stays
    as far below its root as it can. The nodes are written beside their columns; ties must count.
    """
    if from_id3:
        plant(tree, state, target, top)
    for k in range(columns.size):
        nodes[k] = state.codes[row, columns[k]]
    before = nodes.copy()
    n_tried, is_found = 0, False
    for size in range(columns.size + 1):
        mask = (1 << size) - 1
        while mask < (1 << columns.size) and n_tried < most and not is_found:
            n_tried += 1
            for k in range(columns.size):
                root = state.node_at[columns[k] + 1] - state.node_at[columns[k]] - 1
                nodes[k] = root if (mask >> k) & 1 == 1 else before[k]
            is_found = not _is_exposed(state, tree, row, target, top, actual, from_bayes, from_id3, columns, nodes)
            if mask == 0:
                break
            mask = next_set(mask)
    for k in range(columns.size if is_found else 0):
        root, nodes[k] = nodes[k], before[k]
        while nodes[k] != root and _is_exposed(
            state, tree, row, target, top, actual, from_bayes, from_id3, columns, nodes
        ):
            nodes[k] = state.parent[state.node_at[columns[k]] + nodes[k]]
    for k in range(columns.size):
        state.codes[row, columns[k]] = before[k]
    return is_found


@inner
def _is_exposed(
    state: State, tree: Tree, row: int, target: int, top: int, actual: int, from_bayes: bool, from_id3: bool,
    columns: Array, nodes: Array,
) -> bool:  # fmt: skip
    """Tell whether an adversary would recover a cell. Its row has no value there, so no count of the target changes."""
    for k in range(columns.size):
        state.codes[row, columns[k]] = nodes[k]
    if from_bayes and is_predicted(state, row, target, top, actual):
        return True
    return from_id3 and find_exposing_leaf(tree, state, target, top, row, actual) != NOWHERE
