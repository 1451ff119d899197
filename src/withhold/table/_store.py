"""Where the cells of a table lie: the seam between tables and engines."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, RowsNeededError
from withhold.table._numbers import is_number

__all__ = ["Codes", "CountedStore", "Kind", "MemoryStore", "Mergeable", "PartialStore", "Store"]

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
