"""Learners against a guess on a written file: what proves a promise about any learner, as far as it can be proven."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.attackers import (
    Attacker,
    Boosting,
    Forest,
    LinearMachine,
    LogisticRegression,
    Neighbours,
    Target,
    View,
    attack_cells,
    holm_p_values,
)

__all__ = ["Contest", "Result", "compete", "sentence"]

MOST_ROWS = 10_000
"""On how many rows a learner trains."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contest:
    """The hidden cells of one column."""

    view: View
    """The file."""
    column: str
    rows: NDArray[np.int64]
    truth: tuple[str, ...]
    """What stood there."""
    used: Sequence[str]
    """The columns that a learner may use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How often a learner and a guess were right on the same cells."""

    learner: str
    column: str
    n_cells: int
    n_right: int
    n_guess: int
    p_value: float
    """How often a learner that is as good as a guess would look this much better, over all learners and columns."""
    is_better: bool
    """Whether that is too rare to be luck."""

    def to_json(self) -> dict[str, Any]:
        """Return it as the record has it."""
        return {name: getattr(self, name) for name in self.__slots__}


def compete(
    contests: Sequence[Contest],
    *,
    certainty: float,
    rng: np.random.Generator | None = None,
    say: Callable[[str], object] = lambda what: None,
) -> list[Result]:
    """Train learners on the file, and count how often each is right beside the most frequent value.

    Parameters
    ----------
    contests
        The hidden cells, by column.
    certainty
        A learner is better than a guess where it would be so by luck less often than in the rest, over all learners.
    rng
        Draws rows and seeds; by default always the same, which no guard uses.
    say
        Hears which learner is trained.
    """
    generator = np.random.default_rng(1616) if rng is None else rng
    tried = []
    for each in contests:
        target = Target(column=each.column, rows=each.rows, truth=each.truth)
        found = attack_cells(
            each.view,
            None,
            [target],
            attackers=_learners(),
            predictors=list(each.used),
            max_train=MOST_ROWS,
            rng=generator,
            progress=say,
        )
        tried += [(each, attack) for attack in found]
    sure = holm_p_values([attack.p_value for _, attack in tried])
    return [
        Result(
            learner=attack.attacker,
            column=each.column,
            n_cells=attack.n_tried,
            n_right=attack.n_right,
            n_guess=attack.majority_right,
            p_value=p_value,
            is_better=p_value < 1 - certainty or attack.is_ahead,
        )
        for (each, attack), p_value in zip(tried, sure, strict=True)
    ]


def _learners() -> list[Attacker]:
    return [LogisticRegression(), LinearMachine(), Forest(), Boosting(), Neighbours()]


def sentence(found: Sequence[Result]) -> str:
    """Return what came of it."""
    if not found:
        return "learners, trained on the file: there is no hidden cell to try"
    best = max(found, key=lambda each: each.n_right - each.n_guess)
    better = sorted({each.learner for each in found if each.is_better})
    says = (
        f"{', '.join(better)} recover hidden cells more often than a guess"
        if better
        else "none recovers hidden cells more often than a guess, by more than luck"
    )
    return (
        f"learners, trained on the file: {says}; the best, {best.learner}, is right on {best.n_right:,} of "
        f"{best.n_cells:,}, the most frequent value on {best.n_guess:,}"
    )
