"""Cells hidden without a look at what stood there: adversaries say of them what they say of a row without values.

What is changed is decided by the table in which the hidden cells are blank already. So the release tells nobody more
about them than that table does, however much they know of the method; nothing can be read off what was changed.
"""

from collections.abc import Callable, Sequence

import numpy as np

from withhold._compiled import Array
from withhold.methods.inference._choices import Choices
from withhold.methods.inference._protection import Status
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._state import HIDDEN
from withhold.methods.inference._told import fewest_blanks, find_told, give_back
from withhold.methods.inference._tree import plant

__all__ = ["BlindGuard"]

MOST_COLUMNS = 60
"""How many cells of a row are searched for the fewest to blank; sets of them are bits of one word."""
MOST_SETS = 50_000
"""How many sets are tried in a row; where none of them works, blanks of the whole row are given back one by one."""
MOST_DRAWN = 1_000
"""How many sets of the smallest size one is drawn from."""


class BlindGuard:
    """Keeps adversaries from telling more about hidden cells than about a row of which nothing is known.

    Only cells of the same row are blanked, as few as work. That always ends well: a row of blanks is a row of which
    nothing is known. Since blanks of one row change what is learned about other columns, all cells are asked again
    until none tells anything.

    Parameters
    ----------
    sheet
        The table, in which the hidden cells are blank; it is changed.
    cells
        The hidden cells, as row and position of the column.
    against
        The adversaries: ``"naive-bayes"``, ``"id3"``.
    choices
        Where random choices come from.
    """

    def __init__(
        self, sheet: Sheet, cells: Sequence[tuple[int, int]], *, against: Sequence[str], choices: Choices
    ) -> None:
        self.sheet = sheet
        self.cells = sorted(cells, key=lambda cell: (cell[1], cell[0]))
        self.choices = choices
        self.from_bayes = "naive-bayes" in against
        self.from_id3 = "id3" in against
        self.touched: set[tuple[int, int]] = set()
        """The cells that something was blanked for."""
        sheet.prepare(target for _, target in self.cells)
        self._rows = np.array([row for row, _ in self.cells], dtype=np.int64)
        self._targets = np.array([target for _, target in self.cells], dtype=np.int64)
        self._flags = np.zeros(len(self.cells), dtype=bool)
        self._planted = -1
        """The target of the tree that stands, -1 for none."""

    def protect(self, on_round: Callable[[int], object] | None = None) -> None:
        """Blank cells until nothing is told; `on_round` hears of how many cells something is, before each round."""
        while n_told := self.count_told():
            if on_round is not None:
                on_round(n_told)
            for row, target in [self.cells[i] for i in np.flatnonzero(self._flags)]:
                self._blank(row, target)

    def count_told(self) -> int:
        """Count the cells of which an adversary says something that it would not say of a row without values."""
        self._planted = -1
        return int(
            find_told(
                self.sheet.state, self.sheet.tree, self._rows, self._targets, self.from_bayes, self.from_id3,
                self._flags,
            )
        )  # fmt: skip

    def _blank(self, row: int, target: int) -> None:
        """Blank one of the smallest sets of cells after which nothing is told of a cell, drawn at random."""
        state, tree = self.sheet.state, self.sheet.tree
        if self.from_id3 and self._planted != target:
            plant(tree, state, target, HIDDEN)
            self._planted = target
        columns = self._shuffled(np.flatnonzero(state.uses[target] & (state.codes[row] >= 0)))
        question = (state, tree, row, target, self.from_bayes, self.from_id3, columns)
        n_found, found = 0, np.empty(MOST_DRAWN, dtype=np.int64)
        if columns.size <= MOST_COLUMNS:
            n_found = fewest_blanks(*question, MOST_SETS, found)
        if n_found:
            mask = found[self.choices.below(n_found) if n_found > 1 else 0]
            is_blank = (mask >> np.arange(columns.size)) & 1 == 1
        else:
            is_blank = np.empty(columns.size, dtype=bool)
            give_back(*question, is_blank)
        for column in columns[is_blank].tolist():
            if self._planted >= 0 and (column == self._planted or state.codes[row, self._planted] != HIDDEN):
                self._planted = -1  # the tree has learned from this cell
            self.sheet.put(row, column, HIDDEN)
            self.touched.add((row, target))

    def _shuffled(self, columns: Array) -> Array:
        """Return columns in random order, so that none is blanked for where it stands."""
        mixed = columns.tolist()
        for i in range(len(mixed) - 1, 0, -1):
            j = self.choices.below(i + 1)
            mixed[i], mixed[j] = mixed[j], mixed[i]
        return np.array(mixed, dtype=np.int64)

    def status(self, row: int, target: int) -> Status:
        """Return what became of a cell."""
        return "suppressed" if (row, target) in self.touched else "not_needed"
