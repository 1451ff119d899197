"""A table made ready for the adversaries: nodes instead of values, and one model for each target."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from withhold._compiled import Array
from withhold.errors import DataError, TaxonomyError, did_you_mean
from withhold.methods.inference._id3_tree import Tree, new_tree, plant
from withhold.methods.inference._posteriors import find_guesses, is_predicted, ratio_of_value, write_ratio
from withhold.methods.inference._ratios import Ratio
from withhold.methods.inference._state import CHANGE, DEEPEST, HIDDEN, State, change, count_rows, empty_log, undo
from withhold.methods.inference._walks import NOWHERE, find_exposing_leaf, predict
from withhold.table import WITHHELD, Grid, Table, Taxonomy

__all__ = ["Sheet"]

MOST_COUNTS = 400_000_000


class Sheet:
    """A table that cells can be hidden in, with what naive Bayes and ID3 learn from it kept up to date.

    Algorithms take a `Table` or a sheet. With a sheet the counting is done once for many cells.

    Parameters
    ----------
    table
        The table.
    modify
        ``"delete"`` blanks cells; ``"generalize"`` climbs along the domains of the table (its taxonomies).
    predictors
        The columns an outsider predicts from; every column where None. A column never predicts itself.
    taxonomies
        The taxonomies of columns, where they are not the domains of the table; cells may be coarse already.

    Examples
    --------
    >>> from withhold import samples
    >>> sheet = Sheet(samples.thesis_table1(), predictors=["Indigestion", "Chest Pain", "Palpitation"])
    >>> sheet.is_exposed(1, "Diagnosis")
    True
    """

    def __init__(
        self,
        table: Table | Grid,
        *,
        modify: str = "delete",
        predictors: Sequence[str] | None = None,
        taxonomies: Mapping[str, Taxonomy] | None = None,
    ) -> None:
        self.grid = table if isinstance(table, Grid) else Grid.of(table)
        self.generalizes = modify == "generalize"
        self._predictors = predictors
        trees = [_flat(values) for values in self.grid.labels]
        if self.generalizes:
            found = dict(taxonomies or {})
            if isinstance(table, Table):
                domains = {name: table.domain(name) for name in table.names if name not in found}
                found |= {name: domain for name, domain in domains.items() if isinstance(domain, Taxonomy)}
            trees = [
                _climbing(values, found.get(name))
                for name, values in zip(self.grid.columns, self.grid.labels, strict=True)
            ]
        self.labels = [tree.names for tree in trees]
        """For each column the names of its nodes, values first."""
        # HIDDEN is -1, so what is published for it stands last; so does the root, the last node of a tree.
        self.texts = [[*(names[:-1] if self.generalizes else names), WITHHELD] for names in self.labels]
        """For each column what is published for each node, HIDDEN included."""
        self.state = self._state(trees)
        self.roots = np.array([self.root(column) for column in range(len(trees))], dtype=np.int64)
        """For each column what stands for an unknown value."""
        self.actual = self.state.codes.copy()
        """What stood in each cell before anything was hidden."""

    def _state(self, trees: "list[_Tree]") -> State:
        n_rows, n_columns = self.grid.codes.shape
        node_at = np.cumsum([0, *(len(tree.names) for tree in trees)]).astype(np.int64)
        codes = np.empty_like(self.grid.codes)
        for j, tree in enumerate(trees):
            unknown = len(tree.names) - 1 if self.generalizes else HIDDEN
            codes[:, j] = np.array([*tree.node_of_value, unknown])[self.grid.codes[:, j]]
        lists = [own for tree in trees for own in tree.children]
        return State(
            codes=codes,
            n_leaves=np.array([tree.n_leaves for tree in trees], dtype=np.int64),
            node_at=node_at,
            parent=np.array([over for tree in trees for over in tree.parent], dtype=np.int32),
            child_at=np.cumsum([0, *(len(own) for own in lists)]).astype(np.int64),
            children=np.array([child for own in lists for child in own], dtype=np.int32),
            uses=self._uses(),
            model_at=np.full(n_columns, -1, dtype=np.int64),
            below=np.zeros(0, dtype=np.int32),
            labels_at=node_at[:-1],
            labels=np.zeros(int(node_at[-1]), dtype=np.int32),
            log=empty_log(n_rows, n_columns),
            n_log=np.zeros(1, dtype=np.int64),
            is_strict=False,
        )

    def _uses(self) -> Array:
        n_columns = len(self.grid.columns)
        chosen = np.ones(n_columns, dtype=bool)
        if self._predictors is not None:
            chosen[:] = False
            for name in self._predictors:
                chosen[self.place(name)] = True
        return np.tile(chosen, (n_columns, 1)) & ~np.eye(n_columns, dtype=bool)

    def place(self, column: str) -> int:
        """Return the position of a column."""
        if column not in self.grid.columns:
            raise DataError(f'there is no column "{column}"{did_you_mean(column, self.grid.columns)}')
        return self.grid.columns.index(column)

    def prepare(self, targets: Iterable[int]) -> None:
        """Count the models of these targets, unless they are kept already."""
        state = self.state
        wanted = [t for t in dict.fromkeys(targets) if state.model_at[t] < 0]
        if not wanted:
            return
        n_nodes = int(state.node_at[-1])
        sizes = [n_nodes * int(state.n_leaves[t]) for t in wanted]
        if state.below.size + sum(sizes) > MOST_COUNTS:
            widest = self.grid.columns[int(np.argmax(state.n_leaves))]
            raise DataError(
                f'there are too many distinct values to count them against each other; column "{widest}" has '
                f"{int(state.n_leaves.max())}. Hint: give it bins or a taxonomy, or leave it out of the predictors."
            )
        model_at = state.model_at.copy()
        model_at[wanted] = state.below.size + np.cumsum([0, *sizes[:-1]])
        below = np.concatenate([state.below, np.zeros(sum(sizes), dtype=np.int32)])
        self.state = state._replace(model_at=model_at, below=below)
        self.__dict__.pop("tree", None)  # it may be too small now
        for target in wanted:
            count_rows(self.state, target)

    @cached_property
    def tree(self) -> Tree:
        """Room for a decision tree of any target that is prepared."""
        state = self.state
        most_classes = int(state.n_leaves[state.model_at >= 0].max(initial=1))
        return new_tree(self.grid.n_rows, int(state.node_at[-1]) * most_classes)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.grid.n_rows

    @contextmanager
    def counting_ties(self, *, counts: bool = True) -> Iterator[None]:
        """Let an adversary recover whatever is among equals, for the time being; or read ties as the thesis does."""
        before = self.state.is_strict
        self.state = self.state._replace(is_strict=counts)
        try:
            yield
        finally:
            self.state = self.state._replace(is_strict=before)

    def put(self, row: int, target: int, node: int) -> None:
        """Put a node into a cell."""
        change(self.state, row, target, node)

    def undo(self, mark: int) -> None:
        """Take back everything since a line of the log."""
        undo(self.state, mark)

    def compact(self, mark: int) -> None:
        """Shorten the log from a line on to one line for each cell that differs from what it was then."""
        lines = self.state.log[mark : self.mark]
        lines = lines[lines[:, 0] == CHANGE]
        cells = lines[:, 1].astype(np.int64) * self.state.codes.shape[1] + lines[:, 2]
        _, first = np.unique(cells, return_index=True)
        kept = lines[np.sort(first)]
        kept[:, 4] = self.state.codes[kept[:, 1], kept[:, 2]]
        kept = kept[kept[:, 3] != kept[:, 4]]
        self.state.log[mark : mark + len(kept)] = kept
        self.state.n_log[0] = mark + len(kept)

    @property
    def mark(self) -> int:
        """The line of the log that would be written next."""
        return int(self.state.n_log[0])

    def climb(self, target: int, value: int, levels: int) -> int:
        """Return the node some levels above a value, or -1 beyond the root."""
        node = value
        for _ in range(levels):
            if node < 0:
                break
            node = int(self.state.parent[self.state.node_at[target] + node])
        return node

    def levels_up(self, target: int, value: int, node: int) -> int:
        """Return how many levels a node lies above a value."""
        levels = 0
        while self.climb(target, value, levels) != node:
            levels += 1
        return levels

    def root(self, column: int) -> int:
        """Return what stands for an unknown value: the root of a column, or HIDDEN where values are deleted."""
        return int(self.state.node_at[column + 1] - self.state.node_at[column]) - 1 if self.generalizes else HIDDEN

    def published(self, column: int, node: int) -> str:
        """Return what is published for a node."""
        return self.texts[column][node]

    def node(self, column: int, published: str) -> int:
        """Return the node that a published text stands for."""
        return self.root(column) if published == WITHHELD else self.labels[column].index(published)

    def candidates(self, target: int, top: int) -> list[int]:
        """Return the values of a target that can stand behind a published node."""
        values = range(int(self.state.n_leaves[target]))
        return [v for v in values if top < 0 or self.is_at_or_below(target, v, top)]

    def is_at_or_below(self, column: int, node: int, other: int) -> bool:
        """Return whether a node is another one or lies below it."""
        while node >= 0 and node != other:
            node = int(self.state.parent[self.state.node_at[column] + node])
        return node == other

    def is_predicted(self, row: int, target: int, top: int, actual: int) -> bool:
        """Return whether naive Bayes gives a row the actual class."""
        return bool(is_predicted(self.state, row, target, top, actual))

    def is_classified(self, row: int, target: int, top: int, actual: int) -> bool:
        """Return whether ID3 gives a row the actual class."""
        if not self.state.is_strict:
            return int(predict(self.tree, self.state, target, top, row)) == actual
        plant(self.tree, self.state, target, top)
        return int(find_exposing_leaf(self.tree, self.state, target, top, row, actual)) != NOWHERE

    def guesses(self, row: int, target: int, top: int, actual: int, degree: int | None) -> list[int]:
        """Return the classes that a random next best guess may be."""
        room = np.empty(int(self.state.n_leaves[target]), dtype=np.int64)
        n = find_guesses(self.state, row, target, top, actual, room.size if degree is None else degree, room)
        return [int(label) for label in room[:n]]

    def probability(self, row: int, target: int, top: int, label: int) -> Fraction:
        """Return what naive Bayes makes of a class for a row: prior times conditionals, exactly."""
        room = _room(2 * (DEEPEST + 2) * (self.state.codes.shape[1] + 2))
        result = _exactly(write_ratio(self.state, row, target, top, label, room))
        at = self.state.labels_at[target]
        if top < 0:
            total = int(self.state.labels[at : at + self.state.n_leaves[target]].sum())
            return result / total if total else Fraction(0)
        total = int(self.state.labels[at + top])
        used = np.flatnonzero(self.state.uses[target]).tolist()
        n_factors = sum(self.published(j, int(self.state.codes[row, j])) != WITHHELD for j in used)
        return result / Fraction(total) ** n_factors if total else Fraction(0)

    def updated(self, target: int, column: int, node: int, label: int) -> Fraction:
        """Return the updated count of a predictor's node within a class: shared out along its taxonomy."""
        return _exactly(ratio_of_value(self.state, target, column, node, label, _room(DEEPEST + 2)))

    def is_exposed(self, row: int, column: str, *, against: Sequence[str] = ("naive-bayes", "id3")) -> bool:
        """Return whether one of the adversaries may recover a cell if only it were hidden, whichever way ties go."""
        target = self.place(column)
        self.prepare([target])
        actual = int(self.actual[row, target])
        mark = self.mark
        self.put(row, target, HIDDEN)
        top = self.root(target)
        try:
            with self.counting_ties():
                return ("naive-bayes" in against and self.is_predicted(row, target, top, actual)) or (
                    "id3" in against and self.is_classified(row, target, top, actual)
                )
        finally:
            self.undo(mark)


