"""Sizes of groups as a counter: every group holds at least k records."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.refine._column_moves import Node
from withhold.methods.refine._counter import Numbers
from withhold.methods.refine._grouped import GroupedCounter
from withhold.methods.refine._groups import Groups
from withhold.methods.refine._partial_rows import CloserLook
from withhold.methods.refine._search_board import Board
from withhold.methods.refine._search_kernels import UNBOUNDED, fold_sizes, forbid_small_splits
from withhold.table import Distinct

__all__ = ["SizeCounter"]


class SizeCounter(GroupedCounter):
    """Group sizes over the columns of one requirement, kept up to date while the search refines them.

    For each open move it knows the smallest group that would exist after it; a move that once falls below `k` is out
    for good.

    Parameters
    ----------
    board
        The shared state of the search.
    columns
        The numbers of the columns, on the board, that the requirement names.
    k
        The smallest group size allowed.
    distinct
        The rows over these columns with their counts.
    closer
        Where rows come from as the search needs them; None where `distinct` has them all.

    Notes
    -----
    A step costs the rows of the refined node times the columns that are still open, and one look at each group.
    """

    n_terms = 1

    def __init__(
        self, board: Board, columns: Sequence[int], k: int, distinct: Distinct, *, closer: CloserLook | None = None
    ) -> None:
        super().__init__(board, Groups(board, columns, distinct.codes, distinct.weights.reshape(-1, 1)), closer)
        self.k = k
        self.n_rows = int(self._groups.size[0, 0])
        self._bound = np.full(board.n_moves_room, UNBOUNDED, dtype=np.int64)
        self._smallest = self.n_rows

    def is_met(self) -> bool:
        """Return whether every group is large enough now."""
        return self._smallest >= self.k

    def reached(self) -> list[float]:
        """Return the size of the smallest group."""
        return [self._smallest]

    def reached_after(self, moves: Numbers) -> NDArray[np.float64]:
        """Return the smallest group size after each move."""
        return np.minimum(self._bound[moves], self._smallest).reshape(-1, 1).astype(np.float64)

    def is_valid_after(self, moves: Numbers) -> NDArray[np.bool_]:
        """Return for each move whether every group is still large enough after it."""
        return np.asarray(self._bound[moves] >= self.k)

    def loss_after(self, moves: Numbers, *, as_share: bool) -> NDArray[np.float64]:
        """Return how much the smallest group would shrink, in records or as a share of it."""
        lost = (self._smallest - np.minimum(self._bound[moves], self._smallest)).astype(np.float64)
        return np.asarray(lost / self._smallest) if as_share else lost

    def group_sizes(self) -> NDArray[np.int64]:
        """Return the sizes of all groups."""
        return np.array(self._groups.size[: self._groups.n_groups, 0])

    def infeasible(self) -> InfeasibleError:
        """Return the error that says by how much even the coarsest table fails."""
        names = ", ".join(self._board.columns[column].name for column in self.columns)
        return InfeasibleError(
            f"anonymity over {names} with k = {self.k} cannot be met: the table has only {self.n_rows} rows, "
            f"{self.k - self.n_rows} too few. Hint: lower k, or publish more rows together.",
            requirement=-1,
            asked=self.k,
            reached=self.n_rows,
            term="k",
        )

    def _note(self, groups: Numbers) -> None:
        self._smallest = min(self._smallest, int(self._groups.size[groups, 0].min()))

    def _forget(self, move: int) -> None:
        self._bound[move] = UNBOUNDED

    def _make_room(self) -> None:
        self._bound = self._board.fit(self._bound, UNBOUNDED)

    def _count(self, groups: Numbers, base: Numbers, places: Numbers) -> None:
        tally = np.zeros(int(base[-1]), dtype=np.int64)
        fold_sizes(
            *self._groups.arrays(), groups, places, *self._board.arrays(), self._groups.offset, self._bound, tally, base
        )

    def _forbid(self, groups: Numbers, place: int, node: Node, forbidden: Numbers) -> None:
        forbid_small_splits(*self._groups.arrays(), groups, place, node.first, node.last, self.k, forbidden)
