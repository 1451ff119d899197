"""The attacker by look-alikes."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attack_problem import Problem
from withhold.attackers._attacker import ScoringAttacker

__all__ = ["Neighbours"]

_DISTANCES_AT_ONCE = 1 << 24


class Neighbours(ScoringAttacker):
    """The value that most look-alikes have.

    The attacker knows the release and looks for the rows that differ from the attacked one in the fewest published
    cells: the 15 nearest, and all others that are as near as the last of them. Each difference halves the voice of a
    row. It succeeds where the strongest value is the true one; the more frequent value wins a tie.

    Notes
    -----
    A column that is unknown in the attacked row is not compared; one that is unknown in the other row differs. The
    cost is cells times training rows times columns.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> Neighbours().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "nearest-neighbours"
    title = "Nearest neighbours"
    story = "Finds the rows that differ in the fewest published cells, and says what most of them hold."
    most_rows: ClassVar[int | None] = 20_000
    n_neighbours: ClassVar[int] = 15

    def _learn(self, problem: Problem, rng: np.random.Generator) -> None:
        self._training = problem.training
        self._hot = np.zeros((self._training.size, problem.classes.size), dtype=np.float32)
        self._hot[np.arange(self._training.size), problem.label[self._training]] = 1
        self._frequency = problem.n_by_class / max(1, self._training.size)

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        scores = np.zeros((len(rows), self._problem.classes.size))
        nearness = np.exp2(-np.arange(len(self._problem.predictors) + 1.0)).astype(np.float32)
        n_at_once = max(1, _DISTANCES_AT_ONCE // self._training.size)
        for start in range(0, len(rows), n_at_once):
            part = slice(start, start + n_at_once)
            distance = self._distances(rows[part])
            k = min(self.n_neighbours, self._training.size)
            last = np.partition(distance, k - 1, axis=1)[:, k - 1 : k]
            further = distance - distance.min(axis=1)[:, np.newaxis]
            scores[part] = np.where(distance <= last, nearness[further], 0) @ self._hot
        return scores + self._frequency * 1e-3

    def _distances(self, rows: NDArray[np.int64]) -> NDArray[np.uint16]:
        found = np.zeros((len(rows), self._training.size), dtype=np.uint16)
        for position in self._problem.predictors:
            codes = self._problem.view.codes[position].astype(np.int32)
            asked = np.flatnonzero(codes[rows] >= 0)
            found[asked] += codes[rows[asked], np.newaxis] != codes[self._training]
        return found
