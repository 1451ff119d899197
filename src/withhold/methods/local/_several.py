"""Promises about different columns: which rows cannot keep each of them by itself, and must be grouped over all."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.local._asked import Asked, all_met, asked_of, smallest
from withhold.methods.local._lean import entry
from withhold.methods.local._problem import Promise, numbered, shared_lanes
from withhold.methods.local._states import Draft

__all__ = ["Columns", "columns_of", "rows_together"]

Columns = tuple[int, ...]
Rows = NDArray[np.int64]
MOST = 0.5
"""Where a larger share of the rows must be grouped anew, all are: the others would only be in the way."""


def columns_of(promise: Promise) -> Columns:
    """Return the columns of a promise, each once, in order."""
    return tuple(sorted(set(promise.columns)))


def rows_together(draft: Draft, union: Sequence[int], promises: Mapping[Columns, Sequence[Promise]]) -> Rows:
    """Return the fewest rows found that keep all promises as one group, and without which the others keep each.

    Rows join them until no group of the others breaks a promise. That ends, at the latest with all rows.
    """
    groups = {columns: Groups(draft, columns, each) for columns, each in promises.items()}
    every = [promise for each in promises.values() for promise in each]
    is_apart = np.zeros(draft.rows.size, dtype=bool)
    while True:
        while any(each.leave(is_apart) for each in groups.values()):
            pass
        if np.count_nonzero(is_apart) > MOST * is_apart.size:
            return draft.rows
        rows = draft.rows[is_apart]
        if not rows.size or draft.can_split(union, every, rows):
            return rows
        if not _invite(groups.values(), is_apart):
            return draft.rows


class Groups:
    """The groups that one promise, or several about the same columns, are counted over."""

    def __init__(self, draft: Draft, columns: Columns, promises: Sequence[Promise]) -> None:
        self.rows = draft.rows
        self.group = numbered([draft.texts(c, self.rows) for c in columns], self.rows.size)
        self.order = np.argsort(self.group, kind="stable")
        rules, lanes, n_lanes = shared_lanes(promises, draft.codes.shape[0])
        self.lanes = np.ascontiguousarray(lanes[self.rows])
        self.weight = draft.weights[self.rows]
        self.asked, self.least = asked_of(rules), smallest(rules)
        self.counts = np.zeros(n_lanes, dtype=np.int64)

    def leave(self, is_apart: NDArray[np.bool_]) -> bool:
        """Add to those apart the rows of groups that break a promise without them; return whether there are any."""
        return bool(
            _leave(self.asked, self.least, self.order, self.group, self.weight, self.lanes, self.counts, is_apart)
        )


def _invite(groups: Iterable[Groups], is_apart: NDArray[np.bool_]) -> bool:
    """Add to those apart whole groups that they come from, the smallest first, until they have doubled."""
    before = int(np.count_nonzero(is_apart))
    for each in groups:
        n_others = np.bincount(each.group, weights=~is_apart)
        of_apart = np.unique(each.group[is_apart])
        of_apart = of_apart[n_others[of_apart] > 0]
        of_apart = of_apart[np.argsort(n_others[of_apart], kind="stable")]
        chosen = of_apart[: 1 + np.searchsorted(np.cumsum(n_others[of_apart]), before)]
        is_apart |= np.isin(each.group, chosen)
    return int(np.count_nonzero(is_apart)) > before


@entry
def _leave(
    asked: Asked,
    least: int,
    order: Array,
    group: Array,
    weight: Array,
    lanes: Array,
    counts: Array,
    is_apart: Array,
) -> int:
    n_left, begin = 0, 0
    for i in range(order.size):
        r = order[i]
        if not is_apart[r]:
            counts[0] += weight[r]
            for s in range(lanes.shape[1]):
                if lanes[r, s] >= 0:
                    counts[lanes[r, s]] += weight[r]
        if i + 1 < order.size and group[order[i + 1]] == group[r]:
            continue
        if counts[0] > 0 and (counts[0] < least or not all_met(asked, counts)):
            for j in range(begin, i + 1):
                n_left += not is_apart[order[j]]
                is_apart[order[j]] = True
        for lane in range(counts.size):
            counts[lane] = 0
        begin = i + 1
    return n_left
