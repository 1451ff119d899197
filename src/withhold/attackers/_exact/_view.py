"""A published table as an adversary sees it: cells, some of them unknown."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InputError, TaxonomyError, did_you_mean
from withhold.table import Taxonomy

__all__ = ["Question", "View"]

_NO_TAXONOMIES: Mapping[str, Taxonomy] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class View:
    """A published table, cell by cell."""

    columns: tuple[str, ...]
    """The names of the columns, in the order of the table."""
    codes: list[NDArray[np.int64]]
    """For each column one code a row; -1 is unknown."""
    labels: list[tuple[str, ...]]
    """For each column the text of each code."""
    trees: list[Taxonomy | None]
    """For each column its taxonomy if coarser values may occur; then texts may name inner nodes."""

    def __post_init__(self) -> None:
        if len({len(self.columns), len(self.codes), len(self.labels), len(self.trees)}) > 1:
            raise DataError("View: `columns`, `codes`, `labels` and `trees` must have one entry for each column.")
        if len({len(codes) for codes in self.codes}) > 1:
            raise DataError("View: the columns must have the same number of rows.")
        for name, labels, tree in zip(self.columns, self.labels, self.trees, strict=True):
            n_foreign = 0 if tree is None else len(set(labels) - set(tree.labels))
            if n_foreign:
                raise TaxonomyError(f'column "{name}": its taxonomy does not hold {n_foreign} of its values.')

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[str | None]],
        *,
        unknown: Collection[str] = ("*",),
        taxonomies: Mapping[str, Taxonomy] = _NO_TAXONOMIES,
    ) -> "View":
        """Encode columns of text.

        Parameters
        ----------
        columns
            The cells of each column. None and the empty text are unknown.
        unknown
            Further texts that stand for unknown. The root of a column's taxonomy always does.
        taxonomies
            The tree of each column in which coarser values may occur.

        Examples
        --------
        >>> view = View.of({"sex": ["f", "*", "m", None]})
        >>> view.labels, view.codes[0].tolist()
        ([('f', 'm')], [0, -1, 1, -1])
        """
        for name in taxonomies:
            if name not in columns:
                raise InputError(f'View: `taxonomies` names "{name}", which is no column{did_you_mean(name, columns)}')
        trees = [taxonomies.get(name) for name in columns]
        encoded = []
        for (name, cells), tree in zip(columns.items(), trees, strict=True):
            root = () if tree is None else (tree.labels[0],)
            encoded.append(_encode(name, cells, {None, "", *unknown, *root}))
        return cls(tuple(columns), [codes for codes, _ in encoded], [labels for _, labels in encoded], trees)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes[0]) if self.codes else 0

    @property
    def is_generalised(self) -> bool:
        """Whether coarser values may occur, so that an unknown cell is the root of a taxonomy."""
        return any(tree is not None for tree in self.trees)

    def position(self, column: str) -> int:
        """Return the position of a column."""
        if column not in self.columns:
            raise InputError(f'View: there is no column "{column}"{did_you_mean(column, self.columns)}')
        return self.columns.index(column)

    def positions(self, columns: Iterable[str]) -> list[int]:
        """Return the positions of columns, each once, in the order of the table."""
        return sorted({self.position(column) for column in columns})

    def checked_rows(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return row numbers as an array, all of them inside the table."""
        numbers = np.asarray(rows, dtype=np.int64).reshape(-1)
        if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < self.n_rows:
            raise InputError(f"View: a row number lies outside the {self.n_rows} rows of the table.")
        return numbers


@dataclass(frozen=True, slots=True)
class Question:
    """The hidden cells of one column that a classifier is asked for."""

    view: View
    """The published table."""
    target: int
    """The position of the column."""
    rows: NDArray[np.int64]
    """The rows of the hidden cells."""
    actuals: tuple[str, ...]
    """Their true values."""
    predictors: list[int]
    """The positions of the columns that predict."""

    @classmethod
    def of(
        cls,
        view: View,
        column: str,
        rows: Sequence[int] | NDArray[np.int64],
        actuals: Sequence[str],
        predictors: Iterable[str],
    ) -> "Question":
        """Check what was asked; the column itself never predicts."""
        target = view.position(column)
        numbers = view.checked_rows(rows)
        if len(numbers) != len(actuals):
            raise InputError(f"View: {len(numbers)} rows were given with {len(actuals)} actual values.")
        chosen = [position for position in view.positions(predictors) if position != target]
        return cls(view, target, numbers, tuple(actuals), chosen)


def _encode(
    name: str, cells: Sequence[str | None], unknown: Collection[str | None]
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    distinct = dict.fromkeys(cells)
    if not all(cell is None or isinstance(cell, str) for cell in distinct):
        raise DataError(f'column "{name}": every cell of a view must be text or None.')
    labels = tuple(sorted(str(cell) for cell in distinct if cell not in unknown))
    code_of: dict[str | None, int] = dict.fromkeys(distinct, -1)
    code_of.update({label: code for code, label in enumerate(labels)})
    return np.fromiter(map(code_of.__getitem__, cells), dtype=np.int64, count=len(cells)), labels
