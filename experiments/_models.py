"""k-anonymity, l-diversity and t-closeness by withholding, in two ways: baselines for the figures on record risk.

The paper ran ARX and does not say with which taxonomies. These withhold only, as the method they are compared with.

- `local`: from everything withheld, every group of records is split by the column that leaves the fewest behind; the
  values that would make a group too small, too uniform or too unlike the table stay withheld, together.
- `whole`: a column is published or withheld for all records, and records of groups that still fail are withheld
  whole. This is the kind of recoding that ARX does. The columns are taken away greedily, the best one first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Model", "closeness", "diversity", "k_anonymity", "local", "whole"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """A privacy model: which groups it allows, by their size and how many of their records have each fact."""

    name: str
    """What it is called."""
    facts: NDArray[np.uint8]
    """For each record the sensitive facts, 0 or 1; no columns where the model looks at none."""
    allows: Callable[[Floats, Floats], Bools]
    """Return which groups are allowed, given sizes and, for each fact, how many records have it."""

    def counted(self, groups: Ints) -> tuple[Floats, Floats]:
        """Return the size of each group, and how many of its records have each fact."""
        n = int(groups.max(initial=-1)) + 1
        facts = [np.bincount(groups, weights=fact, minlength=n) for fact in self.facts.T]
        return np.bincount(groups, minlength=n).astype(float), np.array(facts).reshape(len(facts), n).T


def k_anonymity(n_rows: int, k: int) -> Model:
    """Every group has at least k records."""
    return Model(name=f"{k}-anonymity", facts=np.empty((n_rows, 0), np.uint8), allows=lambda sizes, counts: sizes >= k)


def diversity(facts: NDArray[np.uint8], n_facts: int) -> Model:
    """In every group each fact has both of its values: distinct 2-diversity, the only one that yes and no allow."""

    def allows(sizes: Floats, counts: Floats) -> Bools:
        return ((counts > 0) & (counts < sizes[:, None])).all(axis=1)

    return Model(name=f"2-diversity, {n_facts} facts", facts=facts[:, :n_facts], allows=allows)


def closeness(facts: NDArray[np.uint8], t: float) -> Model:
    """In every group the share of each fact is within t of that in the table."""
    share = facts.mean(axis=0)

    def allows(sizes: Floats, counts: Floats) -> Bools:
        return (np.abs(counts / np.maximum(sizes, 1)[:, None] - share) <= t + 1e-12).all(axis=1)

    return Model(name=f"{t:g}-closeness", facts=facts, allows=allows)


def local(codes: NDArray[Any], model: Model) -> Bools:
    """Return which cells are withheld; equal records may differ in what is withheld of them."""
    n_rows, n_columns = codes.shape
    withheld = np.ones(codes.shape, dtype=bool)
    groups = np.zeros(n_rows, dtype=np.int64)
    is_open = np.ones((1, n_columns), dtype=bool)
    for _ in range(n_columns):
        cuts = [_cut(codes[:, j], groups, is_open[:, j], model) for j in range(n_columns)]
        cost = np.stack([np.bincount(groups, weights=shut, minlength=len(is_open)) for _, shut in cuts], axis=1)
        best = np.where(is_open, cost, np.inf).argmin(axis=1)
        part = np.zeros(n_rows, dtype=np.int64)
        for j, (values, shut) in enumerate(cuts):
            mine = best[groups] == j
            withheld[mine, j] = shut[mine]
            part[mine] = np.where(shut, 0, values + 1)[mine]
        is_open[np.arange(len(is_open)), best] = False
        before = groups
        groups, first = _numbered(groups, part)
        is_open = is_open[before[first]]
    return withheld


def _cut(cells: NDArray[Any], groups: Ints, is_open: Bools, model: Model) -> tuple[Ints, Bools]:
    """Return the values of a column, and which stay withheld if every open group is split by it."""
    values = cells.astype(np.int64)
    parts, first = _numbered(groups, values)
    sizes, counts = model.counted(parts)
    of_part = groups[first]
    shut = ~model.allows(sizes, counts) | ~is_open[of_part]
    n_groups = len(is_open)
    order = np.lexsort((sizes, of_part))
    while True:
        rest = np.bincount(of_part, weights=sizes * shut, minlength=n_groups)
        facts = [np.bincount(of_part, weights=fact * shut, minlength=n_groups) for fact in counts.T]
        rest_facts = np.array(facts).reshape(len(facts), n_groups).T
        bad = (rest > 0) & ~model.allows(rest, rest_facts)
        # The smallest part that is still published joins those that are withheld.
        waiting = order[bad[of_part[order]] & ~shut[order]]
        if not waiting.size:
            return values, shut[parts]
        _, heads = np.unique(of_part[waiting], return_index=True)
        shut[waiting[heads]] = True


def whole(codes: NDArray[Any], model: Model) -> Bools:
    """Return which cells are withheld, the same columns for all records, and some records whole."""
    n_columns = codes.shape[1]
    kept = list(range(n_columns))
    best, best_cost = _failing(codes, kept, model), np.inf
    chosen: list[int] = kept
    while True:
        failing = _failing(codes, kept, model)
        cost = 1 - len(kept) / n_columns * (1 - failing.mean())
        if cost < best_cost:
            best, best_cost, chosen = failing, cost, kept
        if not kept:
            break
        options = [[j for j in kept if j != left] for left in kept]
        kept = min(options, key=lambda option: float(_failing(codes, option, model).mean()))
    withheld = np.ones(codes.shape, dtype=bool)
    withheld[:, chosen] = best[:, None]
    return withheld


def _failing(codes: NDArray[Any], columns: list[int], model: Model) -> Bools:
    """Return which records lie in a group that is not allowed, with these columns published."""
    groups = np.zeros(len(codes), dtype=np.int64)
    for j in columns:
        groups, _ = _numbered(groups, codes[:, j].astype(np.int64))
    failing: Bools = ~model.allows(*model.counted(groups))[groups]
    return failing


def _numbered(groups: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Return for each record the number of its pair of group and value, and for each number a record."""
    keys = groups * (int(values.max(initial=0)) + 1) + values
    n_keys = int(keys.max(initial=0)) + 1
    if n_keys > 4 * len(keys):
        _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
        return numbers.astype(np.int64), first
    first_of = np.full(n_keys, -1, dtype=np.int64)
    first_of[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    present = first_of >= 0
    return (np.cumsum(present) - 1)[keys], first_of[present]
