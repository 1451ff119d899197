"""Grow trees over many slices of rows, on all threads, with the same result on any number of them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold._threads import in_parallel, n_cores
from withhold.methods.local._buckets import BUCKETS
from withhold.methods.local._prices import KIND, LEAVES, NUMBER, words_of
from withhold.methods.local._problem import Problem
from withhold.methods.local._slices import Growth, Rows, Scratch, scratch_for
from withhold.methods.local._tree import TODO, grow

__all__ = ["Forest", "Found", "joined"]

SHARED = 4_000
"""More rows are cut into pieces that threads grow apart."""
PIECES = 16


class Found(NamedTuple):
    """Slices of rows: begin, end and what became of them; the price of one row; the histogram."""

    slices: NDArray[np.int64]
    price: NDArray[np.float64]
    counts: NDArray[np.int64]

    def some(self, which: Array) -> "Found":
        """Return some of the slices."""
        return Found(self.slices[which], self.price[which], self.counts[which])


def joined(parts: Sequence[Found]) -> Found:
    """Return all slices, in the order of rows."""
    found = Found(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    return found.some(np.argsort(found.slices[:, 0], kind="stable"))


class Forest:
    """What grows trees: a problem, threads, and room for each of them."""

    def __init__(self, problem: Problem, threads: int | None = None) -> None:
        self.problem = problem
        self.n_threads = threads or n_cores()
        self._scratches: list[Scratch] = []

    def grown(self, rows: Rows, tasks: Array, growth: Growth) -> Found:
        """Grow trees over slices of rows; return slices and whether they are groups or rows for later."""
        n_rows = int((tasks[:, 1] - tasks[:, 0]).sum())
        if n_rows <= SHARED:
            return self._grow(rows, tasks, growth, 0)
        first = self._grow(rows, tasks, growth._replace(small=n_rows // PIECES), 0)
        is_open = first.slices[:, 2] == TODO
        pieces = first.slices[is_open][:, :2]
        n_shares = min(self.n_threads, pieces.shape[0])
        works = [self._work(rows, pieces[s::n_shares], growth, s) for s in range(n_shares)]
        return joined([first.some(~is_open), *in_parallel(works)])

    def _work(self, rows: Rows, tasks: Array, growth: Growth, share: int) -> Callable[[], Found]:
        self._scratch(share)
        return lambda: self._grow(rows, tasks, growth, share)

    def _grow(self, rows: Rows, tasks: Array, growth: Growth, share: int) -> Found:
        problem = self.problem
        room = int((tasks[:, 1] - tasks[:, 0]).sum()) + 1
        slices, price = np.empty((room, 3), dtype=np.int64), np.empty(room)
        counts = np.empty((room, problem.n_lanes), dtype=np.int64)
        n_found = grow(
            rows,
            np.ascontiguousarray(tasks),
            problem.prices,
            problem.asked,
            growth,
            self._scratch(share),
            slices,
            price,
            counts,
            np.empty((room + tasks.shape[0] + 1, 2), dtype=np.int64),
        )
        return Found(slices[:n_found].copy(), price[:n_found].copy(), counts[:n_found].copy())

    def _scratch(self, share: int) -> Scratch:
        prices = self.problem.prices
        n_leaves = prices.spec[:, LEAVES]
        while len(self._scratches) <= share:
            n_buckets = np.where(prices.spec[:, KIND] == NUMBER, np.minimum(n_leaves, BUCKETS), n_leaves).sum()
            lines, n_lanes = self.problem.lines, self.problem.n_lanes
            made = scratch_for(int(n_buckets), int(n_leaves.sum()), n_leaves.size, lines, words_of(prices), n_lanes)
            self._scratches.append(made)
        return self._scratches[share]
