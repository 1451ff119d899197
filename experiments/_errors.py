"""Errors of classifiers on tables before and after, as the papers on TDS and PDA measure them."""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments._registry import Results
from withhold.learners import C45
from withhold.methods.refine import Refinement
from withhold.metrics import classification_error
from withhold.metrics._classification import LearnerName, classes_of, features_of
from withhold.table import CategoryRecoding, Grid

__all__ = ["SUPPRESSED", "Judge", "percent", "published", "ranking", "seconds_of"]

SUPPRESSED = "⊥"
"""A suppressed value is one more category for a learner, as in the paper on PDA."""


class Judge:
    """Learns from the first rows of a table and is tested on the others."""

    def __init__(self, n_train: int, target: str) -> None:
        self.n_train, self.target = n_train, target

    def error(self, grid: Grid, *, drop: Sequence[str] = (), learner: LearnerName = "c4.5") -> Results:
        """Return the error with its interval."""
        rows = np.arange(grid.n_rows)
        train, test = rows[: self.n_train], rows[self.n_train :]
        return asdict(classification_error(grid, self.target, train=train, test=test, drop=drop, learner=learner))


def published(grid: Grid, result: Refinement) -> Grid:
    """Return the grid as a search would publish it; what is withheld is a value of its own."""
    codes, labels = grid.codes.copy(), list(grid.labels)
    for recoding in result.recodings:
        place = grid.place(recoding.column)
        own = grid.labels[place]
        if isinstance(recoding, CategoryRecoding):
            texts = recoding.apply(own, unseen="withhold")
        else:
            texts = recoding.apply([float(label) for label in own], unseen="withhold")
        known: dict[str, int] = {}
        shown = (SUPPRESSED if text in (None, "*") else str(text) for text in texts)
        recode = np.array([known.setdefault(text, len(known)) for text in shown])
        codes[:, place] = recode[grid.codes[:, place]]
        labels[place] = tuple(known)
    return Grid(grid.columns, tuple(labels), codes)


def ranking(grid: Grid, target: str, train: NDArray[np.int64], n_ranks: int) -> list[str]:
    """Return the columns by rank: the root of C4.5, then the root without that column, and so on, as both papers do."""
    left = [name for name in grid.columns if name != target]
    classes = classes_of(grid, target, grid.labels[grid.place(target)])[train]
    found: list[str] = []
    while len(found) < n_ranks:
        features = features_of(grid, drop=[target, *found]).take(train)
        root = C45().fit(features, classes).root_
        if root is None:
            break
        found.append([name for name in left if name not in found][root])
    return found


def seconds_of(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a work returns, and its processor time, all cores together: other work counts little."""
    begin = time.process_time()
    done = work()
    return done, time.process_time() - begin


def percent(errors: Iterable[float] | float, digits: int = 2) -> str:
    """Return an error, or the mean of some, in percent."""
    value = errors if isinstance(errors, int | float) else statistics.fmean(errors)
    return f"{100 * value:.{digits}f} %"
