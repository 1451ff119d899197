"""Groups of rows that hold enough units: rows of one household never help each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods import local

__all__ = ["Texts", "apart", "collapsed", "with_enough_units"]

Ints = NDArray[np.int64]
TRIES = 8
"""How often groups with too few units are formed anew, each time one row larger; guards coarsen what is left."""


@dataclass(slots=True, eq=False)
class Texts:
    """What each row publishes in each column: a list of texts a column, and the place of each row in it."""

    values: list[list[Any]]
    codes: list[Ints]
    withheld: NDArray[np.bool_]

    @classmethod
    def nothing(cls, n_columns: int, n_rows: int) -> "Texts":
        """Return what withholds everything."""
        codes = [np.zeros(n_rows, dtype=np.int64) for _ in range(n_columns)]
        return cls([[None] for _ in range(n_columns)], codes, np.zeros(n_rows, dtype=bool))

    def write(self, rows: Ints, done: local.Recoded, *, first: int = 0, place: Ints | None = None) -> None:
        """Take over what some rows publish; `first` is their first column there, `place` their rows there."""
        for j in range(len(self.values)):
            made = done.published(first + j)
            codes = made.codes if place is None else made.codes[place]
            self.codes[j][rows] = codes.astype(np.int64) + len(self.values[j])
            self.values[j] += made.values
        self.withheld[rows] = done.withheld if place is None else done.withheld[place]

    def take(self, places: Sequence[int], part: "Texts") -> None:
        """Take over what all rows publish in some columns."""
        for j, values, codes in zip(places, part.values, part.codes, strict=True):
            self.values[j], self.codes[j] = values, codes
        self.withheld |= part.withheld

    def of(self, place: Ints) -> "Texts":
        """Return the same for rows that stand at these places."""
        return Texts(self.values, [codes[place] for codes in self.codes], self.withheld[place])

    def groups(self) -> Ints:
        """Return a number for each row, the same for rows that publish the same."""
        found = self.withheld.astype(np.int64)
        for values, codes in zip(self.values, self.codes, strict=True):
            known = {value: i for i, value in reversed(list(enumerate(values)))}
            same = np.array([known[value] for value in values], dtype=np.int64)
            found = np.unique(found * len(values) + same[codes], return_inverse=True)[1].reshape(-1)
        return found


def apart(sets: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the columns of promises, cut into parts that no promise puts together.

    Examples
    --------
    >>> apart([(0, 2), (1,), (2, 3)])
    [(0, 2, 3), (1,)]
    """
    parts: list[set[int]] = []
    for columns in sets:
        met = [part for part in parts if part & set(columns)]
        parts = [part for part in parts if part not in met] + [set(columns).union(*met)]
    return sorted(tuple(sorted(part)) for part in parts)


def collapsed(codes: NDArray[np.int32], units: Ints) -> tuple[Ints, Ints]:
    """Return one row for all rows of a unit that hold the same, and for each row its place among them."""
    key = np.column_stack([codes.astype(np.int64), units])
    _, first, place = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return first, place.reshape(-1)


def with_enough_units(
    texts: Texts,
    columns: Sequence[Any],
    codes: NDArray[np.int32],
    promises: Sequence[local.Promise],
    units: Ints,
    **settings: Any,
) -> None:
    """Form groups with too few units anew, with their neighbours, until hardly any are left."""
    k = max(promise.rule.least for promise in promises if promise.lanes is None)
    for extra in range(1, TRIES + 1):
        groups = texts.groups()
        n_units = _n_units(groups, units)
        is_bad = n_units < k
        is_bad[groups[texts.withheld]] = False
        if not is_bad.any():
            return
        chosen = np.flatnonzero(_near(is_bad, extra)[groups] & ~texts.withheld)
        try:
            done = local.recode(columns, codes[chosen], None, [*_larger(promises, chosen, extra)], **settings)
        except InfeasibleError:
            continue
        texts.write(chosen, done)


def _n_units(groups: Ints, units: Ints) -> Ints:
    n = int(units.max(initial=0)) + 1
    return np.bincount(np.unique(groups * n + units) // n).astype(np.int64)


def _near(is_chosen: NDArray[np.bool_], distance: int) -> NDArray[np.bool_]:
    """Return the chosen groups and those beside them; the numbers of groups follow their texts."""
    found = is_chosen.copy()
    for step in range(1, distance):
        found[step:] |= is_chosen[:-step]
        found[:-step] |= is_chosen[step:]
    return found


def _larger(promises: Sequence[local.Promise], rows: Ints, extra: int) -> Iterator[local.Promise]:
    """Yield the promises about some rows, groups larger by `extra`."""
    for promise in promises:
        if promise.lanes is None:
            yield replace(promise, rule=local.at_least(promise.rule.least + extra))
        else:
            yield replace(promise, lanes=promise.lanes[rows])
