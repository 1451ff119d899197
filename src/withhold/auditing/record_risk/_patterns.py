"""The distinct records of a table, as far as an adversary may know them."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.record_risk._known_sets import N_HEAD, N_TAIL, KnownSets, likely_sets

__all__ = ["Patterns"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class Patterns:
    """The distinct patterns of the columns that can be known, and what the rows weigh."""

    def __init__(
        self,
        codes: Sequence[_Ints],
        known: Sequence[float],
        weights: Sequence[_Floats],
        counts: _Ints | None = None,
    ) -> None:
        self.n_rows = len(codes[0])
        self.n_records = self.n_rows if counts is None else int(counts.sum())
        self._counts = counts
        self.places = sorted((j for j, chance in enumerate(known) if chance > 0), key=lambda j: -known[j])
        self.others = [j for j in range(len(known)) if j not in self.places]
        self.chances = np.array([float(known[j]) for j in self.places])
        self.weights = [np.where(c >= 0, w, 0.0) for c, w in zip(codes, weights, strict=True)]
        columns = [_short(codes[j]) for j in self.places]
        key, _ = _key([column + 1 for column in columns], [int(column.max()) + 2 for column in columns], self.n_rows)
        _, first, self.pattern = np.unique(key, return_index=True, return_inverse=True)
        self.columns = [_narrow(column[first]) for column in columns]
        self.sizes = np.bincount(self.pattern, weights=counts).astype(float)
        self.n_patterns = len(first)
        self._spans = [int(column.max()) + 1 for column in self.columns]
        self.all_published = all(int(column.min()) >= 0 for column in self.columns)

    def records(self, chosen: NDArray[np.bool_]) -> int:
        """Return how many records some rows stand for."""
        return int(chosen.sum() if self._counts is None else self._counts[chosen].sum())

    def counts_of(self, rows: _Ints) -> _Ints | None:
        """Return how many records each of some rows stands for; None where that is one."""
        return None if self._counts is None else self._counts[rows]

    def weight(self, place: int, rows: _Ints) -> _Floats:
        """Return what the rows weigh in a column of `places`, counted from 1, or with 0 in all other columns."""
        chosen = self.others if place == 0 else [self.places[place - 1]]
        total = np.zeros(len(rows))
        for j in chosen:
            total += self.weights[j][rows]
        return total

    def published(self, pattern: int) -> list[int]:
        """Return the positions in `places` that a pattern publishes."""
        return [k for k, column in enumerate(self.columns) if column[pattern] >= 0]

    def known_sets(self, pattern: int) -> KnownSets:
        """Compare a pattern with all others."""
        shown = self.published(pattern)
        agree = [self.columns[k] == self.columns[k][pattern] for k in shown]
        head = np.zeros(self.n_patterns, dtype=np.uint16)
        for bit, same in enumerate(agree[:N_HEAD]):
            head |= same.astype(np.uint16) << np.uint16(bit)
        tail = np.zeros(self.n_patterns, dtype=np.uint64) if len(shown) > N_HEAD else None
        if tail is not None:
            agree[N_HEAD + N_TAIL :] = [np.logical_and.reduce(each) for each in [agree[N_HEAD + N_TAIL :]] if each]
            for bit, same in enumerate(agree[N_HEAD:]):
                tail |= same.astype(np.uint64) << np.uint64(bit)
        return KnownSets(head, tail, self.sizes, self.chances[shown])

    def sums(self, n_sets: int) -> Iterator[tuple[_Floats, _Floats]]:
        """Yield the least and the greatest value of the sums of all patterns: over all sets, then without each column.

        The likeliest sets are counted, in one pass over the patterns for each. No other set is shared by fewer rows
        than the identical ones.
        """
        sums = np.zeros((len(self.places) + 1, self.n_patterns))
        # The sums over the sets that are not counted, of the products of their chances.
        left = np.prod(1 + self.chances) / np.concatenate(([1.0], 1 + self.chances))
        slack = float(left[0]) * 2.0**-50 * (n_sets + len(self.places))
        for chance, inside in islice(likely_sets(self.chances.tolist()), n_sets):
            lines = [0, *(k + 1 for k in range(len(self.places)) if k not in inside)]
            left[lines] -= chance
            rows, counts = self._count(inside)
            for line in lines:
                if rows.size == self.n_patterns:
                    sums[line] += chance / counts
                else:
                    sums[line, rows] += chance / counts
        is_finished = n_sets >= 1 << len(self.places)
        for low, rest in zip(sums, np.maximum(left, 0) + slack, strict=True):
            yield low, low if is_finished else low + rest / self.sizes

    def _count(self, inside: tuple[int, ...]) -> tuple[_Ints, _Floats]:
        """Return the patterns that publish these columns, and how many rows agree with each on them."""
        rows = np.arange(self.n_patterns)
        columns = [self.columns[k] for k in inside]
        if not self.all_published and inside:
            rows = np.flatnonzero(np.logical_and.reduce([column >= 0 for column in columns]))
            columns = [column[rows] for column in columns]
        key, below = _key(columns, [self._spans[k] for k in inside], rows.size)
        if below > 4 * key.size + 65536:
            _, key = np.unique(key, return_inverse=True)
        return rows, np.bincount(key, weights=self.sizes[rows]).astype(np.float64)[key]


def _short(codes: _Ints) -> _Ints:
    """Return codes of one column, -1 for a blank, that are not much larger than the number of rows."""
    codes = np.maximum(np.asarray(codes, dtype=np.int64), -1)
    if codes.max() > 4 * codes.size + 65536:
        values, codes = np.unique(codes, return_inverse=True)
        codes -= int(values[0] < 0)
    return codes


def _narrow(codes: _Ints) -> NDArray[np.signedinteger[Any]]:
    """Return the codes in fewer bytes, which are quicker to compare."""
    return codes.astype(np.int16 if codes.max() < 1 << 15 else np.int32)


def _key(columns: Sequence[NDArray[Any]], spans: Sequence[int], n_rows: int) -> tuple[_Ints, int]:
    """Return numbers that are equal where all columns are, and what they are below."""
    key, below = np.zeros(n_rows, dtype=np.int64), 1
    for column, span in zip(columns, spans, strict=True):
        if below * span > 1 << 62:
            values, key = np.unique(key, return_inverse=True)
            below = values.size
        key = key * span + column
        below *= span
    return key, below
