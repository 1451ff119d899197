"""Naive Bayes without smoothing, read off the counts of a state, compared exactly.

Where values are deleted, an unknown predictor of the row gives no factor, and an unknown predictor of another row stays
in the class count. Where they are generalised, counts are shared: upward by adding, downward in proportion to what the
children hold (in equal parts where they hold nothing).
"""

import math

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._exact import CLEAR, compare_ratios
from withhold.methods.inference._state import DEEPEST, State, is_at_or_below

__all__ = [
    "compare",
    "find_guesses",
    "is_candidate",
    "is_predicted",
    "leads",
    "log_probability",
    "log_ratio",
    "ratio_of_value",
]


@compiled
def count_below(state: State, target: int, column: int, node: int, label: int) -> int:
    """Return how many rows labelled with exactly this class lie at or below a node of a predictor."""
    return state.below[
        state.model_at[target] + (state.node_at[column] + node) * state.n_leaves[target] + label
    ]  # fmt: skip


@compiled
def count_strictly_below(state: State, target: int, column: int, node: int, label: int) -> int:
    """Return how many rows labelled with exactly this class lie below a node of a predictor."""
    first = state.node_at[column] + node
    total = 0
    for i in range(state.child_at[first], state.child_at[first + 1]):
        total += count_below(state, target, column, state.children[i], label)
    return total


@inner
def n_labelled(state: State, target: int, label: int) -> int:
    """Return how many rows are labelled at or below a node of the target."""
    return state.labels[state.labels_at[target] + label]


@inner
def is_candidate(state: State, target: int, top: int, label: int) -> bool:
    """Tell whether a class can stand behind the published value: any, or those below the generalised one."""
    return top < 0 or is_at_or_below(state, target, label, top)


@compiled
def ratio_of_value(
    state: State,
    target: int,
    column: int,
    node: int,
    label: int,
    above: Array,
    n_above: int,
    below: Array,
    n_below: int,
) -> tuple[int, int]:
    """Append the updated count of a predictor's node within a class, as a product of ratios."""
    first = state.node_at[column]
    while state.parent[first + node] >= 0:
        over = state.parent[first + node]
        total = count_strictly_below(state, target, column, over, label)
        if total > 0:
            above[n_above] = count_below(state, target, column, node, label)
            below[n_below] = total
        else:
            above[n_above] = 1
            below[n_below] = state.child_at[first + over + 1] - state.child_at[first + over]
        n_above += 1
        n_below += 1
        node = over
    above[n_above] = count_below(state, target, column, node, label)
    return n_above + 1, n_below


@inner
def _share_of_class(state: State, target: int, top: int, label: int, above: Array, below: Array) -> int:
    """Write the share that a class has of the rows labelled at or below `top`, as a product of ratios."""
    first = state.node_at[target]
    n = 0
    node = label
    while node != top:
        over = state.parent[first + node]
        total = 0
        for i in range(state.child_at[first + over], state.child_at[first + over + 1]):
            total += n_labelled(state, target, state.children[i])
        if total > 0:
            above[n] = n_labelled(state, target, node)
            below[n] = total
        else:
            above[n] = 1
            below[n] = state.child_at[first + over + 1] - state.child_at[first + over]
        n += 1
        node = over
    return n


@inner
def tells(state: State, column: int, node: int) -> bool:
    """Tell whether a generalised cell still says something: it is not left out, and not the root."""
    return node >= 0 and state.parent[state.node_at[column] + node] >= 0


@inner
def _scratch(state: State) -> int:
    """Return how many factors a probability can have at most."""
    a_column = 2 if state.children.size == 0 else 2 * (DEEPEST + 2)
    return (state.codes.shape[1] + 2) * a_column


