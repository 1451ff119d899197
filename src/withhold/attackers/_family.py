"""Relatives of the named adversaries: other smoothing, other priors, pruned trees. Ties are no guess."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attack_problem import Problem
from withhold.attackers._attacker import ScoringAttacker
from withhold.attackers._bayes_attackers import SmoothedBayes
from withhold.learners import C45

__all__ = ["family_of"]


class _Bayes(SmoothedBayes):
    """Naive Bayes over known cells with any smoothing and prior."""

    says_ties = False
    is_flat: ClassVar[bool] = False

    def _learn(self, problem: Problem, rng: np.random.Generator) -> None:
        super()._learn(problem, rng)
        if self.is_flat:
            self._prior = np.zeros(problem.classes.size)


class _Tree(ScoringAttacker):
    """A tree of C4.5 over categories."""

    says_ties = False
    confidence: ClassVar[float] = 0.25
    minimum: ClassVar[float] = 2.0

    def _learn(self, problem: Problem, rng: np.random.Generator) -> None:
        self._tree: C45 | None = None
        rows, view = problem.training, problem.view
        # Sums of shares depend in their last digits on the order of values: it is that of the texts.
        self._cells = [_ranked(view.labels[position])[view.codes[position]] for position in problem.predictors]
        self._order = _ranked([view.labels[problem.target][code] for code in problem.classes.tolist()])[:-1]
        # A value that trains nothing is no branch, wherever it stands among the others.
        self._seen = [np.unique(cells[rows]) for cells in self._cells]
        if rows.size:
            tree = C45(confidence=self.confidence, minimum=self.minimum)
            self._tree = tree.fit(self._taken(rows), self._order[problem.label[rows]])

    def _taken(self, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        found = [np.zeros(len(rows), dtype=np.int64)]
        for ranked, seen in zip(self._cells, self._seen, strict=True):
            cells = ranked[rows]
            values = seen[seen >= 0]
            place = np.minimum(np.searchsorted(values, cells), max(values.size - 1, 0))
            is_seen = (values[place] == cells) if values.size else np.zeros(len(rows), dtype=np.bool_)
            found.append(np.where(is_seen, place, -1))
        return found

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        scores = np.zeros((len(rows), self._problem.classes.size))
        if self._tree is not None:
            scores[:, self._tree.classes_] = self._tree.chances(self._taken(rows))
        return scores[:, self._order]


def _ranked(labels: Sequence[str]) -> NDArray[np.int64]:
    """Return for each code the rank of its text, and last for unknown -1."""
    ranks = np.full(len(labels) + 1, -1, dtype=np.int64)
    ranks[sorted(range(len(labels)), key=lambda code: labels[code])] = np.arange(len(labels))
    return ranks


def family_of(adversary: str) -> list[ScoringAttacker]:
    """Return the relatives of a named adversary.

    Parameters
    ----------
    adversary
        ``"naive-bayes"``: smoothed by 0, 0.1 and 1, each with the priors of the release and with equal ones.
        ``"id3"``: C4.5, pruned and not.

    Examples
    --------
    >>> [attacker.name for attacker in family_of("id3")]
    ['c4.5-pruned', 'c4.5-whole']
    """
    if adversary == "id3":
        kinds = [("pruned", 0.25, 2.0), ("whole", 1.0, 1.0)]
        return [_tree(name, confidence, minimum) for name, confidence, minimum in kinds]
    return [_bayes(smoothing, is_flat) for smoothing in (0.0, 0.1, 1.0) for is_flat in (False, True)]


def _tree(kind: str, confidence: float, minimum: float) -> ScoringAttacker:
    made: ScoringAttacker = type("Tree", (_Tree,), {"confidence": confidence, "minimum": minimum})()
    made.name, made.title = f"c4.5-{kind}", f"C4.5, {kind}"
    made.story = "Grows a decision tree by the ratio of gain; unknown values go down all branches."
    return made


def _bayes(smoothing: float, is_flat: bool) -> ScoringAttacker:
    made: ScoringAttacker = type("Bayes", (_Bayes,), {"smoothing": smoothing, "is_flat": is_flat})()
    prior = "equal priors" if is_flat else "priors of the release"
    made.name, made.title = f"naive-bayes-{smoothing:g}-{'equal' if is_flat else 'release'}", f"Naive Bayes, {prior}"
    made.story = f"Naive Bayes over known cells with {prior}; every value counts as seen {smoothing:g} times more."
    return made
