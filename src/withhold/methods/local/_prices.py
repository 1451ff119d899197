"""Prices of all columns as flat arrays, for compiled code."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.local._lean import entry, woven
from withhold.methods.local._local_columns import Column, Levels, NumberColumn, SetColumn, SuppressColumn, TreeColumn

__all__ = [
    "AT",
    "BITS",
    "KIND",
    "LEVELS",
    "NUMBER",
    "SET",
    "TREE",
    "WORD",
    "Prices",
    "first_leaves",
    "fixed_parts",
    "price_of_line",
    "prices_of",
    "prices_of_lines",
    "star_of",
    "words_of",
]

NUMBER, TREE, SET = range(3)
KIND, LEAVES, AT, MISSING, TABLE, DOWN, UP, LEVELS, WORD, N_WORDS, SIZES, EDGES = range(12)
DENSE = 96
"""A tree of at most that many leaves has a table of the prices of all its ranges."""
BITS = 64


class Prices(NamedTuple):
    """What the ranges of each column cost, weights included."""

    spec: Array
    """One line a column: its kind, its number of leaves, and where its parts begin in the other arrays, or -1.

    AT counts codes through all columns, WORD the words of sets. TABLE, DOWN, UP and SIZES lie in `floats`: the prices
    of all ranges of a small tree, of the two ends of a number's interval, of sets by their size. Where the price of an
    interval is not its width, DOWN and UP hold the numbers of its edges, and TABLE a price for each two of EDGES edges.
    """
    floats: Array
    """All prices."""
    nodes: Array
    """For each level and code of a tree where the price of the node lies in `floats`."""
    columns: Array
    """All columns."""


@woven
def _members(words: Array, line: int, start: int, stop: int) -> int:
    found = 0
    for w in range(start, stop):
        x = words[line, w]
        while x:
            x &= x - np.uint64(1)
            found += 1
    return found


@woven
def price_of_line(
    spec: Array, floats: Array, nodes: Array, lines: Array, words: Array, line: int, columns: Array
) -> float:
    """Return what a line costs one of its rows on some columns."""
    half = lines.shape[1] // 2
    total = 0.0
    for i in range(columns.size):
        c = columns[i]
        low, high = -lines[line, half + c], lines[line, c]
        kind = spec[c, KIND]
        if kind == TREE:
            if spec[c, TABLE] >= 0:
                total += floats[spec[c, TABLE] + low * spec[c, LEAVES] + high]
            else:
                a, b, level = spec[c, AT] + low, spec[c, AT] + high, spec[c, LEVELS] - 1
                while nodes[level, a] != nodes[level, b]:
                    level -= 1
                total += floats[nodes[level, a]]
        elif low != high:
            missing = spec[c, MISSING]
            if kind == NUMBER:
                if high == missing:
                    total += floats[spec[c, SIZES]]
                elif spec[c, TABLE] >= 0:
                    first, last = np.int64(floats[spec[c, DOWN] + low]), np.int64(floats[spec[c, UP] + high])
                    total += floats[spec[c, TABLE] + first * spec[c, EDGES] + last]
                else:
                    total += floats[spec[c, UP] + high] - floats[spec[c, DOWN] + low]
            else:
                start = spec[c, WORD]
                n_members = _members(words, line, start, start + spec[c, N_WORDS])
                if missing >= 0 and (words[line, start + missing // BITS] >> np.uint64(missing % BITS)) & np.uint64(1):
                    n_members = spec[c, LEAVES] + 1
                total += floats[spec[c, SIZES] + n_members - 1]
    return total


def prices_of_lines(prices: Prices, lines: Array, words: Array) -> NDArray[np.float64]:
    """Return what each line costs one of its rows."""
    found = np.zeros(lines.shape[0])
    _write_prices(prices.spec, prices.floats, prices.nodes, prices.columns, lines, words, found)
    return found


@entry
def _write_prices(
    spec: Array, floats: Array, nodes: Array, columns: Array, lines: Array, words: Array, found: Array
) -> None:
    for i in range(lines.shape[0]):
        found[i] = price_of_line(spec, floats, nodes, lines, words, i, columns)


def words_of(prices: Prices) -> int:
    """Return the number of words of all sets."""
    return int(np.maximum(prices.spec[:, N_WORDS], 0).sum())


def star_of(columns: Sequence[Column]) -> NDArray[np.float64]:
    """Return the price of ``*`` on each column."""
    plain = [column.tree if isinstance(column, SuppressColumn) else column for column in columns]
    return np.array([_whole(column) for column in plain], dtype=np.float64)


def prices_of(columns: Sequence[Column]) -> Prices:
    """Return the prices of columns."""
    plain = [column.tree if isinstance(column, SuppressColumn) else column for column in columns]
    spec = np.full((len(plain), EDGES + 1), -1, dtype=np.int64)
    spec[:, LEAVES] = [column.n_leaves for column in plain]
    spec[:, AT] = np.concatenate([[0], np.cumsum(spec[:, LEAVES])])[:-1]
    trees = [column.levels() if isinstance(column, TreeColumn) else None for column in plain]
    spec[:, LEVELS] = [tree.nodes.shape[0] if tree else 0 for tree in trees]
    nodes = np.zeros((int(spec[:, LEVELS].max(initial=1)), int(spec[:, LEAVES].sum())), dtype=np.int32)
    floats = _Floats()
    n_words = 0
    for c, (column, tree) in enumerate(zip(plain, trees, strict=True)):
        if isinstance(column, NumberColumn):
            spec[c, KIND] = NUMBER
            spec[c, MISSING] = len(column.values) if column.missing else -1
            spec[c, DOWN], spec[c, UP] = (floats.add(ends) for ends in _ends(column))
            spec[c, SIZES] = floats.add([_whole(column)])
            if column.prices is not None:
                spec[c, TABLE], spec[c, EDGES] = floats.add(column.prices.ravel() * column.weight), len(column.prices)
        elif isinstance(column, SetColumn):
            spec[c, KIND], spec[c, MISSING], spec[c, WORD] = SET, column.missing, n_words
            spec[c, N_WORDS] = -(-column.n_leaves // BITS)
            n_words += int(spec[c, N_WORDS])
            sizes = [column.price_of_size(n + 1) for n in range(column.n_leaves)]
            spec[c, SIZES] = floats.add(np.array([*sizes, 1.0]) * column.weight)
        elif tree is not None:
            spec[c, KIND] = TREE
            here = slice(int(spec[c, AT]), int(spec[c, AT] + spec[c, LEAVES]))
            nodes[: tree.nodes.shape[0], here] = tree.nodes + floats.add(tree.price * column.weight)
            if column.n_leaves <= DENSE:
                spec[c, TABLE] = floats.add(_table(tree) * column.weight)
    return Prices(spec, floats.all(), nodes, np.arange(len(plain)))


class _Floats:
    """Arrays end to end."""

    def __init__(self) -> None:
        self.parts: list[NDArray[np.float64]] = []
        self.size = 0

    def add(self, values: Sequence[float] | Array) -> int:
        """Append values and return where they begin."""
        self.parts.append(np.asarray(values, dtype=np.float64))
        self.size += self.parts[-1].size
        return self.size - self.parts[-1].size

    def all(self) -> NDArray[np.float64]:
        """Return all values."""
        return np.concatenate([*self.parts, np.zeros(1)])


def first_leaves(columns: Sequence[Column], codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the codes with all leaves below a node of the finest level put at its first leaf."""
    made = np.ascontiguousarray(codes, dtype=np.int32)
    for c, column in enumerate(columns):
        if isinstance(column, TreeColumn) and column.finest is not None:
            finest = column.levels().nodes[-1]
            made = made.copy() if made is codes else made
            made[:, c] = column.taxonomy.first[finest[codes[:, c]]]
    return made


