"""Cells are blanked until no learner that was tried recovers hidden ones more often than a guess."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.learned._beyond_luck import is_beyond_luck
from withhold.methods.learned._fitted import Fitted, fit_all
from withhold.methods.learned._occlusion import Goal, Guessed, Silent, occlude

__all__ = ["HiddenColumn", "LearnedGuard", "LearnerScore"]

EASY = 0.5
"""How sure a lead may still be after a turn: less than what begins one, so that other learners are kept off as well."""
MOST_TURNS = 40
"""How often learners are trained anew; what is left then fails the check of the release."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HiddenColumn:
    """The hidden cells of one column."""

    place: int
    """The position of the column."""
    rows: NDArray[np.int64]
    """Their rows."""
    truth: NDArray[np.int64] | None
    """The codes of what stood there; None where nothing may depend on that."""
    predictors: list[int]
    """The columns that a learner may use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerScore:
    """How often a learner and a guess were right on the same cells."""

    learner: str
    n_cells: int
    n_right: int
    n_guess: int
    """How often the most frequent published value was right."""


class LearnedGuard:
    """Hidden cells and the learners that must not recover them more often than a guess.

    Each learner is trained on the rows that publish the column, never on a hidden cell, with other draws of rows and
    seeds in every turn; each row a second time with cells blanked at random, so that it learns what is left to say of
    a row with blanks. Where one is right more often than the most frequent value, by more than luck allows over all
    learners, columns of the hidden rows are blanked for a try, and the one goes after which it is right least, in all
    these rows or in a random part of them, until no learner is ahead. Then all are trained anew. To blank the cells of
    single rows by what learners say of them would mark these rows.

    Where nothing may depend on the hidden values, columns go until every learner says of all hidden cells what it says
    of a row without values.

    Parameters
    ----------
    codes
        Rows by columns of codes; hidden, missing and withheld cells are below 0. It is changed.
    columns
        The hidden cells.
    learners
        Estimators of scikit-learn.
    certainty
        How sure a lead over a guess must be.
    rng
        Draws rows and seeds.

    Notes
    -----
    It promises nothing beyond this: learners that were trained in this way were not better than a guess by more than
    luck. Others may be. A turn costs one training for each learner and hidden column, and predictions for all hidden
    rows, as many as there are columns times those that are blanked.

    Examples
    --------
    >>> codes = np.array([[i % 2, i % 2] for i in range(60)], dtype=np.int32)
    >>> codes[:20, 1] = -1
    >>> hidden = HiddenColumn(place=1, rows=np.arange(20), truth=np.arange(20) % 2, predictors=[0])
    >>> from withhold.methods.learned import learners_of
    >>> guard = LearnedGuard(codes, [hidden], learners_of(["BernoulliNB"]), rng=1)
    >>> guard.run()
    >>> guard.first[0].n_right, guard.last[0].n_right < 15
    (20, True)
    """

    def __init__(
        self,
        codes: NDArray[np.int32],
        columns: Sequence[HiddenColumn],
        learners: Sequence[Any],
        *,
        certainty: float = 0.95,
        costs: Sequence[float] | None = None,
        rng: int | np.random.Generator | None = None,
    ) -> None:
        self.codes = codes
        self._rng = np.random.default_rng(rng)
        self.columns = [self._shuffled(column) for column in columns]
        self.learners = list(learners)
        self.first: list[LearnerScore] = []
        """How often each learner was right before anything was blanked; empty where nobody may look …"""
        self.last: list[LearnerScore] = []
        """… and in the last turn."""
        self.n_exposed = 0
        """By how many cells the best learner was ahead of a guess before; or of how many something was said."""
        self._certainty = certainty
        self._guessed = np.zeros(0, dtype=np.bool_)
        self._costs = np.ones(codes.shape[1]) if costs is None else np.asarray(costs, dtype=np.float64)
        self._n_tests = len(self.learners) * len(self.columns)

    def run(self, say: Callable[[str], object] = lambda what: None) -> None:
        """Blank cells until no learner is better than a guess."""
        for turn in range(MOST_TURNS):
            self.last, is_changed = [], False
            for column in self.columns:
                models = fit_all(self.learners, self.codes, column.place, column.predictors, self._rng)
                is_changed |= self._work(column, models, is_first=turn == 0)
            if turn == 0:
                self.first = self.last
            if not is_changed:
                return
            say(f"training learners anew: turn {turn + 2}")

    def _shuffled(self, column: HiddenColumn) -> HiddenColumn:
        """Return hidden cells in random order, so that a part of them is a random part."""
        order = self._rng.permutation(column.rows.size)
        truth = None if column.truth is None else column.truth[order]
        return replace(column, rows=column.rows[order], truth=truth)

    def _work(self, column: HiddenColumn, models: list[Fitted], *, is_first: bool) -> bool:
        """Blank columns of the hidden rows of a column; return whether any cell changed."""
        goal: Goal
        if not models or not column.rows.size:
            return False
        if column.truth is None:
            wanted, goal = models, Silent(models, self.codes.shape[1])
            n_exposed = int(goal.distance([model.scores(self.codes[column.rows]) for model in models])[0])
        else:
            wanted = self._better(column, models)
            goal = Guessed(wanted, column.truth, lambda right: self._is_beyond(right, EASY, 1))
            n_exposed = max((each.n_right - each.n_guess for each in self.last), default=0)
        self.n_exposed += max(n_exposed, 0) if is_first else 0
        if not wanted:
            return False
        now = self.codes[column.rows]
        made = occlude(now, wanted, goal, column.predictors, self._costs)
        self.codes[column.rows] = made
        return bool((made != now).any())

    def _better(self, column: HiddenColumn, models: list[Fitted]) -> list[Fitted]:
        """Return the learners that are better than a guess, and note how often each is right."""
        assert column.truth is not None
        known = self.codes[self.codes[:, column.place] >= 0, column.place]
        self._guessed = column.truth == int(np.bincount(known, minlength=1).argmax())
        found = []
        for model in models:
            right = model.scores(self.codes[column.rows]).argmax(axis=1) == model.places_of(column.truth)
            n_right, n_guess = int(right.sum()), int(self._guessed.sum())
            self.last.append(LearnerScore(learner=model.name, n_cells=right.size, n_right=n_right, n_guess=n_guess))
            found += [model] if self._is_beyond(right, self._certainty, self._n_tests) else []
        return found

    def _is_beyond(self, right: NDArray[np.bool_], certainty: float, n_tests: int) -> bool:
        only_learner, only_guess = int((right & ~self._guessed).sum()), int((~right & self._guessed).sum())
        return is_beyond_luck(only_learner, only_guess, right.size, certainty=certainty, n_tests=n_tests)
