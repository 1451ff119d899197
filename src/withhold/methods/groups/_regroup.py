"""Form groups anew out of rows whose own groups broke a promise: from the top, as fine as every promise allows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups._group_measures import Measure
from withhold.methods.groups._halve import can_halve, halve

__all__ = ["Lanes", "Pool", "PoolColumn", "regroup"]

Ints = NDArray[np.int64]
MANY = 2000
"""More rows than this are halved."""
WORTH_IT = 1e-9
"""A split that saves less than this is not made."""


@dataclass(frozen=True, slots=True, eq=False)
class PoolColumn:
    """The tree of a column, as far as cells may climb in it."""

    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    prices: NDArray[np.float64]
    is_fixed: bool = False
    """Whether no cell of it may change: rows that differ in it never share a group."""
    sets: frozenset[int] = frozenset()
    """The nodes that cover some codes of their range only."""
    ends: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """The smallest and the largest number that each node allows, where that may be more than its codes say."""

    def common(self, nodes: NDArray[np.int32]) -> int:
        """Return the lowest node above all of these."""
        low, high, node = int(self.first[nodes].min()), int(self.last[nodes].max()), int(nodes[0])
        if (nodes == node).all():
            return node
        while node in self.sets or self.first[node] > low or self.last[node] < high or self._is_short(node, nodes):
            node = int(self.parent[node])
        return node

    def _is_short(self, node: int, nodes: NDArray[np.int32]) -> bool:
        """Return whether a node excludes a number that one of these allows."""
        if self.ends is None:
            return False
        low, high = self.ends
        return bool(low[node] > low[nodes].min() or high[node] < high[nodes].max())

    def branches(self, nodes: NDArray[np.int32], top: int) -> NDArray[np.int32]:
        """Return for each node the highest one below `top` that it lies at or below, -1 for `top` itself."""
        found = np.asarray(nodes, dtype=np.int32).copy()
        while True:
            above = self.parent[found]
            # An interval that a search made covers values whose parent is the root.
            is_inside = (self.first[above] >= self.first[top]) & (self.last[above] <= self.last[top])
            is_deep = (found != top) & (above != top) & (above >= 0) & is_inside
            if not is_deep.any():
                return np.where(found == top, -1, found).astype(np.int32)
            found = np.where(is_deep, above, found).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """A promise about the groups: its measure, and for each row the place it counts in, -1 for none."""

    measure: Measure
    lane: Ints
    n_lanes: int
    weights: Ints | None = None
    """How many rows of the table each row stands for; None: one each."""

    def histogram(self, rows: Ints, weights: Ints) -> Ints:
        """Return the counts of some rows."""
        lane = self.lane[rows]
        held = lane >= 0
        return np.bincount(lane[held], weights=weights[rows][held], minlength=self.n_lanes).astype(np.int64)

    def histograms(self, groups: Ints, n_groups: int) -> Ints:
        """Return the counts of all groups, one line each."""
        held = self.lane >= 0
        key = groups[held] * self.n_lanes + self.lane[held]
        weights = None if self.weights is None else self.weights[held]
        counts = np.bincount(key, weights=weights, minlength=n_groups * self.n_lanes)
        return counts.reshape(n_groups, self.n_lanes).astype(np.int64)

    def only(self, rows: Ints) -> "Lanes":
        """Return the same promise about some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return Lanes(self.measure, self.lane[rows], self.n_lanes, weights)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Rows to be grouped: for each column a node a row, and every promise."""

    columns: Sequence[PoolColumn]
    nodes: NDArray[np.int32]
    """Rows by columns."""
    promises: Sequence[Lanes]
    weights: Ints
    """How many rows of the table each row stands for."""

    def is_met(self, rows: Ints) -> bool:
        """Return whether rows that share one group keep every promise."""
        return all(
            bool(each.measure.is_met(each.histogram(rows, self.weights).reshape(1, -1))[0]) for each in self.promises
        )

    def tops(self, rows: Ints) -> list[int]:
        """Return for each column what the group of these rows would publish."""
        return [column.common(self.nodes[rows, j]) for j, column in enumerate(self.columns)]

    def loss(self, rows: Ints) -> float:
        """Return what that loses, summed over rows and columns."""
        lost = sum(column.prices[top] for column, top in zip(self.columns, self.tops(rows), strict=True))
        return float(lost) * float(self.weights[rows].sum())


def regroup(pool: Pool) -> NDArray[np.int32]:
    """Return the nodes that the rows publish in groups that keep every promise.

    All rows together must keep them. A group is split along the tree of one column, the one that saves most; parts
    that break a promise stay together, with more parts where that is not enough. Very many rows are halved instead,
    since each split here looks at every column anew.

    Examples
    --------
    >>> from withhold.methods.groups import Size
    >>> tree = PoolColumn(np.array([-1, 0, 0]), np.array([0, 0, 1]), np.array([2, 1, 2]), np.array([1.0, 0.0, 0.0]))
    >>> size = Lanes(Size(2), np.zeros(5, dtype=np.int64), 1)
    >>> nodes = np.array([[1], [1], [1], [2], [2]], dtype=np.int32)
    >>> regroup(Pool([tree], nodes, [size], np.ones(5, dtype=np.int64))).T.tolist()
    [[1, 1, 1, 2, 2]]
    """
    if len(pool.nodes) > MANY and can_halve(pool):
        return halve(pool)
    found = pool.nodes.copy()
    waiting = [np.arange(len(pool.nodes))]
    while waiting:
        rows = waiting.pop()
        parts = _best_split(pool, rows)
        if len(parts) > 1:
            waiting += parts
        else:
            found[rows] = np.array(pool.tops(rows), dtype=np.int32)
    return found


def _best_split(pool: Pool, rows: Ints) -> list[Ints]:
    tops, before = pool.tops(rows), pool.loss(rows)
    best, parts = before - WORTH_IT * (1 + before), [rows]
    for j, column in enumerate(pool.columns):
        if column.first[tops[j]] + 1 == column.last[tops[j]]:
            continue
        branches = column.branches(pool.nodes[rows, j], tops[j])
        split = _mended(pool, [rows[branches == branch] for branch in np.unique(branches)])
        after = sum(pool.loss(part) for part in split)
        if len(split) > 1 and after < best:
            best, parts = after, split
    return parts


def _mended(pool: Pool, parts: list[Ints]) -> list[Ints]:
    """Put the parts that break a promise together, and add the smallest others until they keep it."""
    met = [pool.is_met(part) for part in parts]
    good = sorted((part for part, is_good in zip(parts, met, strict=True) if is_good), key=len, reverse=True)
    bad = [part for part, is_good in zip(parts, met, strict=True) if not is_good]
    if not bad:
        return good
    rest = np.concatenate(bad)
    while good and not pool.is_met(rest):
        rest = np.concatenate([rest, good.pop()])
    return [*good, rest]
