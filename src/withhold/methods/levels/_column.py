"""A column with a few levels: what every leaf publishes at each, and at which price."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError
from withhold.methods.local import NumberColumn, SuppressColumn, TreeColumn
from withhold.table import Taxonomy

__all__ = ["LevelColumn", "doubling"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelColumn:
    """A column of which all rows are published at the same level, from the leaves (level 0) to ``*`` (the last).

    See Also
    --------
    LevelColumn.of_taxonomy, LevelColumn.of_numbers, LevelColumn.of_column : make one.

    Examples
    --------
    >>> column = LevelColumn(levels=[[0, 1, 2], [0, 0, 1], [0, 0, 0]], prices=[[0, 0, 0], [0.5, 0.5, 0], [1, 1, 1]])
    >>> column.n_levels, column.n_leaves, column.coarsest
    (3, 3, 2)
    >>> LevelColumn(levels=[[0, 1, 2], [0, 0, 1], [0, 1, 1]], prices=np.zeros((3, 3)))
    Traceback (most recent call last):
    ...
    withhold.errors.InputError: LevelColumn: the last level must publish the same of every leaf.
    """

    levels: NDArray[np.int32]
    """The class of every leaf at every level, any integers: (levels, leaves)."""
    prices: Floats
    """The price of what every leaf publishes at every level, from 0 to 1, not falling: (levels, leaves)."""
    weight: float = 1.0
    """The importance, at least 0."""
    finest: int = 0
    """The finest level that may be published."""
    coarsest: int | None = None
    """The coarsest level that may be published; None: the last. Withheld rows are not concerned."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", np.ascontiguousarray(self.levels, dtype=np.int32))
        object.__setattr__(self, "prices", np.ascontiguousarray(self.prices, dtype=np.float64))
        if self.levels.ndim != 2 or not self.levels.size:
            raise InputError("LevelColumn: `levels` must have a line for each level and an entry for each leaf.")
        if self.coarsest is None:
            object.__setattr__(self, "coarsest", self.n_levels - 1)
        _check_classes(self.levels)
        _check_prices(self.levels, self.prices)
        if not (np.isfinite(self.weight) and self.weight >= 0):
            raise InputError(f"LevelColumn: `weight` must be a number of at least 0; got {self.weight}.")
        if not 0 <= self.finest <= self.last < self.n_levels:
            raise InputError(
                f"LevelColumn: `finest` and `coarsest` must be levels from 0 to {self.n_levels - 1}, in this order; "
                f"got {self.finest} and {self.coarsest}."
            )

    @classmethod
    def of_taxonomy(
        cls, taxonomy: Taxonomy, *, weight: float = 1.0, finest: int = 0, coarsest: int | None = None
    ) -> "LevelColumn":
        """Return the levels of a tree, by the distance from its root; code i is the i-th leaf.

        Level j publishes the ancestor at depth `deepest - j`. A leaf higher up stays itself until then. The classes
        are nodes of the tree. The price of a node is (leaves below - 1) / (leaves - 1).

        Examples
        --------
        >>> tree = Taxonomy.from_nested({"Any": {"School": ["9th", "10th"], "Bachelors": {}}})
        >>> column = LevelColumn.of_taxonomy(tree)
        >>> [[tree.labels[node] for node in level] for level in column.levels]
        [['9th', '10th', 'Bachelors'], ['School', 'School', 'Bachelors'], ['Any', 'Any', 'Any']]
        """
        return cls._of_tree(TreeColumn(taxonomy, weight=weight), finest, coarsest)

    @classmethod
    def of_numbers(
        cls,
        values: Sequence[float] | Floats,
        edges_per_level: Sequence[Sequence[float] | Floats],
        *,
        bounds: tuple[float, float] | None = None,
        step: float = 0.0,
        missing: bool = False,
        weight: float = 1.0,
        finest: int = 0,
        coarsest: int | None = None,
    ) -> "LevelColumn":
        """Return the levels of a column of numbers: the values, intervals between edges, ``*``.

        The class of an interval is the first code in it. Its price is its width over the width of the bounds.

        Parameters
        ----------
        values
            The distinct values, ascending; code i is the i-th, code ``len(values)`` is missing where `missing` is set.
        edges_per_level
            The edges of the intervals at each level between the values and ``*``; each level keeps some edges of the
            one before. `doubling` makes them.
        bounds
            Where the first interval begins and the last one ends; None: at the ends of `values`.
        step
            The distance of two neighbouring values, such as 1 for whole years, where ``[20, 25)`` is read as 20 … 24;
            0: numbers of any precision.
        missing
            Whether the last code is missing, which is a class of its own at all levels but the last.
        weight, finest, coarsest
            As in `LevelColumn`.

        Examples
        --------
        >>> age = LevelColumn.of_numbers([17, 23, 24, 90], [[20, 40, 60], [40]])
        >>> age.levels.tolist()
        [[0, 1, 2, 3], [0, 1, 1, 3], [0, 0, 0, 3], [0, 0, 0, 0]]
        >>> age.prices[1].round(2).tolist()
        [0.04, 0.27, 0.27, 0.41]
        """
        numbers = NumberColumn(values, bounds=bounds, step=step, missing=missing, weight=weight)
        n = len(numbers.values)
        levels, prices = [np.arange(numbers.n_leaves)], [np.zeros(numbers.n_leaves)]
        for edges in edges_per_level:
            inside, price = _intervals(numbers, np.asarray(edges, dtype=np.float64))
            _, first, inverse = np.unique(inside, return_index=True, return_inverse=True)
            levels.append(np.append(first[inverse], [n] * missing))
            prices.append(np.append(price, [0.0] * missing))
        if numbers.n_leaves > 1:
            levels.append(np.zeros(numbers.n_leaves, dtype=np.int64))
            prices.append(np.ones(numbers.n_leaves))
        return cls(
            levels=np.array(levels, dtype=np.int32),
            prices=np.array(prices),
            weight=weight,
            finest=finest,
            coarsest=coarsest,
        )

    @classmethod
    def of_column(cls, column: TreeColumn | NumberColumn | SuppressColumn) -> "LevelColumn":
        """Return the levels of a column of the local search; its depths that may be published become levels.

        Numbers with edges have the intervals between edges, then every second edge, and so on; without edges, the
        values and ``*``.

        Examples
        --------
        >>> LevelColumn.of_column(SuppressColumn(["f", "m"], keep=True)).coarsest
        0
        >>> LevelColumn.of_column(NumberColumn([17, 23, 24, 90], edges=[20, 40, 60])).levels.tolist()
        [[0, 1, 2, 3], [0, 1, 1, 3], [0, 0, 0, 3], [0, 0, 0, 0]]
        """
        if isinstance(column, SuppressColumn):
            column = column.tree
        if isinstance(column, TreeColumn):
            deepest = int(column.taxonomy.depth.max(initial=0))
            finest = 0 if column.finest is None else max(deepest - column.finest, 0)
            return cls._of_tree(column, finest, max(deepest - column.coarsest, finest))
        edges = [np.asarray([] if column.edges is None else column.edges, dtype=np.float64)]
        while edges[-1].size > 1:
            edges.append(edges[-1][1::2])
        return cls.of_numbers(
            column.values,
            edges if edges[0].size else [],
            bounds=column.bounds,
            step=column.step,
            missing=column.missing,
            weight=column.weight,
            coarsest=0 if column.keep else None,
        )

    @classmethod
    def _of_tree(cls, column: TreeColumn, finest: int, coarsest: int | None) -> "LevelColumn":
        nodes = TreeColumn(column.taxonomy).levels().nodes[::-1]
        return cls(
            levels=nodes,
            prices=column.node_prices()[nodes],
            weight=column.weight,
            finest=finest,
            coarsest=coarsest,
        )

    @property
    def n_levels(self) -> int:
        """The number of levels, leaves and ``*`` included."""
        return int(self.levels.shape[0])

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(self.levels.shape[1])

    @property
    def last(self) -> int:
        """The coarsest level that may be published, as a number."""
        assert self.coarsest is not None
        return self.coarsest


