"""Growing, pruning and using a decision tree."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from withhold.learners._node_kernels import NEAR, SLACK, choose, send, weigh

__all__ = ["Node", "Rows", "Training", "grow", "prune", "send_down"]

DEEPEST = 200
"""No tree is deeper; it keeps the recursion within Python's limit."""
MARGIN = 0.1
"""By how many errors a smaller tree may be worse, as in Quinlan's program."""
KNOWN = np.empty(0)
"""No shares are given: those of the rows at hand count."""
DEVIATIONS = {0.0: 4.0, 0.001: 3.09, 0.005: 2.58, 0.01: 2.33, 0.05: 1.65, 0.1: 1.28, 0.2: 0.84, 0.4: 0.25, 1.0: 0.0}
"""Quinlan's table of how many standard deviations leave a share of the normal distribution above them."""


@dataclass(slots=True, eq=False)
class Node:
    """A leaf, or a test with its branches."""

    label: int
    """The most frequent class."""
    held: NDArray[np.float64]
    """The weight of each class."""
    attribute: int = -1
    """The attribute that is tested."""
    cut: int = -1
    """The highest code of the first branch of a number; -1 where each code has its branch."""
    branches: list["Node"] = field(default_factory=list)
    """The branches; none for a leaf."""
    errors: float = 0.0
    """The errors that are expected of the node."""

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return sum(branch.n_leaves for branch in self.branches) if self.branches else 1

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return 1 + sum(branch.n_nodes for branch in self.branches)


@dataclass(slots=True, frozen=True, eq=False)
class Rows:
    """Rows with weights."""

    places: NDArray[np.int32]
    """Where they stand."""
    weights: NDArray[np.float64]
    """How much of each is here."""

    @classmethod
    def all(cls, n_rows: int) -> "Rows":
        """Return each row once."""
        return cls(np.arange(n_rows, dtype=np.int32), np.ones(n_rows))

    def split(self, column: NDArray[np.int32], node: Node, shares: NDArray[np.float64] = KNOWN) -> Iterator["Rows"]:
        """Yield the rows that go down each branch of a node."""
        places, weights, begins = send(column, node.cut, len(node.branches), self.places, self.weights, shares)
        for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
            yield Rows(places[begin:end], weights[begin:end])


@dataclass(slots=True, frozen=True, eq=False)
class Training:
    """What a tree learns from."""

    codes: NDArray[np.int32]
    """Attributes by rows."""
    labels: NDArray[np.int32]
    """The class of each row."""
    values: tuple[NDArray[np.float64] | None, ...]
    """For each number the values its codes stand for."""
    n_values: NDArray[np.int64]
    """For each attribute the number of its codes."""
    is_number: NDArray[np.bool_]
    """Which attributes are numbers."""
    is_common: NDArray[np.bool_]
    """Which attributes have so few values that their gain counts in the average."""
    room: NDArray[np.float64]
    """Room for a weight of each value and class."""
    minimum: float
    """How many rows two branches must hold."""

    @classmethod
    def of(
        cls,
        codes: NDArray[np.int32],
        labels: NDArray[np.int32],
        values: tuple[NDArray[np.float64] | None, ...],
        *,
        minimum: float,
    ) -> "Training":
        """Return coded columns and classes ready to learn from."""
        is_number = np.array([known is not None for known in values], dtype=np.bool_)
        n_values = codes.max(axis=1, initial=-1).astype(np.int64) + 1
        is_common = is_number | (n_values < 0.3 * codes.shape[1])
        room = np.zeros((int(n_values.max(initial=1)), int(labels.max()) + 1))
        is_common |= not is_common.any()
        return cls(codes, labels, values, n_values, is_number, is_common, room, minimum)

    def weigh(self, rows: Rows) -> NDArray[np.float64]:
        """Return the weight of each class in some rows."""
        return weigh(rows.places, rows.weights, self.labels, self.room.shape[1])

    def choose(self, rows: Rows) -> tuple[int, int]:
        """Return the attribute to test, -1 for none, and the cut of a number."""
        kinds = self.n_values, self.is_number, self.is_common
        chosen, low, high = choose(
            self.codes, *kinds, self.labels, rows.places, rows.weights, self.room, float(self.minimum)
        )
        values = self.values[chosen] if chosen >= 0 else None
        if values is None:
            return chosen, -1
        # The cut is a value that occurs in the whole table, as in Quinlan's program.
        middle = values[low] / 2 + values[high] / 2
        return chosen, max(int(np.searchsorted(values, middle, side="right")) - 1, low)


