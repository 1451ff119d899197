"""Hidden cells of one table: protect them, ask the adversaries, measure what was lost."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from benchmarks.inference import Cell, WithoutCoin, runner

from experiments._svm import LinearSvm
from withhold import Table, Taxonomy
from withhold.methods.inference import Change, Protection, RandomChoices, Sheet, protect
from withhold.metrics import SuccessRate, SuppressionMetrics, suppression_metrics
from withhold.table import Grid

__all__ = ["NO_COIN", "NO_METHOD", "Bench", "choices_for"]

NO_METHOD = "hidden only"
"""The cell is hidden and nothing else is done."""
NO_COIN = " without coin"
"""Ends the name of an algorithm that goes on where the printed one tosses a coin: at two candidate values."""


def choices_for(algorithm: str, *seed: int) -> RandomChoices:
    """Return random choices that can be repeated, with a coin or without, as the algorithm's name says."""
    rng = np.random.default_rng(seed)
    return WithoutCoin(rng) if algorithm.endswith(NO_COIN) else RandomChoices(rng)


class Bench:
    """A table on which algorithms are tried.

    Parameters
    ----------
    table
        The table.
    modify
        ``"delete"`` or ``"generalize"``.
    """

    def __init__(self, table: Table, modify: str) -> None:
        self.sheet = Sheet(table, modify=modify)
        self.sheet.prepare(range(len(self.sheet.grid.columns)))
        domains = {name: table.domain(name) for name in table.names}
        self.taxonomies = {name: tree for name, tree in domains.items() if isinstance(tree, Taxonomy)}

    def protect(self, algorithm: str, cell: Cell, choices: RandomChoices) -> Protection | None:
        """Protect one cell of the table as it stands; None where it is only to be hidden."""
        if algorithm == NO_METHOD:
            return None
        return runner(algorithm.removesuffix(NO_COIN))(self.sheet, *cell, choices)

    @contextmanager
    def changed(self, cell: Cell, done: Protection | None) -> Iterator[bool]:
        """Put the changes into the table for a while; yields whether the row of the cell was deleted."""
        mark = self.sheet.mark
        self.apply([Change(*cell, "*")] if done is None else done.changes)
        try:
            yield done is not None and done.status == "deleted"
        finally:
            self.sheet.undo(mark)

    def apply(self, changes: Iterable[Change]) -> None:
        """Put changes into the table."""
        for row, column, published in changes:
            place = self.sheet.place(column)
            self.sheet.put(row, place, self.sheet.node(place, published))

    def recovers(self, adversary: str, row: int, column: str) -> bool:
        """Return whether naive Bayes or ID3, trained on all other rows, gives a hidden cell."""
        sheet, target = self.sheet, self.sheet.place(column)
        actual, top = int(sheet.actual[row, target]), int(sheet.state.codes[row, target])
        if len(sheet.candidates(target, top)) == 1:
            return True
        if adversary == "naive-bayes":
            return sheet.is_predicted(row, target, top, actual)
        return sheet.is_classified(row, target, top, actual)

    def successes(self, cell: Cell, done: Protection | None, machines: Sequence[LinearSvm]) -> dict[str, SuccessRate]:
        """Return for each adversary whether it fails on a cell."""
        with self.changed(cell, done) as is_deleted:
            found = {}
            for adversary in ("naive-bayes", "id3"):
                found[adversary] = outcome(not is_deleted and self.recovers(adversary, *cell), is_deleted)
            inside = done is None or all(change.row == cell[0] for change in done.changes)
            for machine in machines:
                guessed = not is_deleted and machine.recovers(self.sheet, *cell, is_fresh=inside)
                found[machine.name] = outcome(guessed, is_deleted)
        return found

    def in_turn(self, algorithm: str, cells: Sequence[Cell], choices: RandomChoices) -> dict[str, Any]:
        """Protect several cells, each on what the ones before left, all hidden first; return every metric."""
        sheet, mark = self.sheet, self.sheet.mark
        for row, column in cells:
            sheet.put(row, sheet.place(column), -1)
        deleted = set()
        for cell in cells:
            done = self.protect(algorithm, cell, choices)
            assert done is not None
            self.apply(done.changes)
            if done.status == "deleted":
                deleted.add(cell)
        return self._outcome(cells, deleted, mark)

    def at_once(self, cells: Sequence[Cell], choices: RandomChoices) -> dict[str, Any]:
        """Protect several cells together, with `auto`; return every metric."""
        mark = self.sheet.mark
        done = protect(self.sheet, cells, rng=choices)
        self.apply(done.changes)
        pairs = zip(done.cells, done.statuses, strict=True)
        return self._outcome(cells, {cell for cell, status in pairs if status == "deleted"}, mark)

    def _outcome(self, cells: Sequence[Cell], deleted: set[Cell], mark: int) -> dict[str, Any]:
        left = [cell for cell in cells if cell not in deleted]
        exposed = {name: sum(self.recovers(name, *cell) for cell in left) for name in ("naive-bayes", "id3")}
        found = self.metrics()
        self.sheet.undo(mark)
        return {
            "direct distance": found.direct_distance,
            "SKLD": found.skld,
            "ACMI": found.acmi,
            "SCE": found.sce,
            "rows deleted": len({row for row, _ in deleted}),
            "exposed to naive-bayes": exposed["naive-bayes"],
            "exposed to id3": exposed["id3"],
        }

    def published(self) -> Grid:
        """Return the table as it stands."""
        sheet = self.sheet
        return Grid(sheet.grid.columns, tuple(tuple(texts) for texts in sheet.texts), sheet.state.codes.copy())

    def metrics(self) -> SuppressionMetrics:
        """Return what the table as it stands has lost."""
        trees = self.taxonomies if self.sheet.generalizes else {}
        return suppression_metrics(self.sheet.grid, self.published(), taxonomies=trees)


def outcome(is_recovered: bool, is_deleted: bool) -> SuccessRate:
    """Return the success on one cell."""
    return SuccessRate(n_cells=1, n_recovered=int(is_recovered), n_deleted=int(is_deleted))
