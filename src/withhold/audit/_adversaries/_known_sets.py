"""The known sets of one record: how many rows agree with it on each set of columns an adversary may know."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "KnownSets", "exact_risk"]

_AT_ONCE = 16
"""A record with at most so many columns has all its known sets counted at once."""
_AT_END = 10
"""Among more columns, columns are decided one by one until so many are left."""
_MOST_SPLITS = 2048
"""The number of decisions after which the walk stops and leaves an interval."""
_MOST_TERMS = 1 << 18
"""The number of known sets above which no exact sum is made."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Block:
    """Known sets that agree on all columns but the last `n_free`."""

    known: tuple[int, ...]
    """The columns before the last `n_free` that are known; the others before them are not."""
    n_free: int
    """The number of columns, from the end, that may be known or not."""
    counts: _Floats
    """The number of rows that agree, for each set of free columns (bit 0: the first of them), or one for all sets."""


class KnownSets:
    """The sums of a record over its known sets, as intervals that can be narrowed.

    The sums are one for all sets, and one for each column over the sets without it: of the product of the chances of
    the known columns, divided by the number of rows that agree with the record on them. Columns stand in the order of
    falling chance.
    """

    def __init__(self, chances: _Floats) -> None:
        self.blocks: list[Block] = []
        self._chances = chances
        # Growth by the columns from each place on: the sum over their sets of the product of the chances.
        self._growth = np.append(np.cumprod((1 + chances)[::-1])[::-1], 1.0)
        self._slack = 2.0**-50 * (len(chances) + 2)
        self._closed: _Floats = np.zeros(len(chances) + 1)
        self._n_nodes = 0
        self._open: list[tuple[float, int, tuple[int, ...], NDArray[np.bool_], _Floats, _Floats, _Floats]] = []

    @classmethod
    def of_counts(cls, counts: _Floats, chances: _Floats) -> "KnownSets":
        """Begin with the number of rows for each exact set of agreeing columns, `counts`, which is overwritten."""
        sets = cls(chances)
        sets._close(Block((), len(chances), _sums_of_supersets(counts)))
        return sets

    @classmethod
    def of_rows(cls, agree: NDArray[np.bool_], sizes: _Floats, chances: _Floats) -> "KnownSets":
        """Begin with each distinct way to agree: on which columns, and how many rows of the table."""
        sets = cls(chances)
        sets._add((), agree, sizes, _AT_ONCE)
        return sets

    @staticmethod
    def can_count(n_columns: int) -> bool:
        """Tell whether so many columns are few enough for `of_counts`."""
        return n_columns <= _AT_ONCE

    @property
    def is_finished(self) -> bool:
        """Whether every known set is counted."""
        return not self._open

    def narrow(self, is_enough: Callable[[_Floats, _Floats], bool]) -> None:
        """Count more known sets, the most uncertain first, until that is enough, all are counted, or too many are."""
        step = 32
        while self._open and not is_enough(*self.bounds()) and self._n_nodes < _MOST_SPLITS:
            for _ in range(min(step, _MOST_SPLITS - self._n_nodes)):
                if self._open:
                    self._split()
            step *= 2

    def bounds(self) -> tuple[_Floats, _Floats]:
        """Return the least and the greatest value of each sum: all sets, then the sets without each column."""
        low, high = self._closed.copy(), self._closed.copy()
        for node in self._open:
            low += node[5]
            high += node[6]
        return low, high

    def _split(self) -> None:
        _, _, known, agree, sizes, _, _ = heappop(self._open)
        place = len(self._chances) - agree.shape[1]
        agrees = agree[:, 0]
        self._add((*known, place), agree[agrees, 1:], sizes[agrees], _AT_END)
        self._add(known, agree[:, 1:], sizes, _AT_END)

    def _add(self, known: tuple[int, ...], agree: NDArray[np.bool_], sizes: _Floats, at_end: int) -> None:
        self._n_nodes += 1
        n_free = agree.shape[1]
        most, least = float(sizes.sum()), float(sizes[agree.all(axis=1)].sum())
        if most == least:
            self._close(Block(known, n_free, np.array([most])))
        elif n_free <= at_end:
            masks = agree @ (1 << np.arange(n_free, dtype=np.int64))
            counts = np.bincount(masks, weights=sizes, minlength=1 << n_free).astype(np.float64)
            self._close(Block(known, n_free, _sums_of_supersets(counts)))
        else:
            low = self._even(known, n_free) / most
            more = self._even(known, n_free) * (1 + self._slack) - float(np.prod(self._chances[list(known)]))
            more[[place + 1 for place in known]] = 0
            high = low + more * (1 / least - 1 / most)
            heappush(self._open, (float(low[0] - high[0]), self._n_nodes, known, agree, sizes, low, high))

    def _even(self, known: tuple[int, ...], n_free: int) -> _Floats:
        """Return the sums over the sets of a block as if one row agreed on each."""
        start = len(self._chances) - n_free
        sums = np.full(len(self._chances) + 1, np.prod(self._chances[list(known)]) * self._growth[start])
        sums[start + 1 :] /= 1 + self._chances[start:]
        sums[[place + 1 for place in known]] = 0
        return sums

    def _close(self, block: Block) -> None:
        self.blocks.append(block)
        if block.counts.size == 1 and block.n_free:
            self._closed += self._even(block.known, block.n_free) / block.counts[0]
            return
        chances = self._chances[len(self._chances) - block.n_free :]
        terms = np.array([np.prod(self._chances[list(block.known)])])
        for chance in chances:
            terms = np.concatenate((terms, terms * chance))
        terms /= block.counts
        sums = np.full(len(self._chances) + 1, terms.sum())
        sums[[place + 1 for place in block.known]] = 0
        for bit in range(block.n_free):
            sums[len(self._chances) - block.n_free + bit + 1] = terms.reshape(-1, 2, 1 << bit)[:, 0].sum()
        self._closed += sums


