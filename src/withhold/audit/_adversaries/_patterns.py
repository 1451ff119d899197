"""The distinct records of a table, as far as an adversary may know them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.audit._adversaries._known_sets import KnownSets

__all__ = ["Patterns"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class Patterns:
    """The distinct patterns of the columns that can be known, and what the rows weigh."""

    def __init__(self, codes: Sequence[_Ints], known: Sequence[float], weights: Sequence[_Floats]) -> None:
        self.n_rows = len(codes[0])
        self.places = sorted((j for j, chance in enumerate(known) if chance > 0), key=lambda j: -known[j])
        self.others = [j for j in range(len(known)) if j not in self.places]
        self.chances = np.array([float(known[j]) for j in self.places])
        self.weights = [np.where(c >= 0, w, 0.0) for c, w in zip(codes, weights, strict=True)]
        columns = [_short(codes[j]) for j in self.places]
        key, _ = _key([column + 1 for column in columns], [int(column.max()) + 2 for column in columns], self.n_rows)
        _, first, self.pattern, sizes = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        self.columns = [_narrow(column[first]) for column in columns]
        self.sizes = sizes.astype(float)
        self.n_patterns = len(first)
        self.all_published = all(int(column.min()) >= 0 for column in self.columns)

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
        chances = self.chances[shown]
        columns = [(self.columns[k], self.columns[k][pattern]) for k in shown]
        if KnownSets.can_count(len(shown)):
            masks = np.zeros(self.n_patterns, dtype=np.uint16)
            for bit, (column, value) in enumerate(columns):
                masks |= (column == value).astype(np.uint16) << np.uint16(bit)
            return KnownSets.of_counts(_tally(masks, self.sizes, 1 << len(shown)), chances)
        key, _ = _key([column == value for column, value in columns], [2] * len(shown), self.n_patterns)
        _, first, way = np.unique(key, return_index=True, return_inverse=True)
        agree = np.stack([column[first] == value for column, value in columns], axis=1)
        return KnownSets.of_rows(agree, _tally(way, self.sizes, 0), chances)

    def all_sums(self) -> _Floats:
        """Return the sums over the known sets, one line each, of all patterns: one pass for each set of columns."""
        sums = np.zeros((len(self.places) + 1, self.n_patterns))
        spans = [int(column.max()) + 1 for column in self.columns]
        everything = np.arange(self.n_patterns)
        for chosen in range(1 << len(self.places)):
            inside = [k for k in range(len(self.places)) if chosen >> k & 1]
            rows = everything
            if not self.all_published and inside:
                rows = np.flatnonzero(np.logical_and.reduce([self.columns[k] >= 0 for k in inside]))
            if rows.size:
                whole = rows.size == self.n_patterns
                columns = [self.columns[k] if whole else self.columns[k][rows] for k in inside]
                counts = _counts(columns, [spans[k] for k in inside], self.sizes[rows])
                terms = np.prod(self.chances[inside]) / counts
                for line in (0, *(k + 1 for k in range(len(self.places)) if k not in inside)):
                    if whole:
                        sums[line] += terms
                    else:
                        sums[line, rows] += terms
        return sums

    def sum_bounds(self) -> Iterator[tuple[_Floats, _Floats]]:
        """Yield bounds on the sums: no set is shared by more than all rows, or by fewer than the identical ones."""
        growth = np.ones(self.n_patterns)
        for column, chance in zip(self.columns, self.chances, strict=True):
            growth *= np.where(column >= 0, 1 + chance, 1.0)
        slack = 1 + 2.0**-50 * (len(self.places) + 2)
        for chance in (0.0, *self.chances):
            # A blank weighs nothing, so that its line does not matter.
            even = growth / (1 + chance)
            yield even / self.n_rows, 1 / self.n_rows + np.maximum(even * slack - 1, 0) / self.sizes


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


def _counts(columns: Sequence[NDArray[Any]], spans: Sequence[int], sizes: _Floats) -> _Floats:
    """Return for each pattern the number of rows that agree with it on the columns."""
    key, below = _key(columns, spans, len(sizes))
    if below > 4 * key.size + 65536:
        _, key = np.unique(key, return_inverse=True)
    return _tally(key, sizes, 0)[key]


def _tally(key: NDArray[Any], sizes: _Floats, n_keys: int) -> _Floats:
    return np.asarray(np.bincount(key, weights=sizes, minlength=n_keys), dtype=np.float64)
