"""The attacker by association rules."""

from itertools import combinations
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attack_problem import Problem
from withhold.attackers._attacker import ScoringAttacker

__all__ = ["Rules"]


class Rules(ScoringAttacker):
    """The strongest rule of one or two cells.

    The attacker knows the release, and mines rules "where these cells hold these values, the column holds that value"
    from the rows where all of it is published. For a hidden cell it takes the rule with the highest confidence among
    those that apply, the one with more rows on ties, and says nothing where none has enough rows. It cannot know the
    confidence among hidden cells, which the adversarial rules of the paper also ask for. It succeeds where the rule is
    right.

    Notes
    -----
    An antecedent counts if at least ``max(2, 0.1 %)`` of the training rows hold it. One count of the rows for each
    pair of columns; above 64 columns only single cells are used.

    References
    ----------
    C. C. Aggarwal, J. Pei, B. Zhang: On Privacy Preservation against Adversarial Data Mining, KDD 2006.

    Examples
    --------
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> Rules().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "rules"
    title = "Association rules"
    story = "Takes the most confident rule of one or two published cells of the row, mined from the published part."
    most_rows: ClassVar[int | None] = 200_000
    most_columns: ClassVar[int] = 64

    def _learn(self, problem: Problem, rng: np.random.Generator) -> None:
        self._training = problem.training
        self._labels = problem.label[self._training]
        self._support = max(2, ceil(self._training.size / 1000))
        positions = problem.predictors
        pairs = combinations(positions, 2) if len(positions) <= self.most_columns else ()
        self._antecedents: list[tuple[int, ...]] = [*((position,) for position in positions), *pairs]

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        may_hold = self._problem.candidates(rows)
        best, label = np.zeros((2, len(rows))), np.zeros(len(rows), dtype=np.int64)
        for columns in self._antecedents:
            known, confidence, n_rows, said = self._strongest(columns, rows, may_hold)
            is_equal = confidence == best[0, known]
            better = (confidence > best[0, known]) | (is_equal & (n_rows > best[1, known]))
            better |= is_equal & (n_rows == best[1, known]) & (said < label[known])
            chosen = known[better]
            best[0, chosen], best[1, chosen], label[chosen] = confidence[better], n_rows[better], said[better]
        scores = np.full(may_hold.shape, -np.inf)
        found = np.flatnonzero(best[0] > 0)
        scores[found, label[found]] = best[0, found]
        return scores

    def _strongest(
        self, columns: tuple[int, ...], rows: NDArray[np.int64], may_hold: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows to which an antecedent over the columns applies; its confidence, support and label."""
        n_classes = may_hold.shape[1]
        keys, asked = self._keys(columns, self._training), self._keys(columns, rows)
        wanted = np.unique(asked)  # -1 stands first where it occurs, and is never counted
        place = np.minimum(np.searchsorted(wanted, keys), wanted.size - 1)
        counted = (wanted[place] == keys) & (keys >= 0)
        flat = place[counted] * n_classes + self._labels[counted]
        table = np.bincount(flat, minlength=wanted.size * n_classes).reshape(wanted.size, n_classes)
        n_rows = table.sum(axis=1)
        line = np.searchsorted(wanted, asked)
        known = np.flatnonzero(n_rows[line] >= self._support)
        line = line[known]
        held = np.where(may_hold[known], table[line], 0)
        said = held.argmax(axis=1)
        return known, held[np.arange(known.size), said] / n_rows[line], n_rows[line], said

    def _keys(self, columns: tuple[int, ...], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a number for the values of each row in the columns, or -1 where one is unknown."""
        view = self._problem.view
        keys = view.codes[columns[0]][rows]
        for position in columns[1:]:
            codes = view.codes[position][rows]
            keys = np.where((keys < 0) | (codes < 0), -1, keys * len(view.labels[position]) + codes)
        return keys
