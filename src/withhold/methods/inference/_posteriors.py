"""Naive Bayes without smoothing, read off the counts of a state, compared exactly.

Where values are deleted, an unknown predictor of the row gives no factor, and an unknown predictor of another row stays
in the class count. Where they are generalised, counts are shared: upward by adding, downward in proportion to what the
children hold (in equal parts where they hold nothing).
"""

import math

import numpy as np

from withhold._compiled import Array, compiled, inner
from withhold.methods.inference._ratios import CLEAR, Ratio, compare_ratios, log_of, new_ratio
from withhold.methods.inference._state import DEEPEST, State, is_at_or_below

__all__ = [
    "compare",
    "count_below",
    "count_strictly_below",
    "find_guesses",
    "is_predicted",
    "leads",
    "log_lead",
    "n_labelled",
    "ratio_of_value",
    "write_ratio",
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


@compiled
def ratio_of_value(state: State, target: int, column: int, node: int, label: int, ratio: Ratio) -> Ratio:
    """Multiply a ratio by the updated count of a predictor's node within a class."""
    first, n_above, n_below = state.node_at[column], ratio.n_above, ratio.n_below
    while state.parent[first + node] >= 0:
        over = state.parent[first + node]
        total = count_strictly_below(state, target, column, over, label)
        ratio.above[n_above], ratio.below[n_below] = count_below(state, target, column, node, label), total
        if total == 0:
            n_children = state.child_at[first + over + 1] - state.child_at[first + over]
            ratio.above[n_above], ratio.below[n_below] = 1, n_children
        n_above, n_below, node = n_above + 1, n_below + 1, over
    ratio.above[n_above] = count_below(state, target, column, node, label)
    return Ratio(ratio.above, n_above + 1, ratio.below, n_below)


@inner
def _share_of_class(state: State, target: int, top: int, label: int, shares: Ratio) -> int:
    """Write the share that a class has of the rows labelled at or below `top`, and return of how many factors it is."""
    first = state.node_at[target]
    n = 0
    node = label
    while node != top:
        over = state.parent[first + node]
        total = 0
        for i in range(state.child_at[first + over], state.child_at[first + over + 1]):
            total += n_labelled(state, target, state.children[i])
        shares.above[n], shares.below[n] = n_labelled(state, target, node), total
        if total == 0:
            shares.above[n], shares.below[n] = 1, state.child_at[first + over + 1] - state.child_at[first + over]
        n, node = n + 1, over
    return n


@inner
def _has_factor(state: State, column: int, node: int) -> bool:
    """Return whether a generalised cell says anything: it is not left out, and not the root."""
    return node >= 0 and state.parent[state.node_at[column] + node] >= 0


@inner
def _room(state: State) -> Ratio:
    """Return room for as many factors as a probability can have."""
    a_column = 2 if state.children.size == 0 else 2 * (DEEPEST + 2)
    return new_ratio((state.codes.shape[1] + 2) * a_column)


@compiled
def write_ratio(state: State, row: int, target: int, top: int, label: int, room: Ratio) -> Ratio:
    """Write the probability of a class, up to what is common to all classes, as a product of ratios."""
    above, below = room.above, room.below
    if top < 0:
        size = n_labelled(state, target, label)
        above[0] = size
        n = 1
        for column in range(state.codes.shape[1] if size > 0 else 0):
            if state.uses[target, column] and state.codes[row, column] >= 0:
                above[n] = count_below(state, target, column, state.codes[row, column], label)
                below[n - 1] = size
                n += 1
        return Ratio(above, n, below, n - 1)
    own = state.codes[row, target]
    is_own = own >= 0 and is_at_or_below(state, target, own, top)
    if n_labelled(state, target, top) == int(is_own):
        above[0] = 0  # there is nothing to learn from
        return Ratio(above, 1, below, 0)
    shares = new_ratio(DEEPEST + 2)
    n_shares = _share_of_class(state, target, top, label, shares)
    for i in range(n_shares):
        above[i], below[i] = shares.above[i], shares.below[i]
        if shares.above[i] == 0:
            above[0] = 0
            return Ratio(above, 1, below, 0)
    ratio = Ratio(above, n_shares, below, n_shares)
    for column in range(state.codes.shape[1]):
        if state.uses[target, column] and _has_factor(state, column, state.codes[row, column]):
            ratio = ratio_of_value(state, target, column, state.codes[row, column], label, ratio)
            n_above, n_below = ratio.n_above, ratio.n_below
            for i in range(n_shares):  # a conditional is over the class, which is a share itself
                above[n_above + i], below[n_below + i] = shares.below[i], shares.above[i]
            ratio = Ratio(above, n_above + n_shares, below, n_below + n_shares)
    return ratio


@inner
def _log_probability(state: State, row: int, target: int, top: int, label: int, room: Ratio) -> float:
    """Return the logarithm of a class's probability, up to what is common to all classes."""
    return log_of(write_ratio(state, row, target, top, label, room))


@inner
def log_lead(state: State, row: int, target: int, top: int, label: int, other: int) -> float:
    """Return the logarithm of the ratio of two classes' probabilities, of which the first is positive."""
    room = _room(state)
    lead = _log_probability(state, row, target, top, label, room)
    return lead - _log_probability(state, row, target, top, other, room)


@compiled
def compare(state: State, row: int, target: int, top: int, label: int, other: int) -> int:
    """Compare the probabilities of two classes for a row, exactly; -1, 0 or 1."""
    return compare_ratios(
        write_ratio(state, row, target, top, label, _room(state)),
        write_ratio(state, row, target, top, other, _room(state)),
    )


@compiled
def leads(state: State, row: int, target: int, top: int, label: int, other: int) -> bool:
    """Return whether a class is more probable for a row than another; or as probable, where ties count."""
    return compare(state, row, target, top, label, other) >= int(not state.is_strict)


@compiled
def is_predicted(state: State, row: int, target: int, top: int, actual: int) -> bool:
    """Return whether a class leads every other one that could stand there."""
    room = _room(state)
    log_actual = _log_probability(state, row, target, top, actual, room)
    if log_actual == -math.inf:
        return False
    for label in range(state.n_leaves[target]):
        if label == actual or not _is_candidate(state, target, top, label):
            continue
        log_label = _log_probability(state, row, target, top, label, room)
        if log_label > log_actual + CLEAR:
            return False
        if log_label >= log_actual - CLEAR and not leads(state, row, target, top, actual, label):
            return False
    return True


@inner
def _is_candidate(state: State, target: int, top: int, label: int) -> bool:
    """Return whether a class can stand behind the published value: any, or those below the generalised one."""
    return top < 0 or is_at_or_below(state, target, label, top)


@compiled
def find_guesses(state: State, row: int, target: int, top: int, actual: int, degree: int, guesses: Array) -> int:
    """Write the classes a random next best guess may be, in domain order, and return how many there are.

    They are possible, less probable than the actual class, and among the `degree` most probable ones (the actual one
    counts; ties go to the earlier class). `actual` must be predicted.
    """
    n_classes = state.n_leaves[target]
    room = _room(state)
    logs = np.full(n_classes, -math.inf)
    for label in range(n_classes):
        if label != actual and _is_candidate(state, target, top, label):
            logs[label] = _log_probability(state, row, target, top, label, room)
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
