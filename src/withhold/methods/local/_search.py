"""The search in steps: peel groups off a pool, then exchange rows between groups."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold._threads import in_parallel
from withhold.methods.local._blocks import blocks_of
from withhold.methods.local._board import board_for
from withhold.methods.local._forest import Forest
from withhold.methods.local._moves import improve
from withhold.methods.local._pool import Pool
from withhold.methods.local._prices import LEAVES, prices_of_lines, words_of
from withhold.methods.local._problem import Problem
from withhold.methods.local._slices import states

__all__ = ["EFFORTS", "Effort", "Search"]

WORTH = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much a search tries."""

    keep: float
    """The share of a pool's records that a round keeps."""
    noise: float = 0.3
    """By how much gains are raised at random, after the first round."""
    charge: float = 0.125
    """The price of a record left for later, as a share of the price of ``*`` on all columns."""
    moves: int = 0
    """How many times blocks of groups exchange rows."""
    block: int = 150
    """The least number of rows of a block."""
    starts: int = 1
    """How many times a table is searched, each time with another noise, if that takes little time."""
    budget: float = 0.0
    """How long all searches may take, in rows times the square of the binary logarithm of the number of groups."""

    def n_starts(self, n_rows: int, n_groups: float) -> int:
        """Return how many times to search a table of that many rows."""
        cost = max(n_rows, 1) * np.log2(max(n_groups, 2)) ** 2
        return int(min(max(self.budget // cost, 1), self.starts))


EFFORTS = {
    "quick": Effort(keep=0.4),
    "normal": Effort(keep=0.06, moves=4, starts=4, budget=2e6),
    "thorough": Effort(keep=0.02, moves=12, starts=16, budget=4e6),
}
LARGE = 24
"""Where groups have more rows than that on average, exchanging rows takes long and gains little."""
SMALL = 2_000
"""Tables of at most that many rows exchange rows anyway."""


class Search:
    """A local recoding in the making: some rows in groups, the others in a pool that is a valid group by itself.

    Whenever the search is stopped, `finish` makes groups of what is left.
    """

    def __init__(self, problem: Problem, effort: Effort, *, seed: int, threads: int | None = None) -> None:
        self.problem = problem
        self.effort = effort
        self.seed = seed
        self.forest = Forest(problem, threads)
        self.round = 0
        self.pool = Pool(
            self.forest,
            np.arange(problem.weight.size),
            problem.part,
            keep=effort.keep,
            noise=effort.noise,
            charge=effort.charge,
            seed=seed,
        )
        self.group = self.pool.group
        self.n_groups = 0

    def steps(self) -> Iterator["Search"]:
        """Peel until the pool is empty, then improve; one round a step."""
        while self.pool.ids.size:
            self.peel()
            yield self
        for _ in range(self.effort.moves):
            if max(self.n_groups * LARGE, SMALL) < self.group.size or self.move() <= WORTH:
                break
            yield self

    def peel(self) -> None:
        """Grow a tree over the pool, keep its cheapest groups, and put the other rows back."""
        self.pool.peel()
        self.n_groups = self.pool.n_groups
        self.round += 1

    def finish(self) -> None:
        """Make groups of all rows that are left, without leaving any out."""
        if self.pool.ids.size:
            self.pool.finish()
            self.n_groups = self.pool.n_groups

    def loss(self) -> float:
        """Return the loss of all groups: records times price."""
        weight = np.bincount(self.group, weights=self.problem.weight, minlength=self.n_groups)
        return float((weight * self.prices()).sum())

    def prices(self, group: Array | None = None) -> NDArray[np.float64]:
        """Return the price of one row of each group, as the search or `group` has them (-1: none)."""
        given = self.group if group is None else group
        lines, words = states(self.problem.prices, self.problem.lines, given, self.n_groups)
        return prices_of_lines(self.problem.prices, lines, words)

    def _blocks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return groups that cost something in an order of blocks, and where blocks begin."""
        problem = self.problem
        lines, words = self.group_states()
        chosen = np.flatnonzero(prices_of_lines(problem.prices, lines, words) > 0)
        half, n_columns = lines.shape[1] // 2, problem.prices.spec.shape[0]
        middle = (lines[chosen, :n_columns] - lines[chosen, half : half + n_columns]) / 2.0
        places = middle / np.maximum(problem.prices.spec[:, LEAVES] - 1, 1)
        part = np.zeros(self.n_groups, dtype=np.int64)
        part[self.group] = problem.part
        size = np.bincount(self.group, minlength=self.n_groups)
        rng = np.random.default_rng([self.seed, self.round])
        order, begins = blocks_of(places, size[chosen], part[chosen], self.effort.block, rng)
        return chosen[order], begins

    def move(self) -> float:
        """Exchange rows between groups that lie near each other; return by how much the loss fell."""
        ordered, begins = self._blocks()
        size = np.bincount(self.group, minlength=self.n_groups)
        by_group = np.argsort(self.group, kind="stable")
        first = np.searchsorted(self.group[by_group], np.arange(self.n_groups + 1))
        sizes = size[ordered]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        members = by_group[np.repeat(first[ordered] - starts[:-1], sizes) + np.arange(starts[-1])]
        group = np.empty(members.size, dtype=np.int64)
        gains = in_parallel([self._improving(members, starts, some, group) for some in self._shares(begins)])
        self.group[members] = ordered[group]
        self._renumber()
        self.round += 1
        return float(sum(gains))

    def _shares(self, begins: Array) -> list[NDArray[np.int64]]:
        """Return blocks in one share for each thread."""
        cuts = np.linspace(0, begins.size - 1, self.forest.n_threads + 1).astype(np.int64)
        return [begins[a : b + 1] for a, b in pairwise(cuts) if b > a]

    def _improving(self, members: Array, starts: Array, blocks: Array, group: Array) -> Callable[[], float]:
        problem = self.problem
        n_rows, n_groups = int(np.diff(starts[blocks]).max()), int(np.diff(blocks).max())
        board = board_for(n_rows, n_groups, problem.lines, words_of(problem.prices), problem.n_lanes)
        return lambda: improve(
            board,
            problem.lines,
            problem.weight,
            problem.lanes,
            members,
            starts,
            blocks,
            problem.prices,
            problem.asked,
            problem.least,
            group,
        )

    def _renumber(self) -> None:
        """Give new numbers to the groups that still have rows."""
        kept, self.group = np.unique(self.group, return_inverse=True)
        self.n_groups = kept.size

    def group_states(self) -> tuple[Array, Array]:
        """Return the line of each group, and the members of its sets."""
        return states(self.problem.prices, self.problem.lines, self.group, self.n_groups)