@compiled
def write_ratio(
    state: State, row: int, target: int, top: int, label: int, above: Array, below: Array
) -> tuple[int, int]:
    """Write the probability of a class, up to what is common to all classes, as a product of ratios."""
    if top < 0:
        size = n_labelled(state, target, label)
        above[0] = size
        n_above, n_below = 1, 0
        if size == 0:
            return n_above, n_below
        for column in range(state.codes.shape[1]):
            if state.uses[target, column] and state.codes[row, column] >= 0:
                above[n_above] = count_below(state, target, column, state.codes[row, column], label)
                below[n_below] = size
                n_above += 1
                n_below += 1
        return n_above, n_below
    own = state.codes[row, target]
    is_own = own >= 0 and is_at_or_below(state, target, own, top)
    if n_labelled(state, target, top) == int(is_own):
        above[0] = 0  # there is nothing to learn from
        return 1, 0
    shared = np.empty(DEEPEST + 2, dtype=np.int64)
    shared_of = np.empty(DEEPEST + 2, dtype=np.int64)
    n_shared = _share_of_class(state, target, top, label, shared, shared_of)
    n_above, n_below = 0, 0
    for i in range(n_shared):
        if shared[i] == 0:
            above[0] = 0
            return 1, 0
        above[n_above] = shared[i]
        below[n_below] = shared_of[i]
        n_above += 1
        n_below += 1
    for column in range(state.codes.shape[1]):
        if state.uses[target, column] and tells(state, column, state.codes[row, column]):
            n_above, n_below = ratio_of_value(
                state, target, column, state.codes[row, column], label, above, n_above, below, n_below
            )
            for i in range(n_shared):
                above[n_above] = shared_of[i]
                below[n_below] = shared[i]
                n_above += 1
                n_below += 1
    return n_above, n_below


@inner
def log_probability(state: State, row: int, target: int, top: int, label: int, above: Array, below: Array) -> float:
    """Return the logarithm of a class's probability, up to what is common to all classes."""
    n_above, n_below = write_ratio(state, row, target, top, label, above, below)
    total = 0.0
    for i in range(n_above):
        if above[i] == 0:
            return -math.inf
        total += math.log(above[i])
    for i in range(n_below):
        total -= math.log(below[i])
    return total


@inner
def log_ratio(state: State, row: int, target: int, top: int, label: int, other: int) -> float:
    """Return the logarithm of the ratio of two classes' probabilities, of which the first is positive."""
    size = _scratch(state)
    above, below = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    log_label = log_probability(state, row, target, top, label, above, below)
    return log_label - log_probability(state, row, target, top, other, above, below)


@compiled
def compare(state: State, row: int, target: int, top: int, label: int, other: int) -> int:
    """Compare the probabilities of two classes for a row, exactly; -1, 0 or 1."""
    size = _scratch(state)
    above, below = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    other_above, other_below = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    n_above, n_below = write_ratio(state, row, target, top, label, above, below)
    n_other_above, n_other_below = write_ratio(state, row, target, top, other, other_above, other_below)
    return compare_ratios(
        above, n_above, below, n_below, other_above, n_other_above, other_below, n_other_below
    )  # fmt: skip


@compiled
def leads(state: State, row: int, target: int, top: int, label: int, other: int) -> bool:
    """Tell whether a class is more probable for a row than another; or as probable, where ties count."""
    return compare(state, row, target, top, label, other) >= int(not state.is_strict)


@compiled
def is_predicted(state: State, row: int, target: int, top: int, actual: int) -> bool:
    """Tell whether a class leads every other one that could stand there."""
    size = _scratch(state)
    above, below = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    log_actual = log_probability(state, row, target, top, actual, above, below)
    if log_actual == -math.inf:
        return False
    for label in range(state.n_leaves[target]):
        if label == actual or not is_candidate(state, target, top, label):
            continue
        log_label = log_probability(state, row, target, top, label, above, below)
        if log_label > log_actual + CLEAR:
            return False
        if log_label >= log_actual - CLEAR and not leads(state, row, target, top, actual, label):
            return False
    return True


@compiled
def find_guesses(state: State, row: int, target: int, top: int, actual: int, degree: int, guesses: Array) -> int:
    """Write the classes a random next best guess may be, in domain order, and return how many there are.

    They are possible, less probable than the actual class, and among the `degree` most probable ones (the actual one
    counts; ties go to the earlier class). `actual` must be predicted.
    """
    n_classes = state.n_leaves[target]
    size = _scratch(state)
    above, below = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    logs = np.full(n_classes, -math.inf)
    for label in range(n_classes):
        if label != actual and is_candidate(state, target, top, label):
            logs[label] = log_probability(state, row, target, top, label, above, below)
    n_guesses = 0
    for label in range(n_classes):
        if logs[label] == -math.inf:
            continue
        place = 2
        for other in range(n_classes):
            if other == label or logs[other] < logs[label] - CLEAR:
                continue
            order = 1
            if logs[other] <= logs[label] + CLEAR:
                order = compare(state, row, target, top, other, label)
            if order > 0 or (order == 0 and other < label):
                place += 1
        if place <= degree:
            guesses[n_guesses] = label
            n_guesses += 1
    return n_guesses
