"""The attacker by a decision tree."""

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact import View
from withhold.attackers._named import Named

__all__ = ["DecisionTree"]


class DecisionTree:
    """The ID3 of the thesis.

    The attacker knows the release and grows one decision tree from it, without pruning. A row with an unknown value
    follows the most frequent branch. It succeeds where the leaf says the true value; that is where `id3_recovers`
    says so, also with taxonomies.

    Parameters
    ----------
    named
        A store of guesses, shared with other attackers that need the same ones.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> DecisionTree().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "id3"
    title = "Decision tree (ID3)"
    story = "Grows a decision tree by information gain; unknown values follow the most frequent branch."
    most_rows: ClassVar[int | None] = 200_000

    def __init__(self, named: Named | None = None) -> None:
        self._named = named or Named()

    def fit(self, view: View, column: str, predictors: Sequence[str], *, rng: np.random.Generator) -> Self:
        """Remember the release; the tree grows where the cells that are asked pass."""
        self._named.look_at(view, column, predictors)
        return self

    def guess(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the code of a label of the column, or -1 for no guess."""
        return self._named.id3(rows)
