"""What guesses rest on, by exact occlusion: each column in turn is blanked for a try."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.methods.learned._fitted import Fitted

__all__ = ["Goal", "Guessed", "Silent", "occlude"]

STRIDE = 5
"""After how many rows it is counted again whether they are enough."""


class Goal(Protocol):
    """What learners must come to."""

    def is_reached(self, scores: Sequence[NDArray[np.float64]]) -> bool:
        """Return whether enough is blank, given the scores of each learner for each row."""

    def distance(self, scores: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
        """Return how much is lacking: in rows, and among equals in scores."""


class Guessed:
    """No learner is right on more cells than a guess, by far.

    Parameters
    ----------
    models
        The learners that are better.
    truth
        What stood in the cells.
    guessed
        Which of them a guess is right on.
    is_beyond
        Whether right guesses are too many.
    """

    def __init__(self, models: Sequence[Fitted], truth: NDArray[np.int64], is_beyond: "Beyond") -> None:
        self._places = [model.places_of(truth) for model in models]
        self._is_beyond = is_beyond

    def is_reached(self, scores: Sequence[NDArray[np.float64]]) -> bool:
        """Return whether no learner is ahead by far."""
        return not any(self._is_beyond(right) for right in self._right(scores))

    def distance(self, scores: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
        """Return how often learners are right, and how much they give the true values."""
        given = [
            np.where(place >= 0, each[np.arange(len(each)), place], 0.0).sum()
            for place, each in zip(self._places, scores, strict=True)
        ]
        return float(sum(right.sum() for right in self._right(scores))), float(sum(given))

    def _right(self, scores: Sequence[NDArray[np.float64]]) -> list[NDArray[np.bool_]]:
        return [each.argmax(axis=1) == place for place, each in zip(self._places, scores, strict=True)]


class Silent:
    """Every learner says of all cells what it says of a row without values."""

    def __init__(self, models: Sequence[Fitted], n_columns: int) -> None:
        empty = np.full((1, n_columns), -1, dtype=np.int32)
        self._places = [int(model.scores(empty)[0].argmax()) for model in models]

    def is_reached(self, scores: Sequence[NDArray[np.float64]]) -> bool:
        """Return whether nothing else is said."""
        return self.distance(scores)[0] == 0

    def distance(self, scores: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
        """Return of how many cells something else is said, and how much that value lacks."""
        n_others = sum(
            int((each.argmax(axis=1) != place).sum()) for place, each in zip(self._places, scores, strict=True)
        )
        lacking = sum(float((1 - each[:, place]).sum()) for place, each in zip(self._places, scores, strict=True))
        return float(n_others), lacking


class Beyond(Protocol):
    """A test of right guesses."""

    def __call__(self, right: NDArray[np.bool_]) -> bool:
        """Return whether they are too many."""


def occlude(
    codes: NDArray[np.int32], models: Sequence[Fitted], goal: Goal, columns: Sequence[int], costs: NDArray[np.float64]
) -> NDArray[np.int32]:
    """Return rows with columns blanked one after the other, the weightiest for its cost first, until a goal is reached.

    A column is blanked in all rows, the last one in the first rows only, as many as it takes. So which cells are blank
    depends on no row's own values, and a blank marks nobody: who hides rows in random order blanks a random part.
    """
    made, left = codes.copy(), [column for column in columns if (codes[:, column] >= 0).any()]
    while left and not goal.is_reached(_scores(made, models)):
        now = goal.distance(_scores(made, models))
        best, lowest = left[0], (np.inf, np.inf)
        for column in left:
            tried = made.copy()
            tried[:, column] = -1
            n_rows, score = goal.distance(_scores(tried, models))
            # What is gained for a blank: a column that costs more must gain more.
            gained = (n_rows - now[0]) / costs[column], (score - now[1]) / costs[column]
            if gained < lowest:
                best, lowest = column, gained
        made = _blanked(made, best, models, goal)
        left.remove(best)
    return _given_back(made, codes, models, goal, [column for column in columns if column not in left])


def _given_back(
    made: NDArray[np.int32], codes: NDArray[np.int32], models: Sequence[Fitted], goal: Goal, columns: Sequence[int]
) -> NDArray[np.int32]:
    """Return rows with the columns published again that turn out not to be needed."""
    for column in columns if goal.is_reached(_scores(made, models)) else ():
        tried = made.copy()
        tried[:, column] = codes[:, column]
        if goal.is_reached(_scores(tried, models)):
            made = tried
    return made


def _blanked(made: NDArray[np.int32], column: int, models: Sequence[Fitted], goal: Goal) -> NDArray[np.int32]:
    """Return rows with a column blank, in as few of the first ones as reach the goal; else in all."""
    whole = made.copy()
    whole[:, column] = -1
    before, after = _scores(made, models), _scores(whole, models)
    if not goal.is_reached(after):
        return whole
    low, high = 0, len(made)
    while high - low > STRIDE:
        middle = (low + high) // 2
        mixed = [np.concatenate([new[:middle], old[middle:]]) for old, new in zip(before, after, strict=True)]
        low, high = (low, middle) if goal.is_reached(mixed) else (middle, high)
    part = made.copy()
    part[:high, column] = -1
    return part


def _scores(codes: NDArray[np.int32], models: Sequence[Fitted]) -> list[NDArray[np.float64]]:
    return [model.scores(codes) for model in models]
