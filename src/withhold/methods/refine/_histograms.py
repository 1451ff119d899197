"""Histograms of a sensitive column as a counter: every group keeps a measure."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.groups import Measure
from withhold.methods.refine._column_moves import Node
from withhold.methods.refine._counter import Numbers
from withhold.methods.refine._grouped import GroupedCounter
from withhold.methods.refine._groups import Groups
from withhold.methods.refine._partial_rows import CloserLook, with_totals
from withhold.methods.refine._search_board import Board
from withhold.methods.refine._search_kernels import child_histograms, split_histograms
from withhold.table import Codes

__all__ = ["HistogramCounter"]

MOST_COUNTS = 4_000_000
"""How many counts of children are made at a time."""


class HistogramCounter(GroupedCounter):
    """What every group holds in a sensitive column, kept up to date while the search refines other columns.

    For each open move it knows the worst figure of a group after it, and whether every group is good enough. Both only
    get worse on the way down, because the measures are kept by the union of groups that keep them.

    Parameters
    ----------
    board
        The shared state of the search.
    columns
        The numbers of the columns on the board.
    codes
        The rows over these columns.
    weights
        A line for each row: how many records hold each value of the sensitive column.
    measure
        What is asked of a group.
    says
        What is asked, for an error.
    closer
        Where rows come from as the search needs them; None where `codes` are all.
    """

    n_terms = 1

    def __init__(
        self,
        board: Board,
        columns: Sequence[int],
        codes: Sequence[Codes],
        weights: Numbers,
        measure: Measure,
        *,
        says: str,
        closer: CloserLook | None = None,
    ) -> None:
        super().__init__(board, Groups(board, columns, codes, with_totals(weights)), closer)
        self._measure = measure
        self._says = says
        self._worst = np.full(board.n_moves_room, measure.best)
        self._is_bad = np.zeros(board.n_moves_room, dtype=np.int64)
        self._now = measure.best
        self._is_met = True
        self._note(np.arange(self._groups.n_groups))

    def is_met(self) -> bool:
        """Return whether every group is good enough now."""
        return self._is_met

    def reached(self) -> list[float]:
        """Return the worst figure of a group."""
        return [self._now]

    def reached_after(self, moves: Numbers) -> NDArray[np.float64]:
        """Return the worst figure after each move."""
        return self._measure.worse(self._worst[moves], np.full(moves.size, self._now)).reshape(-1, 1)

    def is_valid_after(self, moves: Numbers) -> NDArray[np.bool_]:
        """Return for each move whether every group is still good enough after it."""
        return np.asarray(self._is_bad[moves] == 0)

    def loss_after(self, moves: Numbers, *, as_share: bool) -> NDArray[np.float64]:
        """Return how much worse the worst figure would be: a share of it, or of the scale from 0 to 1 of a distance."""
        reached = self.reached_after(moves)[:, 0]
        if np.isinf(self._now):  # no group holds an answer yet, so that its figure has no limit
            return np.where(np.isinf(reached), 0.0, 1.0)
        lost = np.abs(reached - self._now)
        return np.asarray(lost / self._now if self._measure.is_lower_worse and self._now > 0 else lost)

    def infeasible(self) -> InfeasibleError:
        """Return the error that says by how much even the coarsest table fails."""
        return InfeasibleError(
            f"{self._says} cannot be met: with everything withheld that may be the table reaches {self._now:.4g}. "
            "Hint: ask for less.",
            requirement=-1,
            asked=self._measure.asked,
            reached=self._now,
            term="figure",
        )

    def _note(self, groups: Numbers) -> None:
        counts = self._groups.size[groups, 1:]
        if len(counts):
            figures = np.append(self._figures(counts), self._now)
            self._now = float(figures.min() if self._measure.is_lower_worse else figures.max())
            self._is_met = self._is_met and bool(self._measure.is_met(counts).all())

    def _figures(self, counts: Numbers) -> NDArray[np.float64]:
        """Return the figures of groups; one without an answer is as good as can be."""
        return np.where(counts.sum(axis=1) == 0, self._measure.best, self._measure.figures(counts))

    def _forget(self, move: int) -> None:
        self._worst[move], self._is_bad[move] = self._measure.best, 0

    def _make_room(self) -> None:
        more = self._board.n_moves_room - len(self._worst)
        if more > 0:
            self._worst = np.concatenate([self._worst, np.full(more, self._measure.best)])
            self._is_bad = self._board.fit(self._is_bad, 0)

    def _count(self, groups: Numbers, base: Numbers, places: Numbers) -> None:
        n_lanes = self._groups.weights.shape[1]
        lengths = (self._groups.stop[groups] - self._groups.start[groups]) * 2 * places.size
        chunks = np.cumsum(lengths) * n_lanes // MOST_COUNTS
        for chunk in np.unique(chunks):
            self._fold_chunk(groups[chunks == chunk], base, places, int(lengths[chunks == chunk].sum()))

    def _fold_chunk(self, groups: Numbers, base: Numbers, places: Numbers, most: int) -> None:
        n_lanes = self._groups.weights.shape[1]
        moves, counts = np.empty(most, dtype=np.int64), np.zeros((most, n_lanes), dtype=np.int64)
        tally = np.zeros((int(base[-1]), n_lanes), dtype=np.int64)
        n = child_histograms(
            *self._groups.arrays(),
            groups,
            places,
            *self._board.arrays(),
            self._groups.offset,
            tally,
            base,
            moves,
            counts,
        )
        if n:
            figures, met = self._figures(counts[:n, 1:]), self._measure.is_met(counts[:n, 1:])
            into = np.minimum if self._measure.is_lower_worse else np.maximum
            into.at(self._worst, moves[:n], figures)
            np.add.at(self._is_bad, moves[:n], ~met)

    def _forbid(self, groups: Numbers, place: int, node: Node, forbidden: Numbers) -> None:
        n_lanes = self._groups.weights.shape[1]
        width = node.last - node.first
        for group in groups:
            counts = np.zeros((2 * width, n_lanes), dtype=np.int64)
            split_histograms(*self._groups.arrays(), int(group), place, node.first, node.last, counts)
            met = self._measure.is_met(counts[:, 1:])
            forbidden += ~(met[:width] & met[width:])