def grow(training: Training, rows: Rows, depth: int = 0) -> Node:
    """Return the tree of some rows before pruning."""
    held = training.weigh(rows)
    total = held.sum()
    node = Node(_majority(held, 0), held)
    node.errors = total - held[node.label]
    if node.errors <= NEAR or total < 2 * training.minimum - NEAR or depth == DEEPEST:
        return node
    chosen, cut = training.choose(rows)
    if chosen < 0:
        return node
    empty = Node(node.label, np.zeros_like(held))
    node.attribute, node.cut = chosen, cut
    node.branches = [empty] * (2 if training.is_number[chosen] else int(training.n_values[chosen]))
    parts = list(rows.split(training.codes[chosen], node))
    node.branches = [grow(training, part, depth + 1) if part.places.size else empty for part in parts]
    errors = sum(branch.errors for branch in node.branches)
    if errors >= node.errors - SLACK:
        return Node(node.label, held, errors=node.errors)
    node.errors = errors
    return node


def prune(node: Node, training: Training, rows: Rows, *, confidence: float, raising: bool) -> Node:
    """Return the tree with what does not pay cut off, judged by the rows that reach it."""
    held = training.weigh(rows)
    label = _majority(held, node.label)
    as_leaf = _pessimistic(held, label, confidence)
    leaf = Node(label, held, errors=as_leaf)
    if not node.branches:
        return leaf
    parts = list(rows.split(training.codes[node.attribute], node))
    branches = [
        prune(branch, training, part, confidence=confidence, raising=raising) if part.places.size else branch
        for branch, part in zip(node.branches, parts, strict=True)
    ]
    as_tree = sum(branch.errors for branch, part in zip(branches, parts, strict=True) if part.places.size)
    largest = branches[_majority(np.array([part.weights.sum() for part in parts]), 0)]
    as_branch = _expect(largest, training, rows, confidence) if raising else math.inf
    if as_leaf <= min(as_branch, as_tree) + MARGIN:
        return leaf
    if as_branch <= as_tree + MARGIN:
        return prune(largest, training, rows, confidence=confidence, raising=raising)
    return Node(label, held, node.attribute, node.cut, branches, as_tree)


def send_down(node: Node, codes: NDArray[np.int32], rows: Rows, found: NDArray[np.float64]) -> None:
    """Add to each row the shares of the classes in the leaves it reaches."""
    if not node.branches:
        total = node.held.sum()
        shares = node.held / total if total > 0 else np.eye(node.held.size)[node.label]
        found[rows.places] += rows.weights[:, None] * shares
        return
    sizes = np.array([branch.held.sum() for branch in node.branches])
    parts = rows.split(codes[node.attribute], node, sizes / sizes.sum())
    for branch, part in zip(node.branches, parts, strict=True):
        if part.places.size:
            send_down(branch, codes, part, found)


def _expect(node: Node, training: Training, rows: Rows, confidence: float) -> float:
    """Return the errors that are expected of a tree if these rows reach it."""
    if not node.branches:
        held = training.weigh(rows)
        return _pessimistic(held, _majority(held, node.label), confidence)
    parts = rows.split(training.codes[node.attribute], node)
    return sum(
        _expect(branch, training, part, confidence)
        for branch, part in zip(node.branches, parts, strict=True)
        if part.places.size
    )


def _majority(weights: Sequence[float] | NDArray[np.float64], label: int) -> int:
    """Return the place of the largest weight; `label` where nothing is larger than its own."""
    for other, weight in enumerate(weights):
        if weight > weights[label] + NEAR:
            label = other
    return label


def _pessimistic(held: NDArray[np.float64], label: int, confidence: float) -> float:
    total = float(held.sum())
    wrong = max(total - float(held[label]), 0.0)
    return wrong + extra_errors(total, wrong, confidence)


def extra_errors(total: float, wrong: float, confidence: float) -> float:
    """Return what the upper limit of a binomial confidence interval adds to the errors seen in a leaf."""
    if wrong < 1e-6:
        return total * (1 - math.exp(math.log(confidence) / total))
    if wrong < 0.9999:
        none = total * (1 - math.exp(math.log(confidence) / total))
        return none + wrong * (extra_errors(total, 1.0, confidence) - none)
    if wrong + 0.5 >= total:
        return 0.67 * (total - wrong)
    square = _deviation(confidence) ** 2
    upper = wrong + 0.5
    spread = math.sqrt(square * (upper * (1 - upper / total) + square / 4))
    return total * (upper + square / 2 + spread) / (total + square) - wrong


@lru_cache
def _deviation(confidence: float) -> float:
    return float(np.interp(confidence, list(DEVIATIONS), list(DEVIATIONS.values())))
