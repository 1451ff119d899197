"""The table that is being protected, with the counts every adversary reads, kept up to date cell by cell."""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled, inner

__all__ = [
    "ATTRIBUTE",
    "CHANGE",
    "GUESS",
    "HIDDEN",
    "State",
    "blank",
    "change",
    "count_rows",
    "is_at_or_below",
    "note",
    "undo",
]

DEEPEST = 30
"""How many levels a taxonomy may have; rooms for factors are made for it."""
HIDDEN = -1
"""A cell that takes part in nothing: unknown where values are deleted, left out where they are generalised."""

CHANGE, GUESS, ATTRIBUTE, COMMON, FALLBACK = 0, 1, 2, 3, 4
"""What a line of the log is about; the other fields are row, column, what was there, what is there now."""


class State(NamedTuple):
    """Cells, trees and counts as flat arrays.

    The nodes of a column's tree are numbered with its values (leaves) first; where values are deleted there are only
    leaves. A *model* is kept for each column that is a target: for each class (a leaf of the target) how many rows
    labelled with exactly that class lie at or below each node of each predictor.
    """

    codes: Array
    """Rows by columns: the node in each cell, or HIDDEN."""
    n_leaves: Array
    """For each column the number of its values."""
    node_at: Array
    """For each column where its nodes begin in `parent`; one more at the end."""
    parent: Array
    """For each node its parent within the column, -1 for a root (and for every leaf where values are deleted)."""
    child_at: Array
    """For each node where its children begin in `children`; one more at the end."""
    children: Array
    """The children of all nodes, in order."""
    uses: Array
    """Target by column: whether the column predicts the target."""
    model_at: Array
    """For each column where its model begins in `below`, or -1."""
    below: Array
    """The models: node by class."""
    labels_at: Array
    """For each column where its label counts begin in `labels`."""
    labels: Array
    """For each node of a target how many rows are labelled at or below it."""
    log: Array
    """What was done: kind, row, column, what was there, what is there now."""
    n_log: Array
    """How many lines the log has."""
    is_strict: bool
    """Whether a class that is as probable, or as frequent in a leaf, as the best one counts as given: as if ties went
    against whoever hides a cell. The thesis reads them in favour of naive Bayes's victims, and in domain order."""


@compiled
def count_rows(state: State, target: int) -> None:
    """Count all rows into the model of a target."""
    for row in range(state.codes.shape[0]):
        _count_row(state, target, row, 1)


@inner
def _count_row(state: State, target: int, row: int, sign: int) -> None:
    """Add a row to the model of a target, or take it out."""
    label = state.codes[row, target]
    if label < 0:
        return
    node = label
    while node >= 0:
        state.labels[state.labels_at[target] + node] += sign
        node = state.parent[state.node_at[target] + node]
    if label < state.n_leaves[target]:
        for column in range(state.codes.shape[1]):
            if state.uses[target, column]:
                _count_cell(state, target, column, state.codes[row, column], label, sign)


@inner
def _count_cell(state: State, target: int, column: int, node: int, label: int, sign: int) -> None:
    at = state.model_at[target] + label
    n_classes = state.n_leaves[target]
    first = state.node_at[column]
    while node >= 0:
        state.below[at + (first + node) * n_classes] += sign
        node = state.parent[first + node]


@inner
def _count_everywhere(state: State, row: int, column: int, sign: int) -> None:
    """Add one cell to every model, or take it out."""
    for target in range(state.codes.shape[1]):
        if state.model_at[target] < 0:
            continue
        if target == column:
            _count_row(state, target, row, sign)
        elif state.uses[target, column]:
            label = state.codes[row, target]
            if 0 <= label < state.n_leaves[target]:
                _count_cell(state, target, column, state.codes[row, column], label, sign)


@compiled
def change(state: State, row: int, column: int, node: int) -> None:
    """Put a node into a cell, keep every model right, and write it to the log."""
    note(state, CHANGE, row, column, state.codes[row, column], node)
    _put(state, row, column, node)


@compiled
def blank(state: State, row: int, nodes: Array) -> None:
    """Put a node into each cell of a row that holds another."""
    for column in range(nodes.size):
        if state.codes[row, column] != nodes[column]:
            change(state, row, column, nodes[column])


@inner
def _put(state: State, row: int, column: int, node: int) -> None:
    if state.codes[row, column] >= 0:
        _count_everywhere(state, row, column, -1)
    state.codes[row, column] = node
    if node >= 0:
        _count_everywhere(state, row, column, 1)


@compiled
def note(state: State, kind: int, row: int, column: int, old: int, new: int) -> None:
    """Write a line to the log."""
    line = state.n_log[0]
    state.log[line, 0] = kind
    state.log[line, 1] = row
    state.log[line, 2] = column
    state.log[line, 3] = old
    state.log[line, 4] = new
    state.n_log[0] = line + 1


@compiled
def undo(state: State, mark: int) -> None:
    """Take back everything the log holds from line `mark` on."""
    for line in range(state.n_log[0] - 1, mark - 1, -1):
        if state.log[line, 0] == CHANGE:
            _put(state, state.log[line, 1], state.log[line, 2], state.log[line, 3])
    state.n_log[0] = mark


@inner
def is_at_or_below(state: State, column: int, node: int, other: int) -> bool:
    """Return whether a node is another one or lies in the tree below it."""
    while node >= 0:
        if node == other:
            return True
        node = state.parent[state.node_at[column] + node]
    return False


def log_capacity(n_rows: int, n_columns: int) -> int:
    """Return how many lines of a log suffice for any one run; untouched lines take no memory."""
    return 64 + 8 * n_rows * n_columns


def empty_log(n_rows: int, n_columns: int) -> Array:
    """Return a log without lines."""
    return np.empty((log_capacity(n_rows, n_columns), 5), dtype=np.int32)
