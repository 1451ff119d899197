"""What the counters of all requirements share: groups, and bounds of moves that new groups are folded into."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold._threads import in_parallel, shares
from withhold.methods.refine._column_moves import Node
from withhold.methods.refine._counter import Numbers
from withhold.methods.refine._groups import Groups
from withhold.methods.refine._partial_rows import CloserLook
from withhold.methods.refine._search_board import Board

__all__ = ["GroupedCounter"]


class GroupedCounter(ABC):
    """A requirement that is counted over groups of rows.

    For each open move it keeps a bound: the worst figure that a group would have after the move. Refining only splits
    groups, which only makes bounds worse, so new groups are folded in and nothing is recounted.
    """

    def __init__(self, board: Board, groups: Groups, closer: CloserLook | None = None) -> None:
        self.columns = groups.columns
        self.n_cells = groups.rows.size
        self._board = board
        self._groups = groups
        self._closer = closer

    @abstractmethod
    def _note(self, groups: Numbers) -> None:
        """Take groups that are new into the figures that are reached."""

    @abstractmethod
    def _forget(self, move: int) -> None:
        """Put the bound of a move back to where nothing was counted."""

    @abstractmethod
    def _make_room(self) -> None:
        """Make room for the bounds of all moves there are by now."""

    @abstractmethod
    def _count(self, groups: Numbers, base: Numbers, places: Numbers) -> None:
        """Fold groups into the bounds of the moves on the columns at `places`."""

    @abstractmethod
    def _forbid(self, groups: Numbers, place: int, node: Node, forbidden: Numbers) -> None:
        """Count in `forbidden` the groups that each split of an interval would spoil."""

    def start(self, roots: Sequence[int]) -> None:
        """Count what each move from the roots would do."""
        groups = self._groups.begin(roots)
        if self._closer is not None:
            self._look_closer(self._closer)
            return
        self._fold(groups, np.arange(len(self.columns)))

    def refine(self, number: int, column: int, slots: NDArray[np.int32], children: Sequence[int]) -> Numbers:
        """Split the groups of a node among its children; return the groups that changed."""
        if self._closer is not None and not self._closer.is_whole:
            return np.zeros(0, dtype=np.int64)  # the rows here do not show the move; `fold` looks anew
        changed = self._groups.refine(number, column, slots, children)
        if changed.size:
            self._note(changed)
        return changed

    def fold(self, groups: Numbers) -> None:
        """Count what every open move would do to groups that are new."""
        if self._closer is not None and not self._closer.shows_all():
            self._look_closer(self._closer)
            return
        is_open = self._board.open_columns()
        still = [column for column in self._groups.columns if is_open[column]]
        if 4 * len(still) <= 3 * self._groups.rows.shape[1]:
            self._groups.keep_only(still)
        self._fold(groups, np.array([self._groups.place_of[column] for column in still], dtype=np.int64))

    def recount(self, number: int, move: int) -> None:
        """Count a node's move from scratch, after another one was opened for it."""
        column = int(self._board.node_column[number])
        self._forget(move)
        if self._closer is not None and not self._closer.shows_all():
            self._look_closer(self._closer)
            return
        self._fold(self._groups.of_node(number, column), np.array([self._groups.place_of[column]]))

    def allowed_splits(self, number: int) -> NDArray[np.bool_]:
        """Return for each code of an interval whether a split that begins there keeps the requirement."""
        node, column = self._board.nodes[number], int(self._board.node_column[number])
        forbidden = np.zeros(node.last - node.first, dtype=np.int64)
        if self._closer is not None:
            self._groups.fill(*self._closer.every_value(number))
        self._forbid(self._groups.of_node(number, column), self._groups.place_of[column], node, forbidden)
        return np.asarray(forbidden == 0)

    def _look_closer(self, closer: CloserLook) -> None:
        """Ask for rows that show what every open move would do, and count them; nothing that was counted changes."""
        for columns, codes, weights in closer.views():
            groups = self._groups.fill(codes, weights)
            self._note(groups)
            self._fold(groups, np.array([self._groups.place_of[column] for column in columns], dtype=np.int64))

    def _fold(self, groups: Numbers, places: Numbers) -> None:
        self._make_room()
        base = self._groups.bases()
        parts = shares(places, self._groups.n_cells(groups))
        in_parallel([partial(self._count, groups, base, part) for part in parts])