class _Tree(NamedTuple):
    """A column's tree, leaves first."""

    names: list[str]
    n_leaves: int
    parent: list[int]
    children: list[list[int]]
    node_of_value: list[int]
    """For each value of the grid its node."""


def _flat(values: Sequence[str]) -> _Tree:
    """Return a tree of leaves alone, for values that are only deleted."""
    n = len(values)
    return _Tree(list(values), n, [-1] * n, [[] for _ in values], list(range(n)))


def _climbing(values: Sequence[str], taxonomy: Taxonomy | None) -> _Tree:
    """Return a tree with its root last; a value of the table may be an inner node already."""
    tree = taxonomy or Taxonomy.flat(values)
    if tree.depth.max(initial=0) > DEEPEST:
        raise TaxonomyError(f"{tree.source}: has more than {DEEPEST} levels, too many for cells to climb.")
    leaves = [node for node in tree.leaf_nodes.tolist() if tree.labels[node] is not None]
    inner = sorted(set(range(tree.n_nodes)) - set(tree.leaf_nodes.tolist()), reverse=True)
    number = {node: i for i, node in enumerate([*leaves, *inner])}
    parent = [number.get(int(tree.parent[node]), -1) for node in number]
    children: list[list[int]] = [[] for _ in number]
    for own, over in enumerate(parent):
        if over >= 0:
            children[over].append(own)
    names = [str(tree.labels[node]) for node in number]
    return _Tree(names, len(leaves), parent, children, [number[tree.node(value)] for value in values])


def _room(size: int) -> Ratio:
    return Ratio(np.empty(size, dtype=np.int64), 0, np.empty(size, dtype=np.int64), 0)


def _exactly(ratio: Ratio) -> Fraction:
    above, below = ratio.above[: ratio.n_above], ratio.below[: ratio.n_below]
    return Fraction(math.prod(above.tolist()), math.prod(below.tolist()))