def _sums_of_supersets(counts: _Floats) -> _Floats:
    """Turn the rows that agree on exactly a set of columns into those that agree at least on it, in place."""
    for bit in range(counts.size.bit_length() - 1):
        halves = counts.reshape(-1, 2, 1 << bit)
        halves[:, 0] += halves[:, 1]
    return counts


def exact_risk(
    blocks: Sequence[Block], chances: Sequence[Fraction], weights: Sequence[Fraction], outside: Fraction
) -> Fraction | None:
    """Return the risk over alpha, from blocks that hold every known set; None if the sum is too long.

    `weights` belong to the columns with `chances`; `outside` is the weight of all other columns together.
    """
    if sum(block.counts.size for block in blocks) > _MOST_TERMS:
        return None
    # Whole numbers throughout: chances times `whole`, weights times `unit`.
    whole, unit = lcm(*(each.denominator for each in chances)), lcm(*(s.denominator for s in (*weights, outside)))
    among = [int(chance * whole) for chance in chances]
    worth = [int(weight * unit) for weight in weights]
    by_count: dict[int, int] = {}
    for block in blocks:
        start = len(chances) - block.n_free
        factor = prod(among[j] if j in block.known else whole for j in range(start))
        unknown = int(outside * unit) + sum(worth[j] for j in range(start) if j not in block.known)
        if block.counts.size == 1:
            terms = [_even_exactly(among[start:], worth[start:], whole, unknown)]
        else:
            terms = _terms_exactly(among[start:], worth[start:], whole, unknown)
        for count, term in zip(block.counts.tolist(), terms, strict=True):
            by_count[int(count)] = by_count.get(int(count), 0) + factor * term
    scale = Fraction(1, whole ** len(chances) * unit)
    return _total([Fraction(term, count) for count, term in by_count.items()]) * scale


def _even_exactly(among: list[int], worth: list[int], whole: int, unknown: int) -> int:
    """Return the sum over all sets of columns, in closed form."""
    either = [whole + chance for chance in among]
    without = (worth[j] * whole * prod(either[:j] + either[j + 1 :]) for j in range(len(among)))
    return unknown * prod(either) + sum(without)


def _terms_exactly(among: list[int], worth: list[int], whole: int, unknown: int) -> list[int]:
    products, left = [1], [unknown]
    for chance, weight in zip(among, worth, strict=True):
        products = [each * whole for each in products] + [each * chance for each in products]
        left = [each + weight for each in left] + left
    return [a * b for a, b in zip(products, left, strict=True)]


def _total(parts: list[Fraction]) -> Fraction:
    """Add in pairs, which keeps the denominators short for long."""
    while len(parts) > 1:
        parts = [sum(parts[i : i + 2], Fraction(0)) for i in range(0, len(parts), 2)]
    return parts[0]
