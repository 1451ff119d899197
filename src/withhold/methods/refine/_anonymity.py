"""The anonymity requirement as a counter: every group holds at least k records."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.refine._board import Board
from withhold.methods.refine._counter import Numbers
from withhold.methods.refine._groups import Groups
from withhold.methods.refine._kernels import UNBOUNDED, fold_sizes, forbid_small_splits
from withhold.methods.refine._threads import in_parallel, shares
from withhold.table import Distinct

__all__ = ["AnonymityCounter"]


class AnonymityCounter:
    """Group sizes over the columns of one requirement, kept up to date while the search refines them.

    For each open move it knows the smallest group that would exist after it. Refining only ever splits groups, so that
    number only falls: new groups are folded in, nothing is recounted, and a move that once falls below `k` is out for
    good.

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

    Notes
    -----
    A step costs the rows of the refined node times the columns that are still open, and one look at each group.
    """

    n_terms = 1

    def __init__(self, board: Board, columns: Sequence[int], k: int, distinct: Distinct) -> None:
        self.columns = tuple(columns)
        self.k = k
        self._board = board
        self._groups = Groups(board, columns, distinct.codes, distinct.weights.reshape(-1, 1))
        self.n_cells = self._groups.rows.size
        self.n_rows = int(self._groups.size[0, 0])
        self._bound = np.full(board.n_moves_room, UNBOUNDED, dtype=np.int64)
        self._smallest = self.n_rows

    def start(self, roots: Sequence[int]) -> None:
        """Count what each move from the roots would do."""
        self._fold(self._groups.begin(roots), np.arange(len(self.columns)))

    def is_met(self) -> bool:
        """Tell whether every group is large enough now."""
        return self._smallest >= self.k

    def reached(self) -> list[float]:
        """Return the size of the smallest group."""
        return [self._smallest]

    def reached_after(self, moves: Numbers) -> NDArray[np.float64]:
        """Return the smallest group size after each move."""
        return np.minimum(self._bound[moves], self._smallest).reshape(-1, 1).astype(np.float64)

    def is_valid_after(self, moves: Numbers) -> NDArray[np.bool_]:
        """Tell for each move whether every group is still large enough after it."""
        return np.asarray(self._bound[moves] >= self.k)

    def loss_after(self, moves: Numbers, *, as_share: bool) -> NDArray[np.float64]:
        """Return how much the smallest group would shrink, in records or as a share of it."""
        lost = (self._smallest - np.minimum(self._bound[moves], self._smallest)).astype(np.float64)
        return np.asarray(lost / self._smallest) if as_share else lost

    def refine(self, number: int, column: int, slots: NDArray[np.int32], children: Sequence[int]) -> Numbers:
        """Split the groups of a node among its children; return the groups that changed."""
        changed = self._groups.refine(number, column, slots, children)
        if changed.size:
            self._smallest = min(self._smallest, int(self._groups.size[changed, 0].min()))
        return changed

    def fold(self, groups: Numbers) -> None:
        """Count what every open move would do to groups that are new."""
        is_open = self._board.open_columns()
        self._fold(groups, np.array([place for place, c in enumerate(self.columns) if is_open[c]], dtype=np.int64))

    def recount(self, number: int, move: int) -> None:
        """Count a node's move from scratch, after another one was opened for it."""
        column = int(self._board.node_column[number])
        self._bound[move] = UNBOUNDED
        self._fold(self._groups.of_node(number, column), np.array([self._groups.place_of[column]]))

    def allowed_splits(self, number: int) -> NDArray[np.bool_]:
        """Tell for each code of an interval whether a split that begins there leaves no small group."""
        groups, node = self._groups, self._board.nodes[number]
        column = int(self._board.node_column[number])
        forbidden = np.zeros(node.last - node.first, dtype=np.int64)
        chosen, place = groups.of_node(number, column), groups.place_of[column]
        forbid_small_splits(
            groups.rows,
            groups.weights,
            groups.start,
            groups.stop,
            chosen,
            place,
            node.first,
            node.last,
            self.k,
            forbidden,
        )
        return np.asarray(forbidden == 0)

    def infeasible(self) -> InfeasibleError:
        """Return the error that says by how much even the coarsest table fails."""
        names = ", ".join(f'"{self._board.columns[column].name}"' for column in self.columns)
        return InfeasibleError(
            f"anonymity over {names} with k = {self.k} cannot be met: the whole table has only {self.n_rows} rows, "
            f"{self.k - self.n_rows} too few. Hint: lower k, or publish more rows together.",
            requirement=-1,
            asked=self.k,
            reached=self.n_rows,
        )

    def group_sizes(self) -> NDArray[np.int64]:
        """Return the sizes of all groups."""
        return np.array(self._groups.size[: self._groups.n_groups, 0])

    def _fold(self, chosen: Numbers, places: Numbers) -> None:
        board, groups = self._board, self._groups
        self._bound = board.fit(self._bound, UNBOUNDED)
        base = groups.bases()

        def count(some: Numbers) -> None:
            fold_sizes(
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
                self._bound,
                np.zeros(int(base[-1]), dtype=np.int64),
                base,
            )

        in_parallel([partial(count, some) for some in shares(places, groups.n_cells(chosen))])
