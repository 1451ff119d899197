"""What an attacker has before it: one column of a release, its labels, and the candidates of each cell."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact import View
from withhold.table import Taxonomy

__all__ = ["Problem", "with_leaves"]


def with_leaves(view: View, column: str) -> View:
    """Return the view with a label for every value of the column's taxonomy, also for those that occur nowhere.

    Examples
    --------
    >>> tree = Taxonomy.from_nested({"any": {"low": {}, "high": {}}})
    >>> with_leaves(View.of({"a": ["low"]}, taxonomies={"a": tree}), "a").labels
    [('low', 'high')]
    """
    position = view.position(column)
    tree = view.trees[position]
    if tree is None:
        return view
    labels = list(view.labels)
    absent = [leaf for leaf in tree.leaves if leaf is not None and leaf not in set(labels[position])]
    labels[position] = (*labels[position], *absent)
    return View(view.columns, view.codes, labels, view.trees)


@dataclass(frozen=True, slots=True)
class Problem:
    """A column to be guessed. A row trains where its cell in the column is a value, not unknown nor coarser."""

    view: View
    """The published table."""
    target: int
    """The position of the column."""
    predictors: list[int]
    """The positions of the columns that predict, ordered by name."""
    classes: NDArray[np.int64]
    """The codes that at least one row trains, ascending."""
    label: NDArray[np.int64]
    """For each row the place of its value in `classes`, or -1."""
    below: NDArray[np.bool_]
    """For each code, and last for unknown: which of the classes the cell may hold. Without a taxonomy unknown only."""
    only: NDArray[np.int64]
    """For each code, and last for unknown: the code of the only value below it, or -1."""

    @classmethod
    def of(cls, view: View, column: str, predictors: Iterable[str]) -> "Problem":
        """Look at a column of a view; the column itself never predicts."""
        target = view.position(column)
        chosen = [position for position in view.positions(predictors) if position != target]
        chosen.sort(key=lambda position: view.columns[position])
        labels, tree, codes = view.labels[target], view.trees[target], view.codes[target]
        is_value = np.ones(len(labels) + 1, dtype=bool) if tree is None else _are_leaves(labels, tree)
        is_value[-1] = False
        trains = is_value[codes]
        classes = np.unique(codes[trains])
        place = np.full(len(labels) + 1, -1, dtype=np.int64)
        place[classes] = np.arange(classes.size)
        # Without a taxonomy a cell is a value or unknown; the only value that occurs need not be the only one there is.
        below, only = np.ones((1, classes.size), dtype=bool), np.array([-1])
        if tree is not None:
            below, only = _below(labels, tree, classes)
        return cls(view, target, chosen, classes, np.where(trains, place[codes], -1), below, only)

    @property
    def training(self) -> NDArray[np.int64]:
        """The rows that train."""
        return np.flatnonzero(self.label >= 0)

    @property
    def n_by_class(self) -> NDArray[np.int64]:
        """The number of training rows of each class."""
        return np.bincount(self.label[self.label >= 0], minlength=self.classes.size)

    def candidates(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each row and class whether the published cell leaves room for it."""
        found: NDArray[np.bool_] = self.below[self._coarse(rows)]
        return found

    def given_away(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the code of the only value below the published cell, or -1."""
        found: NDArray[np.int64] = self.only[self._coarse(rows)]
        return found

    def _coarse(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what is published in each cell; a value counts as unknown, for it is what is asked for."""
        codes = self.view.codes[self.target][rows]
        return np.where(self.label[rows] >= 0, -1, codes)


def _are_leaves(labels: tuple[str, ...], tree: Taxonomy) -> NDArray[np.bool_]:
    """Return for each label, and last for unknown, whether it is a leaf."""
    nodes = np.array([*(tree.node(label) for label in labels), 0])
    return np.isin(nodes, tree.leaf_nodes)


def _below(
    labels: tuple[str, ...], tree: Taxonomy, classes: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return for each label, and last for unknown, which classes lie below it, and the only value if there is one."""
    nodes = np.array([*(tree.node(label) for label in labels), 0])
    first, last = tree.first[nodes].astype(np.int64), tree.last[nodes].astype(np.int64)
    rank = first[classes]
    inside = (rank >= first[:, np.newaxis]) & (rank < last[:, np.newaxis])
    missing = tree.n_leaves if tree.missing is None else tree.missing
    n_below = last - first - ((first <= missing) & (missing < last))
    code_of = {label: code for code, label in enumerate(labels)}
    of_rank = np.array([code_of.get(str(leaf), -1) for leaf in tree.leaves] + [-1])
    return inside, np.where(n_below == 1, of_rank[first + (first == missing)], -1)
