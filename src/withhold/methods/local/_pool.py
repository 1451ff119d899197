"""Rows that are not in a group yet: grow a tree over them, keep its cheapest groups, and again with the others."""

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.local._choose import back_off
from withhold.methods.local._forest import Forest, Found, joined
from withhold.methods.local._slices import Growth, Rows, pack
from withhold.methods.local._tree import KEPT

__all__ = ["Pool"]

SAMPLE = 2_000
"""Of groups of more than twice as many rows that many choose a cut."""
FINAL = 3
"""A part with fewer than that many times the smallest group is finished without leaving rows for later."""


class Pool:
    """Rows in parts, each of which meets all rules as one group.

    Parameters
    ----------
    forest
        What grows the trees.
    ids
        The rows.
    part
        The part of each row.
    keep
        The share of a part's records that a round keeps.
    noise
        By how much gains are raised at random.
    charge
        The price of a record left for later, as a share of the price of ``*`` on all columns.
    seed
        What the noise depends on.
    """

    def __init__(
        self, forest: Forest, ids: Array, part: Array, *, keep: float, noise: float, charge: float, seed: int
    ) -> None:
        self.forest = forest
        order = np.argsort(part, kind="stable")
        self.ids: NDArray[np.int64] = ids[order]
        self.part: NDArray[np.int64] = part[order]
        self.keep = keep
        self.noise = noise
        self.charge = charge * forest.problem.star
        self.seed = seed
        self.round = 0
        self.group = np.full(forest.problem.weight.size, -1, dtype=np.int64)
        self.n_groups = 0

    def peel(self) -> None:
        """Grow a tree over each part, keep its cheapest groups, and put the other rows back."""
        rows, tasks = self._packed()
        is_last = np.add.reduceat(rows.weight, tasks[:, 0]) < FINAL * self.forest.problem.least
        found = joined([self._grown(rows, tasks[~is_last], True), self._grown(rows, tasks[is_last], False)])
        piece = np.searchsorted(tasks[:, 0], found.slices[:, 0], side="right") - 1
        is_kept = self._chosen(found, piece, is_last)
        stuck = ~is_last & (np.bincount(piece, weights=is_kept, minlength=tasks.shape[0]) == 0)
        kept = found.slices[is_kept]
        if stuck.any():  # nothing can be taken from these without breaking a rule of the rest
            kept = np.concatenate([kept, self._grown(rows, tasks[stuck], False).slices])
        self._take(rows, kept)
        self.round += 1

    def finish(self) -> None:
        """Make groups of all rows that are left, without leaving any out."""
        rows, tasks = self._packed()
        self._take(rows, self._grown(rows, tasks, False).slices)

    def _packed(self) -> tuple[Rows, NDArray[np.int64]]:
        """Return the rows, and the slice of each part."""
        problem = self.forest.problem
        rows = pack(problem.lines, problem.weight, problem.lanes, self.ids)
        begin = np.flatnonzero(np.concatenate([[True], self.part[1:] != self.part[:-1]]))
        return rows, np.stack([begin, np.append(begin[1:], self.part.size)], axis=1).astype(np.int64)

    def _grown(self, rows: Rows, tasks: Array, may_leave: bool) -> Found:
        growth = Growth(
            least=self.forest.problem.least,
            may_leave=may_leave,
            charge=self.charge,
            noise=self.noise if self.round or self.seed else 0.0,
            seed=(self.seed * 1_000_003 + self.round) & 0x7FFFFFFF,
            sample=SAMPLE,
            small=0,
        )
        return self.forest.grown(rows, tasks, growth)

    def _chosen(self, found: Found, piece: Array, is_last: Array) -> NDArray[np.bool_]:
        """Return which slices to keep: the cheapest of each part, as long as the rest of it meets all rules."""
        candidates = np.flatnonzero(found.slices[:, 2] == KEPT)
        order = candidates[np.lexsort((found.price[candidates], piece[candidates]))]
        # groups that cost nothing are kept beyond the quota
        size, of = np.where(found.price > 0, found.counts[:, 0], 0), piece[order]
        before = np.cumsum(size[order]) - size[order]
        first = np.searchsorted(of, np.arange(is_last.size))
        before -= before[np.minimum(first, order.size - 1)][of] if order.size else 0
        quota = self.keep * np.bincount(piece, weights=size, minlength=is_last.size)
        order = order[before < quota[of]]
        is_kept = np.zeros(piece.size, dtype=bool)
        is_kept[order] = True
        is_kept[is_last[piece]] = True
        problem = self.forest.problem
        back_off(order[::-1].copy(), piece, found.counts, is_kept, is_last, problem.least, problem.asked)
        return is_kept

    def _take(self, rows: Rows, kept: Array) -> None:
        """Make groups of the kept slices; the pool is all other rows."""
        sizes = kept[:, 1] - kept[:, 0]
        where = np.repeat(kept[:, 0] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(sizes.sum())
        self.group[rows.ids[where]] = self.n_groups + np.repeat(np.arange(kept.shape[0]), sizes)
        self.n_groups += kept.shape[0]
        is_left = self.group[self.ids] < 0
        self.ids, self.part = self.ids[is_left], self.part[is_left]
