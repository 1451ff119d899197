"""What a range of a column's values publishes, and what that costs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.errors import InputError
from withhold.table import Taxonomy

__all__ = ["Column", "NumberColumn", "SetColumn", "SuppressColumn", "TreeColumn"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Blocks of leaves of a tree, level by level, from the root to the leaves."""

    nodes: NDArray[np.int32]
    """For each level and leaf the node that stands there: (levels, leaves)."""
    price: Floats
    """The price of each node."""


@dataclass(frozen=True, slots=True)
class TreeColumn:
    """A column of categories: a range of leaves is published as the lowest node that covers it.

    The price of a node is (leaves below - 1) / (leaves - 1), of the root 1, unless `prices` says otherwise.

    Parameters
    ----------
    taxonomy
        The tree; code i is its i-th leaf. The missing leaf sits below the root.
    weight
        The importance, at least 0.
    prices
        A price for each node of the tree, from 0 to 1, not falling towards the root.
    finest
        The largest depth of a node that may be published; None: leaves.
    coarsest
        The smallest depth of a node that may be published; rows published as ``*`` throughout are not concerned.

    Examples
    --------
    >>> tree = Taxonomy.from_nested({"Any": {"School": ["9th", "10th"], "University": ["Bachelors"]}})
    >>> column = TreeColumn(tree)
    >>> tree.labels[column.node(0, 1)], column.price(0, 1), column.price(0, 2)
    ('School', 0.5, 1.0)
    """

    taxonomy: Taxonomy
    weight: float = 1.0
    prices: Floats | None = None
    finest: int | None = None
    coarsest: int = 0

    @property
    def n_leaves(self) -> int:
        """The number of leaves of the tree."""
        return self.taxonomy.n_leaves

    def levels(self) -> Levels:
        """Return the blocks of the tree; the last level holds what is published of a single leaf."""
        tree = self.taxonomy
        deepest = int(tree.depth.max(initial=0))
        if self.finest is not None:
            deepest = min(deepest, self.finest)
        rows = [tree.leaf_nodes.copy()]
        while True:
            above = rows[-1].copy()
            too_deep = tree.depth[above] > deepest
            if not too_deep.any():
                break
            above[too_deep] = tree.parent[above[too_deep]]
            rows[-1] = above
        for depth in range(deepest - 1, -1, -1):
            above = rows[-1].copy()
            deep = tree.depth[above] > depth
            above[deep] = tree.parent[above[deep]]
            rows.append(above)
        return Levels(nodes=np.array(rows[::-1], dtype=np.int32), price=self.node_prices())

    def node_prices(self) -> Floats:
        """Return the price of each node, without the weight."""
        tree = self.taxonomy
        if self.prices is not None:
            return np.asarray(self.prices, dtype=np.float64)
        price: Floats = (tree.last - tree.first - 1) / max(tree.n_leaves - 1, 1)
        price[0] = 1.0 if tree.n_leaves > 1 else 0.0
        return price

    def node(self, low: int, high: int) -> int:
        """Return the lowest node that covers the leaves ``low … high``, within `finest`."""
        nodes = self.levels().nodes
        for level in range(nodes.shape[0] - 1, -1, -1):
            if nodes[level, low] == nodes[level, high]:
                return int(nodes[level, low])
        return 0

    def nodes(self, low: Array, high: Array) -> NDArray[np.int32]:
        """Return the node of each pair of ends."""
        found = np.zeros(low.size, dtype=np.int32)
        for level in self.levels().nodes:
            same = level[low] == level[high]
            found[same] = level[low[same]]
        return found

    def price(self, low: int, high: int) -> float:
        """Return the price of the leaves ``low … high``, without the weight."""
        return float(self.node_prices()[self.node(low, high)])


