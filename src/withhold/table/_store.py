"""Where the cells of a table lie: the seam between tables and engines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, RowsNeededError
from withhold.table._numbers import is_number

__all__ = [
    "Codes",
    "CountedStore",
    "Kind",
    "MemoryStore",
    "Mergeable",
    "MissingCodes",
    "NewCells",
    "PartialStore",
    "Rereadable",
    "Store",
]

Codes = NDArray[np.unsignedinteger]
Kind = Literal["category", "number"]


class Store(Protocol):
    """Dictionary-encoded columns, in memory or behind an engine.

    Each column has a dictionary of its distinct values; cells are positions in it.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    def kind(self, name: str) -> Kind:
        """Return whether the source itself types the column as a number."""

    def values(self, name: str) -> Sequence[str | None]:
        """Return the dictionary of a column as text; ``None`` is missing."""

    def numbers(self, name: str, *, missing: frozenset[str]) -> NDArray[np.float64]:
        """Return the dictionary of a column as numbers, NaN for missing; a text that is no number is an error."""

    def cells(self, name: str) -> Codes:
        """Return the cells of a column, row by row, as dictionary positions."""

    def prepare(self, names: Sequence[str]) -> None:
        """Learn which columns will be counted, so that they need be encoded only once."""

    def counts(self, names: Sequence[str]) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return distinct rows over `names` as dictionary positions, and how often each occurs."""


@runtime_checkable
class Mergeable(Protocol):
    """What a store offers whose distinct rows are too many to come at once: it counts them under coarser values."""

    most_groups: int
    """How many distinct rows it gives at most."""

    def merged_counts(
        self, names: Sequence[str], merged: Sequence[Mapping[str, NDArray[np.int64]]]
    ) -> list[tuple[list[NDArray[np.int64]], NDArray[np.int64]]] | None:
        """Return distinct rows over `names` with counts, once for each way to merge values; None for too many.

        A way to merge has for some columns a number for each place of the dictionary: places with the same number are
        one value, and rows hold these numbers. Columns that it does not name are held as places.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingCodes:
    """Texts of a column that stand for a missing answer."""

    texts: tuple[str, ...]
    """The texts."""
    as_numbers: bool
    """Whether they are compared as numbers too, so that ``-8`` is ``-8.0``."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewCells:
    """What a column is read as, row by row."""

    texts: Sequence[str | None]
    """The distinct texts; None is missing."""
    places: NDArray[np.int64]
    """For each row the place among them."""
    is_whole: bool = False
    """Whether they are whole numbers, also where the column had another type; else its type stays."""


@runtime_checkable
class Rereadable(Protocol):
    """A store of which some columns can be read otherwise; itself it stays as it is."""

    def without_codes(self, codes: Mapping[str, MissingCodes]) -> Self:
        """Return the same rows, in which cells that hold one of a column's codes are missing."""

    def with_cells(self, columns: Mapping[str, NewCells]) -> Self:
        """Return the same rows with other cells in some columns."""


class MemoryStore:
    """Columns in memory, with a weight for each row.

    Parameters
    ----------
    dictionaries
        For each column its distinct values.
    codes
        For each column its cells, as positions in the dictionary.
    weights
        How often each row occurs; once where None.
    kinds
        The columns that are numbers by type.
    """

    has_rows = has_order = True

    def __init__(
        self,
        dictionaries: Mapping[str, Sequence[str | None]],
        codes: Mapping[str, Codes],
        *,
        weights: NDArray[np.int64] | None = None,
        kinds: Mapping[str, Kind] | None = None,
    ) -> None:
        self._dictionaries = dict(dictionaries)
        self._codes = dict(codes)
        n_stored = len(next(iter(self._codes.values()))) if self._codes else 0
        self._weights = np.ones(n_stored, dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
        self._kinds = dict(kinds or {})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self._codes)

    @property
    def n_rows(self) -> int:
        """The number of rows, weights counted."""
        return int(self._weights.sum())

    def kind(self, name: str) -> Kind:
        """Return whether the column is a number by type."""
        return self._kinds.get(name, "category")

    def values(self, name: str) -> Sequence[str | None]:
        """Return the dictionary of a column."""
        return self._dictionaries[name]

    def numbers(self, name: str, *, missing: frozenset[str]) -> NDArray[np.float64]:
        """Return the dictionary of a column as numbers."""
        return np.array([_number(text, name, missing) for text in self._dictionaries[name]], dtype=np.float64)

    def cells(self, name: str) -> Codes:
        """Return the cells of a column; a row with a weight stands as often as it says."""
        return np.repeat(self._codes[name], self._weights)

    def prepare(self, names: Sequence[str]) -> None:
        """Do nothing: the columns are encoded already."""

    def counts(self, names: Sequence[str]) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the stored rows as they are; they need not be distinct."""
        return [self._codes[name] for name in names], self._weights

    def without_codes(self, codes: Mapping[str, MissingCodes]) -> "MemoryStore":
        """Return the same rows, in which cells that hold one of a column's codes are missing."""
        dictionaries, cells = dict(self._dictionaries), dict(self._codes)
        for name, each in codes.items():
            place: dict[str | None, int] = {}
            texts = [None if _is_code(text, each) else text for text in self._dictionaries[name]]
            lookup = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.uint32)
            dictionaries[name], cells[name] = list(place), lookup[self._codes[name]]
        return MemoryStore(dictionaries, cells, weights=self._weights, kinds=self._kinds)

    def with_cells(self, columns: Mapping[str, NewCells]) -> "MemoryStore":
        """Return the same rows with other cells in some columns; a row stands as often as its weight says."""
        texts = {name: columns[name].texts if name in columns else self.values(name) for name in self.names}
        cells = {
            name: columns[name].places.astype(np.uint32) if name in columns else self.cells(name) for name in self.names
        }
        whole: dict[str, Kind] = {name: "number" for name, each in columns.items() if each.is_whole}
        return MemoryStore(texts, cells, kinds={**self._kinds, **whole})


