"""What guards of hidden cells share: the cells as questions to the adversaries, and a tree that stands while it may."""

from collections.abc import Sequence

import numpy as np

from withhold.methods.inference._choices import Choices
from withhold.methods.inference._id3_tree import plant
from withhold.methods.inference._question import Question, Questions
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._state import HIDDEN

__all__ = ["MOST_COLUMNS", "CellGuard"]

MOST_COLUMNS = 60
"""How many cells of a row may be blanked together; sets of them are bits of one word."""


class CellGuard:
    """Hidden cells, by column and row, and the table in which they are kept from adversaries.

    Parameters
    ----------
    sheet
        The table, in which ties count; it is changed.
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
        self.touched: set[tuple[int, int]] = set()
        """The cells that something was changed for."""
        sheet.prepare(target for _, target in self.cells)
        places = np.array(self.cells, dtype=np.int64).reshape(-1, 2)
        self._asked = Questions(
            rows=places[:, 0].copy(),
            targets=places[:, 1].copy(),
            tops=np.full(len(places), HIDDEN, dtype=np.int64),
            actuals=sheet.actual[places[:, 0], places[:, 1]].astype(np.int64),
            from_bayes="naive-bayes" in against,
            from_id3="id3" in against,
        )
        self._flags = np.zeros(len(places), dtype=bool)
        """The cells that were found to be in need of something."""
        self._planted = -1
        """The target of the tree that stands, -1 for none."""

    def _question(self, row: int, target: int) -> Question:
        asked = self._asked
        return Question(row, target, HIDDEN, int(self.sheet.actual[row, target]), asked.from_bayes, asked.from_id3)

    def _plant(self, target: int) -> None:
        """Begin a tree, unless the one that stands is for this target and nothing it learns from has changed."""
        if self._asked.from_id3 and self._planted != target:
            plant(self.sheet.tree, self.sheet.state, target, HIDDEN)
            self._planted = target

    def _put(self, row: int, column: int, node: int) -> None:
        """Change a cell; a row without a label is nothing to the tree of that label."""
        if self._planted >= 0 and (column == self._planted or self.sheet.state.codes[row, self._planted] != HIDDEN):
            self._planted = -1
        self.sheet.put(row, column, node)
