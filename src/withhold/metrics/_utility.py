"""What an analyst loses who wants to predict a column."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError, MissingExtraError, did_you_mean
from withhold.learners import Features
from withhold.metrics._classification import LearnerName, Rate, classes_of, features_of, wrong_rows
from withhold.table import Grid

__all__ = ["LearnerErrors", "Utility", "classification_utility"]

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerErrors:
    """The errors of one learner on rows it has not seen."""

    learner: str
    """Which learner."""
    base: Rate | None
    """BE: it learns from the original table and is tested on it; None, as below, where it is not published."""
    released: Rate
    """AE or SE: it learns from the released table and is tested on it, on the rows of base where the tables align."""
    published: Rate | None = None
    """As released, on the rows whose target the release publishes: what anybody can measure; None where that is all."""
    upper: Rate | None
    """UE: as base, but the masked columns say nothing: all their values are generalised to the top."""
    removed: Rate | None
    """RE: as base, but without the columns that would be removed instead."""
    seconds: float
    """How long it took."""

    @property
    def loss(self) -> float | None:
        """How much the error rose by the release."""
        return None if self.base is None else self.released.error - self.base.error

    @property
    def benefit(self) -> float | None:
        """How much lower the error is than if the columns had been removed."""
        return None if self.removed is None else self.removed.error - self.released.error


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """What an analyst loses who wants to predict a column; see `classification_utility`."""

    target: str
    """The column to predict."""
    learners: tuple[LearnerErrors, ...]
    """The errors of each learner."""
    majority: Rate | None
    """The error of always giving the most frequent class of the original; None where it is not published."""
    n_train: int | None
    """The rows of the original to learn from; None where it is not published."""
    n_test: int | None
    """The rows of the original to test; None where it is not published."""
    notes: tuple[str, ...]
    """What was left out or sampled."""
    seconds: float
    """How long it took."""
    majority_released: Rate | None = None
    """The error of always giving the most frequent class of the release, where that is known."""
    step: float | None = None
    """What shares are rounded to in a public report; None where they are not."""


def classification_utility(
    original: Grid,
    released: Grid,
    target: str,
    *,
    masked: Sequence[str],
    removed: Sequence[str] | None = None,
    ignored: Sequence[str] = (),
    test_share: float = 1 / 3,
    learners: Sequence[LearnerName] = ("c4.5", "naive-bayes", "boosting"),
    aligned: bool = True,
    max_rows: int | None = None,
    rng: int | np.random.Generator | None = None,
) -> Utility:
    """Return how much worse learners predict a column from the release than from the original, on held-out rows.

    Parameters
    ----------
    original, released
        The table before and after. Columns whose texts are all numbers are numbers; all others are categories. An
        interval such as ``[20, 40)`` is a category, as it was for the C4.5 of the papers.
    target
        The column to predict. Rows in which it is unknown are left out.
    masked
        The columns that the release may have changed.
    removed
        The columns that would be removed instead, such as those a template hides; `masked` where None.
    ignored
        Columns that are not looked at in either table, such as names and other identifiers.
    test_share
        The share of the rows to test, above 0 and below 1.
    learners
        ``"c4.5"``, ``"naive-bayes"`` and ``"boosting"``. Boosting is left out, with a note, where the extra `audit` is
        not installed.
    aligned
        Whether both tables hold the same rows in the same order. Both are then divided in the same way, and every model
        is tested on the same rows by what the original holds, also where the release withholds the target.
    max_rows
        More rows than this are sampled, with a note.
    rng
        Divides and samples the rows.

    Notes
    -----
    Rows are divided within each class of the target, so that chance moves the errors of small tables less.

    C4.5 takes about 0.4 s for 45,000 rows and 14 columns, 30 times that for a million.

    References
    ----------
    B. C. M. Fung, K. Wang, P. S. Yu: Top-Down Specialization for Information and Privacy Preservation, ICDE 2005.
    K. Wang, B. C. M. Fung, P. S. Yu: Template-Based Privacy Preservation in Classification Problems, ICDM 2005.

    Examples
    --------
    >>> from withhold import Table
    >>> kinds = ["small"] * 30 + ["large"] * 30
    >>> before = Grid.of(Table.from_columns({"size": [str(size) for size in range(60)], "kind": kinds}))
    >>> after = Grid.of(Table.from_columns({"size": ["[0, 30)"] * 30 + ["[30, 60]"] * 30, "kind": kinds}))
    >>> found = classification_utility(before, after, "kind", masked=["size"], learners=["c4.5"], rng=1)
    >>> found.learners[0].released.error, found.learners[0].upper.error
    (0.0, 0.5)
    """
    begin = time.perf_counter()
    generator = np.random.default_rng(rng)
    removed = masked if removed is None else removed
    _check(original, released, target, (*masked, *removed, *ignored), test_share, aligned)
    notes: list[str] = []
    names = original.labels[original.place(target)]
    before, after = (_Task.of(grid, target, names, ignored) for grid in (original, released))
    rows = _divide(before, test_share, max_rows, generator, notes)
    released_rows = rows if aligned else _divide(after, test_share, max_rows, generator, notes)
    if aligned:
        after = after.judged_by(before)
        n_lost = int((after.classes[np.concatenate(rows)] < 0).sum())
        if n_lost:
            notes.append(
                f"The release withholds {target} in {n_lost:,} of the rows: they teach nothing, and are tested."
            )
    works = (before, rows), (before.without(masked), rows), (before.without(removed), rows)
    seed = int(generator.integers(2**31))
    found = []
    for learner in learners:
        started = time.perf_counter()
        try:
            base, upper, without = [task.rate(*own, learner, seed)[0] for task, own in works]
            changed, published = after.rate(*released_rows, learner, seed)
        except MissingExtraError as error:
            notes.append(f"{learner} was left out. {error}")
            continue
        seconds = time.perf_counter() - started
        found.append(
            LearnerErrors(
                learner=learner,
                base=base,
                released=changed,
                published=published,
                upper=upper,
                removed=without,
                seconds=seconds,
            )
        )
    always, always_published = after.rate(*released_rows, "majority", seed)
    return Utility(
        target=target,
        learners=tuple(found),
        majority=before.rate(*rows, "majority", seed)[0],
        n_train=rows[0].size,
        n_test=rows[1].size,
        notes=tuple(notes),
        seconds=time.perf_counter() - begin,
        majority_released=always_published or always,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """Rows with their classes, and what they are to be predicted from."""

    columns: tuple[str, ...]
    features: Features
    classes: Rows
    truth: Rows

    @classmethod
    def of(cls, grid: Grid, target: str, names: Sequence[str], ignored: Sequence[str]) -> "_Task":
        columns = tuple(name for name in grid.columns if name not in (target, *ignored))
        classes = classes_of(grid, target, names)
        return cls(columns, features_of(grid, drop=[target, *ignored]), classes, classes)

    def without(self, columns: Sequence[str]) -> "_Task":
        places = [place for place, name in enumerate(self.columns) if name in columns]
        left = tuple(name for name in self.columns if name not in columns)
        return _Task(left, self.features.without(places), self.classes, self.truth)

    def judged_by(self, other: "_Task") -> "_Task":
        """Return the same rows, tested by what another table says of them."""
        return _Task(self.columns, self.features, self.classes, other.truth)

    def rate(self, train: Rows, test: Rows, learner: LearnerName, seed: int) -> tuple[Rate, Rate | None]:
        """Return the error, and that on rows whose class the table itself publishes, where these are not all."""
        train, test = train[self.classes[train] >= 0], test[self.truth[test] >= 0]
        truth = self.truth[test]
        wrong = wrong_rows(self.features, self.classes[train], train, truth, test, learner=learner, seed=seed)
        is_published = self.classes[test] >= 0
        on_published = None if is_published.all() else Rate.of(int(wrong[is_published].sum()), int(is_published.sum()))
        return Rate.of(int(wrong.sum()), test.size), on_published


def _divide(
    task: _Task, test_share: float, max_rows: int | None, generator: np.random.Generator, notes: list[str]
) -> tuple[Rows, Rows]:
    """Return the rows to learn from and the rows to test, ascending, with the same share of each class."""
    rows = np.flatnonzero(task.classes >= 0)
    if rows.size < len(task.classes):
        notes.append(f"{len(task.classes) - rows.size:,} rows without a known target were left out.")
    drawn = generator.permutation(rows)
    if max_rows is not None and drawn.size > max_rows:
        notes.append(f"{max_rows:,} of {drawn.size:,} rows were sampled.")
        drawn = drawn[:max_rows]
    n_test = min(max(round(drawn.size * test_share), 1), max(drawn.size - 1, 0))
    drawn = drawn[np.argsort(task.classes[drawn], kind="stable")]
    # Rows lie class after class; one is tested where n_test / n, summed up row by row, passes a whole number.
    sums = np.arange(drawn.size + 1) * n_test + int(generator.integers(max(drawn.size, 1)))
    is_test = np.diff(sums // max(drawn.size, 1)) == 1
    return np.sort(drawn[~is_test]), np.sort(drawn[is_test])


def _check(
    original: Grid, released: Grid, target: str, columns: Sequence[str], test_share: float, aligned: bool
) -> None:
    for name in (target, *columns):
        if name not in original.columns:
            raise InputError(f'classification_utility: no column "{name}"{did_you_mean(name, original.columns)}')
    if target in columns:
        raise InputError("classification_utility: `target` must not be one of the masked, removed or ignored columns.")
    if target not in released.columns:
        raise InputError(f'classification_utility: the release has no column "{target}".')
    if not 0 < test_share < 1:
        raise InputError("classification_utility: `test_share` must be above 0 and below 1.")
    if aligned and original.n_rows != released.n_rows:
        raise InputError(
            "classification_utility: the tables differ in their number of rows. Hint: aligned=False divides them apart."
        )
