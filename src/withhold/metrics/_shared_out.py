"""Columns before and after cells were withheld, as nodes of one tree; coarse cells shared out over the values below."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError
from withhold.table import UNKNOWN, WITHHELD, Grid, Table, Taxonomy

__all__ = ["Column", "Weighted", "columns_of", "count_pairs"]

DENSE = 1 << 22
"""Pairs are counted in a table up to this size, and sorted above it."""


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """Values, or pairs of values, with weights that sum to the number of rows that know them."""

    keys: NDArray[np.int64]
    """The values, ascending, each once."""
    weights: NDArray[np.float64]
    """How many rows hold each, counted in parts."""

    @property
    def shares(self) -> NDArray[np.float64]:
        """The weights, normalised."""
        return np.asarray(self.weights / self.weights.sum())


@dataclass(frozen=True, eq=False)
class Column:
    """One column of one table, as nodes of a tree."""

    name: str
    """Its name."""
    tree: Taxonomy | None
    """The tree; None where every known cell is a value."""
    nodes: NDArray[np.int64]
    """For each row its node; UNKNOWN for a cell that is missing, withheld or at the root."""
    n_nodes: int
    """How many nodes there are."""

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each node."""
        return np.bincount(self.nodes[self.nodes >= 0], minlength=self.n_nodes)

    @cached_property
    def parts(self) -> dict[int, list[tuple[int, Fraction]]]:
        """For each coarse node that occurs, the values below it, and the part of a cell that each gets."""
        if self.tree is None:
            return {}
        inner = np.setdiff1d(np.flatnonzero(self.counts), self.tree.leaf_nodes)
        if not inner.size:
            return {}
        updated = _updated_counts(self.tree, self.counts.tolist())
        parts = {}
        for node in inner.tolist():
            leaves = self.tree.leaf_nodes[self.tree.first[node] : self.tree.last[node]].tolist()
            total = sum((updated[leaf] for leaf in leaves), Fraction(0))
            parts[node] = [(leaf, updated[leaf] / total) for leaf in leaves if updated[leaf]]
        return parts

    def share_out(
        self, cells: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return for weighted nodes the values they stand for: which node each comes from, the value, its weight."""
        origin = np.arange(cells.size)
        if not self.parts:
            return origin, cells, weights
        width = np.ones(self.n_nodes, dtype=np.int64)
        for node, parts in self.parts.items():
            width[node] = len(parts)
        begin = np.cumsum(width) - width
        leaves, factors = np.repeat(np.arange(self.n_nodes), width), np.ones(int(width.sum()))
        for node, parts in self.parts.items():
            stretch = slice(begin[node], begin[node] + len(parts))
            leaves[stretch] = [leaf for leaf, _ in parts]
            factors[stretch] = [float(part) for _, part in parts]
        origin = np.repeat(origin, width[cells])
        within = np.arange(origin.size) - np.repeat(np.cumsum(width[cells]) - width[cells], width[cells])
        entries = begin[cells[origin]] + within
        return origin, leaves[entries], weights[origin] * factors[entries]

    def distribution(self) -> Weighted:
        """Return the values of the known cells, coarse ones shared out."""
        held = np.flatnonzero(self.counts)
        _, leaves, weights = self.share_out(held, self.counts[held].astype(np.float64))
        return _summed(leaves, weights)

    def joint(self, other: "Column") -> Weighted:
        """Return the pairs of values of the rows that know both columns, as ``value * other.n_nodes + other value``."""
        both = (self.nodes >= 0) & (other.nodes >= 0)
        pairs, counts = count_pairs(self.nodes[both], other.nodes[both], self.n_nodes, other.n_nodes)
        weights = counts.astype(np.float64)
        if not self.parts and not other.parts:
            return Weighted(pairs, weights)
        origin, leaves, weights = self.share_out(pairs // other.n_nodes, weights)
        origin, other_leaves, weights = other.share_out(pairs[origin] % other.n_nodes, weights)
        return _summed(leaves[origin] * other.n_nodes + other_leaves, weights)

    def is_independent(self, other: "Column") -> bool:
        """Return, exactly, whether the joint distribution of two columns is the product of its marginals."""
        both = (self.nodes >= 0) & (other.nodes >= 0)
        pairs, counts = count_pairs(self.nodes[both], other.nodes[both], self.n_nodes, other.n_nodes)
        joint: dict[tuple[int, int], Fraction] = {}
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            node, other_node = divmod(pair, other.n_nodes)
            for leaf, part in self.parts.get(node, [(node, Fraction(1))]):
                for other_leaf, other_part in other.parts.get(other_node, [(other_node, Fraction(1))]):
                    held = joint.get((leaf, other_leaf), Fraction(0))
                    joint[leaf, other_leaf] = held + count * part * other_part
        left: dict[int, Fraction] = {}
        right: dict[int, Fraction] = {}
        for (leaf, other_leaf), weight in joint.items():
            left[leaf] = left.get(leaf, Fraction(0)) + weight
            right[other_leaf] = right.get(other_leaf, Fraction(0)) + weight
        total = int(counts.sum())
        return all(weight * total == left[leaf] * right[other_leaf] for (leaf, other_leaf), weight in joint.items())


def _updated_counts(tree: Taxonomy, own: Sequence[int]) -> list[Fraction]:
    """Return counts summed up the tree, with what a node holds beyond its children handed down in proportion."""
    total = list(own)
    children: list[list[int]] = [[] for _ in total]
    for node in range(tree.n_nodes - 1, 0, -1):
        above = int(tree.parent[node])
        total[above] += total[node]
        children[above].append(node)
    updated = [Fraction(count) for count in total]
    for node, below in enumerate(children):
        held = sum(total[child] for child in below)
        surplus = updated[node] - held
        for child in below:
            updated[child] += surplus * (Fraction(total[child], held) if held else Fraction(1, len(below)))
    return updated


def _summed(keys: NDArray[np.int64], weights: NDArray[np.float64]) -> Weighted:
    found, place = np.unique(keys, return_inverse=True)
    return Weighted(found, np.bincount(place, weights=weights, minlength=found.size).astype(np.float64))


def count_pairs(
    first: NDArray[np.int64], second: NDArray[np.int64], n_first: int, n_second: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct pairs, as ``first * n_second + second``, and how often each occurs."""
    keys = first * n_second + second
    if n_first * n_second > DENSE:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=1)
    found = np.flatnonzero(counts)
    return found, counts[found]


