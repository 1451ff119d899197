"""The anonymity requirement as a counter: every group holds at least k records."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.refine._board import Board
from withhold.methods.refine._kernels import (
    UNBOUNDED,
    dense_counts,
    fold_groups,
    forbid_splits,
    split_groups,
)
from withhold.methods.refine._threads import in_parallel, shares
from withhold.table import Distinct

__all__ = ["AnonymityCounter"]

DENSE_LIMIT = 1 << 26


class AnonymityCounter:
    """Group sizes over the columns of one requirement, kept up to date while the search refines them.

    For each open node it knows the smallest group that would exist if the node were refined. Refining only ever
    splits groups, so that number only falls: new groups are folded in, nothing is recounted, and a node that once
    falls below `k` is out for good.

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

    def __init__(self, board: Board, columns: Sequence[int], k: int, distinct: Distinct) -> None:
        self.columns = tuple(columns)
        self.k = k
        self._board = board
        self._place_of = {column: i for i, column in enumerate(columns)}
        sizes = [board.columns[column].n_codes for column in columns]
        self._rows, self._weights = _row_major(distinct, sizes)
        self.n_rows = int(self._weights.sum())
        self.n_cells = self._rows.size
        self._offset = board.offset[list(columns)]
        self._start = np.zeros(1, dtype=np.int64)
        self._stop = np.array([len(self._rows)], dtype=np.int64)
        self._size = np.array([self.n_rows], dtype=np.int64)
        self._node = np.zeros((1, len(columns)), dtype=np.int64, order="F")
        self._n_groups = 1
        self._bound = np.full(board.is_open.size, UNBOUNDED, dtype=np.int64)
        self.reached = self.n_rows

    def start(self, roots: Sequence[int]) -> None:
        """Count what refining each root would do; `roots` are node numbers, one for each column of the board."""
        self._node[0] = [roots[column] for column in self.columns]
        self._fold(np.zeros(1, dtype=np.int64), np.arange(len(self.columns)))

    def contains(self, column: int) -> bool:
        """Tell whether the requirement names a column."""
        return column in self._place_of

    def is_met(self) -> bool:
        """Tell whether every group is large enough now."""
        return self.reached >= self.k

    def reached_after(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the smallest group size after each node's move, for nodes of this requirement's columns."""
        return np.minimum(self._bound[nodes], self.reached)

    def is_valid_after(self, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell for each node whether the requirement is still met after its move."""
        return np.asarray(self._bound[nodes] >= self.k)

    def loss_after(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how much anonymity each node's move would cost."""
        return (self.reached - self.reached_after(nodes)).astype(np.float64)

    def refine(self, number: int, children: Sequence[int]) -> NDArray[np.int64]:
        """Split the groups of a node among its children; return the groups that changed.

        Must be called before the slots of the children are opened on the board.
        """
        place = self._place_of[int(self._board.column_of[number])]
        chosen = self._groups_of(number, place)
        most = self._reserve(chosen, int(self._board.n_slots[number]))
        scratch = np.full(int(self._board.n_slots[number]), -1, dtype=np.int64)
        touched = np.empty(most, dtype=np.int64)
        begin = int(self._offset[place])
        self._n_groups, n_touched = split_groups(
            self._rows,
            self._weights,
            self._start,
            self._stop,
            self._size,
            self._node,
            self._n_groups,
            place,
            chosen,
            self._board.slots[begin:],
            scratch,
            np.asarray(children, dtype=np.int64),
            touched,
        )
        changed = touched[:n_touched]
        if n_touched:
            self.reached = min(self.reached, int(self._size[changed].min()))
        return changed

    def fold(self, groups: NDArray[np.int64]) -> None:
        """Count what every open move would do to groups that are new."""
        is_open = self._board.open_columns()
        self._fold(groups, np.array([place for place, c in enumerate(self.columns) if is_open[c]], dtype=np.int64))

    def recount(self, number: int) -> None:
        """Count a node's move from scratch, after another move was opened for it."""
        place = self._place_of[int(self._board.column_of[number])]
        self._bound[number] = UNBOUNDED
        self._fold(self._groups_of(number, place), np.array([place]))

    def allowed_splits(self, number: int) -> NDArray[np.bool_]:
        """Tell for each code of an interval whether a split that begins there keeps the requirement."""
        node = self._board.nodes[number]
        place = self._place_of[int(self._board.column_of[number])]
        forbidden = np.zeros(node.last - node.first, dtype=np.int64)
        groups = self._groups_of(number, place)
        forbid_splits(
            self._rows, self._weights, self._start, self._stop, groups, place, node.first, node.last, self.k, forbidden
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
        return self._size[: self._n_groups].copy()

    def _groups_of(self, number: int, place: int) -> NDArray[np.int64]:
        return np.flatnonzero(self._node[: self._n_groups, place] == number)

    def _fold(self, groups: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        board = self._board
        if self._bound.size < board.is_open.size:
            more = np.full(board.is_open.size - self._bound.size, UNBOUNDED, dtype=np.int64)
            self._bound = np.concatenate([self._bound, more])
        widest = [board.widest[column] for column in self.columns]
        base = np.concatenate([[0], np.cumsum(widest)]).astype(np.int64)

        def count(some: NDArray[np.int64]) -> None:
            fold_groups(
                self._rows,
                self._weights,
                self._start,
                self._stop,
                self._node,
                groups,
                some,
                board.is_open,
                board.n_slots,
                board.slots,
                self._offset,
                self._bound,
                np.zeros(int(base[-1]), dtype=np.int64),
                base,
            )

        n_cells = int((self._stop[groups] - self._start[groups]).sum()) * places.size
        in_parallel([partial(count, some) for some in shares(places, n_cells)])

    def _reserve(self, chosen: NDArray[np.int64], n_slots: int) -> int:
        """Make room for the groups that splitting the chosen ones can make; return how many that are at most."""
        lengths = self._stop[chosen] - self._start[chosen]
        most = int(np.minimum(lengths, n_slots).sum())
        needed = self._n_groups + most
        if needed <= self._start.size:
            return most
        size = max(needed, 2 * self._start.size)
        for name in ("_start", "_stop", "_size", "_node"):
            array = getattr(self, name)
            grown = np.zeros((size, *array.shape[1:]), dtype=array.dtype, order="F")
            grown[: self._n_groups] = array[: self._n_groups]
            setattr(self, name, grown)
        return most


def _row_major(distinct: Distinct, sizes: Sequence[int]) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]:
    """Return one line of codes a row, with weights; equal rows are merged where a dense count can do it."""
    dtype = np.uint16 if max(sizes, default=1) <= 1 << 16 else np.uint32
    n_cells = 1
    for size in sizes:
        n_cells *= max(size, 1)
    if n_cells <= min(DENSE_LIMIT, max(len(distinct.weights) // 2, 1)):
        return _merged(distinct, sizes, n_cells, dtype)
    rows = np.empty((len(distinct.weights), len(sizes)), dtype=dtype)
    for i, codes in enumerate(distinct.codes):
        rows[:, i] = codes
    return rows, distinct.weights.copy()


def _merged(
    distinct: Distinct, sizes: Sequence[int], n_cells: int, dtype: type[np.unsignedinteger]
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]:
    keys = np.zeros(len(distinct.weights), dtype=np.int64)
    for codes, size in zip(distinct.codes, sizes, strict=True):
        keys *= size
        keys += codes
    counts = np.zeros(n_cells, dtype=np.int64)
    dense_counts(keys, distinct.weights, counts)
    occurring = np.flatnonzero(counts)
    rows = np.empty((occurring.size, len(sizes)), dtype=dtype)
    rest = occurring.copy()
    for i in range(len(sizes) - 1, -1, -1):
        rest, rows[:, i] = np.divmod(rest, sizes[i])
    return rows, counts[occurring]
