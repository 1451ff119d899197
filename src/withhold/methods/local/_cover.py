"""Find for new rows the cheapest texts of a recoding that cover them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled
from withhold.methods.local._local_columns import NumberColumn, SetColumn, SuppressColumn, TreeColumn
from withhold.methods.local._prices import first_leaves

if TYPE_CHECKING:
    from withhold.methods.local._recoded import Published, Recoded

__all__ = ["Cover", "covering_rows"]

BITS = 64


class Cover:
    """For each code of each column a bit for every combination of texts that covers it, the cheapest first.

    Parameters
    ----------
    texts
        Combinations of texts: (combinations, columns).
    covers
        For each column which codes each text covers: (texts, codes).
    prices
        For each column the price of each text.

    Examples
    --------
    >>> age = np.array([[True, True], [True, False]])
    >>> Cover(np.array([[0], [1]]), [age], [np.array([1.0, 0.0])]).assign(np.array([[0], [1]])).tolist()
    [1, 0]
    """

    def __init__(
        self, texts: Array, covers: Sequence[NDArray[np.bool_]], prices: Sequence[NDArray[np.float64]]
    ) -> None:
        total = sum((price[texts[:, c]] for c, price in enumerate(prices)), np.zeros(texts.shape[0]))
        self.order = np.argsort(total, kind="stable")
        self.at = np.concatenate([[0], np.cumsum([each.shape[1] for each in covers])]).astype(np.int64)
        self.bits = np.zeros((int(self.at[-1]), -(-texts.shape[0] // BITS)), dtype=np.uint64)
        for c, each in enumerate(covers):
            where, code = np.nonzero(each[texts[self.order, c]])
            np.bitwise_or.at(
                self.bits, (self.at[c] + code, where // BITS), np.uint64(1) << (where % BITS).astype(np.uint64)
            )

    def assign(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return for each row the cheapest combination that covers it, or -1."""
        found = np.full(codes.shape[0], -1, dtype=np.int64)
        _first_common(codes.astype(np.int64), self.at, self.bits, found)
        return np.where(found >= 0, self.order[np.maximum(found, 0)], -1) if self.order.size else found


def covering_rows(recoded: "Recoded", codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return for each row of codes a row of a recoding whose texts cover it at the lowest price, or -1."""
    _, example = np.unique(recoded.groups(), return_index=True)
    texts = [recoded.published(c) for c in range(len(recoded.columns))]
    pairs = list(zip(recoded.columns, texts, strict=True))
    cover = Cover(
        np.column_stack([text.codes[example] for text in texts]),
        [_covers(column, text) for column, text in pairs],
        [_prices(column, text) for column, text in pairs],
    )
    found = cover.assign(first_leaves(recoded.columns, codes))
    return np.where(found >= 0, example[np.maximum(found, 0)], -1) if example.size else found


@compiled
def _first_common(codes: Array, at: Array, bits: Array, found: Array) -> None:
    for i in range(codes.shape[0]):
        for w in range(bits.shape[1]):
            common = ~np.uint64(0)
            for c in range(codes.shape[1]):
                # a value that the fitted table does not have is below no text
                common &= bits[at[c] + codes[i, c], w] if 0 <= codes[i, c] < at[c + 1] - at[c] else np.uint64(0)
                if common == 0:
                    break
            if common:
                b = 0
                while not (common >> np.uint64(b)) & np.uint64(1):
                    b += 1
                found[i] = w * BITS + b
                break


def _covers(column: TreeColumn | NumberColumn | SetColumn | SuppressColumn, text: "Published") -> NDArray[np.bool_]:
    """Return for each text of a column which codes it covers."""
    covers = np.zeros((len(text.values), column.n_leaves), dtype=bool)
    if isinstance(column, SuppressColumn):
        column = column.tree
    for t, value in enumerate(text.values):
        if value is None:
            covers[t] = True
        elif isinstance(column, TreeColumn):
            assert isinstance(value, int)
            covers[t, column.taxonomy.first[value] : column.taxonomy.last[value]] = True
        elif isinstance(column, SetColumn):
            assert isinstance(value, tuple)
            covers[t, [int(member) for member in value]] = True
        else:
            assert isinstance(value, tuple)
            covers[t] = _covered_numbers(column, value)
    return covers


def _covered_numbers(column: NumberColumn, ends: tuple[float, ...]) -> NDArray[np.bool_]:
    covered = np.zeros(column.n_leaves, dtype=bool)
    if not ends:
        covered[len(column.values) :] = True
        return covered
    values = np.asarray(column.values, dtype=np.float64)
    is_closed = column.edges is None or ends[0] == ends[1] or ends[1] >= column.range[1]
    covered[: values.size] = (values >= ends[0]) & ((values <= ends[1]) if is_closed else (values < ends[1]))
    return covered


def _prices(column: TreeColumn | NumberColumn | SetColumn | SuppressColumn, text: "Published") -> NDArray[np.float64]:
    covers = _covers(column, text)
    prices = np.zeros(len(text.values))
    for t, value in enumerate(text.values):
        held = np.flatnonzero(covers[t])
        if value is None:
            prices[t] = column.weight
        elif isinstance(column, SetColumn):
            prices[t] = column.price(held.tolist()) * column.weight
        elif isinstance(column, TreeColumn):
            assert isinstance(value, int)
            prices[t] = column.node_prices()[value] * column.weight
        elif held.size:
            prices[t] = column.price(int(held[0]), int(held[-1])) * column.weight
    return prices
