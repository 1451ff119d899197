"""One search: distinct rows of some columns, the rules they must keep, and the parts that are searched apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.errors import InputError
from withhold.methods.local._asked import Asked, asked_of, meets, smallest
from withhold.methods.local._forms import SIZE, Rule
from withhold.methods.local._lines import lines_of
from withhold.methods.local._local_columns import Column
from withhold.methods.local._prices import Prices, prices_of, star_of

__all__ = ["Problem", "Promise", "numbered", "problem_of", "shared_lanes"]

WIDEST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Promise:
    """A rule, the columns whose published texts make the groups it is about, and what each row holds.

    Examples
    --------
    >>> from withhold.methods.local import at_least
    >>> Promise(rule=at_least(5), columns=(0, 1)).columns
    (0, 1)
    """

    rule: Rule
    """What every group must meet."""
    columns: tuple[int, ...]
    """The positions of the columns that make the groups."""
    lanes: NDArray[np.int32] | None = None
    """For each row the sensitive value it holds, from 0 to ``rule.n_lanes - 1``, or -1 where unanswered."""

    def __post_init__(self) -> None:
        if self.rule.form != SIZE and self.lanes is None:
            raise InputError("Promise: a rule about a sensitive column needs `lanes`.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Distinct rows with counts, in one order whatever the order of the table's rows."""

    columns: Sequence[Column]
    prices: Prices
    star: float
    """The price of ``*`` on all columns."""
    lines: Array
    """The line of each row."""
    weight: NDArray[np.int64]
    lanes: NDArray[np.int32]
    n_lanes: int
    part: NDArray[np.int64]
    """Which part each row belongs to; no group spans two parts."""
    n_parts: int
    rules: tuple[Rule, ...]
    asked: Asked
    least: int
    place: NDArray[np.int64]
    """For each row of the table its distinct row."""

    def histogram(self, ids: Array) -> NDArray[np.int64]:
        """Return the histogram of some rows."""
        counts = np.zeros(self.n_lanes, dtype=np.int64)
        counts[0] = self.weight[ids].sum()
        for s in range(self.lanes.shape[1]):
            held = self.lanes[ids, s]
            np.add.at(counts, held[held >= 0], self.weight[ids][held >= 0])
        return counts

    def is_valid(self, counts: Array) -> bool:
        """Decide exactly whether a histogram meets all rules."""
        return meets(self.rules, counts)


def problem_of(
    columns: Sequence[Column],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    promises: Sequence[Promise],
    part: NDArray[np.int64] | None,
) -> Problem:
    """Return the problem of keeping all promises over all of `columns`, searched apart in each part."""
    rules, lanes, n_lanes = shared_lanes(promises, codes.shape[0])
    apart = np.zeros(codes.shape[0], dtype=np.int64) if part is None else part
    order, is_new = _sorted_distinct([apart, *codes.T, *lanes.T])
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.cumsum(is_new) - 1
    kept = order[is_new]
    # integers below 2**53 are exact as floats, which is what bincount sums
    weight = np.bincount(place, weights=weights, minlength=kept.size).astype(np.int64)
    return Problem(
        columns=columns,
        prices=prices_of(columns),
        star=float(star_of(columns).sum()),
        lines=lines_of(codes[kept], codes[kept], [column.n_leaves for column in columns]),
        weight=weight,
        lanes=np.ascontiguousarray(lanes[kept]),
        n_lanes=n_lanes,
        part=apart[kept],
        n_parts=int(apart.max(initial=-1)) + 1,
        rules=rules,
        asked=asked_of(rules),
        least=smallest(rules),
        place=place,
    )


def numbered(keys: Sequence[Array], n_rows: int) -> NDArray[np.int64]:
    """Return a number for each row, the same for rows that agree on all keys."""
    found = np.zeros(n_rows, dtype=np.int64)
    if keys and n_rows:
        order, is_new = _sorted_distinct(keys)
        found[order] = np.cumsum(is_new) - 1
    return found


def shared_lanes(promises: Sequence[Promise], n_rows: int) -> tuple[tuple[Rule, ...], NDArray[np.int32], int]:
    """Return the rules with their lanes side by side; promises about the same values share them."""
    found: dict[tuple[int, int], tuple[int, NDArray[np.int32]]] = {}
    rules, n_lanes = [], 1
    for promise in promises:
        if promise.lanes is None or promise.rule.form == SIZE:
            rules.append(promise.rule)
            continue
        key = (id(promise.lanes), promise.rule.n_lanes)
        if key not in found:
            held = np.asarray(promise.lanes, dtype=np.int32)
            found[key] = n_lanes, np.where(held >= 0, held + n_lanes, -1).astype(np.int32)
            n_lanes += promise.rule.n_lanes
        rules.append(promise.rule._replace(first=found[key][0]))
    lanes = np.stack([held for _, held in found.values()], axis=1) if found else np.zeros((n_rows, 0), dtype=np.int32)
    return tuple(rules), lanes, n_lanes


def _sorted_distinct(keys: Sequence[Array]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the order that sorts rows by all keys, and which of them differ from the one before."""
    packed = _packed(keys)
    order = np.argsort(packed[0], kind="stable") if len(packed) == 1 else np.lexsort(packed[::-1])
    is_new = np.ones(order.size, dtype=bool)
    if order.size:
        is_new[1:] = False
        for key in packed:
            ranked = key[order]
            is_new[1:] |= ranked[1:] != ranked[:-1]
    return order.astype(np.int64), is_new


def _packed(keys: Sequence[Array]) -> list[NDArray[np.int64]]:
    """Return fewer keys that sort the same: neighbours share one number while it fits."""
    packed: list[NDArray[np.int64]] = []
    room = 0
    for key in keys:
        low = int(key.min(initial=0))
        width = int(key.max(initial=0)) - low + 1
        if packed and room * width < WIDEST:
            packed[-1] = packed[-1] * width + (key - low)
            room *= width
        else:
            packed.append(key.astype(np.int64) - low)
            room = width
    return packed
