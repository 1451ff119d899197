"""The attacker who repairs the table first."""

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attacker import Attacker
from withhold.attackers._bayes_attackers import SmoothedBayes
from withhold.attackers._exact import View
from withhold.attackers._learners import Forest

__all__ = ["FillIn"]


class FillIn:
    """Who undoes the blanks around a hidden cell before guessing it.

    The attacker knows the release, and that cells beside the hidden ones were blanked because they were revealing.
    It first fills every blank of every other column with its likeliest value, by smoothed naive Bayes from the rest of
    the row without the attacked column, then trains a learner on the filled table and asks it. It succeeds where the
    learner says the true value. It works where columns say the same thing twice, so that one blank can be undone by
    the other.

    Parameters
    ----------
    learner
        The attacker that guesses in the filled table; a random forest by default.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> FillIn().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "fill-in"
    title = "Fill in, then learn"
    story = "Fills the blanks around the hidden cell with their likeliest values, then asks a random forest."
    most_rows: ClassVar[int | None] = 20_000

    def __init__(self, learner: Attacker | None = None) -> None:
        self._learner = learner or Forest()

    def fit(self, view: View, column: str, predictors: Sequence[str], *, rng: np.random.Generator) -> Self:
        """Fill the release and train on it."""
        codes = list(view.codes)
        for position in view.positions(predictors):
            blank = np.flatnonzero(view.codes[position] < 0)
            name = view.columns[position]
            if name == column or not blank.size:
                continue
            others = [other for other in predictors if other not in (name, column)]
            codes[position] = codes[position].copy()
            codes[position][blank] = SmoothedBayes().fit(view, name, others, rng=rng).guess(blank)
        self._learner.fit(View(view.columns, codes, view.labels, view.trees), column, predictors, rng=rng)
        return self

    def guess(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the code of a label of the column, or -1 for no guess."""
        return self._learner.guess(rows)
