"""A requirement, as the search sees it: monotone on the way down, counted per group."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError

__all__ = ["Counter", "Numbers", "Sized"]

Numbers = NDArray[np.int64]


class Counter(Protocol):
    """What the search asks of a requirement.

    A counter holds one or more *terms*, each with a figure that only gets worse as values are given back: the smallest
    group, or the confidence of a sensitive value.
    """

    columns: tuple[int, ...]
    """The numbers of the columns, on the board, that the requirement names."""
    n_terms: int
    """How many figures it keeps."""
    n_cells: int
    """Rows times columns, to judge whether a thread is worth it."""

    def start(self, roots: Sequence[int]) -> None:
        """Count what each move from the roots would do; `roots` are node numbers, one for each column of the board."""

    def is_met(self) -> bool:
        """Return whether the requirement holds now."""

    def reached(self) -> list[float]:
        """Return the figure of each term now."""

    def reached_after(self, moves: Numbers) -> NDArray[np.float64]:
        """Return the figures after each move: one line a move, one column a term."""

    def is_valid_after(self, moves: Numbers) -> NDArray[np.bool_]:
        """Return whether the requirement would hold after each move."""

    def loss_after(self, moves: Numbers, *, as_share: bool) -> NDArray[np.float64]:
        """Return the privacy that each move would cost, summed over the terms; `as_share` puts it between 0 and 1."""

    def refine(self, number: int, column: int, slots: NDArray[np.int32], children: Sequence[int]) -> Numbers:
        """Split the groups of a node among its children; return the groups that changed."""

    def fold(self, groups: Numbers) -> None:
        """Count what every open move would do to groups that are new."""

    def recount(self, number: int, move: int) -> None:
        """Count a node's move from scratch, after another one was opened for it."""

    def allowed_splits(self, number: int) -> NDArray[np.bool_]:
        """Return for each code of an interval whether a split that begins there keeps the requirement."""

    def infeasible(self) -> InfeasibleError:
        """Return the error that says by how much even the coarsest table fails."""


@runtime_checkable
class Sized(Protocol):
    """A requirement about the sizes of groups."""

    def group_sizes(self) -> NDArray[np.int64]:
        """Return the sizes of all groups."""
