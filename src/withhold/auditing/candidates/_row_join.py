"""Which rows of a file each person could be: a join on "may stand for" instead of "is equal"."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled

__all__ = ["MOST_PAIRS", "Cover", "Pairs", "join_rows", "turned"]

_Ints = NDArray[np.int64]
MOST_PAIRS = 100_000_000
"""How many pairs of a distinct row and a distinct person are kept; with more, only some people are looked at."""
MOST_WORK = 3_000_000_000
"""How many people are passed on in all, from one column to the next, before the join gives up."""
SHORT = 24
"""Slices up to this long are sorted by insertion."""


class Cover(NamedTuple):
    """For each text of a column the values that it may stand for, as ranges of codes ``low`` to ``high - 1``."""

    starts: Array
    """Where the ranges of each text begin among all of them, and where the last ends."""
    low: Array
    high: Array

    @classmethod
    def of(cls, ranges: Sequence[Sequence[tuple[int, int]]]) -> "Cover":
        """Return the ranges of each text.

        Examples
        --------
        >>> Cover.of([[(0, 2)], [], [(0, 1), (3, 4)]]).starts.tolist()
        [0, 1, 1, 3]
        """
        flat = np.array([each for own in ranges for each in own], dtype=np.int64).reshape(-1, 2)
        return cls(np.cumsum([0, *map(len, ranges)]), flat[:, 0].copy(), flat[:, 1].copy())

    def n_covered(self, n_of_value: _Ints) -> _Ints:
        """Return for each text how many people hold a value that it covers."""
        below = np.concatenate([[0], np.cumsum(n_of_value)])
        sums = np.concatenate([[0], np.cumsum(below[self.high] - below[self.low])])
        return np.asarray(sums[self.starts[1:]] - sums[self.starts[:-1]], dtype=np.int64)


class Pairs(NamedTuple):
    """For each item the ones that it may be, by number."""

    starts: Array
    """Where those of each item begin, and where the last ends."""
    others: Array


def join_rows(
    rows: _Ints, people: _Ints, covers: Sequence[Cover], *, most_pairs: int = MOST_PAIRS, most_work: int = MOST_WORK
) -> Pairs | None:
    """Return for each distinct row the people that it may be, or None where that is too much.

    Parameters
    ----------
    rows
        The distinct rows, by columns: numbers of texts.
    people
        The distinct people, by columns: codes of values.
    covers
        For each column what its texts may stand for.
    most_pairs, most_work
        Where to give up.

    Notes
    -----
    Rows are sorted, and walked like a tree: rows that share their first columns share the people who fit those. From
    column to column, the people left are sorted by their value there, so that a text takes a slice of them. The cost
    is that of passing them on; columns that leave the fewest go first.

    Examples
    --------
    >>> cover = Cover.of([[(0, 2)], [(1, 2)]])
    >>> join_rows(np.array([[0], [1]]), np.array([[0], [1]]), [cover]).others.tolist()
    [0, 1, 1]
    """
    order = _order(rows, people, covers)
    by_column = np.lexsort([rows[:, c] for c in reversed(order)])
    tree = _Tree(
        rows[by_column][:, order].astype(np.int32),
        np.ascontiguousarray(people[:, order].T.astype(np.int32)),
        np.concatenate([covers[c].starts + sum(covers[o].low.size for o in order[:i]) for i, c in enumerate(order)]),
        np.cumsum([0, *(covers[c].starts.size for c in order)]),
        np.concatenate([covers[c].low for c in order]),
        np.concatenate([covers[c].high for c in order]),
    )
    is_done, sizes, others = _join(tree, most_pairs, most_work)
    if not is_done:
        return None
    # What was found lies in the order of the sorted rows.
    starts = np.concatenate([[0], np.cumsum(sizes)])
    place = np.empty(len(rows), dtype=np.int64)
    place[by_column] = np.arange(len(rows))
    return Pairs(*_reordered(starts, others, place))


def turned(pairs: Pairs, n_others: int) -> Pairs:
    """Return the same pairs from the other side.

    Examples
    --------
    >>> turned(Pairs(np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32)), 2).others.tolist()
    [0, 0, 1]
    """
    return Pairs(*_turned(pairs.starts, pairs.others, n_others))


def _order(rows: _Ints, people: _Ints, covers: Sequence[Cover]) -> list[int]:
    """Return the columns, those first whose texts leave the fewest people."""
    left = []
    for c, cover in enumerate(covers):
        n_values = max(int(people[:, c].max(initial=-1)), int(cover.high.max(initial=0)) - 1) + 1
        left.append(float(cover.n_covered(np.bincount(people[:, c], minlength=n_values))[rows[:, c]].mean()))
    return sorted(range(len(covers)), key=left.__getitem__)


class _Tree(NamedTuple):
    """Sorted rows, people by column, and the ranges of all columns behind each other."""

    rows: Array
    people: Array
    starts: Array
    first_text: Array
    low: Array
    high: Array


@compiled
def _sort(keys: Array, n: int) -> None:
    """Sort the first `n` keys."""
    if n > SHORT:
        keys[:n].sort()
        return
    for i in range(1, n):
        key, j = keys[i], i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1] = keys[j]
            j -= 1
        keys[j + 1] = key


@compiled
def _first_at_least(keys: Array, n: int, key: int) -> int:
    low, high = 0, n
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _join(tree: _Tree, most_pairs: int, most_work: int) -> tuple[bool, Array, Array]:
    n_rows, n_columns = tree.rows.shape
    n_people = tree.people.shape[1]
    sizes = np.zeros(n_rows, dtype=np.int64)
    others = np.empty(min(most_pairs, max(1024, 2 * n_people)), dtype=np.int32)
    n_pairs, work = 0, n_people
    # A key is a value and behind it the person, so that sorting keys sorts people by their value.
    keys = np.empty((n_columns, n_people), dtype=np.int64)
    n_left = np.zeros(n_columns, dtype=np.int64)
    at = np.zeros(n_columns, dtype=np.int64)
    end = np.zeros(n_columns, dtype=np.int64)
    for i in range(n_people):
        keys[0, i] = (np.int64(tree.people[0, i]) << 32) | i
    _sort(keys[0], n_people)
    n_left[0], end[0] = n_people, n_rows
    c = 0
    while c >= 0:
        if at[c] >= end[c]:
            c -= 1
            continue
        begin = at[c]
        text = tree.rows[begin, c]
        stop = begin + 1
        while stop < end[c] and tree.rows[stop, c] == text:
            stop += 1
        at[c] = stop
        own = tree.first_text[c] + text
        is_last = c == n_columns - 1
        n_taken = 0
        for r in range(tree.starts[own], tree.starts[own + 1]):
            first = _first_at_least(keys[c], n_left[c], tree.low[r] << 32)
            last = _first_at_least(keys[c], n_left[c], tree.high[r] << 32)
            if is_last and n_pairs + last - first > others.size:
                if n_pairs + last - first > most_pairs:
                    return False, sizes, others
                wider = np.empty(min(most_pairs, max(2 * others.size, n_pairs + last - first)), dtype=np.int32)
                wider[:n_pairs] = others[:n_pairs]
                others = wider
            for i in range(first, last):
                person = keys[c, i] & 0xFFFFFFFF
                if is_last:
                    others[n_pairs] = person
                    n_pairs += 1
                else:
                    keys[c + 1, n_taken] = (np.int64(tree.people[c + 1, person]) << 32) | person
                n_taken += 1
        work += n_taken
        if work > most_work:
            return False, sizes, others
        if is_last:
            sizes[begin] = n_taken
        elif n_taken:
            _sort(keys[c + 1], n_taken)
            c += 1
            n_left[c], at[c], end[c] = n_taken, begin, stop
    return True, sizes, others[:n_pairs]


@compiled
def _reordered(starts: Array, others: Array, place: Array) -> tuple[Array, Array]:
    """Return the slices of some items in another order: the `i`-th is the one at `place[i]`."""
    found, ends = np.empty_like(others), np.zeros(place.size + 1, dtype=np.int64)
    n = 0
    for i in range(place.size):
        for at in range(starts[place[i]], starts[place[i] + 1]):
            found[n] = others[at]
            n += 1
        ends[i + 1] = n
    return ends, found


@compiled
def _turned(starts: Array, others: Array, n_others: int) -> tuple[Array, Array]:
    ends = np.zeros(n_others + 1, dtype=np.int64)
    for i in range(others.size):
        ends[others[i] + 1] += 1
    for i in range(n_others):
        ends[i + 1] += ends[i]
    at, found = ends[:-1].copy(), np.empty(others.size, dtype=np.int32)
    for item in range(starts.size - 1):
        for i in range(starts[item], starts[item + 1]):
            found[at[others[i]]] = item
            at[others[i]] += 1
    return ends, found