def fixed_parts(columns: Sequence[Column], codes: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """Return for each column with a coarsest level which node of that level each row lies below."""
    parts = []
    for c, column in enumerate(columns):
        if isinstance(column, SuppressColumn):
            column = column.tree
        if isinstance(column, TreeColumn) and column.coarsest > 0:
            nodes = column.levels().nodes
            parts.append(nodes[min(column.coarsest, nodes.shape[0] - 1)][codes[:, c]].astype(np.int64))
        elif isinstance(column, NumberColumn | SetColumn) and column.keep:
            parts.append(codes[:, c].astype(np.int64))
    return parts


def _whole(column: Column) -> float:
    if isinstance(column, TreeColumn):
        return float(column.node_prices()[0]) * column.weight
    if isinstance(column, NumberColumn) and column.prices is not None:
        return float(column.prices[0, -1]) * column.weight
    return column.weight if column.n_leaves > 1 else 0.0


def _ends(column: NumberColumn) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if column.prices is not None:
        numbers = [np.searchsorted(column.all_edges(), ends) for ends in column.ends()]
        return numbers[0].astype(np.float64), numbers[1].astype(np.float64)
    low, high = column.range
    scale = column.weight / (high - low) if high > low else 0.0
    down, up = column.ends()
    if column.edges is not None:
        up = np.where(up < high, up - column.step, up)
    return (down - low) * scale, (up - low) * scale


def _table(tree: Levels) -> NDArray[np.float64]:
    n_leaves = tree.nodes.shape[1]
    table = np.zeros((n_leaves, n_leaves))
    for level in tree.nodes:
        same = level[:, None] == level[None, :]
        table[same] = np.broadcast_to(tree.price[level][:, None], table.shape)[same]
    return table.ravel()
