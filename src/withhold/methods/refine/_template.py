"""Templates as a counter: no group implies a sensitive value with too much confidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.refine._board import Board
from withhold.methods.refine._counter import Numbers
from withhold.methods.refine._groups import Groups
from withhold.methods.refine._kernels import fold_confidences, forbid_confident_splits
from withhold.methods.refine._threads import in_parallel, shares
from withhold.table import Codes

__all__ = ["Lane", "TemplateCounter"]


@dataclass(frozen=True, slots=True)
class Lane:
    """One sensitive value, and how confidently it may be implied."""

    column: str
    """The sensitive column."""
    value: str
    """The sensitive value."""
    at_most: float
    """The largest confidence allowed."""


class TemplateCounter:
    """Confidences of sensitive values over one set of given columns, kept up to date while the search refines them.

    For each open move it knows, as a fraction, the largest confidence that would exist after it. Telling records apart
    never lowers the largest confidence, so that fraction only grows: new groups are folded in, nothing is recounted.

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
        A line for each row: records, and how many of them hold each sensitive value.
    lanes
        The sensitive values.

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
    ) -> None:
        self.columns = tuple(columns)
        self.lanes = tuple(lanes)
        self.n_terms = len(lanes)
        self._board = board
        self._groups = Groups(board, columns, codes, weights, kept=kept)
        self.n_cells = self._groups.rows.size
        self._at_most = np.array([lane.at_most for lane in lanes])
        self._some = np.zeros((board.n_moves_room, self.n_terms), dtype=np.int64)
        self._of_all = np.ones((board.n_moves_room, self.n_terms), dtype=np.int64)
        self._held = np.zeros(self.n_terms, dtype=np.int64)
        self._among = np.ones(self.n_terms, dtype=np.int64)
        self._look(np.arange(self._groups.n_groups))

    def start(self, roots: Sequence[int]) -> None:
        """Count what each move from the roots would do."""
        self._fold(self._groups.begin(roots), np.arange(len(self.columns)))

    def is_met(self) -> bool:
        """Tell whether no confidence is too large now."""
        return bool((self._held / self._among <= self._at_most).all())

    def reached(self) -> list[float]:
        """Return the largest confidence of each sensitive value."""
        return [float(share) for share in self._held / self._among]

    def reached_after(self, moves: Numbers) -> NDArray[np.float64]:
        """Return the largest confidences after each move."""
        return np.asarray(np.maximum(self._some[moves] / self._of_all[moves], self._held / self._among))

    def is_valid_after(self, moves: Numbers) -> NDArray[np.bool_]:
        """Tell for each move whether no confidence is too large after it."""
        return np.asarray((self._some[moves] / self._of_all[moves] <= self._at_most).all(axis=1))

    def loss_after(self, moves: Numbers, *, as_share: bool) -> NDArray[np.float64]:
        """Return how much the confidences would grow; they are shares as they are."""
        return np.asarray((self.reached_after(moves) - self._held / self._among).sum(axis=1))

    def refine(self, number: int, column: int, slots: NDArray[np.int32], children: Sequence[int]) -> Numbers:
        """Split the groups of a node among its children; return the groups that changed."""
        changed = self._groups.refine(number, column, slots, children)
        self._look(changed)
        return changed

    def fold(self, groups: Numbers) -> None:
        """Count what every open move would do to groups that are new."""
        is_open = self._board.open_columns()
        self._fold(groups, np.array([place for place, c in enumerate(self.columns) if is_open[c]], dtype=np.int64))

    def recount(self, number: int, move: int) -> None:
        """Count a node's move from scratch, after another one was opened for it."""
        column = int(self._board.node_column[number])
        self._some[move], self._of_all[move] = 0, 1
        self._fold(self._groups.of_node(number, column), np.array([self._groups.place_of[column]]))

    def allowed_splits(self, number: int) -> NDArray[np.bool_]:
        """Tell for each code of an interval whether a split that begins there keeps confidences low."""
        groups, node = self._groups, self._board.nodes[number]
        column = int(self._board.node_column[number])
        forbidden = np.zeros(node.last - node.first, dtype=np.int64)
        chosen, place = groups.of_node(number, column), groups.place_of[column]
        forbid_confident_splits(
            groups.rows,
            groups.weights,
            groups.start,
            groups.stop,
            groups.size,
            chosen,
            place,
            node.first,
            node.last,
            self._at_most,
            forbidden,
        )
        return np.asarray(forbidden == 0)

    def infeasible(self) -> InfeasibleError:
        """Return the error that says by how much even the coarsest table fails."""
        lane = int(np.argmax(self._held / self._among > self._at_most))
        held, among, asked = int(self._held[lane]), int(self._among[lane]), self.lanes[lane]
        return InfeasibleError(
            f'template for {asked.column} = "{asked.value}" with at_most = {asked.at_most} cannot be met: with '
            f"everything withheld its share is {held / among:.4f} ({held} of {among} rows). Hint: raise at_most.",
            requirement=-1,
            asked=asked.at_most,
            reached=held / among,
            term=(asked.column, asked.value),
        )

    def _look(self, groups: Numbers) -> None:
        """Take new groups into the largest confidences."""
        if groups.size == 0:
            return
        sizes = self._groups.size[groups]
        best = np.argmax(sizes[:, 1:] / sizes[:, :1], axis=0)
        held, among = sizes[best, np.arange(1, self.n_terms + 1)], sizes[best, 0]
        is_more = held * self._among > self._held * among
        self._held = np.where(is_more, held, self._held)
        self._among = np.where(is_more, among, self._among)

    def _fold(self, chosen: Numbers, places: Numbers) -> None:
        board, groups = self._board, self._groups
        self._some, self._of_all = board.fit(self._some, 0), board.fit(self._of_all, 1)
        base = groups.bases()

        def count(some: Numbers) -> None:
            fold_confidences(
                groups.rows,
                groups.weights,
                groups.start,
                groups.stop,
                groups.size,
                groups.node,
                chosen,
                some,
                board.style,
                board.n_slots,
                board.first_move,
                board.slots,
                groups.offset,
                self._some,
                self._of_all,
                np.zeros((int(base[-1]), groups.weights.shape[1]), dtype=np.int64),
                base,
            )

        in_parallel([partial(count, some) for some in shares(places, groups.n_cells(chosen))])
