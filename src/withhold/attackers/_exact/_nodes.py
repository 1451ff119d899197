"""The values of a column as a tree, for counting and for finding the branches below a coarser value."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact._view import View

__all__ = ["Nodes", "Order"]

Order = Sequence[str] | Mapping[str, Sequence[str]] | None


class Nodes:
    """The tree of a column: its taxonomy without the leaf for missing, or a root over the values that occur.

    Nodes are in preorder and node 0, the root, stands for unknown. Leaves are ranked from left to right; node `v`
    covers the ranks ``first[v] … last[v] - 1``.
    """

    __slots__ = ("children", "first", "last", "leaf_nodes", "node_of", "parent", "rank_of")

    def __init__(self, parent: Sequence[int], labels: Sequence[str | None]) -> None:
        self.parent = list(parent)
        self.node_of = {label: node for node, label in enumerate(labels)}
        self.children: list[list[int]] = [[] for _ in parent]
        for node, above in enumerate(parent[1:], start=1):
            self.children[above].append(node)
        leaves = [node for node, below in enumerate(self.children) if node and not below]
        self.leaf_nodes: NDArray[np.int64] = np.array(leaves, dtype=np.int64)
        self.rank_of = {str(labels[node]): rank for rank, node in enumerate(leaves)}
        end = np.arange(len(parent), dtype=np.int64) + 1
        for node in range(len(parent) - 1, 0, -1):
            end[parent[node]] = max(end[parent[node]], end[node])
        self.first: NDArray[np.int64] = np.searchsorted(self.leaf_nodes, np.arange(len(parent)))
        self.last: NDArray[np.int64] = np.searchsorted(self.leaf_nodes, end)

    @classmethod
    def of(cls, view: View, position: int, order: Order = None) -> "Nodes":
        """Return the tree of a column; `order` ranks the values of a column without a taxonomy."""
        tree = view.trees[position]
        if tree is None:
            if isinstance(order, Mapping):
                order = order.get(view.columns[position])
            values = _ordered(view.labels[position], order)
            return cls([-1] + [0] * len(values), [None, *values])
        kept = [node for node, label in enumerate(tree.labels) if node == 0 or label is not None]
        number_of = {node: number for number, node in enumerate(kept)}
        parent = [-1, *(number_of[int(tree.parent[node])] for node in kept[1:])]
        return cls(parent, [tree.labels[node] for node in kept])

    def cells(self, view: View, position: int) -> NDArray[np.int64]:
        """Return the node of every cell of the column."""
        # The code -1 takes the last entry, the root.
        of_code = np.array([*(self.node_of[label] for label in view.labels[position]), 0], dtype=np.int64)
        found: NDArray[np.int64] = of_code[view.codes[position]]
        return found

    def ranks(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rank of each node that is a leaf, -1 for the root, and ``-1 - v`` for an inner node `v`."""
        of_node = -1 - np.arange(len(self.parent), dtype=np.int64)
        of_node[self.leaf_nodes] = np.arange(self.leaf_nodes.size)
        found: NDArray[np.int64] = of_node[nodes]
        return found

    def actual_ranks(self, actuals: Iterable[str]) -> NDArray[np.int64]:
        """Return the rank of each text among the leaves, or -1."""
        return np.array([self.rank_of.get(actual, -1) for actual in actuals], dtype=np.int64)

    def codes(self, view: View, position: int, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the code in the view of each rank; -1 stays, and stands for a value that has no label there."""
        code_of = {label: code for code, label in enumerate(view.labels[position])}
        of_rank = np.array([*(code_of.get(text, -1) for text in self.rank_of), -1], dtype=np.int64)
        found: NDArray[np.int64] = of_rank[ranks]
        return found


def _ordered(labels: Iterable[str], order: Sequence[str] | None) -> list[str]:
    """Sort values by their place in the order; those not in it come last, by text."""
    places = {value: place for place, value in enumerate(order or ())}
    return sorted(labels, key=lambda label: (places.get(label, len(places)), label))
