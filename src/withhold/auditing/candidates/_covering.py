"""What the texts of a column may stand for, as ranges: among the original's values, or among one another."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._meaning import Meaning
from withhold.auditing._sight import Sight
from withhold.auditing._text_forms import form_of, number_of, sample_values
from withhold.auditing.candidates._row_join import Cover
from withhold.table import Interval

__all__ = ["Known", "known_column"]

_Ints = NDArray[np.int64]
_Flags = NDArray[np.bool_]
MOST_CELLS = 1 << 27
"""How many pairs of a coarse text and a value are compared in a column; with more, a coarse text may be any value."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known:
    """A column that an outsider knows: the texts of the file, the values of people, and which may be which."""

    name: str
    texts: _Ints
    """For each row of the file the number of its text."""
    values: _Ints
    """For each person the code of his value."""
    cover: Cover
    is_withheld: _Flags
    """Which texts withhold the value altogether."""
    is_exact: bool = True
    """Whether every text was compared with every value."""


def known_column(sight: Sight, name: str) -> Known:
    """Return what is published of a column beside what is known of people; without the original that is the file."""
    cells = sight.cells(name).astype(np.int64)
    if sight.original is None or name not in sight.original.names:
        return _among_themselves(sight, name, cells)
    meaning = sight.meaning(name)
    was = sight.original.store.cells(name).astype(np.int64)
    order = meaning.order()
    order = np.concatenate([order[~meaning.was_missing[order]], order[meaning.was_missing[order]]])
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    is_any = _is_any(sight, meaning, cells, was)
    ranges, is_exact = _ranges(meaning, rank, is_any)
    return Known(
        name=name,
        texts=cells,
        values=rank[was],
        cover=Cover.of(ranges),
        is_withheld=is_any,
        is_exact=is_exact,
    )


def _is_any(sight: Sight, meaning: Meaning, cells: _Ints, was: _Ints) -> _Flags:
    """Return which texts may stand for any value: withheld ones, and empty cells where more are empty than were."""
    n_empty = int(np.count_nonzero(meaning.is_missing[cells]))
    n_lost = 0 if sight.original is None else sight.original.n_rows - sight.source.n_rows
    is_mark = n_empty > int(np.count_nonzero(meaning.was_missing[was])) or (n_lost > 0 and n_empty > 0)
    return meaning.is_withheld | (meaning.is_missing & is_mark)


def _ranges(meaning: Meaning, rank: _Ints, is_any: _Flags) -> tuple[list[list[tuple[int, int]]], bool]:
    """Return for each text the ranges of values that it may stand for."""
    n_values, n_known = rank.size, rank.size - int(meaning.was_missing.sum())
    exact: dict[str | None, list[int]] = {}
    for place, key in enumerate(meaning.keys_of_values):
        exact.setdefault(key, []).append(int(rank[place]))
    coarse = [key for key in meaning.keys if key is not None and meaning.is_coarse(key)]
    wide = _Wide(meaning, rank, n_known, is_small=len(coarse) * n_values <= MOST_CELLS)
    found: list[list[tuple[int, int]]] = []
    for place, key in enumerate(meaning.keys):
        if is_any[place]:
            found.append([(0, n_values)])
        elif key is None:
            found.append([(n_known, n_values)] if n_known < n_values else [])
        elif meaning.is_coarse(key):
            found.append(wide.ranges(key))
        else:
            found.append(_runs(np.array(sorted(exact.get(key, ())), dtype=np.int64)))
    return found, wide.is_exact


