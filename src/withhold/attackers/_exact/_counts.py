"""Counts of a predictor's values among the rows of each label."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact._nodes import Nodes

__all__ = ["PlainCounts", "SharedCounts"]


class PlainCounts:
    """How many rows of each label hold a value.

    Only the values that will be asked for are counted, so that a column of many values costs little.
    """

    def __init__(
        self, labels: NDArray[np.int64], n_labels: int, values: NDArray[np.int64], asked: NDArray[np.int64]
    ) -> None:
        self._wanted = np.unique(asked[asked >= 0])
        place = np.searchsorted(self._wanted, values)
        place[place == self._wanted.size] = 0
        counted = np.zeros(len(values), dtype=bool)
        if self._wanted.size:
            counted = (self._wanted[place] == values) & (labels >= 0)
        keys = place[counted] * n_labels + labels[counted]
        table = np.bincount(keys, minlength=n_labels * self._wanted.size)
        self._table = table.reshape(self._wanted.size, n_labels)

    def approximate(self, labels: range, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the counts, one row for each value, one column for each label."""
        chosen = self._table[np.searchsorted(self._wanted, values)]
        return chosen[:, labels.start : labels.stop].astype(float)

    def exact(self, label: int, value: int) -> Fraction:
        """Return the count of one value among the rows of one label."""
        return Fraction(int(self._table[np.searchsorted(self._wanted, value), label]))


class SharedCounts:
    """How many rows of each label belong to a node, when what a node holds itself is shared among its children.

    A child gets what its parent has, in proportion to what the children's own subtrees hold, or an equal part if they
    hold nothing.
    """

    def __init__(self, labels: NDArray[np.int64], n_labels: int, cells: NDArray[np.int64], tree: Nodes) -> None:
        trains = labels >= 0
        keys = cells[trains] * n_labels + labels[trains]
        held = np.bincount(keys, minlength=len(tree.parent) * n_labels)
        self._begin(held.reshape(len(tree.parent), n_labels), tree, 0)

    @classmethod
    def of_column(cls, tree: Nodes, held: NDArray[np.int64], top: int) -> "SharedCounts":
        """Share what the nodes at and below `top` hold, of all labels together."""
        counts = cls.__new__(cls)
        counts._begin(held[:, np.newaxis].copy(), tree, top)
        return counts

    def _begin(self, held: NDArray[np.int64], tree: Nodes, top: int) -> None:
        self._tree = tree
        self._top = top
        self._total = held
        for node in range(len(tree.parent) - 1, 0, -1):
            self._total[tree.parent[node]] += self._total[node]
        self._memo: dict[tuple[int, int], Fraction] = {}
        self._shared = self._total.astype(float)
        for node in range(top, len(tree.parent)):
            children = tree.children[node]
            if children:
                below = self._total[children]
                kept = below.sum(axis=0)
                part = np.where(kept > 0, below / np.maximum(kept, 1), 1 / len(children))
                self._shared[children] = self._shared[node] * part

    def approximate(self, labels: range, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the counts, one row for each node, one column for each label."""
        return self._shared[values, labels.start : labels.stop]

    def exact(self, label: int, value: int) -> Fraction:
        """Return the count of one node among the rows of one label."""
        key = (label, value)
        if key not in self._memo:
            self._memo[key] = self._shared_exactly(label, value)
        return self._memo[key]

    def _shared_exactly(self, label: int, value: int) -> Fraction:
        if value == self._top:
            return Fraction(int(self._total[value, label]))
        above = self._tree.parent[value]
        siblings = self._tree.children[above]
        kept = int(self._total[siblings, label].sum())
        part = Fraction(int(self._total[value, label]), kept) if kept else Fraction(1, len(siblings))
        return self.exact(label, above) * part
