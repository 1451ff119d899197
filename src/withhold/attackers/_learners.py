"""Attackers that are learners of scikit-learn."""

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold._threads import one_thread
from withhold.attackers._attack_problem import Problem
from withhold.attackers._attacker import ScoringAttacker
from withhold.attackers._encoding import Encoding
from withhold.errors import MissingExtraError
from withhold.learners import GradientBoosting

__all__ = ["Boosting", "Forest", "LinearMachine", "LogisticRegression"]

MOST_CLASSES = 40
"""The classes that a learner distinguishes; rows of rarer ones do not train."""


class _Learner(ScoringAttacker):
    """The attacker knows the release and trains a learner on it; it succeeds where the learner is right."""

    most_rows: ClassVar[int | None] = 20_000

    def _learn(self, problem: Problem, rng: np.random.Generator) -> None:
        self._require()
        self._features = Encoding(problem)
        common = np.argsort(-problem.n_by_class, kind="stable")[:MOST_CLASSES]
        self._common = np.sort(common)
        rows = np.flatnonzero(np.isin(problem.label, self._common))
        self._model: Any = None
        if self._common.size > 1:
            labels = np.searchsorted(self._common, problem.label[rows])
            with _calm():
                self._model = self._train(rows, labels, int(rng.integers(2**31)))

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        scores = np.full((len(rows), self._problem.classes.size), -np.inf)
        scores[:, self._common] = 0.0
        if self._model is not None:
            with _calm():
                scores[:, self._common] = self._chances(rows)
        return scores

    def _require(self) -> None:
        try:
            import sklearn  # noqa: F401
        except ImportError:
            raise MissingExtraError("scikit-learn", extra="audit", purpose=f'the attacker "{self.name}"') from None

    @abstractmethod
    def _train(self, rows: NDArray[np.int64], labels: NDArray[np.int64], seed: int) -> Any:
        """Return a trained model."""

    def _chances(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(self._model.predict_proba(self._table(rows)), dtype=float)

    def _table(self, rows: NDArray[np.int64]) -> Any:
        return self._features.one_hot(rows)


@contextmanager
def _calm() -> Iterator[None]:
    """Let a learner work in one thread, because many small works wait for each other in several, and without warnings.

    A learner that stops early is an attacker all the same.
    """
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class LogisticRegression(_Learner):
    """Logistic regression over one column for each value.

    The attacker knows the release and weighs every published value, and every blank, for and against each candidate.
    It succeeds where the likeliest candidate is the true value.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> LogisticRegression().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "logistic-regression"
    title = "Logistic regression"
    story = "Weighs every published value, and every blank, of the row for and against each candidate."

    def _train(self, rows: NDArray[np.int64], labels: NDArray[np.int64], seed: int) -> Any:
        from sklearn.linear_model import LogisticRegression as Model

        return Model(max_iter=100, tol=1e-3, random_state=seed).fit(self._table(rows), labels)


class LinearMachine(_Learner):
    """A linear support vector machine for each value against the rest.

    The attacker knows the release and separates each candidate from all others by a plane with a wide margin. It
    succeeds where the plane that the row lies furthest beyond is that of the true value.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> LinearMachine().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "linear-svm"
    title = "Linear support vector machine"
    story = "Separates each candidate from all others by a plane with a wide margin."
    most_rows: ClassVar[int | None] = 10_000

    def _train(self, rows: NDArray[np.int64], labels: NDArray[np.int64], seed: int) -> Any:
        from sklearn.svm import LinearSVC

        model = LinearSVC(C=0.3, tol=1e-2, max_iter=200, dual="auto", random_state=seed)
        return model.fit(self._table(rows), labels)

    def _chances(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.asarray(self._model.decision_function(self._table(rows)), dtype=float)
        return np.stack([-found, found], axis=1) if found.ndim == 1 else found


class Forest(_Learner):
    """A random forest.

    The attacker knows the release and asks sixty decision trees, each grown from other rows and columns; that a
    cell is blank is a question like any other. It succeeds where most trees say the true value.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> Forest().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "random-forest"
    title = "Random forest"
    story = "Asks sixty random decision trees; that a cell is blank is a question like any other."

    def _train(self, rows: NDArray[np.int64], labels: NDArray[np.int64], seed: int) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        n_drawn = min(len(rows), 5000)
        model = RandomForestClassifier(60, min_samples_leaf=2, max_samples=n_drawn, random_state=seed)
        return model.fit(self._table(rows), labels)

    def _table(self, rows: NDArray[np.int64]) -> Any:
        return self._features.dense(rows)


class Boosting(_Learner):
    """Boosted decision trees.

    The attacker knows the release and adds small trees, each correcting the ones before; values are categories, and
    blanks are missing values that every split sends to the better side. It succeeds where the likeliest candidate is
    the true value.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 40 + ["a"], "ill": ["yes", "no"] * 40 + ["*"]})
    >>> Boosting().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([80])).tolist()
    [1]
    """

    name = "boosting"
    title = "Boosted trees"
    story = "Adds small decision trees that correct one another, with categories and missing values as such."
    most_trees: ClassVar[int] = 300

    def _train(self, rows: NDArray[np.int64], labels: NDArray[np.int64], seed: int) -> Any:
        n_classes = self._common.size
        n_rounds = max(8, min(80, self.most_trees // (1 if n_classes == 2 else n_classes)))
        # With leaves of 20 rows, as is usual, nothing is learned from small tables.
        min_leaf = min(20, max(2, len(rows) // 20))
        trees = GradientBoosting(n_rounds=n_rounds, max_leaves=15, min_leaf=min_leaf, penalty=1.0, seed=seed)
        return trees.fit(self._table(rows), labels)

    def _chances(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(self._model.chances(self._table(rows)))

    def _table(self, rows: NDArray[np.int64]) -> Any:
        return self._features.native(rows)
