"""The attacker by a decision tree."""

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._named import NamedAttacker

__all__ = ["DecisionTree"]


class DecisionTree(NamedAttacker):
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
    >>> from withhold.attackers import View
    >>> view = View.of({"drug": ["a", "b"] * 8 + ["a"], "ill": ["yes", "no"] * 8 + ["*"]})
    >>> DecisionTree().fit(view, "ill", ["drug"], rng=np.random.default_rng(1)).guess(np.array([16])).tolist()
    [1]
    """

    name = "id3"
    title = "Decision tree (ID3)"
    story = "Grows a decision tree by information gain; unknown values follow the most frequent branch."

    def guess(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the code of a label of the column, or -1 for no guess."""
        return self._named.id3(rows)
