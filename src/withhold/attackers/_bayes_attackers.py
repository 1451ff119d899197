"""Attackers by naive Bayes."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attack_problem import Problem
from withhold.attackers._attacker import ScoringAttacker
from withhold.attackers._named import NamedAttacker

__all__ = ["KnownBayes", "PapersBayes", "SmoothedBayes", "ValueCounts"]

_MOST_COUNTS = 1 << 22


class PapersBayes(NamedAttacker):
    """The naive Bayes of the papers, to the last tie.

    The attacker knows the release. It counts how often each value of each other column goes with each value of the
    hidden one, without smoothing; rows where a predictor is unknown stay in the denominator. It says the value with
    the largest product, and nothing where two are equal or all are zero. It succeeds where it says the true value;
    that is where `bayes_recovers` says so, also with taxonomies.

    Parameters
    ----------
    named
        A store of guesses, shared with other attackers that need the same ones.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> PapersBayes().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "naive-bayes"
    title = "Naive Bayes, as in the papers"
    story = "Multiplies how often each published value of the row goes with each candidate; a tie is no guess."

    def guess(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the code of a label of the column, or -1 for no guess."""
        return self._named.bayes(rows)


class ValueCounts:
    """How many training rows of each class hold each value of a predictor, or a value below it.

    Where values times classes are more than a few million, only the most frequent values are counted.
    """

    def __init__(self, problem: Problem, position: int) -> None:
        n_values, n_classes = len(problem.view.labels[position]), problem.classes.size
        codes = problem.view.codes[position]
        trains = (problem.label >= 0) & (codes >= 0)
        most = max(1, _MOST_COUNTS // max(1, n_classes))
        self.place: NDArray[np.int64] = np.arange(n_values + 1)
        if n_values > most:
            common = np.argsort(-np.bincount(codes[trains], minlength=n_values), kind="stable")[:most]
            self.place = np.full(n_values + 1, most, dtype=np.int64)
            self.place[common] = np.arange(most)
        self.n_values = min(n_values, most)
        self.place[-1] = self.n_values
        places = self.place[codes[trains]]
        keys = places * n_classes + problem.label[trains]
        table = np.bincount(keys, minlength=(self.n_values + 1) * n_classes).reshape(self.n_values + 1, n_classes)
        self.table: NDArray[np.float64] = table[: self.n_values].astype(float)
        self.known: NDArray[np.float64] = self.table.sum(axis=0)
        self._add_below(problem, position)

    def _add_below(self, problem: Problem, position: int) -> None:
        """Let a coarse value stand for all values below it."""
        tree, labels = problem.view.trees[position], problem.view.labels[position]
        if tree is None or len(labels) > self.n_values:
            return
        nodes = np.array([tree.node(label) for label in labels], dtype=np.int64)
        first, last = tree.first[nodes], tree.last[nodes]
        is_below = (first >= first[:, np.newaxis]) & (last <= last[:, np.newaxis]) & (nodes >= nodes[:, np.newaxis])
        self.table = is_below.astype(float) @ self.table

    def logs(self, smoothing: float) -> NDArray[np.float64]:
        """Return log p(value | class), one line a value, and a last line of zeros for unknown."""
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.log(self.table + smoothing) - np.log(self.known + smoothing * max(1, self.n_values))
        above[np.isnan(above)] = -np.inf
        return np.vstack([above, np.zeros((1, above.shape[1]))])


class SmoothedBayes(ScoringAttacker):
    """Naive Bayes with Laplace's smoothing.

    The attacker knows the release. Every value counts as seen once more with every class than it was, so that nothing
    is impossible and every cell gets a guess. A predictor that is unknown gives no factor, and rows where it is
    unknown do not enter its shares. It succeeds where the likeliest value is the true one.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "a", "b", "a"], "ill": ["yes", "yes", "no", "*"]})
    >>> attacker = SmoothedBayes().fit(view, "ill", ["drug"], rng=np.random.default_rng(1))
    >>> [view.labels[1][code] for code in attacker.guess(np.array([3]))]
    ['yes']
    """

    name = "naive-bayes-smoothed"
    title = "Naive Bayes, smoothed"
    story = "Naive Bayes with one more count for every value and candidate, so that it guesses every cell."
    smoothing: ClassVar[float] = 1.0

    def _learn(self, problem: Problem, rng: np.random.Generator) -> None:
        self._counts = [ValueCounts(problem, position) for position in problem.predictors]
        self._logs = [counts.logs(self.smoothing) for counts in self._counts]
        with np.errstate(divide="ignore"):
            self._prior = np.log(problem.n_by_class + self.smoothing)

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        scores = np.repeat(self._prior[np.newaxis], len(rows), axis=0)
        for position, counts, logs in zip(self._problem.predictors, self._counts, self._logs, strict=True):
            scores += logs[counts.place[self._problem.view.codes[position][rows]]]
        return scores


class KnownBayes(SmoothedBayes):
    """Naive Bayes that leaves unknown cells out of its shares.

    The attacker knows the release, and that a blank is no value: ``p(x|v)`` is the share among the rows of `v` where
    the predictor is known. Without smoothing; a tie or a probability of zero is no guess. Where a defender blanked
    cells to lower a share, this one sees the old share again.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> KnownBayes().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "naive-bayes-known"
    title = "Naive Bayes over known cells"
    story = "Naive Bayes whose shares are taken among known cells only, so that blanks elsewhere do not lower them."
    smoothing = 0.0
    says_ties = False
