"""What the named adversaries say, kept for the attackers that build on it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact import View, bayes_guesses, id3_guesses
from withhold.attackers._exact._nodes import Order

__all__ = ["Named", "NamedAttacker"]

_NOT_ASKED = -2


class Named:
    """The guesses of the papers' naive Bayes and ID3 from the release that was looked at last.

    Parameters
    ----------
    order
        The order of the values that decides ties of ID3, as in `id3_recovers`.
    promised
        For a column the predictors that a promise about it is made for; those that are asked for where it has none.
    """

    def __init__(self, *, order: Order = None, promised: Mapping[str, Sequence[str]] | None = None) -> None:
        self._order = order
        self._promised = promised or {}
        self._view: View | None = None
        self._question: tuple[str, tuple[str, ...]] = ("", ())
        self._said: dict[str, NDArray[np.int64]] = {}

    def look_at(self, view: View, column: str, predictors: Sequence[str]) -> None:
        """Turn to a column of a release; what was said is kept if it is the same as before."""
        promised = self._promised.get(column, predictors)
        predictors = [name for name in promised if name != column and name in view.columns]
        if view is self._view and self._question == (column, tuple(predictors)):
            return
        self._view, self._question = view, (column, tuple(predictors))
        self._said = {name: np.full(view.n_rows, _NOT_ASKED, dtype=np.int64) for name in ("bayes", "id3")}

    def bayes(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what naive Bayes says of each row, -1 for nothing."""
        return self._answer("bayes", rows)

    def id3(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what ID3 says of each row, -1 for nothing."""
        return self._answer("id3", rows)

    def _answer(self, name: str, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        assert self._view is not None
        said, (column, predictors) = self._said[name], self._question
        new = np.unique(rows[said[rows] == _NOT_ASKED])
        if new.size and name == "bayes":
            said[new] = bayes_guesses(self._view, column, new, predictors=predictors)
        elif new.size:
            said[new] = id3_guesses(self._view, column, new, predictors=predictors, order=self._order)
        found: NDArray[np.int64] = said[rows]
        return found


class NamedAttacker(ABC):
    """An adversary that a policy can name: it says what the exact check asks about.

    Parameters
    ----------
    named
        A store of guesses, shared with other attackers that need the same ones.
    """

    most_rows: ClassVar[int | None] = None
    """What it says of a part of a release is not what it says of the release, which the policy is about."""

    def __init__(self, named: Named | None = None) -> None:
        self._named = named or Named()

    def fit(self, view: View, column: str, predictors: Sequence[str], *, rng: np.random.Generator) -> Self:
        """Remember the release; what is needed is counted for the cells that are asked."""
        self._named.look_at(view, column, predictors)
        return self

    @abstractmethod
    def guess(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the code of a label of the column, or -1 for no guess."""
