"""The attacker who replays the defender."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attack_problem import Problem
from withhold.attackers._informed import SecondGuess

__all__ = ["Simulate"]


class Simulate(SecondGuess):
    """Who asks, for each candidate, whether a defender would have blanked what is blank.

    The attacker knows the release and how it was made. A defender hides a cell, looks whether naive Bayes still gives
    its value `v`, and only then blanks more of the row. So

    - what the named adversaries say from the release is not true, as for the second guess;
    - blanks beside the hidden cell mean that the row as it was gave `v` away. With the blanked values drawn from what
      rows of `v` hold there, that is so with a chance ``e(v)``, which the attacker counts over many draws: the share of
      them for which `v` is the likeliest value of the filled row;
    - blanks in a column may be commoner beside some values than beside others, which the labelled rows show. Blanks
      come together, and labelled rows were blanked for other reasons too, so this counts for little.

    A candidate scores ``p(v) Π p(x|v) · e(v) · Π p(blank or not|v)^0.1``; in a row without other blanks ``e`` is 1. It
    succeeds where the best candidate is the true value. It does not replay ID3, nor blanks in other rows.

    Notes
    -----
    The cost is cells times 8 candidates, squared, times draws times blanks.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> Simulate().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [0]
    """

    name = "simulate"
    title = "Replay of the defender"
    story = "Asks for each candidate whether a defender of that value would have blanked what is blank in the row."
    n_draws: ClassVar[int] = 48
    n_likely: ClassVar[int] = 8
    least_chance: ClassVar[float] = 0.05
    """What is left of a candidate that no draw speaks for: other reasons for blanks."""
    blank_weight: ClassVar[float] = 0.1
    """The exponent of the chance of each blank."""

    def _learn(self, problem: Problem, rng: np.random.Generator) -> None:
        super()._learn(problem, rng)
        self._seed = int(rng.integers(2**62))
        n_by_class = problem.n_by_class
        self._shares = []
        for counts in self._counts:
            n_blank = n_by_class - counts.known + 1.0
            self._shares.append(np.stack([counts.known + 1.0, n_blank]) / (n_by_class + 2.0))

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        plain = super(SecondGuess, self)._score(rows)
        struck = self._struck(rows) | ~self._problem.candidates(rows)
        scores = np.where(struck, -np.inf, plain)
        blank = np.stack([self._problem.view.codes[p][rows] < 0 for p in self._problem.predictors] or [rows < 0])
        for is_blank, shares in zip(blank, self._shares, strict=False):
            scores += self.blank_weight * np.log(shares[is_blank.astype(np.int64)])
        asked = np.flatnonzero(blank.any(axis=0))
        if asked.size and self._counts:
            scores[asked] = self._replayed(scores[asked], plain[asked], blank[:, asked])
        return scores

    def _replayed(
        self, scores: NDArray[np.float64], plain: NDArray[np.float64], blank: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the scores times the chance that the row as it was gave the candidate away."""
        n_cells, n_classes = scores.shape
        likely = np.argsort(-scores, axis=1, kind="stable")[:, : self.n_likely]
        rivals = np.argsort(-plain, axis=1, kind="stable")[:, : self.n_likely]
        everyone = np.arange(n_cells)
        found = np.full((n_cells, n_classes), -np.inf)
        for k in range(likely.shape[1]):
            mine = likely[:, k]
            ahead = self._lead(mine, rivals, plain, blank)
            chance = self.least_chance + (1 - self.least_chance) * ahead
            found[everyone, mine] = scores[everyone, mine] + np.log(chance)
        return found

    def _lead(
        self, mine: NDArray[np.int64], rivals: NDArray[np.int64], plain: NDArray[np.float64], blank: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the share of draws of the blanked cells, given the candidate, in which it is ahead of its rivals."""
        everyone = np.arange(len(mine))
        gap = plain[everyone, mine][:, np.newaxis] - plain[everyone[:, np.newaxis], rivals]
        gaps = np.repeat(gap[:, np.newaxis, :], self.n_draws, axis=1)
        for j, (logs, is_blank) in enumerate(zip(self._logs, blank, strict=True)):
            here = np.flatnonzero(is_blank)
            if logs.shape[0] < 2 or not here.size:
                continue
            rng = np.random.default_rng([self._seed, j])
            ends = np.cumsum(np.exp(logs[:-1]), axis=0)
            points = rng.random(self.n_draws)
            drawn = np.empty((logs.shape[1], self.n_draws), dtype=np.int64)
            for label in range(logs.shape[1]):
                drawn[label] = np.searchsorted(ends[:, label], points * ends[-1, label])
            drawn = np.minimum(drawn, logs.shape[0] - 2)[mine[here]]
            own = logs[drawn, mine[here][:, np.newaxis]]
            gaps[here] += own[:, :, np.newaxis] - logs[drawn[:, :, np.newaxis], rivals[here][:, np.newaxis, :]]
        is_self = rivals == mine[:, np.newaxis]
        won = (gaps > 0) | is_self[:, np.newaxis, :]
        return np.asarray(won.all(axis=2).mean(axis=1))
