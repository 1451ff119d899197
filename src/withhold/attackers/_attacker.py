"""The life-cycle of an attacker: it reads a release, then guesses cells."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attack_problem import Problem
from withhold.attackers._exact import View

__all__ = ["Attacker", "ScoringAttacker"]

_SCORES_AT_ONCE = 1 << 21
_CLOSE = 1e-9


class Attacker(Protocol):
    """Someone who has the release, and guesses what stood in a cell of it.

    An attacker is fitted on the published table alone, and then asked for cells. It never sees a true value; whether
    a guess is right is for the caller to judge. It can be fitted again and again.

    Examples
    --------
    >>> from withhold.attackers import SmoothedBayes
    >>> attacker: Attacker = SmoothedBayes()
    >>> attacker.name
    'naive-bayes-smoothed'
    """

    name: str
    """A short name, such as ``naive-bayes``."""
    title: str
    """The name for a page."""
    story: str
    """What it knows and does, in one or two sentences."""

    def fit(self, view: View, column: str, predictors: Sequence[str], *, rng: np.random.Generator) -> Self:
        """Learn a column from the release. Rows whose cell in it is unknown have no label and do not train."""

    def guess(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the code of a label of the column, or -1 for no guess.

        Where the published cell is a coarse node of the column's taxonomy, only values below it are candidates.
        """


class ScoringAttacker(ABC):
    """An attacker that scores every value of the column and says the best one.

    A column without labels gets no guess. A cell that is published as a node over one value only is given away, and
    every attacker says that value. Of equal scores the first value in the order of the view wins, unless the attacker
    takes a tie as no guess. A new attacker says how it learns and how it scores.

    Examples
    --------
    >>> class MostFrequent(ScoringAttacker):
    ...     name, title, story = "most-frequent", "Most frequent value", "Says the most frequent value."
    ...
    ...     def _learn(self, problem, rng):
    ...         self._scores = problem.n_by_class.astype(float)
    ...
    ...     def _score(self, rows):
    ...         return np.tile(self._scores, (len(rows), 1))
    >>> view = View.of({"ill": ["no", "yes", "yes", "*"]})
    >>> MostFrequent().fit(view, "ill", [], rng=np.random.default_rng(1)).guess(np.array([3])).tolist()
    [1]
    """

    name: str
    title: str
    story: str
    most_rows: ClassVar[int | None] = None
    """The most rows it trains on in reasonable time, or fewer where that is asked for; None where always all."""
    says_ties: ClassVar[bool] = True

    _problem: Problem

    def fit(self, view: View, column: str, predictors: Sequence[str], *, rng: np.random.Generator) -> Self:
        """Learn a column from the release. Rows whose cell in it is unknown have no label and do not train."""
        self._problem = Problem.of(view, column, predictors)
        self._learn(self._problem, rng)
        return self

    def guess(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the code of a label of the column, or -1 for no guess."""
        problem = self._problem
        rows = problem.view.checked_rows(rows)
        said = problem.given_away(rows)
        asked = np.flatnonzero(said < 0)
        if not problem.classes.size:
            return said
        n_at_once = max(1, _SCORES_AT_ONCE // problem.classes.size)
        for start in range(0, asked.size, n_at_once):
            part = asked[start : start + n_at_once]
            scores = self._score(rows[part])
            scores[~problem.candidates(rows[part])] = -np.inf
            said[part] = self._best(scores)
        return said

    def _best(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        most = scores.max(axis=1)
        said = self._problem.classes[scores.argmax(axis=1)]
        is_said = np.isfinite(most)
        if not self.says_ties:
            is_said &= (scores >= most[:, np.newaxis] - _CLOSE).sum(axis=1) == 1
        return np.where(is_said, said, -1)

    @abstractmethod
    def _learn(self, problem: Problem, rng: np.random.Generator) -> None:
        """Learn from the training rows; there may be none."""

    @abstractmethod
    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a fresh array of scores, one row a cell and one column a class; -inf is impossible."""
