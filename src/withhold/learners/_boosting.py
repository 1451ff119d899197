"""Gradient boosting of scikit-learn, with its own treatment of categories and unknown cells."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold._threads import one_thread
from withhold.errors import MissingExtraError
from withhold.learners._features import UNKNOWN, Features, labels_of

__all__ = ["GradientBoosting"]

MOST_CATEGORIES = 254
"""How many categories of a column scikit-learn takes."""
WORTH_THREADS = 2_000_000
"""With fewer cells threads wait for each other longer than they work, above all on a busy machine."""


class GradientBoosting:
    """Boosted decision trees, of the extra `audit`.

    Parameters
    ----------
    n_rounds
        How many trees are added for each class.
    max_leaves
        The most leaves of a tree.
    min_leaf
        The fewest rows of a leaf.
    penalty
        How strongly large values of leaves are drawn to zero.
    seed
        Of the learner's own draws.

    Notes
    -----
    Rare categories beyond the 254 most frequent ones of a column, and those that were never seen, are unknown. Every
    split sends unknown cells to the better side.

    Examples
    --------
    >>> import numpy as np
    >>> size = np.arange(80.0)
    >>> GradientBoosting().fit([size], (size >= 40).astype(int)).predict([np.array([3.0, 70.0])]).tolist()
    [0, 1]
    """

    def __init__(
        self, *, n_rounds: int = 100, max_leaves: int = 31, min_leaf: int = 20, penalty: float = 0.0, seed: int = 0
    ) -> None:
        self._settings = {
            "max_iter": n_rounds,
            "max_leaf_nodes": max_leaves,
            "min_samples_leaf": min_leaf,
            "l2_regularization": penalty,
            "random_state": seed,
        }

    def fit(self, columns: "Sequence[ArrayLike] | Features", labels: ArrayLike) -> "GradientBoosting":
        """Learn the classes of rows."""
        try:
            from sklearn.ensemble import HistGradientBoostingClassifier
        except ImportError:
            raise MissingExtraError("scikit-learn", extra="audit", purpose="Gradient boosting") from None
        features = Features.of(columns)
        pairs = zip(features.columns, features.is_number, strict=True)
        self._kept = [None if is_number else _most_frequent(column) for column, is_number in pairs]
        is_category = [not is_number for is_number in features.is_number]
        self._model: Any = HistGradientBoostingClassifier(
            categorical_features=is_category, early_stopping=False, **self._settings
        )
        matrix = self._matrix(features)
        matrix[:, np.isnan(matrix).all(axis=0)] = 0.0  # a column without any number cannot be put into bins
        with _limited(matrix.size):
            self._model.fit(matrix, labels_of(labels, features))
        return self

    def predict(self, columns: "Sequence[ArrayLike] | Features") -> NDArray[np.int64]:
        """Return the likeliest class of each row."""
        matrix = self._matrix(Features.of(columns))
        with _limited(matrix.size):
            return np.asarray(self._model.predict(matrix), dtype=np.int64)

    def chances(self, columns: "Sequence[ArrayLike] | Features") -> NDArray[np.float64]:
        """Return for each row the chance of each class that was learned, in their order."""
        matrix = self._matrix(Features.of(columns))
        with _limited(matrix.size):
            return np.asarray(self._model.predict_proba(matrix), dtype=np.float64)

    def _matrix(self, features: Features) -> NDArray[np.float64]:
        """Return the columns side by side; rare categories, and those that were never seen, are unknown."""
        matrix = np.full((features.n_rows, len(features.columns)), np.nan)
        for place, (column, kept) in enumerate(zip(features.columns, self._kept, strict=True)):
            if kept is None:
                matrix[:, place] = column
            elif kept.size:
                found = np.minimum(np.searchsorted(kept, column), kept.size - 1)
                matrix[:, place] = np.where(kept[found] == column, found, np.nan)
        return matrix


def _limited(n_cells: int) -> Any:
    return nullcontext() if n_cells >= WORTH_THREADS else one_thread()


def _most_frequent(column: NDArray[np.int64]) -> NDArray[np.int64]:
    values, counts = np.unique(column[column != UNKNOWN], return_counts=True)
    return np.sort(values[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]])
