"""Naive Bayes for an analyst: smoothed counts, numbers in intervals."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.errors import DataError
from withhold.learners._features import UNKNOWN, Features, labels_of

__all__ = ["NaiveBayes"]


@dataclass(slots=True, kw_only=True, eq=False)
class NaiveBayes:
    """Naive Bayes with counts smoothed after Laplace; numbers are put into intervals that hold equally many rows.

    Attributes
    ----------
    classes_
        The classes that were seen, ascending.

    Notes
    -----
    The chance of a value in a class is (rows with both + 1) / (rows of the class that know the column + values).
    Unknown cells, and categories that were never seen, are left out of the product. Of classes that are equally likely
    the first is given. Linear in the rows and columns.

    Examples
    --------
    >>> import numpy as np
    >>> learner = NaiveBayes(n_intervals=2).fit([np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 8.0, 9.0])], [5, 5, 7, 7])
    >>> learner.predict([np.array([0, 1, -1]), np.array([1.5, 9.5, np.nan])]).tolist()
    [5, 7, 5]
    """

    n_intervals: int = 10
    """Into how many intervals numbers are put at most; at least 1."""
    classes_: NDArray[np.int64] = field(init=False, repr=False)
    _cuts: tuple[NDArray[np.float64] | None, ...] = field(init=False, repr=False)
    _chances: tuple[NDArray[np.float64], ...] = field(init=False, repr=False)
    _prior: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.n_intervals < 1:
            raise DataError("NaiveBayes: `n_intervals` must be at least 1.")

    def fit(self, columns: "Sequence[ArrayLike] | Features", labels: ArrayLike) -> "NaiveBayes":
        """Learn the classes of rows; `labels` are whole numbers of at least 0."""
        features = Features.of(columns)
        self.classes_, classes = np.unique(labels_of(labels, features), return_inverse=True)
        pairs = zip(features.columns, features.is_number, strict=True)
        self._cuts = tuple(self._cut(column) if is_number else None for column, is_number in pairs)
        n_classes = self.classes_.size
        counts = []
        for column, cuts in zip(features.columns, self._cuts, strict=True):
            codes = _codes(column, cuts)
            n_values, known = int(codes.max(initial=0)) + 1, codes != UNKNOWN
            joint = codes[known] * n_classes + classes[known]
            counts.append(np.bincount(joint, minlength=n_values * n_classes).reshape(n_values, n_classes))
        self._chances = tuple(np.log((count + 1) / (count.sum(axis=0) + len(count))) for count in counts)
        self._prior = np.log(np.bincount(classes) / classes.size)
        return self

    def predict(self, columns: "Sequence[ArrayLike] | Features") -> NDArray[np.int64]:
        """Return a class for each row."""
        features = Features.of(columns)
        if features.is_number != tuple(cuts is not None for cuts in self._cuts):
            raise DataError("predict: columns must be of the number and kinds that were given to `fit`.")
        scores = np.tile(self._prior, (features.n_rows, 1))
        for column, cuts, chances in zip(features.columns, self._cuts, self._chances, strict=True):
            codes = _codes(column, cuts)
            known = (codes != UNKNOWN) & (codes < len(chances))
            scores[known] += chances[codes[known]]
        return np.asarray(self.classes_[scores.round(12).argmax(axis=1)])

    def _cut(self, column: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the inner bounds of the intervals of a number."""
        known = column[~np.isnan(column)].astype(np.float64)
        if not known.size:
            return np.empty(0)
        shares = np.arange(1, self.n_intervals) / self.n_intervals
        return np.unique(np.quantile(known, shares, method="inverted_cdf"))


def _codes(column: NDArray[np.int64] | NDArray[np.float64], cuts: NDArray[np.float64] | None) -> NDArray[np.int64]:
    if cuts is None:
        return column.astype(np.int64)
    return np.where(np.isnan(column), UNKNOWN, np.searchsorted(cuts, column))
