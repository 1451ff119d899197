"""Cells hidden without a look at what stood there: adversaries say of them what they say of a row without values.

What is changed is decided by the table in which the hidden cells are blank already. So the release reveals to nobody
more about them than that table does, however much they know of the method.
"""

from collections.abc import Callable

import numpy as np

from withhold._compiled import Array
from withhold.methods.inference._cell_guard import MOST_COLUMNS, CellGuard
from withhold.methods.inference._protection import Status
from withhold.methods.inference._revealing import fewest_blanks, find_revealing, give_back
from withhold.methods.inference._state import HIDDEN

__all__ = ["BlindGuard"]

MOST_SETS = 50_000
"""How many sets are tried in a row; where none of them works, blanks of the whole row are given back one by one."""
MOST_DRAWN = 1_000
"""How many sets of the smallest size one is drawn from."""


class BlindGuard(CellGuard):
    """Keeps adversaries from saying more about hidden cells than about a row of which nothing is known.

    The hidden cells are blank in the sheet. Only cells of the same row are blanked, as few as work. That always ends
    well: a row of blanks is a row of which nothing is known. Since blanks of one row change what is learned about other
    columns, all cells are asked again until none reveals anything.
    """

    def protect(self, on_round: Callable[[int], object] | None = None) -> None:
        """Blank cells until nothing is revealed; `on_round` hears how many cells reveal something before each round."""
        while n_revealing := self.count_revealing():
            if on_round is not None:
                on_round(n_revealing)
            for row, target in [self.cells[i] for i in np.flatnonzero(self._flags)]:
                self._blank(row, target)

    def count_revealing(self) -> int:
        """Count the cells of which an adversary may say what it would not say of a row without values."""
        self._planted = -1
        return int(find_revealing(self.sheet.state, self.sheet.tree, self._asked, self._flags))

    def _blank(self, row: int, target: int) -> None:
        """Blank one of the smallest sets of cells after which a cell reveals nothing, drawn at random."""
        state, tree = self.sheet.state, self.sheet.tree
        self._plant(target)
        columns = self._shuffled(np.flatnonzero(state.uses[target] & (state.codes[row] >= 0)))
        question = self._question(row, target)._replace(actual=HIDDEN)
        n_found, found = 0, np.empty(MOST_DRAWN, dtype=np.int64)
        if columns.size <= MOST_COLUMNS:
            n_found = int(fewest_blanks(state, tree, question, columns, MOST_SETS, found))
        if n_found:
            mask = found[self.choices.below(n_found) if n_found > 1 else 0]
            is_blank = (mask >> np.arange(columns.size)) & 1 == 1
        else:
            is_blank = np.empty(columns.size, dtype=bool)
            give_back(state, tree, question, columns, is_blank)
        for column in columns[is_blank].tolist():
            self._put(row, column, HIDDEN)
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