@dataclass(frozen=True, slots=True)
class SuppressColumn:
    """A column whose values are published or withheld, never coarsened: a tree of one level.

    Examples
    --------
    >>> column = SuppressColumn(["f", "m", None])
    >>> column.price(0, 0), column.price(0, 1)
    (0.0, 1.0)
    """

    labels: Sequence[str | None]
    weight: float = 1.0
    keep: bool = False

    @property
    def tree(self) -> TreeColumn:
        """The column as a flat tree."""
        return TreeColumn(Taxonomy.flat(self.labels), weight=self.weight, coarsest=int(self.keep))

    @property
    def n_leaves(self) -> int:
        """The number of values."""
        return len(self.labels)

    def price(self, low: int, high: int) -> float:
        """Return the price of the codes ``low … high``, without the weight."""
        return float(low != high)


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column of numbers: a range of values is published as an interval; a single value as itself.

    The price of an interval is its width over the width of the bounds. Code ``len(values)`` is *missing*: a range that
    holds it and a number is published as ``*``, at the price 1.

    Parameters
    ----------
    values
        The distinct values, ascending.
    bounds
        The published lower and upper bound; None: the ends of `values`.
    edges
        Where intervals may end, ascending; the bounds are added. None: at any value. Intervals then read
        ``[low, high)``, and ``[low, high]`` at the last edge; both ends lie at an edge.
    missing
        Whether there is a code for missing.
    weight
        The importance, at least 0.
    step
        The distance of two neighbouring values, such as 1 for whole years, where intervals on `edges` are read as
        ``low … high - step``; 0: as numbers of any precision.
    keep
        Whether every value is published as it is (except in rows that are withheld).
    prices
        The price of the interval from each edge to each other one, from 0 to 1: (edges, edges), as `all_edges` lists
        them; needs `edges`. None: by width.

    Examples
    --------
    >>> age = NumberColumn([17, 23, 24, 90], edges=[20, 40, 60])
    >>> age.interval(1, 2), round(age.price(1, 2), 3), age.interval(0, 0)
    ((20.0, 40.0), 0.274, (17.0, 17.0))
    """

    values: Sequence[float] | Floats
    bounds: tuple[float, float] | None = None
    edges: Sequence[float] | Floats | None = None
    missing: bool = False
    weight: float = 1.0
    step: float = 0.0
    keep: bool = False
    prices: Floats | None = None

    def __post_init__(self) -> None:
        if self.prices is not None and (self.edges is None or self.prices.shape != (self.all_edges().size,) * 2):
            raise InputError("NumberColumn: `prices` needs `edges`, and a line and a column for each of `all_edges()`.")
        values = np.asarray(self.values, dtype=np.float64)
        if values.size and not (np.diff(values) > 0).all():
            raise InputError("NumberColumn: `values` must be ascending.")
        low, high = self.range
        if values.size and (values[0] < low or values[-1] > high):
            raise InputError("NumberColumn: `bounds` must hold all values.")

    @property
    def n_leaves(self) -> int:
        """The number of codes, missing included."""
        return len(self.values) + self.missing

    @property
    def range(self) -> tuple[float, float]:
        """The bounds, as numbers."""
        if self.bounds is not None:
            return float(self.bounds[0]), float(self.bounds[1])
        return (float(self.values[0]), float(self.values[-1])) if len(self.values) else (0.0, 0.0)

    def all_edges(self) -> Floats:
        """Return where intervals may end, the bounds included; `edges` must be given."""
        low, high = self.range
        inner = np.asarray(self.edges, dtype=np.float64)
        return np.concatenate([[low], inner[(inner > low) & (inner < high)], [high]])

    def ends(self) -> tuple[Floats, Floats]:
        """Return for each value the lower end of intervals that begin there, and the upper of those that end there."""
        values = np.asarray(self.values, dtype=np.float64)
        if self.edges is None:
            return values, values
        edges, high = self.all_edges(), self.range[1]
        down = edges[np.searchsorted(edges, values, side="right") - 1]
        up = edges[np.minimum(np.searchsorted(edges, values, side="right"), edges.size - 1)]
        # what begins at the last edge is that one value; its interval begins an edge earlier
        return np.where((down == high) & (edges.size > 1), edges[max(edges.size - 2, 0)], down), up

    def interval(self, low: int, high: int) -> tuple[float, float] | None:
        """Return the ends of what the codes ``low … high`` publish; None is ``*``, equal ends are a value."""
        if high >= len(self.values):
            return None
        if low == high:
            return float(self.values[low]), float(self.values[low])
        down, up = self.ends()
        return float(down[low]), float(up[high])

    def price(self, low: int, high: int) -> float:
        """Return the price of the codes ``low … high``, without the weight."""
        if low == high:
            return 0.0
        ends = self.interval(low, high)
        if self.prices is not None:
            first, last = (0, -1) if ends is None else np.searchsorted(self.all_edges(), ends)
            return float(self.prices[first, last])
        width = self.range[1] - self.range[0]
        if ends is None or width <= 0:
            return 1.0
        return (ends[1] - ends[0] - (self.step if self.edges is not None and ends[1] < self.range[1] else 0)) / width


@dataclass(frozen=True, slots=True)
class SetColumn:
    """A column of categories without a tree: a group is published as the set of its values, ``{clerk, cook}``.

    The price of a set is (members - 1) / (values - 1). A set of more than `most` members, and one that holds a
    missing cell and a value, is published as ``*``, at the price 1.

    Parameters
    ----------
    labels
        The values; ``None`` is missing.
    most
        The largest number of members; None: any.
    weight
        The importance, at least 0.
    keep
        Whether every value is published as it is (except in rows that are withheld).

    Examples
    --------
    >>> SetColumn(["clerk", "cook", "judge"]).price([0, 1])
    0.5
    """

    labels: Sequence[str | None]
    most: int | None = None
    weight: float = 1.0
    keep: bool = False
    missing: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", self.labels.index(None) if None in self.labels else -1)

    @property
    def n_leaves(self) -> int:
        """The number of values, missing included."""
        return len(self.labels)

    def price(self, members: Sequence[int]) -> float:
        """Return the price of a set of codes, without the weight."""
        return 1.0 if len(members) > 1 and self.missing in members else self.price_of_size(len(members))

    def price_of_size(self, n_members: int) -> float:
        """Return the price of a set of that many values, without the weight."""
        if self.most is not None and n_members > max(self.most, 1):
            return 1.0
        return (n_members - 1) / max(self.n_leaves - 1, 1)


Column = TreeColumn | NumberColumn | SetColumn | SuppressColumn
"""Any kind of column."""
