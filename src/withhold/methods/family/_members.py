"""The members of a family: naive Bayes over known cells, smoothed or not, by priors; C4.5, pruned or not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.learners import C45

__all__ = ["FAMILIES", "Member"]

Codes = NDArray[np.int32]


class Member(Protocol):
    """An adversary that scores every value of a column."""

    classes: NDArray[np.int64]
    """The codes that it may say."""

    def fit(self, codes: Codes, target: int, columns: list[int]) -> "Member":
        """Learn a column from others, by the rows that publish it."""

    def scores(self, codes: Codes) -> NDArray[np.float64]:
        """Return for each row the score of each class; the highest is said."""


@dataclass(slots=True, eq=False)
class BayesMember:
    """Naive Bayes over known cells: unknown ones are in no share."""

    smoothing: float
    """How often every value counts as seen besides."""
    is_flat: bool
    """Whether all classes are as likely beforehand; else as frequent as in the release."""
    classes: NDArray[np.int64] = field(init=False)
    _logs: list[tuple[int, NDArray[np.float64]]] = field(init=False)
    _prior: NDArray[np.float64] = field(init=False)

    def fit(self, codes: Codes, target: int, columns: list[int]) -> "BayesMember":
        """Count how often each value goes with each class."""
        rows = np.flatnonzero(codes[:, target] >= 0)
        self.classes, labels, n_by_class = np.unique(
            codes[rows, target].astype(np.int64), return_inverse=True, return_counts=True
        )
        self._prior = np.zeros(self.classes.size) if self.is_flat else np.log(n_by_class + self.smoothing)
        self._logs = [(j, self._shares(codes[:, j], rows, labels.reshape(-1))) for j in columns]
        return self

    def _shares(self, cells: Codes, rows: NDArray[np.int64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
        n_codes, n_classes = int(cells.max(initial=-1)) + 1, self.classes.size
        n_values = np.unique(cells[cells >= 0]).size
        is_known = cells[rows] >= 0
        keys = cells[rows][is_known].astype(np.int64) * n_classes + labels[is_known]
        counts = np.bincount(keys, minlength=n_codes * n_classes).reshape(n_codes, n_classes).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(counts + self.smoothing) - np.log(counts.sum(axis=0) + self.smoothing * max(1, n_values))
        logs[np.isnan(logs)] = -np.inf
        return np.vstack([logs, np.zeros((1, n_classes))])

    def scores(self, codes: Codes) -> NDArray[np.float64]:
        """Return logarithms of the probabilities, up to what is common to all classes."""
        found = np.repeat(self._prior[None], len(codes), axis=0)
        for j, logs in self._logs:
            found += logs[codes[:, j]]
        return found


@dataclass(slots=True, eq=False)
class TreeMember:
    """A tree of C4.5 over categories."""

    confidence: float
    """The level of pruning; at 1 nothing is cut off that makes a difference."""
    minimum: float
    """How many rows two branches of a test hold at least."""
    classes: NDArray[np.int64] = field(init=False)
    _tree: C45 = field(init=False)
    _places: list[tuple[int, NDArray[np.int64]]] = field(init=False)

    def fit(self, codes: Codes, target: int, columns: list[int]) -> "TreeMember":
        """Grow and prune a tree."""
        rows = np.flatnonzero(codes[:, target] >= 0)
        self._places = [(j, _places(codes[rows, j], int(codes[:, j].max(initial=-1)) + 1)) for j in columns]
        self._tree = C45(confidence=self.confidence, minimum=self.minimum)
        self._tree.fit(self._taken(codes[rows]), codes[rows, target].astype(np.int64))
        self.classes = self._tree.classes_
        return self

    def _taken(self, codes: Codes) -> list[NDArray[np.int64]]:
        # A column that holds nothing stands for rows of which nothing else is taken.
        return [np.zeros(len(codes), dtype=np.int64), *(place[codes[:, j]] for j, place in self._places)]

    def scores(self, codes: Codes) -> NDArray[np.float64]:
        """Return the share of each class in the leaves."""
        return self._tree.chances(self._taken(codes))


def _places(trained: Codes, n_codes: int) -> NDArray[np.int64]:
    """Return for each code its place among those that train, and last for unknown; -1 where it trains nothing."""
    place = np.full(n_codes + 1, -1, dtype=np.int64)
    seen = np.unique(trained[trained >= 0])
    place[seen] = np.arange(seen.size)
    return place


FAMILIES: Mapping[str, tuple[Callable[[], Member], ...]] = {
    "naive-bayes": tuple(
        lambda smoothing=smoothing, is_flat=is_flat: BayesMember(smoothing, is_flat)  # type: ignore[misc]
        for smoothing in (0.0, 0.1, 1.0)
        for is_flat in (False, True)
    ),
    "id3": (lambda: TreeMember(0.25, 2.0), lambda: TreeMember(1.0, 1.0)),
}
"""For each adversary what its family has besides the papers' own, in all orders of ties."""
