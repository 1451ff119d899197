"""How often a classifier that learns from some rows of a table is wrong on others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.attackers import wilson_interval
from withhold.errors import InputError, did_you_mean
from withhold.learners import C45, Features, GradientBoosting, NaiveBayes
from withhold.table import UNKNOWN, WITHHELD, Grid, is_number

__all__ = ["LEARNERS", "LearnerName", "Rate", "classes_of", "classification_error", "features_of", "wrong_rows"]

LearnerName = Literal["boosting", "c4.5", "majority", "naive-bayes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How many of some rows were classified wrongly, with the 95 % interval of Wilson."""

    n_wrong: int | None
    """The rows that were classified wrongly; None where it is not published."""
    n_test: int | None
    """The rows that were classified; None where it is not published."""
    error: float
    """The share of the wrong ones."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""

    @classmethod
    def of(cls, n_wrong: int, n_test: int) -> "Rate":
        """Return the rate of some wrong rows among all.

        Examples
        --------
        >>> rate = Rate.of(15, 100)
        >>> rate.error, round(rate.low, 3), round(rate.high, 3)
        (0.15, 0.093, 0.233)
        """
        low, high = wilson_interval(n_wrong, n_test)
        return cls(n_wrong=n_wrong, n_test=n_test, error=n_wrong / max(1, n_test), low=low, high=high)


class Learner(Protocol):
    """What learns classes."""

    def fit(self, columns: Features, labels: ArrayLike) -> Any:
        """Learn the classes of rows."""

    def predict(self, columns: Features) -> NDArray[np.int64]:
        """Return a class for each row."""


def classification_error(
    grid: Grid,
    target: str,
    *,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    drop: Sequence[str] = (),
    learner: LearnerName = "c4.5",
    seed: int = 0,
) -> Rate:
    """Return how often a learner that has seen some rows of a table is wrong about a column of others.

    Parameters
    ----------
    grid
        The table. Columns whose texts are all numbers are numbers; all others are categories, intervals too.
    target
        The column to predict. Rows in which it is unknown are left out.
    train, test
        The positions of the rows to learn from and to test.
    drop
        Columns that are not looked at.
    learner
        ``"c4.5"``, ``"naive-bayes"``, ``"boosting"`` (scikit-learn's, of the extra `audit`), or ``"majority"``, which
        gives the most frequent class.
    seed
        Of the learner that draws: boosting.

    Examples
    --------
    >>> import numpy as np
    >>> from withhold import Table
    >>> sizes, kinds = [str(size) for size in range(40)], ["small"] * 20 + ["large"] * 20
    >>> grid = Grid.of(Table.from_columns({"size": sizes, "kind": kinds}))
    >>> rows = np.arange(40)
    >>> classification_error(grid, "kind", train=rows[::2], test=rows[1::2]).error
    0.05
    """
    for name in (target, *drop):
        if name not in grid.columns:
            raise InputError(f'classification_error: no column "{name}"{did_you_mean(name, grid.columns)}')
    classes = classes_of(grid, target, grid.labels[grid.place(target)])
    features = features_of(grid, drop=(target, *drop))
    train, test = train[classes[train] >= 0], test[classes[test] >= 0]
    wrong = wrong_rows(features, classes[train], train, classes[test], test, learner=learner, seed=seed)
    return Rate.of(int(wrong.sum()), test.size)


def classes_of(grid: Grid, target: str, names: Sequence[str]) -> NDArray[np.int64]:
    """Return for each row the place of its class among some names; unknown where it is not one of them."""
    place, known = grid.place(target), {name: code for code, name in enumerate(names) if name != WITHHELD}
    recode = np.array([*(known.get(label, UNKNOWN) for label in grid.labels[place]), UNKNOWN], dtype=np.int64)
    return np.asarray(recode[grid.codes[:, place]])


def features_of(grid: Grid, *, drop: Sequence[str]) -> Features:
    """Return the columns as learners see them: numbers where all texts that occur are numbers, else categories."""
    columns: list[NDArray[Any]] = []
    for place, (name, labels) in enumerate(zip(grid.columns, grid.labels, strict=True)):
        if name in drop:
            continue
        codes = grid.codes[:, place]
        occurs = np.bincount(codes + 1, minlength=len(labels) + 1)[1:] > 0
        texts = [label for label, is_there in zip(labels, occurs, strict=True) if is_there and label != WITHHELD]
        if texts and all(is_number(text) for text in texts):
            values = [float(label) if is_number(label) else np.nan for label in labels]
            columns.append(np.array([*values, np.nan])[codes])
        else:
            recode = np.array([*(UNKNOWN if label == WITHHELD else i for i, label in enumerate(labels)), UNKNOWN])
            columns.append(recode[codes].astype(np.int64))
    return Features(tuple(columns), grid.n_rows)


def wrong_rows(
    features: Features,
    seen: NDArray[np.int64],
    train: NDArray[np.int64],
    truth: NDArray[np.int64],
    test: NDArray[np.int64],
    *,
    learner: LearnerName,
    seed: int,
) -> NDArray[np.bool_]:
    """Return which rows to test a learner classifies wrongly, by what it has seen and what is true."""
    if learner not in LEARNERS:
        raise InputError(f'learner: there is no "{learner}"{did_you_mean(learner, LEARNERS)}')
    if not train.size or not test.size:
        raise InputError("learner: there must be rows to learn from and rows to test whose target is known.")
    if learner == "majority" or not features.columns or (seen == seen[0]).all():
        return np.asarray(truth != np.bincount(seen).argmax())
    fitted = LEARNERS[learner](seed)
    fitted.fit(features.take(train), seen)
    return np.asarray(fitted.predict(features.take(test)) != truth)


LEARNERS: dict[LearnerName, Callable[[int], Learner]] = {
    "c4.5": lambda seed: C45(),
    "naive-bayes": lambda seed: NaiveBayes(),
    "boosting": lambda seed: GradientBoosting(seed=seed),
    "majority": lambda seed: NaiveBayes(),
}
"""Makes a learner from a seed. The majority needs none: it is counted."""
