"""A table cell by cell, for the methods that withhold single cells."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.table._decision import WITHHELD
from withhold.table._numbers import Numbers, format_number
from withhold.table._table import Table

__all__ = ["UNKNOWN", "Grid"]

UNKNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Rows by columns of codes; `UNKNOWN` stands for a cell that is missing or withheld.

    Examples
    --------
    >>> grid = Grid.of(Table.from_columns({"sex": ["m", "f", None], "city": ["Bern", "Bern", "Biel"]}))
    >>> grid.codes.tolist(), grid.labels[0]
    ([[0, 0], [1, 0], [-1, 1]], ('m', 'f'))
    """

    columns: tuple[str, ...]
    """The names of the columns."""
    labels: tuple[tuple[str, ...], ...]
    """For each column the values its codes stand for, in the order that decides ties."""
    codes: NDArray[np.int32]
    """One row of codes for each row of the table."""

    @classmethod
    def of(cls, table: Table, columns: Sequence[str] | None = None) -> "Grid":
        """Return the chosen columns of a table (all where None), one row of codes for each row.

        The values of a column stand in the order of the domain it was given, else of their first appearance.
        """
        chosen = table.names if columns is None else tuple(columns)
        coded = [_coded(table, name) for name in chosen]
        codes = np.empty((table.n_rows, len(chosen)), dtype=np.int32)
        for j, (_, cells) in enumerate(coded):
            codes[:, j] = cells
        return cls(chosen, tuple(labels for labels, _ in coded), codes)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[0])

    @property
    def n_values(self) -> NDArray[np.int64]:
        """For each column the number of its values."""
        return np.array([len(labels) for labels in self.labels], dtype=np.int64)

    def place(self, column: str) -> int:
        """Return the position of a column."""
        return self.columns.index(column)

    def with_cells(self, published: Mapping[tuple[int, str], str]) -> "Grid":
        """Return the grid with other texts in some cells; ``*`` is unknown, and new texts get new codes.

        Examples
        --------
        >>> grid = Grid.of(Table.from_columns({"city": ["Bern", "Biel"]}))
        >>> other = grid.with_cells({(0, "city"): "*", (1, "city"): "Kanton Bern"})
        >>> other.codes.tolist(), other.labels[0]
        ([[-1], [2]], ('Bern', 'Biel', 'Kanton Bern'))
        """
        codes = self.codes.copy()
        places = [{text: code for code, text in enumerate(labels)} for labels in self.labels]
        of_column = {column: j for j, column in enumerate(self.columns)}
        for (row, column), text in published.items():
            known = places[of_column[column]]
            codes[row, of_column[column]] = UNKNOWN if text == WITHHELD else known.setdefault(text, len(known))
        return Grid(self.columns, tuple(tuple(known) for known in places), codes)

    def without(self, cells: Mapping[str, NDArray[np.int64]], *, in_order: Container[str] = ()) -> "Grid":
        """Return the grid as if some cells had never held anything.

        The values of the columns they lie in stand in the order of their first appearance elsewhere, and those that
        appear nowhere else are forgotten; columns `in_order` keep theirs.

        Examples
        --------
        >>> grid = Grid.of(Table.from_columns({"city": ["Bern", "Biel", "Chur", "Bern"]}))
        >>> other = grid.without({"city": np.array([0, 2])})
        >>> other.codes.tolist(), other.labels[0]
        ([[-1], [0], [-1], [1]], ('Biel', 'Bern'))
        """
        codes, labels = self.codes.copy(), list(self.labels)
        for column, rows in cells.items():
            if not rows.size:
                continue
            j = self.place(column)
            codes[rows, j] = UNKNOWN
            if column in in_order:
                continue
            seen, first = np.unique(codes[:, j], return_index=True)
            order = seen[np.argsort(first)]
            order = order[order != UNKNOWN]
            recode = np.full(len(labels[j]) + 1, UNKNOWN, dtype=np.int32)  # UNKNOWN is -1: the last place
            recode[order] = np.arange(order.size)
            codes[:, j] = recode[codes[:, j]]
            labels[j] = tuple(labels[j][code] for code in order)
        return Grid(self.columns, tuple(labels), codes)

    def with_sorted_values(self) -> "Grid":
        """Return the grid with the values of each column in the order of their texts, whichever row comes first.

        Examples
        --------
        >>> other = Grid.of(Table.from_columns({"city": ["Biel", "Bern", "Biel"]})).with_sorted_values()
        >>> other.codes.tolist(), other.labels[0]
        ([[1], [0], [1]], ('Bern', 'Biel'))
        """
        codes, sorted_labels = np.empty_like(self.codes), []
        for j, labels in enumerate(self.labels):
            order = sorted(range(len(labels)), key=lambda code: labels[code])
            recode = np.full(len(labels) + 1, UNKNOWN, dtype=np.int32)  # UNKNOWN is -1: the last place
            recode[order] = np.arange(len(order))
            codes[:, j] = recode[self.codes[:, j]]
            sorted_labels.append(tuple(labels[code] for code in order))
        return Grid(self.columns, tuple(sorted_labels), codes)

    def with_held_only(self, columns: Sequence[str]) -> "Grid":
        """Return the grid without those values of some columns that no cell holds; the others keep their order.

        Examples
        --------
        >>> grid = Grid(("city",), (("Bern", "Biel", "Chur"),), np.array([[2], [0], [-1]], dtype=np.int32))
        >>> other = grid.with_held_only(["city"])
        >>> other.codes.tolist(), other.labels[0]
        ([[1], [0], [-1]], ('Bern', 'Chur'))
        """
        codes, labels = self.codes.copy(), list(self.labels)
        for j in map(self.place, columns):
            held = np.unique(codes[:, j])
            held = held[held != UNKNOWN]
            recode = np.full(len(labels[j]) + 1, UNKNOWN, dtype=np.int32)  # UNKNOWN is -1: the last place
            recode[held] = np.arange(held.size)
            codes[:, j] = recode[codes[:, j]]
            labels[j] = tuple(labels[j][code] for code in held)
        return Grid(self.columns, tuple(labels), codes)


def _coded(table: Table, name: str) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the values of a column and its cells as codes."""
    domain = table.domain(name)
    cells = table.codes(name).astype(np.int64)
    missing: int | None
    if isinstance(domain, Numbers):
        labels: tuple[str | None, ...] = (*(format_number(value) for value in domain.values.tolist()), None)
        missing = domain.missing_code
    else:
        labels, missing = domain.leaves, domain.missing
    order = np.arange(len(labels))
    if not table.has_given_domain(name):
        seen, first = np.unique(cells, return_index=True)
        appearing = seen[np.argsort(first)]
        order = np.concatenate([appearing, np.setdiff1d(order, appearing)])
    order = order[[labels[code] is not None for code in order]]
    recode = np.full(max(len(labels), 1), UNKNOWN, dtype=np.int64)
    recode[order] = np.arange(order.size)
    if missing is not None:
        recode[missing] = UNKNOWN
    return tuple(str(labels[code]) for code in order), recode[cells]
