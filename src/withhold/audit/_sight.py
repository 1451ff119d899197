"""The release and the original side by side, coded alike, for attacks and for what analysts lose."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.attackers import Target, View
from withhold.audit._empty import EMPTY
from withhold.audit._listed import Cells, hidden_cells
from withhold.audit._reading import given_tree, plain, tree_with
from withhold.audit._source import source_of
from withhold.audit._spelling import spellings, tree_of
from withhold.audit._told import told_as
from withhold.engines import Source
from withhold.errors import DataError
from withhold.policy import Hidden, Policy
from withhold.policy._cells import bin_recodings
from withhold.table import Bins, Grid, NumberRecoding, Numbers, Store, Table, Taxonomy
from withhold.table._decision import WITHHELD

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
    def hidden(self) -> dict[int, Cells]:
        """For each requirement that hides cells, by its number, which ones."""
        return {
            i: hidden_cells(source_of(self._table), self.policy, i, numbers=self._numbers)
            for i, requirement in enumerate(self.policy.require)
            if isinstance(requirement, Hidden)
        }

    def targets(self, number: int) -> list[Target]:
        """Return the cells that a requirement hides, column by column; those that held nothing are left out."""
        rows, requirement = self._rows(self.hidden[number]), self.policy.require[number]
        assert isinstance(requirement, Hidden)
        names = [name for name in rows if name in self.names]
        return [found for name in names for found in self._target(name, np.array(rows[name]), requirement)]

    @staticmethod
    def _rows(cells: Cells) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, name in cells:
            found.setdefault(name, []).append(row)
        return found

    @cached_property
    def _every(self) -> Cells:
        return list(dict.fromkeys(cell for cells in self.hidden.values() for cell in cells))

    def others(self) -> list[Target]:
        """Return the other cells that the file withholds though the original holds something, column by column.

        A column that the file withholds altogether has nothing to learn from, and is left out.
        """
        hidden = self._rows(self._every)
        found = []
        for name in self.names:
            is_known = self.after[name][0] >= 0
            if not is_known.any():
                continue
            lost = ~is_known & (self.before[name][0] >= 0)
            lost[hidden.get(name, [])] = False
            found += self._target(name, np.flatnonzero(lost), None)
        return found

    def released_view(self, requirement: Hidden | None = None) -> View:
        """Return the file as an attacker sees it; taxonomies where a requirement lets cells climb along them."""
        return self._view(self.after, requirement)

    def original_view(self) -> View:
        """Return the original."""
        return self._view(self.before, None)

    def before_view(self, requirement: Hidden | None = None) -> View:
        """Return the original with only the hidden cells blank; values as coarse as the file tells them at best."""
        columns = {name: self._as_told(name, requirement) for name in self.names}
        for name, rows in self._rows(self._every).items() if self.policy.rows == "keep" else ():
            if name in columns:
                codes, labels = columns[name]
                codes = codes.copy()
                codes[rows] = -1
                columns[name] = codes, labels
        return self._view(columns, requirement)

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

    def _view(self, columns: dict[str, tuple[NDArray[np.int64], tuple[str, ...]]], requirement: Hidden | None) -> View:
        trees: dict[str, Taxonomy] = {}
        if requirement is not None and requirement.modify == "generalize":
            for name, order in self.orders().items():
                trees[name] = tree_with(self._tree(name) or Taxonomy.flat(order), columns[name][1])
        return View(
            columns=self.names,
            codes=[columns[name][0] for name in self.names],
            labels=[columns[name][1] for name in self.names],
            trees=[trees.get(name) for name in self.names],
        )

    def _as_told(self, name: str, requirement: Hidden | None) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """Return a column of the original, each value as the narrowest text by which the file could have told it.

        Where cells may climb along a given tree, an adversary himself goes down from what he reads.
        """
        codes, labels = self.before[name]
        if requirement is not None and requirement.modify == "generalize" and self._tree(name) is not None:
            return codes, labels
        told = told_as(
            labels,
            self.after[name][1],
            tree=tree_of(self.policy, self.original, name),
            is_numeric=name in self._numbers,
        )
        if told == list(labels):
            return codes, labels
        texts, lookup = np.unique(np.array(told, dtype=object), return_inverse=True)
        return np.append(lookup, -1)[codes], tuple(texts.tolist())

    def _target(self, name: str, rows: NDArray[np.int64], requirement: Hidden | None) -> list[Target]:
        codes, labels = self._as_told(name, requirement)
        rows = rows[codes[rows] >= 0]
        if not rows.size:
            return []
        return [Target(column=name, rows=rows, truth=tuple(np.array(labels, dtype=object)[codes[rows]].tolist()))]

    def _binned(self, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]] | None:
        if name not in self._bins:
            return None
        bins, recoding = self._bins[name]
        store = self._table.store
        numbers = store.numbers(name, missing=self._table.missing)[store.cells(name)]
        return bins.codes(numbers).astype(np.int64), tuple(recoding.labels)

    @cached_property
    def _bins(self) -> dict[str, tuple[Bins, NumberRecoding]]:
        return bin_recodings(self._table, self.policy, self._every)

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
        return None if self.original is None else given_tree(self.original, name)

    def _coded(self, store: Store, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        tree = self._tree(name)
        root = None if tree is None else tree.labels[0]
        spelled = spellings(store, self.policy, self.original, name).all(store.values(name))
        values = [plain(value, self.policy, is_numeric=name in self._numbers) for value in spelled]
        values = [None if value in (root, WITHHELD) else value for value in values]
        labels = tuple(sorted({value for value in values if value is not None}))
        place = {label: code for code, label in enumerate(labels)}
        lookup = np.array([-1 if value is None else place[value] for value in values], dtype=np.int64)
        return lookup[store.cells(name)], labels


def _is_of_numbers(table: Table, name: str) -> bool:
    """Tell whether a column holds numbers; one with infinities, which no requirement names, does not."""
    try:
        return isinstance(table.domain(name), Numbers)
    except DataError:
        return False
