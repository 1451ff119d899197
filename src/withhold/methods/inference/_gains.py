"""Information gain: what a node of a decision tree asks for.

Gain is counted over the rows whose value is known, times their share. It comes from counts of value by class: for the
root those that the target's model keeps, for a node of many rows a table filled in one pass, for few rows the rows.
"""

import numpy as np

from withhold._compiled import Array, inner
from withhold.methods.inference._state import State

__all__ = ["depends", "find_question"]

SAME = 1e-12
"""Gains that differ by less are equal."""


@inner
def find_question(
    state: State, target: int, rows: Array, is_root: bool, is_open: Array, classes: Array, cells: Array,
    weights: Array, gains: Array,
) -> int:  # fmt: skip
    """Return the predictor with the largest gain over some rows, the earlier one of equals; -1 where none has any.

    `classes` counts the classes of the rows, `is_open` flags the columns that can be asked for, `cells` is room for
    counts (zero between uses), `weights` holds x log x. The gains of these columns are written to `gains`.
    """
    n_columns, n_classes = state.codes.shape[1], state.n_leaves[target]
    size = state.node_at[n_columns] * n_classes
    is_counted = size <= rows.size * n_columns
    if is_counted and not is_root:
        _count(state, target, rows, is_open, cells)
    best, best_gain = -1, SAME
    for column in range(n_columns):
        if not is_open[column]:
            continue
        at = state.node_at[column] * n_classes
        values, known = np.zeros(state.n_leaves[column], dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
        if not is_counted:
            together = _sum_rows(state, target, rows, column, cells, weights, values, known)
        elif is_root:
            together = _sum_table(state.below, state.model_at[target] + at, classes, weights, values, known)
        else:
            together = _sum_table(cells, at, classes, weights, values, known)
        gain = _gain(together, weights, values, known) / rows.size
        gains[column] = gain
        if gain > best_gain + SAME or (best < 0 and gain > best_gain):
            best, best_gain = column, gain
    if is_counted and not is_root:
        cells[:size] = 0
    return best


@inner
def depends(state: State, target: int, rows: Array, column: int, cells: Array) -> bool:
    """Return whether classes depend on a column at all, in whole numbers: whether its gain is above zero."""
    n_values, n_classes = state.n_leaves[column], state.n_leaves[target]
    values, known = np.zeros(n_values, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    n_known = 0
    for i in range(rows.size):
        value, label = state.codes[rows[i], column], state.codes[rows[i], target]
        if 0 <= value < n_values:
            cells[value * n_classes + label] += 1
            values[value] += 1
            known[label] += 1
            n_known += 1
    found = False
    for value in range(n_values):
        for label in range(n_classes if values[value] > 0 else 0):
            found = found or cells[value * n_classes + label] * n_known != values[value] * known[label]
            cells[value * n_classes + label] = 0
    return found


@inner
def _gain(together: float, weights: Array, values: Array, known: Array) -> float:
    """Return H(class) - H(class | value), times the number of rows: n log n - sum classes - sum values + sum both."""
    of_values, n_known = 0.0, 0
    for value in range(values.size):
        of_values += weights[values[value]]
        n_known += values[value]
    of_classes = 0.0
    for label in range(known.size):
        of_classes += weights[known[label]]
    return weights[n_known] - of_classes - of_values + together


@inner
def _count(state: State, target: int, rows: Array, is_open: Array, cells: Array) -> None:
    """Count rows, value by class, for all columns at once; laid out like a model."""
    n_classes = state.n_leaves[target]
    columns = np.flatnonzero(is_open).astype(np.uint64)  # unsigned: numba need not look for places from the end
    at = state.node_at[columns] * n_classes
    n_values = state.n_leaves[columns]
    for i in range(rows.size):
        row = state.codes[np.uint64(rows[i])]
        label = row[target]
        for k in range(columns.size):
            value = row[columns[k]]
            if 0 <= value < n_values[k]:
                cells[np.uint64(at[k] + value * n_classes + label)] += 1


@inner
def _sum_table(counts: Array, at: int, classes: Array, weights: Array, values: Array, known: Array) -> float:
    """Return the sum of x log x over counts of value by class, and add them up by value and by class.

    A model also counts classes that a tree leaves out: those that cannot stand behind the published value.
    """
    together = 0.0
    for value in range(values.size):
        for label in range(known.size):
            count = counts[at + value * known.size + label]
            if count > 0 and classes[label] > 0:
                together += weights[count]
                values[value] += count
                known[label] += count
    return together


@inner
def _sum_rows(
    state: State, target: int, rows: Array, column: int, cells: Array, weights: Array, values: Array, known: Array
) -> float:
    """Do the same for one column of few rows, without a look at all counts."""
    for i in range(rows.size):
        value = state.codes[rows[i], column]
        if 0 <= value < values.size:
            cells[value * known.size + state.codes[rows[i], target]] += 1
    together = 0.0
    for i in range(rows.size):
        value = state.codes[rows[i], column]
        if 0 <= value < values.size:
            label = state.codes[rows[i], target]
            count = cells[value * known.size + label]
            if count > 0:
                cells[value * known.size + label] = 0
                together += weights[count]
                values[value] += count
                known[label] += count
    return together
