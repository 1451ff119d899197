"""The ID3 adversary: a decision tree, grown only where hidden rows pass."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact._nodes import Nodes, Order
from withhold.attackers._exact._view import Question, View

__all__ = ["id3_guesses", "id3_recovers"]

_SAME_GAIN = 1e-12


def id3_recovers(
    view: View,
    column: str,
    rows: Sequence[int] | NDArray[np.int64],
    actuals: Sequence[str],
    *,
    predictors: Iterable[str],
    order: Order = None,
) -> NDArray[np.bool_]:
    """Tell for each hidden cell whether a decision tree gives its true value.

    The tree is grown by ID3 from all other rows whose cell in the column is known: at each node the column with the
    largest information gain splits, the earlier one on ties; a node with one label, no column left or no gain is a
    leaf and says its most frequent label. One branch for each value that occurs.

    Parameters
    ----------
    view
        The published table.
    column
        The column of the hidden cells.
    rows
        Their rows.
    actuals
        Their true values, as text.
    predictors
        The columns that predict. The column itself never does.
    order
        The order of the values of columns without a taxonomy, for all columns or by name. The first one wins where
        labels or branches are equally frequent. By default they are sorted as text; a taxonomy has its own order.

    Notes
    -----
    The gain is that over the rows with a known value, times their share. A row with an unknown value, in training as
    in use, follows the most frequent branch; one with a coarser value the most frequent branch below it. With a
    taxonomy for any column, the labels are the values below the published node of the hidden cell, and a single one
    is no secret.

    The cost is rows times predictors for each level of the tree, and less where no hidden row passes.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "a"], "ill": ["yes", "yes", "no", "*"]})
    >>> id3_recovers(view, "ill", [3], ["yes"], predictors=["drug"]).tolist()
    [True]
    """
    question = Question.of(view, column, rows, actuals, predictors)
    tree = Nodes.of(view, question.target, order)
    said = _said(question, tree, order)
    recovered: NDArray[np.bool_] = (said >= 0) & (said == tree.actual_ranks(question.actuals))
    return recovered


def id3_guesses(
    view: View,
    column: str,
    rows: Sequence[int] | NDArray[np.int64],
    *,
    predictors: Iterable[str],
    order: Order = None,
) -> NDArray[np.int64]:
    """Return what the decision tree says about each hidden cell: the code of a label, or -1 where it says nothing.

    It is the adversary of `id3_recovers`, asked for its answer. A value without a label in the view has no code.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "a"], "ill": ["yes", "yes", "no", "*"]})
    >>> id3_guesses(view, "ill", [3], predictors=["drug"]).tolist()
    [1]
    """
    question = Question.of(view, column, rows, [""] * len(rows), predictors)
    tree = Nodes.of(view, question.target, order)
    return tree.codes(view, question.target, _said(question, tree, order))


def _said(question: Question, tree: Nodes, order: Order) -> NDArray[np.int64]:
    """Return the rank of the value that each cell is said to hold, or -1."""
    cells = tree.cells(question.view, question.target)
    grower = _Grower(question, tree.ranks(cells), order)
    said = np.full(len(question.rows), -1, dtype=np.int64)
    for asked, top, left_out in _groups(question, cells):
        first, last = int(tree.first[top]), int(tree.last[top])
        if question.view.is_generalised and last - first == 1:
            said[asked] = first
        else:
            said[asked] = grower.classify(question.rows[asked], range(first, last), left_out)
    return said


def _groups(question: Question, cells: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], int, int]]:
    """Yield the cells that share a tree: their positions, the node above their candidates, the row to leave out."""
    own = cells[question.rows]
    if question.view.is_generalised:
        for top in np.unique(own).tolist():
            yield np.flatnonzero(own == top), top, -1
        return
    if (own == 0).any():
        yield np.flatnonzero(own == 0), 0, -1
    for place in np.flatnonzero(own).tolist():
        yield np.array([place]), 0, int(question.rows[place])


@dataclass(frozen=True, slots=True)
class _Pending:
    """A node still to be looked at."""

    training: NDArray[np.int64]
    asked: NDArray[np.int64]
    columns: NDArray[np.int64]


class _Grower:
    """Grows the part of a tree that the asked rows reach."""

    def __init__(self, question: Question, labels: NDArray[np.int64], order: Order) -> None:
        view = question.view
        self._labels = labels
        self._trees = [Nodes.of(view, position, order) for position in question.predictors]
        ranks = [
            tree.ranks(tree.cells(view, position))
            for tree, position in zip(self._trees, question.predictors, strict=True)
        ]
        self._ranks = np.array(ranks, dtype=np.int64).reshape(len(ranks), view.n_rows)
        sizes = [tree.leaf_nodes.size for tree in self._trees]
        self._start = np.cumsum([0, *sizes])
        self._column_of = np.repeat(np.arange(len(sizes)), sizes)
        # Each value of each column has a number; row by row, so that a node reads its rows in one go.
        items = np.where(self._ranks >= 0, self._ranks + self._start[:-1, np.newaxis], -1)
        self._items = np.ascontiguousarray(items.T)
        count = np.arange(view.n_rows + 1, dtype=float)
        self._n_log_n = count * np.log2(np.maximum(count, 1))

    def classify(self, rows: NDArray[np.int64], candidates: range, left_out: int) -> NDArray[np.int64]:
        """Return the label that the tree gives each row, or -1 if there is nothing to learn from."""
        said = np.full(len(rows), -1, dtype=np.int64)
        training = np.flatnonzero((self._labels >= candidates.start) & (self._labels < candidates.stop))
        training = training[training != left_out]
        if not training.size:
            return said
        pending = [_Pending(training, np.arange(len(rows)), np.arange(len(self._trees)))]
        while pending:
            node = pending.pop()
            present, labels = np.unique(self._labels[node.training], return_inverse=True)
            best = self._best_column(node, labels) if present.size > 1 else -1
            if best < 0:
                said[node.asked] = present[np.bincount(labels).argmax()]
            else:
                pending.extend(self._branches(node, best, rows))
        return said

    def _best_column(self, node: _Pending, labels: NDArray[np.int64]) -> int:
        best, most = -1, 0.0
        if node.columns.size:
            gains = self._gains(node, labels)
            for column in node.columns.tolist():
                if gains[column] > most + _SAME_GAIN:
                    best, most = column, gains[column]
        return best

    def _gains(self, node: _Pending, labels: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the information gain of every column of the node; zero for the others."""
        n_columns, n_labels = len(self._trees), int(labels.max()) + 1
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

    def _branches(self, node: _Pending, column: int, rows: NDArray[np.int64]) -> Iterator[_Pending]:
        """Yield the children that an asked row enters."""
        known = self._ranks[column, node.training]
        n_values = self._trees[column].leaf_nodes.size
        sizes = np.bincount(known[known >= 0], minlength=n_values)
        entered = self._route(column, known, sizes)
        # Branches are compared again with the rows that joined them.
        sizes = np.bincount(entered, minlength=n_values)
        asked = self._route(column, self._ranks[column, rows[node.asked]], sizes)
        by_branch = np.argsort(entered, kind="stable")
        ends = np.cumsum(sizes)
        columns = node.columns[node.columns != column]
        for branch in np.unique(asked).tolist():
            training = node.training[by_branch[ends[branch] - sizes[branch] : ends[branch]]]
            yield _Pending(training, node.asked[asked == branch], columns)

    def _route(self, column: int, ranks: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the branch of each value: its own, else the largest below it, else the largest."""
        largest = int(sizes.argmax())
        absent = ranks < 0
        absent[~absent] = sizes[ranks[~absent]] == 0
        route = np.where(absent, largest, ranks)
        tree = self._trees[column]
        for coarse in np.unique(ranks[ranks < -1]).tolist():
            node = -1 - coarse
            below = sizes[tree.first[node] : tree.last[node]]
            if below.any():
                route[ranks == coarse] = int(tree.first[node]) + int(below.argmax())
        return route
