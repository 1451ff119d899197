"""The result of a full-domain recoding: the level of each column, and the rows that are withheld."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.methods.levels._column import LevelColumn

__all__ = ["Alternative", "Levelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another combination of levels that keeps every promise."""

    levels: tuple[int, ...]
    """The level of each column."""
    loss: float
    """As in `Levelled`."""
    n_withheld: int
    """How many records are withheld."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Levelled:
    """What a full-domain recoding publishes.

    See Also
    --------
    withhold.methods.levels.recode_levels : makes it.
    """

    columns: tuple[LevelColumn, ...]
    codes: NDArray[np.int32]
    """For each row and column the leaf it holds."""
    weights: NDArray[np.int64]
    """How many records each row stands for."""
    levels: tuple[int, ...]
    """The level of each column."""
    withheld: NDArray[np.bool_]
    """Which rows are published as ``*`` throughout."""
    loss: float
    """The mean price over records and columns, weighted as the columns are: 0 as they were, 1 all ``*``."""
    is_optimal: bool
    """Whether no combination of levels has a smaller loss."""
    n_tried: int
    """How many combinations were looked at."""
    n_all: int
    """How many combinations there are."""
    alternatives: tuple[Alternative, ...]
    """The best of the other combinations that were looked at, the best first."""

    @property
    def n_withheld(self) -> int:
        """How many records are withheld."""
        return int(self.weights[self.withheld].sum())

    def published(self, column: int) -> NDArray[np.int32]:
        """Return for each row the class that a column publishes, or -1 where the row is withheld."""
        line = self.columns[column].levels[self.levels[column]]
        return np.where(self.withheld, -1, line[self.codes[:, column]]).astype(np.int32)

    def groups(self, columns: Sequence[int] | None = None) -> NDArray[np.int64]:
        """Return for each row the number of its group: rows that publish the same on `columns`, or on all."""
        chosen = range(len(self.columns)) if columns is None else columns
        found = np.zeros(self.codes.shape[0], dtype=np.int64)
        for c in chosen:
            _, line = np.unique(self.published(c), return_inverse=True)
            _, found = np.unique(found * (int(line.max(initial=0)) + 1) + line, return_inverse=True)
        return found.astype(np.int64)
