"""The release in the making: for every cell the node that would be published, with undo and with reasons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.table._draft_column import DraftColumn
from withhold.table._grid import Grid
from withhold.table._table import Table

__all__ = ["Draft", "Reason"]

Rows = NDArray[np.int64]


class Reason(NamedTuple):
    """Why a cell is withheld or coarsened by itself."""

    requirement: int
    """The place of the requirement in its policy, -1 where a setting of the column asks for it."""
    why: str
    """What it is withheld as, such as ``hidden`` or ``risk``."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One change, so that it can be taken back."""

    column: DraftColumn
    rows: Rows
    nodes: NDArray[np.int32]
    reasons: NDArray[np.uint8]


class Draft:
    """What would be published, cell by cell: every guard reads it and writes to it.

    A column holds one node for each of its values until single cells differ from that; only then there is an array
    with a node for each row. Withholding a value is coarsening it to the root, node 0, so blanking and coarsening are
    one operation.

    Parameters
    ----------
    table
        The table, under the domains of its policy.
    drop
        Columns that are not published.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["f", "m", "f"], "town": ["Bern", "Biel", "Bern"]})
    >>> draft = Draft(table)
    >>> mark = draft.mark
    >>> draft.blank("town", [0, 1], Reason(0, "hidden"))
    2
    >>> draft.texts("town")
    ['*', '*', 'Bern']
    >>> draft.undo(mark)
    >>> draft.texts("town")
    ['Bern', 'Biel', 'Bern']
    """

    def __init__(self, table: Table, *, drop: Sequence[str] = ()) -> None:
        self.table = table
        self.names = tuple(name for name in table.names if name not in drop)
        """The published columns."""
        self.reasons: list[Reason] = []
        self._columns: dict[str, DraftColumn] = {}
        self._log: list[_Change] = []

    @property
    def n_rows(self) -> int:
        """The number of rows; of distinct ones where the table is counted."""
        return self.table.n_entries

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """How many rows of the table each row stands for; None where that is one."""
        return self.table.weights

    def n_cells(self, rows: Rows) -> int:
        """Return how many cells of a column some rows stand for."""
        return int(rows.size) if self.weights is None else int(self.weights[rows].sum())

    def count(self, numbers: NDArray[np.integer], n: int = 0, *, of: Rows | None = None) -> NDArray[np.int64]:
        """Return how many rows of the table have each number, where `numbers` has one for each row here, or `of`."""
        weights = self.weights if self.weights is None or of is None else self.weights[of]
        return np.bincount(numbers, weights=weights, minlength=n).astype(np.int64)

    @property
    def mark(self) -> int:
        """The state now, for `undo`."""
        return len(self._log)

    def column(self, name: str) -> DraftColumn:
        """Return a column; what no one ever asked for stays with the engine."""
        if name not in self._columns:
            self._columns[name] = DraftColumn(name, self.table)
        return self._columns[name]

    @property
    def columns(self) -> tuple[DraftColumn, ...]:
        """The columns that were asked for, in the order of the table."""
        return tuple(self._columns[name] for name in self.names if name in self._columns)

    def blank(self, name: str, rows: ArrayLike, reason: Reason) -> int:
        """Withhold cells altogether; return how many. A missing cell holds nothing to withhold."""
        column = self.column(name)
        chosen = np.asarray(rows, dtype=np.int64).reshape(-1)
        if column.missing is not None:
            chosen = chosen[column.nodes[chosen] != column.missing]
        return self.coarsen(name, chosen, 0, reason)

    def coarsen(self, name: str, rows: ArrayLike, nodes: ArrayLike, reason: Reason) -> int:
        """Publish coarser nodes in some rows; return how many cells changed.

        Parameters
        ----------
        name
            The column.
        rows
            The rows, by position, each once.
        nodes
            A node for each row, or one for all. One that is not above what is published now changes nothing.
        reason
            Who asks for it, and why.
        """
        column = self.column(name)
        chosen = np.asarray(rows, dtype=np.int64).reshape(-1)
        wanted = np.broadcast_to(np.asarray(nodes, dtype=np.int32), chosen.shape)
        now = column.nodes[chosen]
        is_coarser = column.is_above(wanted, now)
        return self._put(column, chosen[is_coarser], wanted[is_coarser], self._code_of(reason))

    def place(self, name: str, rows: ArrayLike, nodes: ArrayLike, reason: Reason) -> int:
        """Publish nodes in some rows, also one that covers no more values than the own one; return how many.

        For a draft that begins with what was published before; afterwards cells only climb.
        """
        chosen = np.asarray(rows, dtype=np.int64).reshape(-1)
        wanted = np.broadcast_to(np.asarray(nodes, dtype=np.int32), chosen.shape)
        return self._put(self.column(name), chosen, wanted, self._code_of(reason))

    def refine(self, name: str, rows: ArrayLike, nodes: ArrayLike, reason: Reason | None = None) -> int:
        """Publish finer nodes in some rows, down to the finest allowed; return how many cells changed.

        `reason` is kept where a cell is still coarser than it might be.
        """
        column = self.column(name)
        chosen = np.asarray(rows, dtype=np.int64).reshape(-1)
        wanted = np.broadcast_to(np.asarray(nodes, dtype=np.int32), chosen.shape)
        is_finer = column.is_above(column.nodes[chosen], wanted)
        is_finer &= column.is_above(wanted, column.finest[chosen], or_equal=True)
        return self._put(column, chosen[is_finer], wanted[is_finer], 0 if reason is None else self._code_of(reason))

    def undo(self, mark: int) -> None:
        """Take back everything since a mark, the last change first."""
        while len(self._log) > mark:
            change = self._log.pop()
            change.column.put(change.rows, change.nodes, change.reasons)

    def texts(self, name: str) -> list[str | None]:
        """Return what is published in a column, row by row; None is an empty cell."""
        column = self.column(name)
        texts: list[str | None] = np.array(column.labels, dtype=object)[column.nodes].tolist()
        return texts

    def changed_since(self, mark: int) -> Iterator[tuple[str, Rows]]:
        """Yield for each column the rows that changed since a mark."""
        found: dict[str, list[Rows]] = {}
        for change in self._log[mark:]:
            found.setdefault(change.column.name, []).append(change.rows)
        for name, parts in found.items():
            yield name, np.unique(np.concatenate(parts))

    def groups(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Return a number for each row: the same for rows that publish the same texts in these columns."""
        key = np.zeros(self.n_rows, dtype=np.int64)
        for name in names:
            column = self.column(name)
            key = key * column.n_texts + column.text_codes
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
        return key

    def grid(self, names: Sequence[str], *, truth: dict[str, Rows] | None = None) -> Grid:
        """Return columns as an adversary reads them: a blank or missing cell is unknown, a coarser node is a value.

        Parameters
        ----------
        names
            The columns.
        truth
            Rows of a column in which the grid holds not what is published but what stood there: the narrowest node
            that the column publishes elsewhere, or else the value itself, which nobody can name then.
        """
        parts = [self.column(name).coded(None if truth is None else truth.get(name)) for name in names]
        codes = np.empty((self.n_rows, len(names)), dtype=np.int32)
        for j, (_, cells) in enumerate(parts):
            codes[:, j] = cells
        return Grid(tuple(names), tuple(labels for labels, _ in parts), codes)

    def reasons_of(self, name: str) -> Iterator[tuple[Reason, Rows]]:
        """Yield each reason for which cells of a column are withheld by themselves, with their rows."""
        column = self.column(name)
        if column.reasons is None:
            return
        for code in np.unique(column.reasons).tolist():
            if code:
                yield self.reasons[code - 1], np.flatnonzero(column.reasons == code)

    def _code_of(self, reason: Reason) -> int:
        if reason not in self.reasons:
            self.reasons.append(reason)
        return self.reasons.index(reason) + 1

    def _put(self, column: DraftColumn, rows: Rows, nodes: NDArray[np.int32], reason: int) -> int:
        if rows.size:
            self._log.append(_Change(column, rows, *column.put(rows, nodes, reason)))
        return int(rows.size)
