"""An outsider who replays the method: every table that would have led to the release, and what they say of a person.

The outsider knows the policy, the method and the columns by which people are recognised, sees the published rows in any
order, and asks for each person in what share of the possible tables he holds a sensitive value.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import withhold as wh
from withhold.errors import InfeasibleError, PolicyError
from withhold.releasing import Run

Columns = Mapping[str, Sequence[str]]
Posteriors = list[dict[str, Fraction]]


def published(columns: Columns, policy: wh.Policy) -> tuple[tuple[str | None, ...], ...] | None:
    """Return the rows that are published, in order; None where the policy cannot be met, or names what is not there."""
    try:
        run = Run(wh.Table.from_columns(dict(columns)), policy).run()
    except (InfeasibleError, PolicyError):
        return None
    return tuple(zip(*(run.draft.texts(name) for name in run.draft.names), strict=True))


def replay(
    known: Columns, sensitive: str, values: Sequence[str], release: Callable[[Columns], object]
) -> list[tuple[list[tuple[str, ...]], Posteriors]]:
    """Return the tables that lead to each release, and for each person the chance of each value among them."""
    n_people = len(next(iter(known.values())))
    leading: dict[object, list[tuple[str, ...]]] = defaultdict(list)
    for assigned in product(values, repeat=n_people):
        seen = release({**known, sensitive: list(assigned)})
        if seen is not None:
            leading[seen].append(assigned)
    found = []
    for tables in leading.values():
        counts = [Counter(table[person] for table in tables) for person in range(n_people)]
        found.append((tables, [{v: Fraction(n, len(tables)) for v, n in each.items()} for each in counts]))
    return found


def as_rows(policy: wh.Policy) -> Callable[[Columns], object]:
    """Return what an outsider sees of a release of the policy: its rows, each with its number."""

    def release(columns: Columns) -> object:
        rows = published(columns, policy)
        return None if rows is None else frozenset(Counter(rows).items())

    return release
