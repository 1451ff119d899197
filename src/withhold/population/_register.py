"""Counting people in a table of the population: exactly, whatever the published values leave open."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, did_you_mean
from withhold.population._people import People
from withhold.table import Numbers, Table, is_number

__all__ = ["group_rows", "matching_people", "open_register", "people_in", "people_who_share"]

if TYPE_CHECKING:
    from withhold.policy import Policy

_OPEN: "WeakKeyDictionary[Policy, Table]" = WeakKeyDictionary()
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]


def matching_people(keys: Ints, allowed: Sequence[NDArray[np.bool_]], cells: Sequence[NDArray[np.integer]]) -> Ints:
    """Return for each combination of published texts how many rows of the population it may stand for.

    Parameters
    ----------
    keys
        Combinations by columns: places among the texts of each column.
    allowed
        For each column: texts by values of the population, whether the text may stand for the value.
    cells
        For each column the cells of the population, as places among its values.

    Notes
    -----
    For each text the rows that it may stand for are a set of bits; those of a combination are its texts' in common. The
    cost is combinations times columns times an eighth of the population in bytes.

    Examples
    --------
    >>> flags = [np.array([[True, False], [True, True]]), np.array([[False, True]])]
    >>> matching_people(np.array([[0, 0], [1, 0]]), flags, [np.array([0, 1, 1]), np.array([1, 1, 0])]).tolist()
    [1, 2]
    """
    n_people = int(np.asarray(cells[0]).size) if cells else 0
    order = np.lexsort(keys.T[::-1]) if keys.size else np.arange(len(keys))
    found = np.zeros(len(keys), dtype=np.int64)
    rows = [_Bits(flags, np.asarray(each).astype(np.int64)) for flags, each in zip(allowed, cells, strict=True)]
    shared: list[Bytes] = []
    before: list[int] = []
    for place in order.tolist():
        key = keys[place].tolist()
        # Combinations are sorted, so that most have their first columns in common with the one before.
        n_same = next((j for j, (a, b) in enumerate(zip(key, before, strict=False)) if a != b), len(before))
        del shared[n_same:]
        for j in range(len(shared), len(key)):
            own = rows[j].of(key[j])
            shared.append(own if not shared else shared[-1] & own)
        found[place] = int(np.bitwise_count(shared[-1]).sum(dtype=np.int64)) if shared else n_people
        before = key
    return found


class _Bits:
    """For each text of a column the rows of the population that it may stand for, packed."""

    def __init__(self, flags: NDArray[np.bool_], cells: Ints) -> None:
        self._flags, self._cells = flags, cells
        self._known: dict[int, Bytes] = {}

    def of(self, text: int) -> Bytes:
        if text not in self._known:
            self._known[text] = np.packbits(self._flags[text][self._cells])
        return self._known[text]


def open_register(policy: "Policy") -> Table:
    """Return the table of the population that a policy names; a file is opened once for a policy."""
    from withhold.policy import as_read

    if isinstance(policy.population, Table):
        return as_read(policy, policy.population.with_domains({}, missing=policy.missing), shift=False)
    if policy not in _OPEN:
        from withhold.engines import open_source

        assert policy.population is not None
        opened = Table(open_source(policy.folder / policy.population), missing=policy.missing)
        _OPEN[policy] = as_read(policy, opened, shift=False)
    return _OPEN[policy]


def people_who_share(table: Table, population: Table, columns: Sequence[str]) -> Ints:
    """Return for each row of a table how many people of the population hold the same values.

    Numbers are the same where they are equal, however they are spelled; a missing cell is a value of its own.

    Examples
    --------
    >>> few, all_people = {"sex": ["m", "f"]}, {"sex": ["m", "m", "f", "x"]}
    >>> people_who_share(Table.from_columns(few), Table.from_columns(all_people), ["sex"]).tolist()
    [2, 1]
    """
    for name in columns:
        if name not in population.names:
            raise DataError(f'the population has no column "{name}"{did_you_mean(name, population.names)}')
    mine = [table.store.cells(name).astype(np.int64) for name in columns]
    theirs = [_places(table, population, name)[population.store.cells(name)].astype(np.int64) for name in columns]
    is_known = np.all([cells >= 0 for cells in theirs], axis=0) if theirs else np.ones(population.n_rows, dtype=bool)
    both = [np.concatenate([own, other[is_known]]) for own, other in zip(mine, theirs, strict=True)]
    groups = group_rows(both, table.n_rows + int(is_known.sum()))
    counts = np.bincount(groups[table.n_rows :], minlength=int(groups.max(initial=-1)) + 1)
    return counts[groups[: table.n_rows]].astype(np.int64)


def people_in(table: Table, population: Table, columns: Sequence[str]) -> People:
    """Return for each row of a table its part of the people who hold the same values in the population.

    Rows that hold the same values share these people, each person once: so the people of any rows together are at
    most those whom a value that covers them all may stand for.

    Examples
    --------
    >>> few, all_people = {"sex": ["m", "m", "f"]}, {"sex": ["m", "m", "m", "f", "x"]}
    >>> people_in(Table.from_columns(few), Table.from_columns(all_people), ["sex"]).amounts.tolist()
    [2, 1, 1]
    """
    shared = people_who_share(table, population, columns)
    groups = group_rows([table.store.cells(name).astype(np.int64) for name in columns], table.n_rows)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sizes = np.bincount(groups, minlength=starts.size).astype(np.int64)
    rank = np.empty(groups.size, dtype=np.int64)
    rank[order] = np.arange(groups.size) - np.repeat(starts, sizes)
    own = sizes[groups]
    return People(amounts=shared // own + (rank < shared % own), unit=1)


def group_rows(cells: Sequence[Ints], n_rows: int) -> Ints:
    """Return a number for each row, counted from 0: the same for the same cells.

    Examples
    --------
    >>> group_rows([np.array([3, 1, 3]), np.array([0, 0, 0])], 3).tolist()
    [1, 0, 1]
    """
    found = np.zeros(n_rows, dtype=np.int64)
    for column in cells:
        joined = found * (int(column.max(initial=0)) + 1) + column
        found = np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return found


def _places(table: Table, population: Table, name: str) -> Ints:
    """Return for each value of the population its place among the values of the table, -1 where it is none."""
    own, other = table.store.values(name), population.store.values(name)
    is_numeric = isinstance(table.domain(name), Numbers) or name in table.bins
    place = {_spelled(value, table.missing, is_numeric): i for i, value in enumerate(own)}
    return np.array([place.get(_spelled(value, table.missing, is_numeric), -1) for value in other], dtype=np.int64)


def _spelled(value: str | None, missing: frozenset[str], is_numeric: bool) -> str | float | None:
    if value is None or value in missing:
        return None
    return float(value) if is_numeric and is_number(value) else value
