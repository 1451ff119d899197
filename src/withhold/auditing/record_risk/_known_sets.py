"""The known sets of one record: how many rows agree with it on each set of columns an adversary may know."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["N_HEAD", "N_TAIL", "Block", "KnownSets", "exact_risk", "likely_sets"]

N_HEAD = 16
"""The number of columns, those of the largest chances, whose sets are all counted at once."""
N_TAIL = 62
"""The number of further columns whose sets can be counted at all."""
_MOST_BLOCKS = 128
"""The number of sets of further columns that are counted."""
_MOST_TERMS = 1 << 20
"""The number of known sets above which no exact sum is made."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Block:
    """The known sets that hold the same columns of the tail."""

    known: tuple[int, ...]
    """The columns of the tail that are known, numbered from `N_HEAD`."""
    counts: _Floats
    """The number of rows that agree, for each set of columns of the head."""


class KnownSets:
    """The sums of a record over its known sets, as intervals that can be narrowed.

    The sums are one for all sets, and one for each column over the sets without it: of the product of the chances of
    the known columns, divided by the number of rows that agree with the record on them. Columns stand in the order of
    falling chance. The head, the first `N_HEAD` of them, weighs most. The sets of the tail, all columns after it, are
    added one by one, the most likely first. What is left is bounded: at least as many rows agree as on the whole
    tail, at most as many as on none of it.

    Parameters
    ----------
    head
        For each row a bit for each column of the head where it agrees with the record.
    tail
        The same for the next `N_TAIL` columns, and one bit more: whether it agrees on all columns after them.
    sizes
        How many rows of the table each row stands for.
    chances
        The chance of each column.
    """

    def __init__(
        self, head: NDArray[np.uint16], tail: NDArray[np.uint64] | None, sizes: _Floats, chances: _Floats
    ) -> None:
        self.blocks: list[Block] = []
        self._head, self._tail, self._sizes, self._chances = head, tail, sizes, chances
        self._n_head = min(N_HEAD, len(chances))
        self._n_tail = len(chances) - self._n_head
        self._products = np.ones(1)
        for chance in chances[: self._n_head]:
            self._products = np.concatenate((self._products, self._products * chance))
        self._closed: _Floats = np.zeros(len(chances) + 1)
        # The sums over the sets of the tail that are left, of the products of their chances.
        growth = np.prod(1 + chances[self._n_head :])
        self._left = np.full(len(chances) + 1, growth)
        self._left[self._n_head + 1 :] /= 1 + chances[self._n_head :]
        self._slack = float(growth) * 2.0**-50 * (_MOST_BLOCKS + self._n_tail)
        self._queue = likely_sets(chances[self._n_head :][:N_TAIL].tolist())
        self._least = self._close(*next(self._queue))
        self._greatest = self._least
        if tail is not None:
            self._greatest = self._lines(self._count((1 << min(self._n_tail, N_TAIL + 1)) - 1))

    @property
    def is_finished(self) -> bool:
        """Whether every known set is counted."""
        return len(self.blocks) == 1 << self._n_tail

    def narrow(self, is_enough: Callable[[_Floats, _Floats], bool]) -> None:
        """Count more known sets until that is enough, all are counted, or too many are."""
        step = 8
        while not self.is_finished and len(self.blocks) < _MOST_BLOCKS and not is_enough(*self.bounds()):
            for _ in range(step):
                if not self.is_finished and len(self.blocks) < _MOST_BLOCKS:
                    self._close(*next(self._queue))
            step *= 2

    def bounds(self) -> tuple[_Floats, _Floats]:
        """Return the least and the greatest value of each sum: all sets, then the sets without each column."""
        if self.is_finished:
            return self._closed, self._closed
        low = self._closed + np.maximum(self._left - self._slack, 0) * self._least
        high = self._closed + (np.maximum(self._left, 0) + self._slack) * self._greatest
        return low, high

    def _close(self, chance: float, known: tuple[int, ...]) -> _Floats:
        """Count the sets that hold these columns of the tail, and return their sums before the chance of the tail."""
        block = Block(tuple(N_HEAD + k for k in known), self._count(sum(1 << k for k in known)))
        self.blocks.append(block)
        lines = self._lines(block.counts)
        part = np.full(len(self._chances) + 1, chance)
        part[[self._n_head + 1 + k for k in known]] = 0
        self._closed += part * lines
        self._left -= part
        return lines

    def _count(self, known: int) -> _Floats:
        """Return the number of rows that agree on these columns of the tail and each set of columns of the head."""
        head, sizes = self._head, self._sizes
        if known and self._tail is not None:
            rows = np.flatnonzero(self._tail & np.uint64(known) == np.uint64(known))
            head, sizes = head[rows], sizes[rows]
        counts = np.bincount(head, weights=sizes, minlength=self._products.size).astype(np.float64)
        for bit in range(self._n_head):
            halves = counts.reshape(-1, 2, 1 << bit)
            halves[:, 0] += halves[:, 1]
        return counts

    def _lines(self, counts: _Floats) -> _Floats:
        """Return the sums over the sets of the head; the line of a column of the tail is that of all sets."""
        terms = self._products / counts
        lines = np.full(len(self._chances) + 1, terms.sum())
        for bit in range(self._n_head):
            lines[bit + 1] = terms.reshape(-1, 2, 1 << bit)[:, 0].sum()
        return lines


def likely_sets(chances: list[float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield all sets of columns with the products of their chances, largest first; chances must fall."""
    yield 1.0, ()
    waiting: list[tuple[float, tuple[int, ...]]] = [(-chances[0], (0,))] if chances else []
    while waiting:
        negative, known = heappop(waiting)
        yield -negative, known
        after = known[-1] + 1
        if after < len(chances):
            heappush(waiting, (negative * chances[after], (*known, after)))
            other = (*known[:-1], after)
            heappush(waiting, (-float(np.prod([chances[k] for k in other])), other))


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
    terms = _terms_exactly(among[:N_HEAD], worth[:N_HEAD], whole)
    for block in blocks:
        tail = range(N_HEAD, len(chances))
        factor = prod(among[j] if j in block.known else whole for j in tail)
        unknown = int(outside * unit) + sum(worth[j] for j in tail if j not in block.known)
        for count, (product, weight) in zip(block.counts.tolist(), terms, strict=True):
            by_count[int(count)] = by_count.get(int(count), 0) + factor * product * (unknown + weight)
    scale = Fraction(1, whole ** len(chances) * unit)
    return _total([Fraction(term, count) for count, term in by_count.items()]) * scale


def _terms_exactly(among: list[int], worth: list[int], whole: int) -> list[tuple[int, int]]:
    """Return for each set of columns the product of its chances, and the weight of the columns outside it."""
    products, left = [1], [0]
    for chance, weight in zip(among, worth, strict=True):
        products = [each * whole for each in products] + [each * chance for each in products]
        left = [each + weight for each in left] + left
    return list(zip(products, left, strict=True))


def _total(parts: list[Fraction]) -> Fraction:
    """Add in pairs, which keeps the denominators short for long."""
    while len(parts) > 1:
        parts = [sum(parts[i : i + 2], Fraction(0)) for i in range(0, len(parts), 2)]
    return parts[0]