class CountedStore:
    """The distinct rows of a table over some of its columns, each with how many rows hold it.

    Methods that go row by row work on distinct rows instead; whatever they count is multiplied by `weights`.

    Parameters
    ----------
    base
        Where all rows lie.
    counted
        The columns that make rows distinct.

    Examples
    --------
    >>> base = MemoryStore({"sex": ["f", "m"]}, {"sex": np.array([0, 1], dtype=np.uint8)}, weights=np.array([3, 2]))
    >>> store = CountedStore(base, ["sex"])
    >>> store.n_rows, store.n_entries, store.cells("sex").tolist()
    (5, 2, [0, 1])
    """

    def __init__(self, base: Store, counted: Sequence[str]) -> None:
        self.base = base
        self.counted = tuple(dict.fromkeys(counted))
        codes, self.weights = base.counts(self.counted)
        self._codes = dict(zip(self.counted, codes, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the table, in order."""
        return self.base.names

    @property
    def n_rows(self) -> int:
        """The number of rows, weights counted."""
        return int(self.weights.sum())

    @property
    def n_entries(self) -> int:
        """The number of distinct rows."""
        return int(self.weights.size)

    def kind(self, name: str) -> Kind:
        """Return whether the source types the column as a number."""
        return self.base.kind(name)

    def values(self, name: str) -> Sequence[str | None]:
        """Return the dictionary of a column."""
        return self.base.values(name)

    def numbers(self, name: str, *, missing: frozenset[str]) -> NDArray[np.float64]:
        """Return the dictionary of a column as numbers."""
        return self.base.numbers(name, missing=missing)

    def cells(self, name: str) -> Codes:
        """Return the cells of a column, one for each distinct row."""
        if name not in self._codes:
            raise DataError(f'column "{name}" is not among those that were counted.')
        return self._codes[name]

    def prepare(self, names: Sequence[str]) -> None:
        """Do nothing: the columns are counted already."""

    def counts(self, names: Sequence[str]) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the distinct rows as they are; over fewer columns some may be equal."""
        if self._codes.keys() >= set(names):
            return [self._codes[name] for name in names], self.weights
        return self.base.counts(names)


class PartialStore(CountedStore):
    """A table whose distinct rows are too many to be held: only counts under coarser values can be had.

    Counts over few columns are those of `base`; rows have no places here.

    Parameters
    ----------
    base
        Where all rows lie.
    counted
        The columns that may be asked for.
    """

    def __init__(self, base: Store, counted: Sequence[str]) -> None:
        self.base = base
        self.counted = tuple(dict.fromkeys(counted))
        self.weights = np.zeros(0, dtype=np.int64)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.base.n_rows

    def cells(self, name: str) -> Codes:
        """Refuse: there are counts alone."""
        raise RowsNeededError("distinct rows are read one by one, and there are too many of them")

    def counts(self, names: Sequence[str]) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the distinct rows over some columns."""
        return self.base.counts(names)

    def merged_counts(
        self, names: Sequence[str], merged: Sequence[Mapping[str, NDArray[np.int64]]]
    ) -> list[tuple[list[NDArray[np.int64]], NDArray[np.int64]]] | None:
        """Return distinct rows under coarser values, once for each way to merge them; None where they are too many."""
        assert isinstance(self.base, Mergeable)
        return self.base.merged_counts(names, merged)

    @property
    def most_groups(self) -> int:
        """How many distinct rows may be asked for at once."""
        assert isinstance(self.base, Mergeable)
        return self.base.most_groups


def _number(text: str | None, name: str, missing: frozenset[str]) -> float:
    if text is None or text in missing:
        return float("nan")
    if is_number(text):
        number = float(text)
        return float("nan") if any(is_number(mark) and float(mark) == number for mark in missing) else number
    raise DataError(f'column "{name}" is a number column, but holds text that is no number.')


def _is_code(text: str | None, codes: MissingCodes) -> bool:
    if text is None or text in codes.texts:
        return text is not None
    numbers = [float(code) for code in codes.texts if is_number(code)]
    return codes.as_numbers and is_number(text) and float(text) in numbers
