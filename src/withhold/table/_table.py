"""The table that methods work on: integer codes, and a domain for each column."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, TaxonomyError, did_you_mean
from withhold.table._bins import Bins
from withhold.table._numbers import Numbers, is_number
from withhold.table._store import Codes, CountedStore, MemoryStore, PartialStore, Store
from withhold.table._taxonomy import Taxonomy

__all__ = ["Distinct", "Domain", "Table"]

Domain = Taxonomy | Numbers
LARGEST_EXACT = 2.0**53
"""From here on, floating numbers leave whole numbers out."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """Rows over some columns, with counts; a row may stand in it more than once."""

    columns: tuple[str, ...]
    """The columns, in the order asked for."""
    codes: list[Codes]
    """For each column the codes in its domain."""
    weights: NDArray[np.int64]
    """How many rows of the table each entry stands for."""


class Table:
    """A table about people: named columns, each with a domain (a taxonomy, or numbers).

    Rows are positions; labels of a frame's index never matter. The cells lie in a *store*, in memory or behind an
    engine, and reach the methods as codes with counts.

    Parameters
    ----------
    store
        Where the cells lie. `withhold.read` makes one from a file or frame.
    domains
        The taxonomy or number range of columns that have one. Other columns get a flat taxonomy over their values,
        or, where the source types them as numbers, a number range.
    missing
        Texts that stand for a missing value, besides the empty cell.
    bins
        Number columns that are never published finer than in bins: their values are the bins.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["f", "m", "f"], "hours": [30, 44, 44]})
    >>> table.names, table.n_rows
    (('sex', 'hours'), 3)
    >>> table.domain("hours")
    <Numbers [30, 44]: 2 values>
    """

    def __init__(
        self,
        store: Store,
        *,
        domains: Mapping[str, Domain] | None = None,
        missing: Iterable[str] = (),
        bins: Mapping[str, Bins] | None = None,
    ) -> None:
        self.store = store
        self.missing = frozenset(missing)
        self.bins = dict(bins or {})
        self._given = dict(domains or {})
        self._domains: dict[str, Domain] = {}
        self._lookups: dict[str, Codes] = {}
        self._in_memory: dict[str, Codes] = {}
        for name, domain in self._given.items():
            self._require(name)
            self._adopt(name, domain)
        for name, each in self.bins.items():
            self._adopt_bins(name, each)

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Iterable[object]],
        *,
        domains: Mapping[str, Domain] | None = None,
        weights: Sequence[int] | None = None,
        missing: Iterable[str] = (),
    ) -> "Table":
        """Make a table in memory from columns of plain values; ``None`` is missing.

        A column that holds only Python or numpy numbers is a number column; others are compared as text.
        """
        dictionaries: dict[str, Sequence[str | None]] = {}
        codes: dict[str, Codes] = {}
        kinds = {}
        for name, cells in columns.items():
            values = list(cells)
            present = [value for value in values if value is not None]
            texts = [None if value is None else str(value) for value in values]
            positions: dict[str | None, int] = {}
            codes[name] = np.array([positions.setdefault(text, len(positions)) for text in texts], dtype=np.uint32)
            dictionaries[name] = list(positions)
            if present and all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in present):
                kinds[name] = "number"
        if len({len(cells) for cells in codes.values()}) > 1:
            raise DataError("the columns of a table must have the same number of rows.")
        counts = None if weights is None else np.asarray(weights, dtype=np.int64)
        store = MemoryStore(dictionaries, codes, weights=counts, kinds=kinds)  # type: ignore[arg-type]
        return cls(store, domains=domains, missing=missing)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return self.store.names

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.store.n_rows

    @property
    def n_entries(self) -> int:
        """The number of rows that methods go through: distinct ones where the table is counted."""
        return self.store.n_entries if isinstance(self.store, CountedStore) else self.store.n_rows

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """How many rows of the table each of these stands for; None where that is one."""
        return self.store.weights if isinstance(self.store, CountedStore) else None

    def domain(self, name: str) -> Domain:
        """Return the domain of a column."""
        if name not in self._domains:
            self._require(name)
            self._adopt(name, self._default_domain(name))
        return self._domains[name]

    def n_codes(self, name: str) -> int:
        """Return how many codes the domain of a column has."""
        domain = self.domain(name)
        return domain.n_codes if isinstance(domain, Numbers) else domain.n_leaves

    def with_domains(self, domains: Mapping[str, Domain], *, missing: Iterable[str] = ()) -> "Table":
        """Return the same cells under these domains; columns not named keep the ones they were given."""
        marks = self.missing.union(missing)
        return Table(self.store, domains={**self._given, **domains}, missing=marks, bins=self.bins)

    def with_bins(self, bins: Mapping[str, Bins], labels: Mapping[str, Sequence[str]] | None = None) -> "Table":
        """Return the same cells, some number columns in bins; `labels` says what is published for each bin.

        Examples
        --------
        >>> table = Table.from_columns({"age": [3, 17, 70]}).with_bins({"age": Bins(edges=(0, 18, 120))})
        >>> table.domain("age").leaves, table.codes("age").tolist()
        (('[0, 18)', '[18, 120]'), [0, 0, 1])
        """
        made = Table(self.store, domains=self._given, missing=self.missing)
        made.bins = {**self.bins, **bins}
        for name, each in made.bins.items():
            made._adopt_bins(name, each, (labels or {}).get(name))
        return made

    def holding(self, name: str, value: str) -> NDArray[np.bool_]:
        """Return which entries of ``store.values`` are a value, however a number is spelled; in bins, its bin.

        Examples
        --------
        >>> Table.from_columns({"town": ["Bern", "Biel"]}).holding("town", "Biel").tolist()
        [False, True]
        """
        domain = self.domain(name)
        if is_number(value) and (isinstance(domain, Numbers) or name in self.bins):
            found = np.asarray(self.store.numbers(name, missing=self.missing) == float(value))
            if found.any() or name not in self.bins:
                return found
        if name in self.bins and isinstance(domain, Taxonomy):
            return np.asarray(self._lookups[name] == (domain.leaves.index(value) if value in domain.leaves else -1))
        return np.array([text == value for text in self.store.values(name)], dtype=np.bool_)

    def answered(self, name: str) -> NDArray[np.bool_]:
        """Return which entries of ``store.values`` are an answer, and not missing."""
        if isinstance(self.domain(name), Numbers) or name in self.bins:
            return np.asarray(~np.isnan(self.store.numbers(name, missing=self.missing)))
        return np.array([text is not None and text not in self.missing for text in self.store.values(name)])

    def answered_codes(self, name: str) -> NDArray[np.bool_]:
        """Return which codes of a column stand for an answer, and not for missing."""
        domain = self.domain(name)
        missing = domain.missing_code if isinstance(domain, Numbers) else domain.missing
        return np.asarray(np.arange(self.n_codes(name)) != (-1 if missing is None else missing))

    def lookup(self, name: str) -> Codes:
        """Return for each entry of ``store.values`` its code."""
        self.domain(name)
        return self._lookups[name]

    def numbers(self, name: str, *, bounds: tuple[float, float] | None = None) -> Numbers:
        """Return the number domain of a column, taken from its cells; text that is no number is an error."""
        values = self.store.numbers(name, missing=self.missing)
        present = np.isfinite(values)
        if not _are_exact(values[present]):
            raise DataError(f'column "{name}" holds whole numbers above 2⁵³, which are rather names. Hint: category.')
        domain = Numbers(np.unique(values[present]), bounds=bounds, missing=not bool(present.all()))
        if bounds is not None and domain.n_values:
            outside = np.count_nonzero((domain.values < bounds[0]) | (domain.values > bounds[1]))
            if outside:
                raise DataError(
                    f'column "{name}": {outside} distinct values lie outside the range '
                    f"{domain.interval(0, domain.n_values)}. Hint: widen `range`, or mend the data."
                )
        return domain

    def flat(self, name: str) -> Taxonomy:
        """Return the flat taxonomy over the values of a column, sorted, missing last."""
        values = self.store.values(name)
        texts = sorted(value for value in values if value is not None and value not in self.missing)
        has_missing = len(texts) < len(values)
        return Taxonomy.flat([*texts, None] if has_missing else texts, source=f'column "{name}"')

    def prepare(self, names: Sequence[str]) -> None:
        """Announce the columns that a method will count."""
        for name in names:
            self.domain(name)
        self.store.prepare(list(dict.fromkeys(names)))

    def distinct(self, names: Sequence[str], *, as_text: Sequence[str] = ()) -> Distinct:
        """Return the rows over some columns as codes with counts.

        Columns in `as_text` come as positions in ``store.values`` instead: every text is a value of its own there, as
        it is in a column that is published as it stands.
        """
        for name in names:
            if name not in as_text:
                self.domain(name)
        positions, weights = self.store.counts(names)
        codes = [
            cells if name in as_text else self._encoded(name, cells)
            for name, cells in zip(names, positions, strict=True)
        ]
        return Distinct(tuple(names), codes, weights)

    def _encoded(self, name: str, cells: Codes) -> Codes:
        """Return dictionary positions as codes of the domain; columns in memory are translated once."""
        if not isinstance(self.store, MemoryStore):
            return self._lookups[name][cells]
        if name not in self._in_memory:
            self._in_memory[name] = self._lookups[name][cells]
        return self._in_memory[name]

    def codes(self, name: str) -> Codes:
        """Return the cells of a column, row by row, as codes of its domain."""
        self.domain(name)
        return self._lookups[name][self.store.cells(name)]

    def has_given_domain(self, name: str) -> bool:
        """Return whether the domain of a column was given, and not taken from its cells."""
        return name in self._given

    def load(self, names: Sequence[str] | None = None) -> "Table":
        """Return a table in memory with the chosen columns (all where None), collapsed to distinct rows."""
        chosen = self.names if names is None else tuple(names)
        domains = {name: self.domain(name) for name in chosen}
        positions, weights = self.store.counts(chosen)
        store = MemoryStore(
            {name: self.store.values(name) for name in chosen},
            dict(zip(chosen, positions, strict=True)),
            weights=weights,
            kinds={name: self.store.kind(name) for name in chosen},
        )
        made = Table(store, domains={n: d for n, d in domains.items() if n not in self.bins}, missing=self.missing)
        return made.with_bins({name: each for name, each in self.bins.items() if name in chosen})

    def on(self, store: Store, *, without: Iterable[str] = ()) -> "Table":
        """Return the same table with its cells in another store; columns in `without` keep no domain."""
        domains = {name: domain for name, domain in self._given.items() if name not in set(without)}
        return Table(store, domains=domains, missing=self.missing, bins=self.bins)

    def counted(self, names: Sequence[str]) -> "Table":
        """Return the distinct rows over some columns, with counts, under the same domains.

        Examples
        --------
        >>> table = Table.from_columns({"sex": ["f", "m", "f"], "hours": [30, 44, 44]})
        >>> table.counted(["sex"]).n_rows, table.counted(["sex"]).names
        (3, ('sex', 'hours'))
        """
        return self._behind(CountedStore(self.store, names))

    def partial(self, names: Sequence[str]) -> "Table":
        """Return the table as one whose distinct rows are too many to be held, under the same domains."""
        return self._behind(PartialStore(self.store, names))

    def _behind(self, store: Store) -> "Table":
        made = Table(store, domains=self._given, missing=self.missing)
        made._domains, made._lookups = dict(self._domains), dict(self._lookups)
        return made

    def _require(self, name: str) -> None:
        if name not in self.store.names:
            raise DataError(f'there is no column "{name}"{did_you_mean(name, self.store.names)}')

    def _default_domain(self, name: str) -> Domain:
        if self.store.kind(name) != "number":
            return self.flat(name)
        values = self.store.numbers(name, missing=self.missing)
        return self.numbers(name) if _are_exact(values[np.isfinite(values)]) else self.flat(name)

    def _adopt(self, name: str, domain: Domain) -> None:
        if isinstance(domain, Numbers):
            lookup = _rank(domain, self.store.numbers(name, missing=self.missing), name)
        else:
            values = self.store.values(name)
            if any(value is None or value in self.missing for value in values):
                domain = domain.with_missing()
            lookup = _leaf_codes(domain, values, self.missing, name, self.store)
        self._domains[name] = domain
        self._lookups[name] = lookup

    def _adopt_bins(self, name: str, bins: Bins, labels: Sequence[str] | None = None) -> None:
        codes = bins.codes(self.store.numbers(name, missing=self.missing)).astype(np.int64)
        has_missing = bool((codes < 0).any())
        texts = [*(labels or bins.labels()), *([None] if has_missing else [])]
        self._domains[name] = Taxonomy.flat(texts, source=f'column "{name}"')
        self._lookups[name] = smallest_codes(np.where(codes < 0, bins.n_bins, codes), len(texts))

    def __repr__(self) -> str:
        return f"<Table: {self.n_rows} rows, {len(self.names)} columns>"


def _are_exact(values: NDArray[np.float64]) -> bool:
    """Return whether no two whole numbers can have become one: identifiers may be too long for a floating number."""
    return not bool(np.any((np.abs(values) >= LARGEST_EXACT) & (values == np.floor(values))))


def _rank(domain: Numbers, numbers: NDArray[np.float64], name: str) -> Codes:
    missing = np.isnan(numbers)
    codes = np.searchsorted(domain.values, numbers)
    if missing.any():
        if domain.missing_code is None:
            raise DataError(f'column "{name}" has missing values, but its number range has none.')
        codes[missing] = domain.missing_code
    known = np.minimum(codes, max(domain.n_values - 1, 0))
    if np.any((domain.values[known] != numbers) & ~missing) if domain.n_values else np.any(~missing):
        raise DataError(f'column "{name}" holds numbers that are not in its number range.')
    return smallest_codes(codes, domain.n_codes)


def _leaf_codes(
    taxonomy: Taxonomy, values: Sequence[str | None], missing: frozenset[str], name: str, store: Store
) -> Codes:
    place: dict[str | None, int] = {label: i for i, label in enumerate(taxonomy.leaves)}
    codes = [place.get(None if value is None or value in missing else value, -1) for value in values]
    n_unknown = sum(code < 0 for code in codes)
    if n_unknown:
        noun = "value is" if n_unknown == 1 else "values are"
        first = ""
        if getattr(store, "has_rows", True):
            first = f", the first in row {int(np.argmax((np.array(codes) < 0)[store.cells(name)]))} (from 0)"
        known = {str(label).strip() for label in taxonomy.leaves}
        unknown = [str(value) for value, code in zip(values, codes, strict=True) if code < 0]
        hint = "give each value of the column a line of its own (leaf to root)."
        if all(value.strip() in known for value in unknown):
            hint = "they differ from the taxonomy only in blanks around them."
        elif all(value.lstrip("0") in {label.lstrip("0") for label in known} for value in unknown):
            hint = "they differ from the taxonomy only in leading zeros: read the column as text."
        raise TaxonomyError(
            f'column "{name}": {n_unknown} distinct {noun} missing from {taxonomy.source}{first}. Hint: {hint}'
        )
    return smallest_codes(np.asarray(codes, dtype=np.int64), taxonomy.n_leaves)


def smallest_codes(codes: NDArray[np.integer], n_codes: int) -> Codes:
    """Return the codes in the smallest unsigned type that holds `n_codes` of them."""
    for dtype in (np.uint8, np.uint16, np.uint32):
        if n_codes <= np.iinfo(dtype).max + 1:
            return codes.astype(dtype)
    raise DataError("a column may have at most 4,294,967,296 distinct values.")
