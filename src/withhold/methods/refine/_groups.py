"""The rows of one requirement, group by group: those that read alike on its columns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.refine._search_board import Board
from withhold.methods.refine._search_kernels import dense_counts, split_groups
from withhold.table import Codes

__all__ = ["Groups"]

DENSE_LIMIT = 1 << 26
Numbers = NDArray[np.int64]


class Groups:
    """Rows that lie group by group, and are split in place when a node of one of their columns is refined.

    Parameters
    ----------
    board
        The shared state of the search.
    columns
        The numbers of the columns on the board.
    codes
        For each of these columns the codes of the rows; then those of columns that are never masked.
    kept
        For each column that is never masked its number of codes; rows that differ there are in different groups from
        the start.
    weights
        A line for each row: records, and how many of them hold each sensitive value.
    """

    def __init__(
        self,
        board: Board,
        columns: Sequence[int],
        codes: Sequence[Codes],
        weights: Numbers,
        *,
        kept: Sequence[int] = (),
    ) -> None:
        self._board = board
        self._named = tuple(columns)
        self.columns = tuple(columns)
        self.place_of = {column: i for i, column in enumerate(columns)}
        sizes = [board.columns[column].n_codes for column in columns] + list(kept)
        self.rows, self.weights = _row_major(codes, weights, sizes)
        total = self.weights.sum(axis=0, keepdims=True, dtype=np.int64)
        if total.max() <= np.iinfo(np.int32).max:
            self.weights = self.weights.astype(np.int32)
        self.offset = board.offset[list(columns)]
        self.start = np.zeros(1, dtype=np.int64)
        self.stop = np.array([len(self.rows)], dtype=np.int64)
        self.size = total
        self.node = np.zeros((1, len(sizes)), dtype=np.int64, order="F")
        self.n_groups = 1
        for place, n_codes in enumerate(kept, start=len(columns)):
            each = np.arange(n_codes)
            self._split(place, np.arange(self.n_groups), each, each)

    def fill(self, codes: Sequence[Codes], weights: Numbers) -> Numbers:
        """Take other rows, which are grouped by the cuts as they stand; return all groups."""
        if not len(weights):
            return np.arange(self.n_groups)
        self.columns, self.place_of = self._named, {column: i for i, column in enumerate(self._named)}
        self.offset = self._board.offset[list(self._named)]
        nodes = [each.astype(np.int64) for each in codes]
        for i, column in enumerate(self._named):
            nodes[i] = self._board.node_of(column)[codes[i]]
        groups, place = np.unique(np.stack(nodes, axis=1), axis=0, return_inverse=True)
        order = np.argsort(place.reshape(-1), kind="stable")
        self.rows = np.stack(codes, axis=1)[order].astype(self.rows.dtype)
        self.weights = weights[order].astype(self.weights.dtype)
        self.n_groups = len(groups)
        bounds = np.searchsorted(place.reshape(-1)[order], np.arange(self.n_groups + 1)).astype(np.int64)
        self.start, self.stop = bounds[:-1].copy(), bounds[1:].copy()
        self.size = np.add.reduceat(weights[order], self.start, axis=0).astype(np.int64)
        self.node = np.asfortranarray(groups)
        return np.arange(self.n_groups)

    def begin(self, roots: Sequence[int]) -> Numbers:
        """Put every group under the roots, one for each column of the board; return all groups."""
        self.node[:, : len(self.columns)] = [roots[column] for column in self.columns]
        return np.arange(self.n_groups)

    def arrays(self) -> tuple[Array, Array, Array, Array, Array, Array]:
        """Return what the kernels work on: rows, weights, and for each group its start, stop, size and nodes."""
        return self.rows, self.weights, self.start, self.stop, self.size, self.node

    def of_node(self, number: int, column: int) -> Numbers:
        """Return the groups that hold a node."""
        return np.flatnonzero(self.node[: self.n_groups, self.place_of[column]] == number)

    def refine(self, number: int, column: int, slots: NDArray[np.int32], children: Sequence[int]) -> Numbers:
        """Split the groups of a node among its children; return the groups that changed."""
        place = self.place_of[column]
        return self._split(place, self.of_node(number, column), slots, np.asarray(children, dtype=np.int64))

    def keep_only(self, columns: Sequence[int]) -> None:
        """Let go of the columns that no move can refine any more; rows get shorter, groups stay what they are."""
        places = [self.place_of[column] for column in columns]
        self.columns = tuple(columns)
        self.place_of = {column: i for i, column in enumerate(columns)}
        self.rows = np.ascontiguousarray(self.rows[:, places])
        self.node = np.asfortranarray(self.node[:, places])
        self.offset = self.offset[places]

    def bases(self) -> Numbers:
        """Return where each column starts in a scratch array that has room for all its slots."""
        widest = [self._board.widest[column] for column in self.columns]
        return np.concatenate([[0], np.cumsum(widest)]).astype(np.int64)

    def n_cells(self, groups: Numbers) -> int:
        """Return how many cells some groups have."""
        return int((self.stop[groups] - self.start[groups]).sum()) * len(self.columns)

    def _split(self, place: int, chosen: Numbers, slots: NDArray[np.integer], children: Numbers) -> Numbers:
        most = self._reserve(chosen, children.size)
        touched = np.empty(most, dtype=np.int64)
        self.n_groups, n_touched = split_groups(
            self.rows,
            self.weights,
            self.start,
            self.stop,
            self.size,
            self.node,
            self.n_groups,
            place,
            chosen,
            slots.astype(np.int32, copy=False),
            np.full(children.size, -1, dtype=np.int64),
            children,
            touched,
        )
        return touched[:n_touched]

    def _reserve(self, chosen: Numbers, n_slots: int) -> int:
        """Make room for the groups that splitting the chosen ones can make; return how many that are at most."""
        lengths = self.stop[chosen] - self.start[chosen]
        most = int(np.minimum(lengths, n_slots).sum())
        needed = self.n_groups + most
        if needed <= self.start.size:
            return most
        room = max(needed, 2 * self.start.size)
        for name in ("start", "stop", "size", "node"):
            array = getattr(self, name)
            grown = np.zeros((room, *array.shape[1:]), dtype=array.dtype, order="F" if name == "node" else "C")
            grown[: self.n_groups] = array[: self.n_groups]
            setattr(self, name, grown)
        return most


def _row_major(
    codes: Sequence[Codes], weights: Numbers, sizes: Sequence[int]
) -> tuple[NDArray[np.unsignedinteger], Numbers]:
    """Return one line of codes a row, with weights; equal rows are merged where a dense count can do it."""
    dtype = np.uint16 if max(sizes, default=1) <= 1 << 16 else np.uint32
    n_cells = 1
    for size in sizes:
        n_cells *= max(size, 1)
    if n_cells * weights.shape[1] <= min(DENSE_LIMIT, max(len(weights) // 2, 1)):
        return _merged(codes, weights, sizes, n_cells, dtype)
    rows = np.empty((len(weights), len(sizes)), dtype=dtype)
    for i, column in enumerate(codes):
        rows[:, i] = column
    return rows, np.array(weights)


def _merged(
    codes: Sequence[Codes], weights: Numbers, sizes: Sequence[int], n_cells: int, dtype: type[np.unsignedinteger]
) -> tuple[NDArray[np.unsignedinteger], Numbers]:
    keys = np.zeros(len(weights), dtype=np.int64)
    for column, size in zip(codes, sizes, strict=True):
        keys *= size
        keys += column
    counts = np.zeros((n_cells, weights.shape[1]), dtype=np.int64)
    dense_counts(keys, weights, counts)
    occurring = np.flatnonzero(counts[:, 0])
    rows = np.empty((occurring.size, len(sizes)), dtype=dtype)
    rest = occurring.copy()
    for i in range(len(sizes) - 1, -1, -1):
        rest, rows[:, i] = np.divmod(rest, sizes[i])
    return rows, counts[occurring]
