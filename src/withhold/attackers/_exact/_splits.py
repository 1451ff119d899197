"""How ID3 may split a node: every column with the largest gain, every branch that is as frequent as another."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact._nodes import Nodes, Order
from withhold.attackers._exact._view import Question

__all__ = ["Node", "Rows", "Split", "Splitter"]

SAME_GAIN = 1e-9
"""Gains that differ by less are equal: far above what adding up logarithms in another order can change."""

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Node:
    """A node still to be looked at."""

    training: Rows
    """The rows it learns from."""
    asked: Rows
    """The rows that are followed into it."""
    columns: Rows
    """The columns it can ask for."""


@dataclass(frozen=True, slots=True)
class Split:
    """One way to split a node."""

    column: int
    sizes: Rows
    """For each branch how many training rows enter it."""
    by_branch: Rows
    """The training rows, branch by branch."""
    ends: Rows
    """For each branch where its rows end."""

    def child(self, node: Node, branch: int, asked: Rows) -> Node:
        """Return the node that a branch leads to."""
        end = self.ends[branch]
        training = self.by_branch[end - self.sizes[branch] : end]
        return Node(training, asked, node.columns[node.columns != self.column])


class Splitter:
    """The table as ID3 reads it.

    Parameters
    ----------
    question
        What is asked for, and from which columns.
    labels
        For each row the rank of its label; below zero where it has none.
    order
        The order of the values of columns without a taxonomy, in which ties are listed.
    """

    def __init__(self, question: Question, labels: Rows, order: Order) -> None:
        view = question.view
        self.labels = labels
        self.trees = [Nodes.of(view, position, order) for position in question.predictors]
        ranks = [
            tree.ranks(tree.cells(view, position))
            for tree, position in zip(self.trees, question.predictors, strict=True)
        ]
        self.ranks: Rows = np.array(ranks, dtype=np.int64).reshape(len(ranks), view.n_rows)
        """For each predictor and row the rank of its value, -1 for unknown, below that for a coarser one."""
        sizes = [tree.leaf_nodes.size for tree in self.trees]
        start = np.cumsum([0, *sizes])
        self._column_of = np.repeat(np.arange(len(sizes)), sizes)
        # Each value of each column has a number; row by row, so that a node reads its rows in one go.
        items = np.where(self.ranks >= 0, self.ranks + start[:-1, np.newaxis], -1)
        self._items = np.ascontiguousarray(items.T)
        count = np.arange(view.n_rows + 1, dtype=float)
        self._n_log_n = count * np.log2(np.maximum(count, 1))

    def columns(self, node: Node) -> tuple[list[int], bool]:
        """Return the columns that a node of several labels may ask for, and whether it may as well be a leaf.

        Whole numbers decide whether a gain is zero or only small. One that is too small for another adversary's
        arithmetic may be zero to it.
        """
        if not node.columns.size:
            return [], True
        gains = self._gains(node)[node.columns]
        most = gains.max()
        found: list[int] = node.columns[gains >= most - SAME_GAIN].tolist()
        if most > SAME_GAIN:
            return found, False
        return [column for column in found if self._depends(node, column)], True

    def _depends(self, node: Node, column: int) -> bool:
        """Return whether labels depend on a column at all: whether its gain is above zero."""
        values, labels = self.ranks[column, node.training], self.labels[node.training]
        _, value = np.unique(values[values >= 0], return_inverse=True)
        _, label = np.unique(labels[values >= 0], return_inverse=True)
        table = np.zeros((value.max(initial=-1) + 1, label.max(initial=-1) + 1), dtype=np.int64)
        np.add.at(table, (value, label), 1)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0))
        return bool((table * len(value) != expected).any())

    def _gains(self, node: Node) -> NDArray[np.float64]:
        """Return the information gain of every column of the node; zero for the others."""
        _, labels = np.unique(self.labels[node.training], return_inverse=True)
        n_columns, n_labels = len(self.trees), int(labels.max()) + 1
        items = self._items[node.training][:, node.columns]
        keys = (items * n_labels + labels[:, np.newaxis])[items >= 0]
        if not keys.size:
            return np.zeros(n_columns)
        keys.sort()
        new_key = np.flatnonzero(np.diff(keys, prepend=-1))
        pair = keys[new_key]
        n_pair = np.diff(new_key, append=keys.size)
        item = pair // n_labels
        new_item = np.flatnonzero(np.diff(item, prepend=-1))
        n_item = np.add.reduceat(n_pair, new_item)
        # n log n - Σ c log c over the labels of a value: its rows times their entropy.
        disorder = self._n_log_n[n_item] - np.add.reduceat(self._n_log_n[n_pair], new_item)
        rest = np.bincount(self._column_of[item[new_item]], weights=disorder, minlength=n_columns)
        cells = self._column_of[item] * n_labels + pair % n_labels
        by_label = np.bincount(cells, weights=n_pair, minlength=n_columns * n_labels).astype(np.int64)
        by_label = by_label.reshape(n_columns, n_labels)
        whole = self._n_log_n[by_label.sum(axis=1)] - self._n_log_n[by_label].sum(axis=1)
        gains: NDArray[np.float64] = (whole - rest) / len(labels)
        return gains

    def splits(self, node: Node, column: int) -> tuple[int, Iterator[Split]]:
        """Return in how many ways a column splits a node, and the ways.

        They differ in the branches that training rows without one of their own enter: all rows with the same value
        the same, one of those that are equally frequent among the rows that have one.
        """
        ranks = self.ranks[column, node.training]
        sizes = np.bincount(ranks[ranks >= 0], minlength=self.trees[column].leaf_nodes.size)
        lost = np.unique(ranks[ranks < 0]).tolist()
        # Values above no branch go where unknown ones go.
        own = [rank for rank in lost if not self.is_lost(column, sizes, rank)]
        choices = [self.routes(column, sizes, rank) for rank in own]
        if len(own) < len(lost):
            choices.append(self.routes(column, sizes, -1))

        def ways() -> Iterator[Split]:
            for chosen in product(*choices):
                entered = np.where(ranks < 0, chosen[-1] if chosen else -1, ranks)
                for rank, branch in zip(own, chosen, strict=False):
                    entered[ranks == rank] = branch
                grown = np.bincount(entered, minlength=sizes.size)
                by_branch = node.training[np.argsort(entered, kind="stable")]
                yield Split(column, grown, by_branch, np.cumsum(grown))

        return prod(map(len, choices)), ways()

    def is_lost(self, column: int, sizes: Rows, rank: int) -> bool:
        """Return whether a value stands for no branch, so that its row follows the most frequent one."""
        below = self._below(column, rank)
        return rank == -1 or not sizes[below.start : below.stop].any()

    def routes(self, column: int, sizes: Rows, rank: int) -> list[int]:
        """Return the branches that a value may follow: its own, else the largest below it, else the largest."""
        below = range(sizes.size) if self.is_lost(column, sizes, rank) else self._below(column, rank)
        found = sizes[below.start : below.stop]
        return [below.start + place for place in np.flatnonzero(found == found.max()).tolist()]

    def _below(self, column: int, rank: int) -> range:
        if rank >= 0:
            return range(rank, rank + 1)
        tree, node = self.trees[column], -1 - rank
        return range(int(tree.first[node]), int(tree.last[node]))
