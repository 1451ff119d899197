"""Rows that are too many to be held: a search asks for those that show its open moves, values below them merged."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.errors import RowsNeededError
from withhold.methods.refine._counted_rows import CountedRows
from withhold.methods.refine._merged_codes import merged_codes, shows
from withhold.methods.refine._search_board import Board
from withhold.table import Codes, Distinct, PartialStore, Table

__all__ = ["CloserLook", "PartialRows", "closer_look", "with_totals"]

DEEPEST = 64
"""How many moves ahead are asked for at most."""
SPARE = 8
"""How many times less than the limit came, where the next look goes deeper."""
Numbers = NDArray[np.int64]
Merged = Mapping[str, Numbers]
Answers = tuple[list[Codes], Numbers]


class TooManyError(RowsNeededError):
    """More distinct rows than may come at once."""


class PartialRows(CountedRows):
    """Rows of a table that only counts them, some of its columns under merged codes.

    Parameters
    ----------
    table
        The table; its store merges values.
    merged
        For each merged column what stands for each code.
    """

    def __init__(self, table: Table, merged: Merged | None = None) -> None:
        super().__init__(table)
        self._merged = dict(merged or {})
        self._together = [self]
        self._found: tuple[list[Numbers], Numbers] | None = None

    @classmethod
    def together(cls, table: Table, ways: Sequence[Merged]) -> "list[PartialRows]":
        """Return rows under several ways to merge codes, which are asked for at once."""
        made = [cls(table, merged) for merged in ways]
        for each in made:
            each._together = made
        return made

    def everything(self) -> CountedRows:
        """Return the rows themselves: none are left out here."""
        return self

    def coarsest(self, names: Sequence[str]) -> CountedRows:
        """Return the rows with everything withheld in some columns."""
        return PartialRows(self.table, {name: np.zeros(self.table.n_codes(name), dtype=np.int64) for name in names})

    def distinct(self, names: Sequence[str], *, as_text: Sequence[str] = (), whole: Sequence[str] = ()) -> Distinct:
        """Return rows over some columns with counts, merged where that was asked for."""
        if not self._merged:
            return super().distinct(names, as_text=as_text, whole=whole)
        if self._found is None:
            self._ask(names)
        assert self._found is not None
        found, weights = self._found
        codes: list[Codes] = [
            cells if name in self._merged or name in as_text else self.table.lookup(name)[cells]  # type: ignore[misc]
            for name, cells in zip(names, found, strict=True)
        ]
        return Distinct(tuple(names), codes, weights)

    def _ask(self, names: Sequence[str]) -> None:
        store = self.table.store
        assert isinstance(store, PartialStore)
        answers = store.merged_counts(names, [each._places() for each in self._together])
        if answers is None:
            raise TooManyError(
                f"the search needs more than {store.most_groups:,} distinct rows over {', '.join(names)} at once, "
                "coarse as they are. Hint: fewer columns in the policy, or a higher limit."
            )
        for each, answer in zip(self._together, answers, strict=True):
            each._found = answer

    def _places(self) -> dict[str, Numbers]:
        """Return for each merged column what stands for each place of its dictionary."""
        return {name: codes[self.table.lookup(name)] for name, codes in self._merged.items()}


class CloserLook:
    """Where the rows of one counter come from while a search goes down.

    A move is counted by how its children share out the rows of a group, so that values below its children may be
    merged. One look shows all open moves, and as many below them as may come at once. Where even the open moves of all
    columns together are too many, each column is looked at by itself, the others as they are published now: at most
    groups times children, and a group that a valid move leaves has k rows.

    Parameters
    ----------
    rows
        The rows.
    board
        The shared state of the search.
    columns
        The masked columns, and their numbers on the board.
    answers
        Makes the codes and weights of a counter from rows.
    """

    def __init__(
        self, rows: CountedRows, board: Board, columns: Mapping[str, int], answers: Callable[[CountedRows], Answers]
    ) -> None:
        store = rows.table.store
        assert isinstance(store, PartialStore)
        self._table, self._board, self._answers = rows.table, board, answers
        self._columns = dict(columns)
        self._most = store.most_groups
        self._depth = 8
        self._spare = SPARE
        self._shown: Merged | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the rows of the last look show the open moves of all columns, so that they can be split by them."""
        return self._shown is not None

    def shows_all(self) -> bool:
        """Return whether the rows of the last look show every move that is open now."""
        return self._shown is not None and all(
            shows(self._shown[name], merged_codes(self._board, column, 1)) for name, column in self._columns.items()
        )

    def views(self) -> Iterator[tuple[list[int], list[Codes], Numbers]]:
        """Yield rows, and the columns whose open moves they show; together they show all that is open."""
        is_open = self._board.open_columns()
        numbers = [number for number in self._columns.values() if is_open[number]]
        while self._depth:
            merged = self._merged(dict.fromkeys(self._columns.values(), self._depth))
            found = self._ask(merged)
            if found is not None:
                self._shown = merged
                if len(found[1]) * SPARE <= self._most:
                    self._depth = min(2 * self._depth, DEEPEST)
                yield numbers, *found
                return
            self._depth //= 2
            self._spare *= 1 if self._depth else SPARE
        self._shown = None
        sizes = []
        for number, found in zip([None, *numbers], self._one_by_one(numbers), strict=True):
            sizes.append(max(len(found[1]), 1))
            yield [] if number is None else [number], *found
        n_expected = sizes[0] * np.prod([size / sizes[0] for size in sizes[1:]])
        self._depth = int(n_expected * self._spare <= self._most)  # whether all columns together may be asked for again

    def every_value(self, number: int) -> Answers:
        """Return rows that show every value of a node, the other columns as they are published now."""
        column = int(self._board.node_column[number])
        merged = dict(self._merged(dict.fromkeys(self._columns.values(), 0)))
        node = self._board.nodes[number]
        name = next(name for name, each in self._columns.items() if each == column)
        merged[name] = merged[name].copy()
        merged[name][node.first : node.last] = np.arange(node.first, node.last)
        self._shown = None
        return self._answers(PartialRows(self._table, merged))

    def _one_by_one(self, numbers: Sequence[int]) -> Iterator[Answers]:
        """Yield the rows as they are published now, then with each column looked at by itself; at once if possible."""
        every = self._columns.values()
        ways = [self._merged({each: int(each == number) for each in every}) for number in (-1, *numbers)]
        try:
            yield from [self._answers(rows) for rows in PartialRows.together(self._table, ways)]
        except TooManyError:
            yield from (self._answers(PartialRows(self._table, way)) for way in ways)

    def _ask(self, merged: Merged) -> Answers | None:
        try:
            return self._answers(PartialRows(self._table, merged))
        except TooManyError:
            return None

    def _merged(self, depths: Mapping[int, int]) -> dict[str, Numbers]:
        return {name: merged_codes(self._board, column, depths[column]) for name, column in self._columns.items()}


def closer_look(
    rows: CountedRows, board: Board, columns: Mapping[str, int], answers: Callable[[CountedRows], Answers]
) -> CloserLook | None:
    """Return where the rows of a counter come from as a search needs them; None where all are at hand."""
    return CloserLook(rows, board, columns, answers) if isinstance(rows, PartialRows) else None


def with_totals(weights: Numbers) -> Numbers:
    """Return counts of values with their sum before them."""
    return np.concatenate([weights.sum(axis=1, keepdims=True), weights], axis=1)