class _Wide:
    """The values that coarse texts may stand for; intervals are looked up where the values lie in order."""

    def __init__(self, meaning: Meaning, rank: _Ints, n_known: int, *, is_small: bool) -> None:
        self._meaning, self._rank, self._n_known, self._is_small = meaning, rank, n_known, is_small
        self.is_exact = True
        numbers = np.full(rank.size, np.nan)
        if meaning.tree is None and not meaning.labels:
            numbers[rank] = [number_of(value) for value in meaning.values]
        self._numbers = numbers[:n_known]
        # Texts among the numbers lie behind them.
        self._n_numbers = int(np.count_nonzero(~np.isnan(self._numbers)))

    def ranges(self, key: str) -> list[tuple[int, int]]:
        form = form_of(key) if self._n_numbers else None
        if isinstance(form, Interval) and key not in self._meaning.labels:
            numbers = self._numbers[: self._n_numbers]
            low = int(np.searchsorted(numbers, form.low, side="left" if form.has_low else "right"))
            high = int(np.searchsorted(numbers, form.high, side="right" if form.has_high else "left"))
            return [(low, high)] if low < high else []
        if not self._is_small:
            self.is_exact = False
            return [(0, self._n_known)]
        inside = self._meaning.covered(key, slice(self._rank.size))
        return _runs(np.sort(self._rank[inside]))


def _runs(codes: _Ints) -> list[tuple[int, int]]:
    """Return ascending codes as ranges.

    Examples
    --------
    >>> _runs(np.array([1, 2, 5]))
    [(1, 3), (5, 6)]
    """
    if not codes.size:
        return []
    first = np.flatnonzero(np.diff(codes, prepend=-2) != 1)
    last = np.append(first[1:], codes.size) - 1
    return list(zip(codes[first].tolist(), (codes[last] + 1).tolist(), strict=True))


def _among_themselves(sight: Sight, name: str, cells: _Ints) -> Known:
    """Return which texts may stand for the same value, where nobody knows the values: those that share one."""
    plain = sight.meaning(name)
    is_any = plain.is_withheld | (plain.is_missing & sight.source.is_typed(name))
    is_coarse = np.array([key is not None and plain.is_coarse(key) for key in plain.keys], dtype=np.bool_) & ~is_any
    meaning = sight.meaning(name, _atoms(plain.keys, is_coarse))
    shared = _shared(meaning, is_coarse)
    ranges: list[list[tuple[int, int]]] = []
    above = None if shared is None else shared.T
    coarse, anything = np.flatnonzero(is_coarse), np.flatnonzero(is_any)
    number = np.cumsum(is_coarse) - 1
    for i in range(is_any.size):
        if is_any[i] or (is_coarse[i] and shared is None):
            ranges.append([(0, is_any.size)])
        elif is_coarse[i]:
            assert shared is not None
            ranges.append(_runs(np.union1d(np.flatnonzero(shared[number[i]]), anything)))
        else:
            over = coarse if above is None else coarse[above[i]]
            ranges.append(_runs(np.union1d(np.append(over, i), anything)))
    return Known(
        name=name,
        texts=cells,
        values=cells,
        cover=Cover.of(ranges),
        is_withheld=is_any,
        is_exact=shared is not None,
    )


def _shared(meaning: Meaning, is_coarse: _Flags) -> _Flags | None:
    """Return for each coarse text which texts share a value with it; None where there are too many."""
    coarse = np.flatnonzero(is_coarse)
    universe = meaning.universe
    if coarse.size * (len(universe) + is_coarse.size) > MOST_CELLS:
        return None
    found = np.zeros((coarse.size, is_coarse.size), dtype=np.bool_)
    if coarse.size and len(universe):
        inside = np.array([meaning.covered(str(meaning.keys[i])) for i in coarse.tolist()])
        place = {key: at for at, key in enumerate(universe) if key is not None}
        at = np.array([place.get(str(key), -1) if key is not None else -1 for key in meaning.keys], dtype=np.int64)
        found = inside[:, at] & (at >= 0)
        as_numbers = inside.astype(np.float32)
        found[:, coarse] = as_numbers @ as_numbers.T > 0
    found[np.arange(coarse.size), coarse] = True
    return found


def _atoms(keys: tuple[str | None, ...], is_coarse: _Flags) -> list[str]:
    """Return values to compare coarse texts by: what is published, and numbers at and between the ends of intervals."""
    pairs = list(zip(keys, is_coarse.tolist(), strict=True))
    exact = [key for key, coarse in pairs if key is not None and not coarse]
    return [*exact, *sample_values(form_of(key) for key, coarse in pairs if key is not None and coarse)]
