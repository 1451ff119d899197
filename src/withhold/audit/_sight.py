"""The release and the original side by side, coded alike, for attacks and for what analysts lose."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.attackers import Target, View
from withhold.audit._empty import EMPTY, with_empty
from withhold.engines import Source
from withhold.errors import DataError
from withhold.policy import Hidden, Policy
from withhold.policy._cells import Cells, bin_recodings, find_cells
from withhold.table import Bins, Grid, NumberRecoding, Numbers, Store, Table, Taxonomy, format_number
from withhold.table._decision import WITHHELD
from withhold.table._numbers import is_number

__all__ = ["Sight"]


@dataclass
class Sight:
    """What an outsider sees in the file, beside what stood in the original; rows at the same place are the same person.

    Cells are texts, numbers in one form; blank, missing and withheld cells are unknown.
    """

    source: Source
    """The file."""
    policy: Policy
    """What was promised."""
    original: Table | None
    """The original, under the policy's domains; None where only the file is there."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns that both hold, and that are not dropped."""
        known = self.source.names if self.original is None else self.original.names
        return tuple(name for name in self.source.names if name in known and name not in self.policy.drop)

    @cached_property
    def after(self) -> dict[str, tuple[NDArray[np.int64], tuple[str, ...]]]:
        """For each column of the file its codes, -1 for unknown, and their texts."""
        return {name: self._coded(self.source, name) for name in self.names}

    @cached_property
    def before(self) -> dict[str, tuple[NDArray[np.int64], tuple[str, ...]]]:
        """The same of the original; numbers that are published in bins are in them."""
        store = self._table.store
        return {name: self._binned(name) or self._coded(store, name) for name in self.names}

    @cached_property
    def hidden(self) -> Cells:
        """The cells that requirements hide, those that held nothing left out."""
        found: Cells = []
        for i, requirement in enumerate(self.policy.require):
            if isinstance(requirement, Hidden):
                found += find_cells(self._table.store, self.policy, i, numbers=self._numbers)  # type: ignore[arg-type]
        return list(dict.fromkeys(found))

    def targets(self) -> list[Target]:
        """Return the hidden cells, column by column."""
        rows: dict[str, list[int]] = {}
        for row, name in self.hidden:
            rows.setdefault(name, []).append(row)
        return [found for name in rows if name in self.names for found in self._target(name, np.array(rows[name]))]

    def others(self) -> list[Target]:
        """Return the other cells that the file withholds though the original holds something, column by column.

        A column that the file withholds altogether has nothing to learn from, and is left out.
        """
        hidden = {name: [row for row, column in self.hidden if column == name] for name in self.names}
        found = []
        for name in self.names:
            is_known = self.after[name][0] >= 0
            if not is_known.any():
                continue
            lost = ~is_known & (self.before[name][0] >= 0)
            lost[hidden[name]] = False
            found += self._target(name, np.flatnonzero(lost))
        return found

    def promised(self) -> dict[str, tuple[str, ...]]:
        """Return for the hidden columns what the policy lets adversaries predict from, where that is not everything."""
        found: dict[str, tuple[str, ...]] = {}
        for i, requirement in enumerate(self.policy.require):
            if isinstance(requirement, Hidden):
                cells = find_cells(self._table.store, self.policy, i, numbers=self._numbers)  # type: ignore[arg-type]
                for name in dict.fromkeys(name for _, name in cells):
                    predictors = requirement.predictors or self.names
                    found[name] = max(found.get(name, ()), predictors, key=len)
        return {name: some for name, some in found.items() if not {*self.names} - {name} <= {*some}}

    def released_view(self) -> View:
        """Return the file as an attacker sees it."""
        return self._view({name: self.after[name] for name in self.names})

    def before_view(self, targets: Sequence[Target]) -> View:
        """Return the original with only the attacked cells blank."""
        columns = dict(self.before)
        for target in targets:
            codes, labels = columns[target.column]
            codes = codes.copy()
            codes[target.rows] = -1
            columns[target.column] = codes, labels
        return self._view(columns)

    def orders(self) -> dict[str, tuple[str, ...]]:
        """Return for each column the order of its values, which decides ties of ID3."""
        found = {}
        for name in self.names:
            is_binned = name in self._bins
            labels = self._bins[name][1].labels if is_binned else Grid.of(self._table, [name]).labels[0]
            found[name] = tuple(label or EMPTY for label in labels)
        return found

    def grids(self) -> tuple[Grid, Grid]:
        """Return the original and the file as grids of the columns that both hold."""
        grids = []
        for each in (self.before, self.after):
            codes = np.column_stack([each[name][0] for name in self.names]).astype(np.int32)
            grids.append(Grid(self.names, tuple(each[name][1] for name in self.names), codes))
        return grids[0], grids[1]

    @cached_property
    def trees(self) -> dict[str, Taxonomy]:
        """The taxonomies along which cells may have climbed, where every text of the file is a node."""
        found: dict[str, Taxonomy] = {}
        for name in self.names if self.original is not None else ():
            tree = self._tree(name)
            if tree is not None and {*self.after[name][1], *self.before[name][1]} <= set(tree.labels):
                found[name] = tree
        return found

    def _view(self, columns: dict[str, tuple[NDArray[np.int64], tuple[str, ...]]]) -> View:
        names = self.names
        return View(
            columns=names,
            codes=[columns[name][0] for name in names],
            labels=[columns[name][1] for name in names],
            trees=[self.trees.get(name) for name in names],
        )

    def _target(self, name: str, rows: NDArray[np.int64]) -> list[Target]:
        codes, labels = self.before[name]
        rows = rows[codes[rows] >= 0]
        if not rows.size:
            return []
        return [Target(column=name, rows=rows, truth=tuple(labels[code] for code in codes[rows].tolist()))]

    def _binned(self, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]] | None:
        if name not in self._bins:
            return None
        bins, recoding = self._bins[name]
        store = self._table.store
        numbers = store.numbers(name, missing=self._table.missing)[store.cells(name)]
        return bins.codes(numbers).astype(np.int64), tuple(recoding.labels)

    @cached_property
    def _bins(self) -> dict[str, tuple[Bins, NumberRecoding]]:
        return bin_recodings(self._table, self.policy, self.hidden)

    @cached_property
    def _numbers(self) -> list[str]:
        if self.original is None:
            return []
        return [name for name in self.original.names if _is_of_numbers(self.original, name)]

    @property
    def _table(self) -> Table:
        assert self.original is not None
        return self.original

    def _tree(self, name: str) -> Taxonomy | None:
        if self.original is None or not self.original.has_given_domain(name):
            return None
        domain = self.original.domain(name)
        return with_empty(domain) if isinstance(domain, Taxonomy) else None

    def _coded(self, store: Store, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        tree = self._tree(name)
        root = None if tree is None else tree.labels[0]
        values = [self._plain(value, is_numeric=name in self._numbers) for value in store.values(name)]
        values = [None if value == root else value for value in values]
        labels = tuple(sorted({value for value in values if value is not None}))
        place = {label: code for code, label in enumerate(labels)}
        lookup = np.array([-1 if value is None else place[value] for value in values], dtype=np.int64)
        return lookup[store.cells(name)], labels

    def _plain(self, value: str | None, *, is_numeric: bool) -> str | None:
        if value is None or value == WITHHELD or value in self.policy.missing:
            return None
        if value == "":
            return EMPTY
        return format_number(float(value)) if is_numeric and is_number(value) else value


def _is_of_numbers(table: Table, name: str) -> bool:
    """Tell whether a column holds numbers; one with infinities, which no requirement names, does not."""
    try:
        return isinstance(table.domain(name), Numbers)
    except DataError:
        return False
