"""The release and the original side by side: which row is which, what each column means, and what adversaries see."""

from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.attackers import Target, View
from withhold.auditing._meaning import Meaning
from withhold.auditing._source_of import source_of
from withhold.auditing._text_forms import number_of
from withhold.engines import Source
from withhold.errors import DataError, InputError
from withhold.policy import Policy
from withhold.table import WITHHELD, Bins, Codes, Grid, Numbers, Store, Table, Taxonomy, bins_of, parse_interval

__all__ = ["Sight"]

_Ints = NDArray[np.int64]
Rows = dict[str, _Ints]
"""For each column the rows of some cells, ascending."""
Coded = tuple[_Ints, tuple[str, ...]]
"""For each row a code, -1 for unknown, and the labels of the codes."""


@dataclass(eq=False)
class Sight:
    """What an outsider sees in the file, beside what stood in the original."""

    source: Source
    """The file."""
    policy: Policy
    """What was promised."""
    original: Table | None = None
    """The original, under the policy's domains; None where only the file is there."""
    withheld: frozenset[str] = frozenset()
    """Marks for a withheld value, besides ``*``."""
    positions: _Ints | None = None
    """The place in the original of each row of the file, as only its owner knows it; None where nobody said."""
    incomparable: frozenset[str] = frozenset()
    """Columns whose dates were moved, where it is not known which row is which."""
    _meanings: dict[str, Meaning] = field(default_factory=dict)
    _cells: dict[str, Codes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.positions is None or self.original is None:
            return
        given, n_rows = np.asarray(self.positions), self.source.n_rows
        is_order = given.shape == (n_rows,) and np.issubdtype(given.dtype, np.integer)
        is_order = is_order and 0 <= given.min() <= given.max() < self.original.n_rows
        if not is_order or np.unique(given).size < n_rows:
            what = f"must hold the place in the original of each of {n_rows:,} rows, each place once."
            raise InputError(f"audit: `positions` {what}")
        self.positions = given.astype(np.int64)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns that both hold, and that are not dropped."""
        known = self.source.names if self.original is None else self.original.names
        left_out = self.policy.drop if self.original is None else {*self.policy.drop, *self.incomparable}
        return tuple(name for name in self.source.names if name in known and name not in left_out)

    def meaning(self, name: str, named: Sequence[str] = ()) -> Meaning:
        """Return what the texts of a column mean; `named` are values that the policy names in it."""
        if name not in self._meanings:
            self._meanings[name] = self._meaning(name)
        found = self._meanings[name]
        strangers = found.strangers(named)
        return self._meaning(name, strangers) if strangers else found

    def _meaning(self, name: str, named: Sequence[str] = ()) -> Meaning:
        bins = self._bins(name)
        original = None if name in self.incomparable else self.original
        return Meaning(self.source, self.policy, original, name, withheld=self.withheld, named=named, bins=bins)

    def cells(self, name: str) -> Codes:
        """Return the cells of a column of the file, as places among its texts."""
        if name not in self._cells:
            self._cells[name] = self.source.cells(name)
        return self._cells[name]

    @cached_property
    def has_rows(self) -> bool:
        """Whether whole columns can be had, and not only counts."""
        return self.source.has_rows and (self.original is None or source_of(self.original).has_rows)

    @property
    def has_order(self) -> bool:
        """Whether rows have numbers, by which those of the file and of the original are the same."""
        return self.source.has_order and (self.original is None or source_of(self.original).has_order)

    def n_texts(self, name: str) -> _Ints:
        """Return how many rows of the file hold each of a column's texts."""
        return (
            _counted(self.source, name)
            if not self.source.has_rows
            else _held(self.cells(name), self.meaning(name).texts)
        )

    def n_values(self, name: str) -> _Ints:
        """Return how many rows of the original hold each of a column's values."""
        store = source_of(self._table)
        return _counted(store, name) if not store.has_rows else _held(store.cells(name), self.meaning(name).values)

    @cached_property
    def rows(self) -> _Ints | None:
        """The place in the original of each row of the file; None where that is not known.

        Rows that were removed leave the others in order. Where only one choice of them fits, they are known.
        """
        if self.original is None or self.positions is not None:
            return self.positions
        if not self.has_order:
            return None
        if self.policy.rows == "shuffle" or self.source.n_rows > self.original.n_rows:
            return None
        if self.source.n_rows == self.original.n_rows:
            return np.arange(self.source.n_rows)
        first, last = self.alignment
        return first if first is not None and last is not None and np.array_equal(first, last) else None

    @cached_property
    def alignment(self) -> tuple[_Ints | None, _Ints | None]:
        """Where in the original the rows can stand in order, at the earliest and at the latest; None if they cannot."""
        from withhold.auditing._alignment import align

        store = self._table.store
        columns = [(self.meaning(name), self.cells(name), store.cells(name)) for name in self.names]
        return align(columns) if columns else (None, None)

    @property
    def is_aligned(self) -> bool:
        """Whether each row of the original is known in the file."""
        return self.rows is not None and self.source.n_rows == self._table.n_rows

    def placed(self, rows: _Ints) -> _Ints:
        """Return where rows of the original stand in the file; -1 where they do not."""
        assert self.rows is not None
        at = np.full(self._table.n_rows, -1, dtype=np.int64)
        at[self.rows] = np.arange(self.rows.size)
        return at[rows]

    def was(self, name: str) -> _Ints:
        """Return for each row of the file the place of its value in the original's dictionary; else the original."""
        cells = self._table.store.cells(name).astype(np.int64)
        return cells if self.rows is None else cells[self.rows]

    def numbers_before(self, name: str) -> NDArray[np.float64] | None:
        """Return for each row of the file the number of the original; None where that is not known."""
        if self.original is None or self.rows is None or name not in self.original.names:
            return None
        marks = self.original.missing | frozenset(self.policy.missing)
        return np.asarray(self.original.store.numbers(name, missing=marks)[self.was(name)])

    @cached_property
    def units_before(self) -> _Ints | None:
        """The unit of each row of the original, a number each; None where no unit is named, or the original lacks it.

        A row whose unit is missing is one of its own.
        """
        unit = self.policy.unit
        if unit is None or self.original is None or unit not in self.original.names:
            return None
        marks = {"", *self.original.missing, *self.policy.missing}
        return _apart(self.original.store.values(unit), self.original.store.cells(unit).astype(np.int64), marks)

    @cached_property
    def units(self) -> _Ints | None:
        """The unit of each row of the file, by the original or by the file itself; None where nobody knows."""
        unit = self.policy.unit
        if self.rows is not None and self.units_before is not None:
            return self.units_before[self.rows]
        if unit is None or unit not in self.source.names:
            return None
        marks = {"", WITHHELD, *self.policy.missing}
        return _apart(self.source.values(unit), self.source.cells(unit).astype(np.int64), marks)

    def is_unchanged(self, name: str) -> bool:
        """Return whether a column is published as it stood, row by row."""
        hashes = source_of(self._table).hashes(name)
        return self.rows is not None and np.array_equal(self.source.hashes(name), hashes[self.rows])

    @cached_property
    def hidden(self) -> dict[int, Rows]:
        """For each requirement that hides cells, by its number, where they lie in the original."""
        store = self.source if self.original is None else source_of(self.original)
        return {
            i: requirement.home.check.hidden_rows(store, self.policy, i, numbers=self._numbers)
            for i, requirement in enumerate(self.policy.require)
            if requirement.needs_rows
        }

    def unanswered(self, name: str) -> _Ints:
        """Return the rows of the original whose cells of a column are hidden from the informed."""
        informed = [i for i, requirement in enumerate(self.policy.require) if requirement.is_informed]
        return self._joined(name, [self.hidden[i] for i in informed if i in self.hidden])

    def groups(self, names: Iterable[str]) -> _Ints:
        """Return a number for the texts of each row of the file in some columns: the same for the same texts."""
        found = np.zeros(self.source.n_rows, dtype=np.int64)
        for name in names:
            cells = self.cells(name).astype(np.int64)
            found = np.unique(found * (int(cells.max(initial=0)) + 1) + cells, return_inverse=True)[1].astype(np.int64)
        return found

    def of_original(self) -> "Sight":
        """Return the original as if it were the file."""
        return Sight(source_of(self._table), self.policy, self.original)

    # What adversaries see.

    def seen(self, name: str, *, as_text: bool = False, is_target: bool = False) -> Coded:
        """Return a column of the file, by what its texts mean or by the texts themselves; see `Meaning.coded`."""
        lookup, labels = self.meaning(name).coded(as_text=as_text, is_target=is_target)
        return lookup[self.cells(name)], labels

    @cached_property
    def after(self) -> dict[str, Coded]:
        """The columns of the file, by what their texts mean."""
        return {name: self.seen(name) for name in self.names}

    @cached_property
    def before(self) -> dict[str, Coded]:
        """The columns of the original; numbers that are published in bins are in them."""
        found = {}
        for name in self.names:
            lookup, labels = self.meaning(name).coded_values()
            found[name] = lookup[self._in_order(name)], labels
        return found

    def view(self, names: Sequence[str], requirement: Any, *, target: str, as_text: Container[str] = ()) -> View:
        """Return columns of the file as an adversary sees them; taxonomies where a requirement lets cells climb."""
        columns = {name: self.seen(name, as_text=name in as_text, is_target=name == target) for name in names}
        return self._view(columns, requirement)

    def released_view(self, requirement: Any = None) -> View:
        """Return the file as an attacker sees it."""
        return self._view(self.after, requirement)

    def original_view(self) -> View:
        """Return the original."""
        return self._view(self.before, None)

    def before_view(self, requirement: Any = None) -> View:
        """Return the original with only the hidden cells blank; values as coarse as the file publishes them at best."""
        columns = {name: self._as_published(name, requirement) for name in self.names}
        for name in self.names if self.is_aligned else ():
            codes, labels = columns[name]
            codes = codes.copy()
            codes[self.placed(self._joined(name, self.hidden.values()))] = -1
            columns[name] = codes, labels
        return self._view(columns, requirement)

    def targets(self, number: int) -> list[Target]:
        """Return the cells that a requirement hides, column by column; those that held nothing are left out."""
        requirement = self.policy.require[number]
        hidden = {name: self.placed(rows) for name, rows in self.hidden[number].items() if name in self.names}
        return [found for name, rows in hidden.items() for found in self._target(name, rows, requirement)]

    def others(self) -> list[Target]:
        """Return the other cells that the file withholds though the original holds something, column by column.

        A column that the file withholds altogether has nothing to learn from, and is left out.
        """
        found = []
        for name in self.names:
            is_known = self.after[name][0] >= 0
            if not is_known.any():
                continue
            lost = ~is_known & (self.before[name][0] >= 0)
            lost[self.placed(self._joined(name, self.hidden.values()))] = False
            found += self._target(name, np.flatnonzero(lost), None)
        return found

    @cached_property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """For each column the order of its values, which decides ties of ID3.

        Where nothing may depend on hidden values, a value's place in a column without a domain is where it appears
        elsewhere.
        """
        found = {}
        for name in self.names if self.original is not None else ():
            labels = tuple(sorted(self.meaning(name).coded()[1], key=_start))
            if not self.meaning(name).labels and self._has_domain(name):
                grid = Grid.of(self._table, [name])
                labels = grid.labels[0]
                if self.unanswered(name).size and not self._table.has_given_domain(name):
                    codes = grid.codes[:, 0]
                    codes[self._joined(name, self.hidden.values())] = -1
                    codes, first = np.unique(codes, return_index=True)
                    labels = tuple(labels[code] for code in codes[np.argsort(first)].tolist() if code >= 0)
            found[name] = labels
        return found

    def grids(self) -> tuple[Grid, Grid]:
        """Return the original and the file as grids of the columns that both hold."""
        grids = []
        for each in (self.before, self.after):
            codes = np.column_stack([each[name][0] for name in self.names]).astype(np.int32)
            grids.append(Grid(self.names, tuple(each[name][1] for name in self.names), codes))
        return grids[0], grids[1]

    def _view(self, columns: dict[str, Coded], requirement: Any) -> View:
        trees: dict[str, Taxonomy] = {}
        if requirement is not None and requirement.modify == "generalize":
            for name, (_, labels) in columns.items():
                tree = self.meaning(name).tree or Taxonomy.flat(self.orders.get(name, ()))
                trees[name] = _tree_with(tree, labels)
        return View(
            columns=tuple(columns),
            codes=[codes for codes, _ in columns.values()],
            labels=[labels for _, labels in columns.values()],
            trees=[trees.get(name) for name in columns],
        )

    def _as_published(self, name: str, requirement: Any) -> Coded:
        """Return a column of the original, each value as the narrowest text by which the file could publish it.

        Where cells may climb along a given tree, an adversary himself goes down from what he reads.
        """
        meaning = self.meaning(name)
        if requirement is not None and requirement.modify == "generalize" and meaning.tree is not None:
            return self.before[name]
        places = np.flatnonzero(~meaning.was_missing)
        texts = np.array([labels[0] for labels in meaning.truths(places)], dtype=object)
        labels, codes = np.unique(texts, return_inverse=True)
        lookup = np.full(len(meaning.values), -1, dtype=np.int64)
        lookup[places] = codes
        return lookup[self._in_order(name)], tuple(labels.tolist())

    def _in_order(self, name: str) -> _Ints:
        """Return the cells of the original in the order of the file, where that is known of all of them."""
        return self.was(name) if self.is_aligned else self._table.store.cells(name).astype(np.int64)

    def _target(self, name: str, rows: _Ints, requirement: Any) -> list[Target]:
        codes, labels = self._as_published(name, requirement)
        rows = rows[codes[rows] >= 0]
        if not rows.size:
            return []
        return [Target(column=name, rows=rows, truth=tuple(np.array(labels, dtype=object)[codes[rows]].tolist()))]

    def _bins(self, name: str) -> Bins | None:
        """Return the bins in which a column is published; edges are taken from cells that are not hidden."""
        settings = self.policy.columns.get(name)
        if settings is None or settings.bins is None or self.original is None or name not in self.original.names:
            return None
        store = self.original.store
        private = np.zeros(self.original.n_rows, dtype=np.bool_)
        private[self._joined(name, self.hidden.values())] = True
        try:
            numbers = store.numbers(name, missing=self.original.missing | frozenset(self.policy.missing))
            is_counted = not source_of(self.original).has_rows
            values = np.repeat(numbers, _counted(store, name)) if is_counted else numbers[store.cells(name)]
            units = None if is_counted else self.units_before
            return bins_of(values, settings.bins, private=private, least=self.policy.least_shown(name), units=units)
        except (DataError, InputError):
            return None

    def _joined(self, name: str, cells: Iterable[Rows]) -> _Ints:
        none = np.zeros(0, dtype=np.int64)
        return np.unique(np.concatenate([none, *(rows[name] for rows in cells if name in rows)]))

    @cached_property
    def _numbers(self) -> list[str]:
        """The number columns, which only a condition asks for."""
        if self.original is None or not any(requirement.needs_rows for requirement in self.policy.require):
            return []
        return [n for n in self.original.names if self._has_domain(n) and isinstance(self.original.domain(n), Numbers)]

    def _has_domain(self, name: str) -> bool:
        """Return whether the values of a column are known; infinities, in a column that nobody names, are none."""
        try:
            self._table.domain(name)
        except DataError:
            return False
        return True

    @property
    def _table(self) -> Table:
        assert self.original is not None
        return self.original


def _apart(values: Sequence[str | None], cells: _Ints, marks: Collection[str]) -> _Ints:
    """Return a number for the value of each cell; a missing one has a number of its own."""
    is_missing = np.array([value is None or value in marks for value in values], dtype=np.bool_)
    alone = np.flatnonzero(is_missing[cells]) if cells.size else cells
    found = cells.copy()
    found[alone] = len(values) + np.arange(alone.size)
    return np.unique(found, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _start(label: str) -> tuple[float, str]:
    """Return where an interval or number begins, to sort by; other texts come last."""
    interval = parse_interval(label)
    start = number_of(label) if interval is None else interval.low
    return np.inf if np.isnan(start) else start, label


def _counted(store: Store, name: str) -> _Ints:
    """Return how many rows hold each value of a column, counted by the engine."""
    codes, weights = store.counts([name])
    return np.bincount(codes[0], weights=weights, minlength=len(store.values(name))).astype(np.int64)


def _held(cells: Codes, texts: Sequence[str | None]) -> _Ints:
    """Return how many cells are each of some texts."""
    return np.bincount(cells.astype(np.int64), minlength=len(texts))


def _tree_with(tree: Taxonomy, texts: Iterable[str]) -> Taxonomy:
    """Return a taxonomy that knows these texts: one that it did not, as another tool may write, is a value of its own.

    Examples
    --------
    >>> _tree_with(Taxonomy.flat(["cook"]), ["cook", "20-39", "*"]).leaves
    ('cook', '20-39')
    """
    foreign = sorted({*texts} - {*tree.labels, WITHHELD})
    if not foreign:
        return tree
    return Taxonomy([*tree.parent.tolist(), *[0] * len(foreign)], [*tree.labels, *foreign], source=tree.source)
