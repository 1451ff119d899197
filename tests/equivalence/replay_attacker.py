"""An outsider who replays the method: every table that would have led to the release, and what they say of a person.

The outsider knows the policy, the method, the seed and every cell but those that are secret, sees what is published, and
asks in what share of the possible tables a person holds each value. That is the most that anybody can infer.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

import withhold as wh
from withhold.errors import WithholdError
from withhold.releasing import Run
from withhold.table import MemoryStore, Table

Columns = Mapping[str, Sequence[str]]
Posteriors = list[dict[str, Fraction]]
Secret = tuple[int, str]
"""A row and a column."""
PublishedRows = tuple[tuple[str | None, ...], ...]


class ListedStore(MemoryStore):
    """Columns in memory whose secret cells are listed: no condition is asked."""

    def rows_where(self, condition: str, numbers: Sequence[str], *, without: Sequence[str] = ()) -> NDArray[np.int64]:
        raise NotImplementedError(condition)


def as_stored(columns: Columns) -> Table:
    """Return a table in memory; nothing is written or read."""
    names = {name: sorted(set(cells)) for name, cells in columns.items()}
    codes = {name: np.array([names[name].index(each) for each in columns[name]], dtype=np.uint32) for name in columns}
    return Table(ListedStore(names, codes))


def published(columns: Columns, policy: wh.Policy) -> PublishedRows | None:
    """Return the rows that are published, in order; None where the policy cannot be met, or names what is not there."""
    try:
        run = Run(as_stored(columns), policy, rng=1).run()
    except WithholdError:
        return None
    return tuple(zip(*(run.draft.texts(name) for name in run.draft.names), strict=True))


def replay(
    known: Columns,
    sensitive: str,
    values: Sequence[str],
    release: Callable[[Columns], object],
    rows: Sequence[int] | None = None,
) -> list[tuple[list[tuple[str, ...]], Posteriors]]:
    """Return the tables that lead to each release, and for each person the chance of each value among them.

    `rows` are those whose value is secret, by default all; of others `known` has it.
    """
    n_people = len(next(iter(known.values())))
    places = range(n_people) if rows is None else rows
    leading: dict[object, list[tuple[str, ...]]] = defaultdict(list)
    for assigned in product(values, repeat=len(places)):
        cells = list(known.get(sensitive, [""] * n_people))
        for place, value in zip(places, assigned, strict=True):
            cells[place] = value
        seen = release({**known, sensitive: cells})
        if seen is not None:
            leading[seen].append(assigned)
    return [(tables, posteriors(tables)) for tables in leading.values()]


def posteriors(tables: Sequence[tuple[str, ...]]) -> Posteriors:
    """Return for each secret cell the chance of each value, all tables being equally likely."""
    counts = [Counter(cells) for cells in zip(*tables, strict=True)]
    return [{value: Fraction(n, len(tables)) for value, n in each.items()} for each in counts]


def as_rows(policy: wh.Policy) -> Callable[[Columns], object]:
    """Return what an outsider sees of a release of the policy: its rows, each with its number."""

    def release(columns: Columns) -> object:
        rows = published(columns, policy)
        return None if rows is None else frozenset(Counter(rows).items())

    return release
