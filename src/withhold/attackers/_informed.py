"""Attackers who know that the release keeps named adversaries from guessing right."""

from collections.abc import Collection, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._bayes_attackers import SmoothedBayes
from withhold.attackers._exact import View
from withhold.attackers._named import Named

__all__ = ["SecondGuess", "SecondGuessWhereBlanked"]


class SecondGuess(SmoothedBayes):
    """Who takes the promise of the release at its word.

    The attacker knows the release and the policy: on no hidden cell do the adversaries that it names give the true
    value. So it runs them, strikes what they say from the candidates, and takes the likeliest of the rest by smoothed
    naive Bayes. It succeeds where that is the true value. In a column of two values one guess struck leaves the
    answer: no release that keeps the promise can stop this attacker there. Where no promise was made, striking the
    best guesses costs it most of its success. Where both of two candidates would go, it strikes nothing.

    Parameters
    ----------
    named
        A store of guesses, shared with other attackers that need the same ones.
    against
        The adversaries that the policy names, ``naive-bayes`` and ``id3``. Rules are promised something else: nothing
        can be struck for them.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> SecondGuess().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [0]
    """

    name = "second-guess"
    title = "Second guess"
    story = "Knows that the named adversaries must fail: strikes what they say, and takes the likeliest of the rest."

    def __init__(self, named: Named | None = None, *, against: Collection[str] = ("naive-bayes", "id3")) -> None:
        self._named = named or Named()
        self._against = tuple(against)

    def fit(self, view: View, column: str, predictors: Sequence[str], *, rng: np.random.Generator) -> Self:
        """Learn a column from the release, and let the named adversaries do so."""
        self._named.look_at(view, column, predictors)
        return super().fit(view, column, predictors, rng=rng)

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        scores = super()._score(rows)
        scores[self._struck(rows)] = -np.inf
        return scores

    def _struck(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which classes the named adversaries say, and so cannot be true."""
        classes = self._problem.classes
        found = np.zeros((len(rows), classes.size), dtype=bool)
        if "naive-bayes" in self._against:
            found |= classes == self._named.bayes(rows)[:, np.newaxis]
        if "id3" in self._against:
            found |= classes == self._named.id3(rows)[:, np.newaxis]
        is_left = (self._problem.candidates(rows) & ~found).any(axis=1)
        found[~is_left] = False
        return found

    def _n_blank(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many predictors are unknown in each row."""
        n_blank = np.zeros(len(rows), dtype=np.int64)
        for position in self._problem.predictors:
            n_blank += self._problem.view.codes[position][rows] < 0
        return n_blank


class SecondGuessWhereBlanked(SecondGuess):
    """Who takes a blank beside the hidden cell as a sign that it was protected.

    The attacker knows the release and the algorithm, but not for sure which cells were promised. Where a row has more
    blanks beside the attacked cell than half of all rows have, someone had reason to blank them: the first guess would
    have been right, and is right no longer. There it makes the second guess, elsewhere the first one. It succeeds
    where it says the true value.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> attacker = SecondGuessWhereBlanked().fit(view, "ill", ["drug"], rng=np.random.default_rng(1))
    >>> attacker.guess(np.array([16])).tolist()
    [1]
    """

    name = "second-guess-where-blanked"
    title = "Second guess where cells are blanked"
    story = "Makes the second guess where the row has unusually many other blanks, and the first one elsewhere."

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        scores = SmoothedBayes._score(self, rows)
        usual = np.median(self._n_blank(np.arange(self._problem.view.n_rows)))
        unusual = np.flatnonzero(self._n_blank(rows) > usual)
        scores[unusual] = np.where(self._struck(rows[unusual]), -np.inf, scores[unusual])
        return scores
