"""The sums of all records over all known sets, by one walk that splits groups of records."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.record_risk._patterns import Patterns

__all__ = ["SECONDS", "sum_all_sets"]

N_BEFORE = 4
"""The number of columns whose sets are walked one after the other, so that progress can be reported."""
SECONDS = 2.5e-8
"""About how long it takes to look at a record in a group."""

_Floats = NDArray[np.float64]


def sum_all_sets(
    table: Patterns, *, seconds: float, say: Callable[[float], object] = lambda share: None
) -> list[tuple[_Floats, _Floats]] | None:
    """Return the least and the greatest value of the sums of all patterns: over all sets, then without each column.

    None where it would take longer than about this many seconds. `say` receives the share of sets that are done.

    Notes
    -----
    A group of patterns that agree on a set is split by each further column in turn; of one pattern, or of two, all
    further sets are added up at once. So the cost is at most the number of sets times that of patterns, and far less
    where a few columns distinguish patterns. A sum without a column is the difference of two sums: its error is small
    beside the sum over all sets, not beside itself.
    """
    from withhold.auditing.record_risk._set_walk import walk_sets

    spans = np.array([int(column.max()) + 1 for column in table.columns], dtype=np.int64)
    falling = np.argsort(-spans, kind="stable")
    columns = np.stack([table.columns[k] for k in falling.tolist()]).astype(np.int32)
    chances, spans = table.chances[falling], spans[falling]
    n_columns, n_patterns = columns.shape
    records, growth = np.ascontiguousarray(columns.T), np.ones((n_patterns, n_columns + 1))
    for k in reversed(range(n_columns)):
        growth[:, k] = growth[:, k + 1] * np.where(columns[k] >= 0, 1 + chances[k], 1.0)
    sums, total = np.zeros((n_columns + 1, n_patterns)), np.zeros(n_patterns)
    inside, paired = np.zeros((n_columns, n_patterns)), np.zeros((n_patterns, n_columns))
    alone = np.zeros((n_patterns, n_columns + 1))
    n_before, most_work, spent = min(N_BEFORE, n_columns), int(min(seconds / SECONDS, 1e18)), 0
    tasks = [chosen for size in range(n_before + 1) for chosen in combinations(range(n_before), size)]
    for done, chosen in enumerate(tasks):
        order, bounds = _groups(columns[list(chosen)])
        product = float(np.prod(chances[list(chosen)]))
        shared = columns, records, spans, table.sizes, chances, growth
        work = walk_sets(*shared, order, bounds, n_before, product, sums, inside, paired, alone, most_work - spent)
        if work < 0:
            return None
        spent += work
        for line in (total, *(inside[k] for k in chosen)):
            line[order] += sums[0][order]
        say((done + 1) / len(tasks))
    part = np.where(columns.T >= 0, chances / (1 + chances), 0.0)
    inside += (paired + np.cumsum(alone, axis=1)[:, :n_columns] * part).T
    slack = total * 2.0**-52 * (min(2.0**n_columns, float(spent)) + 8 * n_columns + 64)
    found = [(total - slack, total + slack)]
    place = np.argsort(falling)
    for k in range(n_columns):
        without = total - inside[place[k]]
        found.append((np.maximum(without - slack, 0), without + slack))
    return found


def _groups(columns: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the patterns that publish all these columns, group by group, and where groups begin and end."""
    rows = np.flatnonzero((columns >= 0).all(axis=0))
    if not len(columns):
        return rows, np.array([0, rows.size], dtype=np.int64)
    order = rows[np.lexsort(columns[:, rows])]
    is_new = (np.diff(columns[:, order], axis=1) != 0).any(axis=0)
    begins = np.flatnonzero(np.concatenate((np.ones(min(1, rows.size), dtype=bool), is_new)))
    return order, np.append(begins, order.size).astype(np.int64)
