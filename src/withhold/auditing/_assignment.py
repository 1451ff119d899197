"""Whether coarser cells in no known row can all stand for values of the original at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["n_unplaced"]

_Ints = NDArray[np.int64]


def n_unplaced(asked: Sequence[tuple[int, NDArray[np.bool_]]], has: _Ints) -> int:
    """Return how many cells find no value, when as many as possible do.

    Parameters
    ----------
    asked
        For each coarser text how many cells hold it, and which values it may stand for.
    has
        For each value how often it can be taken. Values that lie in one interval or below one node stand together.

    Notes
    -----
    Texts take values in the order of their last one, the first values first, which is best for intervals and trees; for
    other sets, paths are sought along which texts can pass values on (Ford and Fulkerson).

    Examples
    --------
    >>> n_unplaced([(5, np.array([True, True])), (5, np.array([True, False]))], np.array([5, 4]))
    1
    """
    groups = _alike([inside for _, inside in asked], has.size)
    rest = np.bincount(groups, weights=has, minlength=1).astype(np.int64)
    where = [np.unique(groups[inside]).tolist() for _, inside in asked]
    order = sorted(range(len(asked)), key=lambda text: (where[text][-1:], where[text][:1]))
    places = _Places(where, rest.tolist())
    left = {text: places.take(text, asked[text][0]) for text in order}
    for text in order:
        while left[text] and (moved := places.pass_on(text, left[text])):
            left[text] -= moved
    return sum(left.values())


def _alike(sets: Sequence[NDArray[np.bool_]], n_values: int) -> _Ints:
    """Return for each value a number: the same where every set holds both or neither, ascending with the first one."""
    groups = np.zeros(n_values, dtype=np.int64)
    below = 1
    for inside in sets:
        if below > 1 << 60:
            found, groups = np.unique(groups, return_inverse=True)
            below = found.size
        groups = groups * 2 + inside
        below *= 2
    _, first, groups = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[groups]


class _Places:
    """Which text has taken how many from which group of values."""

    def __init__(self, where: list[list[int]], rest: list[int]) -> None:
        self._where = where
        self._rest = rest
        self._taken: list[dict[int, int]] = [{} for _ in rest]

    def take(self, text: int, n: int) -> int:
        """Let a text take what is free, the first first; return how many cells are left."""
        for group in self._where[text]:
            if n == 0:
                break
            self._move(group, text, moved := min(n, self._rest[group]))
            self._rest[group] -= moved
            n -= moved
        return n

    def pass_on(self, text: int, n: int) -> int:
        """Find a chain of texts that can each take from another group, up to a free one; return how many moved."""
        reached: dict[int, tuple[int, int | None]] = dict.fromkeys(self._where[text], (text, None))
        queue = list(reached)
        for group in queue:
            if self._rest[group]:
                return self._shift(group, reached, n)
            for other in self._taken[group]:
                fresh = [each for each in self._where[other] if each not in reached]
                reached |= dict.fromkeys(fresh, (other, group))
                queue += fresh
        return 0

    def _shift(self, end: int, reached: dict[int, tuple[int, int | None]], n: int) -> int:
        chain: list[tuple[int, int, int | None]] = []
        group: int | None = end
        while group is not None:
            text, before = reached[group]
            chain.append((group, text, before))
            group = before
        n = min([n, self._rest[end], *(self._taken[before][text] for _, text, before in chain if before is not None)])
        for group, text, before in chain:
            self._move(group, text, n)
            if before is not None:
                self._move(before, text, -n)
        self._rest[end] -= n
        return n

    def _move(self, group: int, text: int, n: int) -> None:
        has = self._taken[group].get(text, 0) + n
        if has:
            self._taken[group][text] = has
        else:
            self._taken[group].pop(text, None)
