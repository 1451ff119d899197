"""The result of a local recoding: what each row publishes on each column."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.local._cover import covering_rows
from withhold.methods.local._local_columns import Column, NumberColumn, SetColumn, SuppressColumn, TreeColumn
from withhold.methods.local._problem import numbered

__all__ = ["Published", "Recoded", "published"]

Text = int | tuple[float, float] | tuple[int, ...] | None
BITS = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Published:
    """What a column publishes: a short list of texts, and which of them each row has."""

    codes: NDArray[np.int32]
    """For each row the position in `values`."""
    values: tuple[Text, ...]
    """A node of the tree; the two ends of an interval, equal for a single value; the members of a set; None: ``*``."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recoded:
    """What a local recoding publishes.

    See Also
    --------
    withhold.methods.local.recode : makes it.
    """

    columns: tuple[Column, ...]
    low: NDArray[np.int32]
    """For each row and column the smallest code of its group."""
    high: NDArray[np.int32]
    """For each row and column the largest code of its group."""
    sets: dict[int, NDArray[np.uint64]]
    """For each column of sets the members of each row's set, 64 to a word."""
    withheld: NDArray[np.bool_]
    """Which rows are published as ``*`` throughout."""
    weights: NDArray[np.int64]
    """How many records each row stands for."""
    prices: NDArray[np.float64]
    """What each row loses, summed over its columns as they are weighted."""
    loss: float
    """The mean price over records and columns, weighted as the columns are: 0 as they were, 1 all ``*``."""
    n_steps: int
    """How many rounds the search took."""

    def published(self, column: int) -> Published:
        """Return what a column publishes."""
        return published(
            self.columns[column], self.low[:, column], self.high[:, column], self.sets.get(column), self.withheld
        )

    def groups(self, columns: Sequence[int] | None = None) -> NDArray[np.int64]:
        """Return for each row the number of its group: rows that publish the same on `columns`, or on all."""
        chosen = range(len(self.columns)) if columns is None else columns
        return numbered([self.published(c).codes for c in chosen], self.low.shape[0])

    def assign(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return for each row of another table a row of this one whose texts cover it, or -1.

        Of all combinations of texts that cover the new row, it gets the cheapest.
        """
        return covering_rows(self, codes)


def published(column: Column, low: Array, high: Array, words: Array | None, withheld: Array) -> Published:
    """Return what ranges of a column publish."""
    if isinstance(column, SuppressColumn):
        column = column.tree
    if isinstance(column, TreeColumn):
        nodes = np.where(withheld, 0, column.nodes(low, high))
        found, codes = np.unique(nodes, return_inverse=True)
        return Published(codes=codes.astype(np.int32), values=tuple(found.tolist()))
    if isinstance(column, SetColumn):
        assert words is not None
        return _sets(column, words, withheld)
    return _intervals(column, low, high, withheld)


def _intervals(column: NumberColumn, low: Array, high: Array, withheld: Array) -> Published:
    n = column.n_leaves + 1
    down, up = column.ends()
    # two ranges that snap to the same edges read the same
    _, first = np.unique(down, return_inverse=True)
    _, last = np.unique(up, return_inverse=True)
    number = np.minimum(low, len(column.values) - 1), np.minimum(high, len(column.values) - 1)
    pair = (first[number[0]] * n + last[number[1]]) * 2 + 1 if len(column.values) else np.zeros_like(low)
    key = np.where(low == high, 2 * low.astype(np.int64), pair)
    key = np.where(withheld | ((high >= len(column.values)) & (low != high)), -1, key)
    found, where, codes = np.unique(key, return_index=True, return_inverse=True)
    values = tuple(
        None if k < 0 else _missing_or(column, int(low[i]), int(high[i])) for k, i in zip(found, where, strict=True)
    )
    return Published(codes=codes.astype(np.int32), values=values)


def _missing_or(column: NumberColumn, low: int, high: int) -> Text:
    """Return an interval; what is missing is published as missing: the empty tuple."""
    return () if low >= len(column.values) else column.interval(low, high)


def _sets(column: SetColumn, words: Array, withheld: Array) -> Published:
    lines, codes = np.unique(words, axis=0, return_inverse=True)
    members = [
        tuple(w * BITS + b for w in range(line.size) for b in range(BITS) if int(line[w]) >> b & 1) for line in lines
    ]
    texts: list[Text] = [
        None if column.price(each) >= 1.0 and len(each) > 1 and _is_star(column, each) else each for each in members
    ]
    kinds = sorted({each for each in texts if each is not None}, key=repr)
    at = {each: i for i, each in enumerate(kinds)}
    star = len(kinds)
    new = np.array([star if each is None else at[each] for each in texts] or [0], dtype=np.int32)
    found = np.where(withheld, star, new[codes.ravel()])
    return Published(codes=found.astype(np.int32), values=(*kinds, None))


def _is_star(column: SetColumn, members: tuple[int, ...]) -> bool:
    return column.missing in members or (column.most is not None and len(members) > max(column.most, 1))