def columns_of(
    tables: Sequence[Grid | Table], columns: Sequence[str] | None, taxonomies: Mapping[str, Taxonomy] | None
) -> list[tuple[Column, ...]]:
    """Return for each column what it is in each of the tables, over one tree."""
    found = dict(taxonomies or {})
    for table in tables:
        if isinstance(table, Table):
            given = {name: table.domain(name) for name in table.names if table.has_given_domain(name)}
            found = {name: domain for name, domain in given.items() if isinstance(domain, Taxonomy)} | found
    grids = [table if isinstance(table, Grid) else Grid.of(table) for table in tables]
    if len({grid.n_rows for grid in grids}) > 1:
        raise DataError("the tables before and after must have the same rows, in the same order.")
    chosen = grids[0].columns if columns is None else columns
    for name in chosen:
        if any(name not in grid.columns for grid in grids):
            raise DataError(f'there is no column "{name}" in both tables.')
    return [_in_each(name, grids, found.get(name)) for name in chosen]


def _in_each(name: str, grids: Sequence[Grid], tree: Taxonomy | None) -> tuple[Column, ...]:
    labels = [grid.labels[grid.place(name)] for grid in grids]
    known: dict[str | None, int] = {label: i for i, label in enumerate(dict.fromkeys(t for own in labels for t in own))}
    if tree is not None:
        known = {label: tree.node(label) for label in known if label != WITHHELD}
        known[tree.labels[0]] = UNKNOWN
    known[WITHHELD] = UNKNOWN
    n_nodes = len(known) if tree is None else tree.n_nodes
    columns = []
    for grid, own in zip(grids, labels, strict=True):
        recode = np.array([*(known[label] for label in own), UNKNOWN], dtype=np.int64)
        columns.append(Column(name, tree, recode[grid.codes[:, grid.place(name)]], n_nodes))
    return tuple(columns)
