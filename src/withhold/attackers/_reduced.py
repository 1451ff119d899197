"""The attacker who learns from what a row still shows."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attacker import Attacker
from withhold.attackers._exact import View
from withhold.attackers._learners import LogisticRegression

__all__ = ["ReducedModel"]


class ReducedModel:
    """A model of its own for every pattern of blanks.

    The attacker knows the release. A learner that was trained on whole rows loses its way in a row where the columns
    that it leans on are blank. So this one looks which columns a row publishes, and trains on these alone. It succeeds
    where that model says the true value.

    Parameters
    ----------
    learner
        Makes the attacker that is trained for each pattern; logistic regression by default.

    Notes
    -----
    One fit for each of the 20 patterns that occur most often among the attacked rows; the rows of all others are asked
    of one model over all columns.

    References
    ----------
    M. Saar-Tsechansky, F. Provost: Handling Missing Values when Applying Classification Models, JMLR 8, 2007.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> ReducedModel().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "reduced-model"
    title = "A model for each pattern of blanks"
    story = (
        "Trains logistic regression on the columns that the row publishes, anew for each of the 20 most frequent "
        "patterns of blanks; rows with other patterns are asked of one model over all columns."
    )
    most_rows: ClassVar[int | None] = 5_000
    most_patterns: ClassVar[int] = 20

    def __init__(self, learner: Callable[[], Attacker] = LogisticRegression) -> None:
        self._learner = learner

    def fit(self, view: View, column: str, predictors: Sequence[str], *, rng: np.random.Generator) -> Self:
        """Remember the release; models are trained for the rows that are asked."""
        self._view, self._column = view, column
        self._predictors = sorted(name for name in predictors if name != column)
        self._seed = int(rng.integers(2**62))
        return self

    def guess(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the code of a label of the column, or -1 for no guess."""
        rows = self._view.checked_rows(rows)
        codes = [self._view.codes[self._view.position(name)][rows] for name in self._predictors]
        is_known = np.stack(codes, axis=1) >= 0 if codes else np.zeros((len(rows), 0), dtype=bool)
        patterns, pattern, counts = np.unique(is_known, axis=0, return_inverse=True, return_counts=True)
        is_frequent = np.zeros(len(patterns), dtype=bool)
        is_frequent[np.argsort(-counts, kind="stable")[: self.most_patterns]] = True
        said = np.full(len(rows), -1, dtype=np.int64)
        for place in np.flatnonzero(is_frequent).tolist():
            here = pattern.reshape(-1) == place
            shown = [name for name, known in zip(self._predictors, patterns[place].tolist(), strict=True) if known]
            said[here] = self._asked(shown, rows[here])
        rest = ~is_frequent[pattern.reshape(-1)]
        if rest.any():
            said[rest] = self._asked(self._predictors, rows[rest])
        return said

    def _asked(self, predictors: Sequence[str], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rng = np.random.default_rng(self._seed)
        return self._learner().fit(self._view, self._column, predictors, rng=rng).guess(rows)
