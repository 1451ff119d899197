"""Run the search over the threads there are, and put together what they find."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold._threads import in_parallel, n_cores
from withhold.methods.rules._mine_kernel import ITEMS, N_FIELDS, ROOT, Limits, list_rows, mine
from withhold.methods.rules._slots import Slots

__all__ = ["Found", "all_rows", "find"]

SHARES_OF_A_CORE = 4
WORTH_A_THREAD = 20_000
"""Fewer cells than this are searched faster than a thread is woken."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Adversarial rules, as slots."""

    items_end: NDArray[np.int64]
    """For each antecedent the end of its slots (one more, 0, in front)."""
    items: NDArray[np.int32]
    """The slots of the antecedents."""
    rules: NDArray[np.int64]
    """One line for each rule; the fields are named in `_mine_kernel`. Rules of one antecedent stand together."""
    n_nodes: int
    """The number of itemsets visited."""

    def __len__(self) -> int:
        return len(self.rules)

    def only(self, kept: NDArray[np.bool_]) -> "Found":
        """Return some of the rules, with their antecedents."""
        rules = self.rules[kept]
        used, rules[:, ITEMS] = np.unique(rules[:, ITEMS], return_inverse=True)
        return _gathered(self.items_end, self.items, used, rules, self.n_nodes)

    def names(self) -> list[bytes]:
        """Return for each rule a name that distinguishes it from every other."""
        parts = [self.items[a:b].tobytes() for a, b in zip(self.items_end[:-1], self.items_end[1:], strict=True)]
        return [parts[a] + bytes(1) + slot.tobytes() for a, slot in self.rules[:, [ITEMS, ITEMS + 1]]]


def all_rows(cells: Array, n_slots: int, *, hides: Array | None = None) -> tuple[Array, Array]:
    """Return for each slot the rows that hold it, and behind the last slot all rows; those of `hides` stand first."""
    order = np.arange(len(cells), dtype=np.int32)
    if hides is not None:
        order = order[np.argsort(~hides, kind="stable")]
    start, listed = list_rows(cells, order, n_slots)
    return start, np.concatenate([listed, order])


def find(slots: Slots, cells: Array, limits: Limits, *, witnesses: Array | None = None) -> Found:
    """Return the adversarial rules of the cells; given witnesses, only those whose antecedent one of them holds."""
    n_rows = len(cells)
    hides = slots.hides
    layout = slots.layout
    if witnesses is not None:
        cells = np.concatenate([cells, witnesses])
        hides = np.concatenate([hides, np.zeros(len(witnesses), np.bool_)])
    n_slots = layout.column.size
    start, listed = all_rows(cells, n_slots, hides=hides)
    n_held = np.diff(start)
    is_root = layout.leads & (n_held >= limits.least_cover)
    if witnesses is not None:
        held = np.zeros(n_slots, np.bool_)
        held[witnesses] = True
        is_root &= held
    roots = np.flatnonzero(is_root) if limits.longest else np.empty(0, np.int64)
    if limits.shortest == 0:
        roots = np.append(-1, roots)
    n_shares = SHARES_OF_A_CORE * n_cores() if n_rows * len(layout.base) >= WORTH_A_THREAD and n_cores() > 1 else 1
    shares = [roots[i::n_shares].copy() for i in range(min(n_shares, len(roots)))]
    works = [partial(mine, cells, hides, n_rows, start, listed, share, layout, limits) for share in shares]
    return _joined(in_parallel(works))


def _joined(parts: list[tuple[Array, Array, Array, int]]) -> Found:
    """Return what the threads found as one, in the order of the search."""
    if not parts:
        return Found(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty((0, N_FIELDS), np.int64), 0)
    if len(parts) == 1:
        return Found(*parts[0])
    n_items = np.cumsum([0] + [len(items) for _, items, _, _ in parts])
    n_found = np.cumsum([0] + [len(ends) - 1 for ends, _, _, _ in parts])
    ends = np.concatenate([[0]] + [part[0][1:] + n for part, n in zip(parts, n_items, strict=False)])
    items = np.concatenate([part[1] for part in parts])
    for part, n in zip(parts, n_found, strict=False):
        part[2][:, ITEMS] += n
    rules = np.concatenate([part[2] for part in parts])
    rules = rules[np.argsort(rules[:, ROOT], kind="stable")]
    _, first, inverse = np.unique(rules[:, ITEMS], return_index=True, return_inverse=True)
    order = np.argsort(first)
    old = rules[np.sort(first), ITEMS]
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    rules[:, ITEMS] = rank[inverse]
    return _gathered(ends, items, old, rules, sum(part[3] for part in parts))


def _gathered(ends: Array, items: Array, chosen: Array, rules: Array, n_nodes: int) -> Found:
    """Return rules with the chosen antecedents, in the order chosen."""
    lengths = ends[chosen + 1] - ends[chosen]
    new_ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    where = np.repeat(ends[chosen] - new_ends[:-1], lengths) + np.arange(new_ends[-1])
    return Found(new_ends, items[where], rules, n_nodes)
