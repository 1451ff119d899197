"""Shares as a counter: no group implies a sensitive value with too much confidence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.refine._column_moves import Node
from withhold.methods.refine._counter import Numbers
from withhold.methods.refine._grouped import GroupedCounter
from withhold.methods.refine._groups import Groups
from withhold.methods.refine._partial_rows import CloserLook
from withhold.methods.refine._search_board import Board
from withhold.methods.refine._search_kernels import fold_confidences, forbid_confident_splits
from withhold.table import Codes

__all__ = ["Lane", "ShareCounter"]


@dataclass(frozen=True, slots=True)
class Lane:
    """One sensitive value, and how confidently it may be implied."""

    column: str
    """The sensitive column."""
    value: str
    """The sensitive value."""
    at_most: float
    """The largest confidence allowed."""


class ShareCounter(GroupedCounter):
    """Confidences of sensitive values over one set of given columns, kept up to date while the search refines them.

    For each open move it knows, as a fraction, the largest confidence that would exist after it. Distinguishing records
    never lowers the largest confidence, so that fraction only grows.

    Parameters
    ----------
    board
        The shared state of the search.
    columns
        The numbers of the given columns on the board.
    codes
        The rows over these columns; then over those given columns that are never masked.
    kept
        The numbers of codes of the columns that are never masked.
    weights
        A line for each row: records that answered, and how many of them hold each sensitive value.
    lanes
        The sensitive values.
    closer
        Where rows come from as the search needs them; None where `codes` are all.

    Notes
    -----
    A fraction is compared with its threshold by dividing: ``0.3`` and 3 of 10 are the same floating-point number, while
    ``0.1 * 3`` is not ``0.3``. Fractions are compared with each other in integers.
    """

    def __init__(
        self,
        board: Board,
        columns: Sequence[int],
        codes: Sequence[Codes],
        weights: Numbers,
        lanes: Sequence[Lane],
        *,
        kept: Sequence[int] = (),
        closer: CloserLook | None = None,
    ) -> None:
        super().__init__(board, Groups(board, columns, codes, weights, kept=kept), closer)
        self.lanes = tuple(lanes)
        self.n_terms = len(lanes)
        self._at_most = np.array([lane.at_most for lane in lanes])
        self._some = np.zeros((board.n_moves_room, self.n_terms), dtype=np.int64)
        self._of_all = np.ones((board.n_moves_room, self.n_terms), dtype=np.int64)
        self._held = np.zeros(self.n_terms, dtype=np.int64)
        self._among = np.ones(self.n_terms, dtype=np.int64)
        self._note(np.arange(self._groups.n_groups))

    def is_met(self) -> bool:
        """Return whether no confidence is too large now."""
        return bool((self._held / self._among <= self._at_most).all())

    def reached(self) -> list[float]:
        """Return the largest confidence of each sensitive value."""
        return [float(share) for share in self._held / self._among]

    def reached_after(self, moves: Numbers) -> NDArray[np.float64]:
        """Return the largest confidences after each move."""
        return np.asarray(np.maximum(self._some[moves] / self._of_all[moves], self._held / self._among))

    def is_valid_after(self, moves: Numbers) -> NDArray[np.bool_]:
        """Return for each move whether no confidence is too large after it."""
        return np.asarray((self._some[moves] / self._of_all[moves] <= self._at_most).all(axis=1))

    def loss_after(self, moves: Numbers, *, as_share: bool) -> NDArray[np.float64]:
        """Return how much the confidences would grow; they are shares as they are."""
        return np.asarray((self.reached_after(moves) - self._held / self._among).sum(axis=1))

    def infeasible(self) -> InfeasibleError:
        """Return the error that says by how much even the coarsest table fails."""
        lane = int(np.argmax(self._held / self._among > self._at_most))
        held, among, asked = int(self._held[lane]), int(self._among[lane]), self.lanes[lane]
        return InfeasibleError(
            f'template for {asked.column} = "{asked.value}" with at_most = {asked.at_most} cannot be met: with '
            f"everything withheld that may be its share is {held / among:.4f} ({held} of {among} rows). "
            "Hint: raise at_most.",
            requirement=-1,
            asked=asked.at_most,
            reached=held / among,
            term=asked.value,
        )

    def _note(self, groups: Numbers) -> None:
        sizes = self._groups.size[groups]
        best = np.argmax(sizes[:, 1:] / np.maximum(sizes[:, :1], 1), axis=0)
        held, among = sizes[best, np.arange(1, self.n_terms + 1)], np.maximum(sizes[best, 0], 1)
        is_more = held * self._among > self._held * among
        self._held = np.where(is_more, held, self._held)
        self._among = np.where(is_more, among, self._among)

    def _forget(self, move: int) -> None:
        self._some[move], self._of_all[move] = 0, 1

    def _make_room(self) -> None:
        self._some, self._of_all = self._board.fit(self._some, 0), self._board.fit(self._of_all, 1)

    def _count(self, groups: Numbers, base: Numbers, places: Numbers) -> None:
        bounds = (self._some, self._of_all)
        tally = np.zeros((int(base[-1]), self.n_terms + 1), dtype=np.int64)
        fold_confidences(
            *self._groups.arrays(), groups, places, *self._board.arrays(), self._groups.offset, *bounds, tally, base
        )

    def _forbid(self, groups: Numbers, place: int, node: Node, forbidden: Numbers) -> None:
        forbid_confident_splits(*self._groups.arrays(), groups, place, node.first, node.last, self._at_most, forbidden)
