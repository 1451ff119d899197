"""The search: down from the coarsest levels for a first result, then up from the finest until it is proven."""

from collections.abc import Callable
from heapq import nsmallest

import numpy as np

from withhold.methods.levels._allowed import Judge, Verdict
from withhold.methods.levels._lattice import LargeLattice, SmallLattice
from withhold.methods.levels._partition import Levels

__all__ = ["BestFirst"]

N_KEPT = 8
WORK = 200_000_000
"""How many cells are counted at most where the caller sets no limit: a few seconds."""


class BestFirst:
    """A search over combinations of levels, which can be stopped after any of them.

    Parameters
    ----------
    judge
        Looks at one combination.
    lattice
        All combinations.
    finest, coarsest
        The ends of the lattice.
    most_tried
        How many combinations to look at; None: what takes a few seconds.
    on_progress
        Called after each look with the number of combinations looked at and of all; returns True to stop.
    """

    def __init__(
        self,
        judge: Judge,
        lattice: SmallLattice | LargeLattice,
        finest: Levels,
        coarsest: Levels,
        *,
        most_tried: int | None,
        on_progress: Callable[[int, int], bool | None] | None,
    ) -> None:
        self.judge, self.lattice, self.finest, self.coarsest = judge, lattice, finest, coarsest
        self.most_tried, self.on_progress = most_tried, on_progress
        self.n_tried = 0
        self.is_stopped = False
        self.is_optimal = False
        self.best: list[Verdict] = []
        self._totals = [total.tolist() for total in judge.totals()]
        self._losses: dict[Levels, float] = {}

    @property
    def loss(self) -> float:
        """The smallest loss found."""
        return self.best[0].loss if self.best else np.inf

    def run(self) -> None:
        """Search until the best is proven, or the search is stopped."""
        first = self._look(self.coarsest)
        if first.is_hopeless:
            self.is_optimal = not self.is_stopped
            return
        self._descend(1)
        if isinstance(self.lattice, SmallLattice):
            self._prove(self.lattice)
        else:
            width, is_whole = 2, False
            while not self.is_stopped and not is_whole:
                is_whole = self._descend(width)
                width *= 2
            # where nothing is withheld, what is coarser than an allowed combination is allowed: all were reached
            has_seen_all = is_whole and self.judge.limit == 0 and not self.is_stopped
            self.is_optimal = has_seen_all or self.loss <= self.judge.bound(self.finest)
        self._refine()

    def _look(self, levels: Levels, *, below: float | None = None) -> Verdict:
        if below is None:
            below = self.best[-1].loss if len(self.best) == N_KEPT else np.inf
        found = self.judge.look(levels, below=below)
        self.n_tried += 1
        self._losses[levels] = found.loss
        self._note(found)
        if found.loss < below:
            self.best = nsmallest(N_KEPT, [*self.best, found], key=lambda v: (v.loss, v.n_withheld, v.levels))
        is_over = self.judge.n_counted > WORK if self.most_tried is None else self.n_tried >= self.most_tried
        is_called_off = self.on_progress is not None and bool(self.on_progress(self.n_tried, self.lattice.n_all))
        self.is_stopped = self.is_stopped or is_over or is_called_off
        return found

    def _note(self, found: Verdict) -> None:
        """Note what a verdict says about other combinations."""
        if found.is_hopeless:
            self.lattice.exclude(found.levels)
            return
        self.lattice.settle(found.levels)
        if found.floor is not None:
            self.lattice.raise_finer(found.levels, *found.floor)

    def _descend(self, width: int) -> bool:
        """Refine one column after the other from the coarsest levels, keeping the best few of each round.

        Returns whether no round had more.
        """
        beam, is_whole = [self.coarsest], True
        while beam and not self.is_stopped:
            ahead = {finer for levels in beam for finer in self._finer(levels)}
            found = []
            for levels in sorted(ahead):
                if not self.is_stopped and self.lattice.is_open(levels, np.inf):
                    self._look(levels)
                loss = self._losses.get(levels, np.inf)
                if np.isfinite(loss):
                    found.append((loss, levels))
            is_whole = is_whole and len(found) <= width
            beam = [levels for _, levels in nsmallest(width, found)]
        return is_whole

    def _finer(self, levels: Levels) -> list[Levels]:
        return [(*levels[:c], level - 1, *levels[c + 1 :]) for c, level in enumerate(levels) if level > self.finest[c]]

    def _prove(self, lattice: SmallLattice) -> None:
        """Settle combinations in the order of their bounds until none may be better than the best."""
        while not self.is_stopped:
            levels = lattice.next_open(self.loss)
            if levels is None:
                self.is_optimal = True
                return
            if self.judge.can_exclude or self.judge.sizes:
                self._bisect(levels, lattice)
            else:
                self._look(levels)

    def _refine(self) -> None:
        """Refine the best combination where that is free, as it is for a column of weight 0."""
        steps = [c for c in range(len(self.finest)) if self.best]
        while steps and not self.is_stopped:
            c, levels = steps[-1], self.best[0].levels
            is_free = levels[c] > self.finest[c] and self._totals[c][levels[c] - 1] == self._totals[c][levels[c]]
            finer = (*levels[:c], levels[c] - 1, *levels[c + 1 :])
            if not is_free or self._look(finer, below=np.inf).loss > self.loss:
                steps.pop()

    def _bisect(self, levels: Levels, lattice: SmallLattice) -> None:
        """Settle a combination by looking half way up first: what loses too much there does so here as well."""
        chain = self._chain(levels)
        low, high = 0, len(chain)
        while low < high and not self.is_stopped:
            middle = (low + high) // 2
            if lattice.is_open(chain[middle], np.inf):
                self._look(chain[middle])
            if lattice.is_open(levels, self.loss):
                high = middle
            else:
                low = middle + 1

    def _chain(self, levels: Levels) -> list[Levels]:
        """Return coarser and coarser combinations that may still be better than the best, the nearest first."""
        chain, bound = [levels], self.judge.bound(levels)
        totals = self._totals
        while True:
            here = chain[-1]
            steps = [
                (totals[c][level + 1] - totals[c][level], c) for c, level in enumerate(here) if level < self.coarsest[c]
            ]
            step, c = min(steps, default=(np.inf, -1))
            bound += step
            if bound >= self.loss:
                return chain
            chain.append((*here[:c], here[c] + 1, *here[c + 1 :]))
