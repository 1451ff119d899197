"""Learners that are trained on what a column publishes."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold._threads import one_thread
from withhold.methods.learned._named_learners import name_of, seeded
from withhold.methods.learned._one_hot_cells import OneHot

__all__ = ["Fitted", "fit_all"]

MOST_ROWS = 10_000
"""On how many rows a learner trains, drawn anew for each."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A trained learner."""

    name: str
    model: Any
    features: OneHot
    classes: NDArray[np.int64]
    """The values that it has seen, in the order of its scores."""

    def places_of(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the place of each value among the classes; -1 where the learner never says it."""
        place = np.minimum(np.searchsorted(self.classes, values), self.classes.size - 1)
        return np.where(self.classes[place] == values, place, -1)

    def scores(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return for each row a score of each value: the higher, the likelier."""
        table = self.features.of(codes)
        with _calm():
            if hasattr(self.model, "predict_proba"):
                return np.asarray(self.model.predict_proba(table), dtype=np.float64)
            if hasattr(self.model, "decision_function"):
                found = np.asarray(self.model.decision_function(table), dtype=np.float64)
                return np.stack([-found, found], axis=1) if found.ndim == 1 else found
            return np.asarray(self.model.predict(table)[:, None] == self.classes[None], dtype=np.float64)


def fit_all(
    learners: Sequence[Any], codes: NDArray[np.int32], target: int, columns: list[int], rng: np.random.Generator
) -> list[Fitted]:
    """Train each learner to give a column from others, on the rows that publish it; none where it has one value."""
    known = np.flatnonzero(codes[:, target] >= 0)
    features = OneHot(codes, columns)
    found = []
    for learner in learners:
        rows = np.sort(rng.choice(known, MOST_ROWS, replace=False)) if known.size > MOST_ROWS else known
        labels = codes[rows, target].astype(np.int64)
        classes = np.unique(labels)
        if classes.size > 1:
            with _calm():
                model = seeded(learner, int(rng.integers(2**31 - 1)))
                model.fit(features.of(_with_blanks(codes[rows], rng)), np.concatenate([labels, labels]))
            found.append(Fitted(name_of(learner), model, features, np.asarray(getattr(model, "classes_", classes))))
    return found


def _with_blanks(codes: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """Return rows, and the same once more with some cells blanked, from few of them to all."""
    share = rng.random((len(codes), 1))
    return np.concatenate([codes, np.where(rng.random(codes.shape) < share, -1, codes)]).astype(np.int32)


@contextmanager
def _calm() -> Iterator[None]:
    """Let a learner work in one thread and without warnings: one that stops early is a learner all the same."""
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