def doubling(low: float, high: float, width: float) -> list[Floats]:
    """Return the inner edges of intervals from `low` to `high`, level by level, each twice as wide as before.

    Examples
    --------
    >>> [edges.tolist() for edges in doubling(0, 60, 10)]
    [[10.0, 20.0, 30.0, 40.0, 50.0], [20.0, 40.0], [40.0]]
    """
    if not width > 0:
        raise InputError(f"doubling: `width` must be above 0; got {width}.")
    found = []
    while width < high - low:
        found.append(np.arange(low + width, high, width, dtype=np.float64))
        width *= 2
    return found


def _intervals(numbers: NumberColumn, given: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return for each value the interval it lies in, and the price."""
    low, high = numbers.range
    values = np.asarray(numbers.values, dtype=np.float64)
    edges = np.concatenate([[low], np.unique(given[(given > low) & (given < high)]), [high]])
    # the last interval is closed: what lies at the upper bound belongs to it
    inside = np.minimum(np.searchsorted(edges, values, side="right") - 1, max(edges.size - 2, 0))
    is_open = inside < edges.size - 2
    widths = np.maximum(edges[inside + 1] - edges[inside] - numbers.step * is_open, 0.0)
    return inside, widths / (high - low) if high > low else np.ones(values.size)


def _check_classes(levels: NDArray[np.int32]) -> None:
    if np.unique(levels[0]).size != levels.shape[1]:
        raise InputError("LevelColumn: level 0 must publish every leaf as itself.")
    if np.unique(levels[-1]).size != 1:
        raise InputError("LevelColumn: the last level must publish the same of every leaf.")
    for j in range(1, levels.shape[0]):
        pairs = np.unique(np.stack([levels[j - 1], levels[j]]), axis=1)
        if pairs.shape[1] != np.unique(levels[j - 1]).size:
            raise InputError(f"LevelColumn: level {j} must join whole classes of level {j - 1}.")


def _check_prices(levels: NDArray[np.int32], prices: Floats) -> None:
    if prices.shape != levels.shape:
        raise InputError("LevelColumn: `prices` must have the shape of `levels`.")
    if not ((prices >= 0) & (prices <= 1)).all():
        raise InputError("LevelColumn: `prices` must lie between 0 and 1.")
    if (np.diff(prices, axis=0) < 0).any():
        raise InputError("LevelColumn: `prices` must not fall from one level to the next.")
    for line, price in zip(levels, prices, strict=True):
        pairs = np.unique(np.stack([line.astype(np.float64), price]), axis=1)
        if pairs.shape[1] != np.unique(line).size:
            raise InputError("LevelColumn: leaves of the same class must have the same price.")
