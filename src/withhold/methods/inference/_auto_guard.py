"""Any set of cells at once: the cheapest change first, every cell checked again, rows deleted last."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from withhold._compiled import Array
from withhold.methods.inference._attempt import delete_row
from withhold.methods.inference._cell_guard import MOST_COLUMNS, CellGuard
from withhold.methods.inference._choices import Choices
from withhold.methods.inference._elsewhere import (
    LABELS,
    RAISE,
    VALUES,
    count_stuck,
    run_balance,
    run_elsewhere,
)
from withhold.methods.inference._escape import FAR, run_escape
from withhold.methods.inference._exposure import find_exposed
from withhold.methods.inference._inside import Tried, try_blanks
from withhold.methods.inference._protection import Status
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._state import HIDDEN
from withhold.methods.inference._walks import NOWHERE, find_exposing_leaf

__all__ = ["Guard"]

MOST_SETS = 20_000
"""How many sets of cells of one row are tried; all of them up to 14 predictors."""
PATIENCE = 16
"""How many rounds may pass without fewer exposed cells than ever; then the rows of those of the best round go."""


class Plan(NamedTuple):
    """Cells to blank in a row, and what that leaves to do in other rows."""

    blanks: Array
    to_bayes: int
    to_tree: int
    toward: int


class Guard(CellGuard):
    """Keeps a set of hidden cells safe from naive Bayes and ID3 while a table changes, whichever way ties go.

    Blanking cells of the row is tried first, in all combinations. Where none works, labels and values of other rows go
    until one does; where several rows of a column need that, first until naive Bayes gives a row without values
    another class. Since every change may expose another hidden cell, all are checked again until none is exposed.

    Parameters
    ----------
    sheet, cells, against, choices
        As for `CellGuard`.
    degree
        Where given, naive Bayes is to prefer a value drawn at random from the `degree` most probable ones.
    delete_above
        Where given, a row is deleted rather than protected by more changes in other rows.
    """

    def __init__(
        self,
        sheet: Sheet,
        cells: Sequence[tuple[int, int]],
        *,
        against: Sequence[str],
        degree: int | None,
        choices: Choices,
        delete_above: int | None = None,
    ) -> None:
        super().__init__(sheet, cells, against=against, choices=choices)
        self.degree = degree
        self.delete_above = delete_above
        self.helped: set[tuple[int, int]] = set()
        """The cells that needed changes in other rows."""
        self.deleted: set[int] = set()
        self._hidden = set(cells)
        self._blanked: dict[int, list[int]] = {}
        """What was blanked in the rows of hidden cells."""
        self._begin = sheet.mark

    def protect(self, on_round: Callable[[int], object] | None = None) -> None:
        """Change cells until none is exposed; `on_round` hears how many are, before each round."""
        best, n_stalled = None, 0
        while n_exposed := self.count_exposed():
            if on_round is not None:
                on_round(n_exposed)
            if best is None or n_exposed < best[0]:
                best, n_stalled = (n_exposed, self.sheet.state.codes.copy(), dict(self._blanked)), 0
            elif n_stalled == PATIENCE:
                self._go_back(best[1], best[2])
                best, n_stalled = None, 0
                continue
            n_stalled += 1
            exposed = [self.cells[i] for i in np.flatnonzero(self._flags)]
            for target in dict.fromkeys(target for _, target in exposed):
                self._balance(target, [row for row, other in exposed if other == target])
            for row, target in exposed:
                if row not in self.deleted and self.is_exposed(row, target):
                    self._protect(row, target)
            self.sheet.compact(self._begin)

    def _go_back(self, codes: Array, blanked: dict[int, list[int]]) -> None:
        """Return to an earlier table, and delete the rows that are exposed in it."""
        self._planted = -1
        for row, column in np.argwhere(self.sheet.state.codes != codes).tolist():
            self.sheet.put(row, column, int(codes[row, column]))
        self._blanked = blanked
        self.count_exposed()
        for row in dict.fromkeys(self._asked.rows[self._flags].tolist()):
            self._delete(row)

    def count_exposed(self) -> int:
        """Count the cells that an adversary recovers."""
        self._planted = -1
        return int(find_exposed(self.sheet.state, self.sheet.tree, self._asked, self._flags))

    def is_exposed(self, row: int, target: int) -> bool:
        """Return whether an adversary recovers a cell."""
        asked = self._question(row, target)
        if asked.from_bayes and self.sheet.is_predicted(row, target, HIDDEN, asked.actual):
            return True
        self._plant(target)
        return (
            asked.from_id3
            and int(find_exposing_leaf(self.sheet.tree, self.sheet.state, target, HIDDEN, row, asked.actual)) != NOWHERE
        )

    def _balance(self, target: int, rows: Sequence[int]) -> None:
        """Make another class the most frequent one, where that is cheaper than to help rows one by one."""
        state = self.sheet.state
        by_value: dict[int, list[int]] = {}
        for row in rows:
            by_value.setdefault(int(self.sheet.actual[row, target]), []).append(row)
        for actual, alike in by_value.items():
            every, is_stuck = np.array(alike, dtype=np.int64), np.empty(len(alike), dtype=bool)
            if not self._asked.from_bayes or count_stuck(state, target, every, actual, is_stuck) < 2:
                continue
            mark, self._planted = self.sheet.mark, -1
            n_balance = int(run_balance(state, target, actual, every, FAR))
            self.sheet.undo(mark)
            if self.delete_above is not None and n_balance > self.delete_above * np.count_nonzero(is_stuck):
                continue
            for row in every[is_stuck].tolist():
                if self.is_exposed(row, target):
                    self._protect(row, target)
                lines = state.log[mark : self.sheet.mark]
                if np.count_nonzero(~np.isin(lines[:, 1], every)) >= n_balance:
                    self.sheet.undo(mark)
                    run_balance(state, target, actual, every, FAR)
                    self._planted = -1
                    self.helped |= {(other, target) for other in every[is_stuck].tolist()}
                    self.touched |= self.helped
                    break

    def _protect(self, row: int, target: int) -> None:
        """Protect one cell, in its row alone if that works, else with the fewest changes elsewhere."""
        state = self.sheet.state
        actual = int(self.sheet.actual[row, target])
        self._restore(row)
        guess = self._draw(row, target, actual)
        known = [j for j in range(state.codes.shape[1]) if state.uses[target, j] and state.codes[row, j] >= 0]
        self.touched.add((row, target))
        while True:
            plan = self._plan(row, target, guess, np.array(known[:MOST_COLUMNS], dtype=np.int64))
            if plan is not None and plan.to_bayes + plan.to_tree == 0:
                for column in plan.blanks.tolist():
                    self._put(row, column, HIDDEN)
                self._blanked[row] = plan.blanks.tolist()
                return
            self.helped.add((row, target))
            if self.delete_above is not None and plan is not None and plan.to_bayes + plan.to_tree > self.delete_above:
                self._delete(row)
                return
            if plan is None or not self._change_elsewhere(row, target, actual, plan):
                if guess < 0:
                    self._delete(row)
                    return
                guess = -1  # nothing can be done for the guess that was drawn

    def _restore(self, row: int) -> None:
        """Give back what was blanked in the row of a hidden cell, so that it can be chosen afresh."""
        for column in self._blanked.pop(row, ()):
            if (row, column) not in self._hidden:
                self._put(row, column, int(self.sheet.actual[row, column]))

    def _draw(self, row: int, target: int, actual: int) -> int:
        """Draw a guess where a degree asks for one."""
        if self.degree is None or not self._asked.from_bayes:
            return -1
        if not self.sheet.is_predicted(row, target, HIDDEN, actual):
            return -1
        found = self.sheet.guesses(row, target, HIDDEN, actual, self.degree)
        return found[self.choices.below(len(found))] if found else -1

    def _plan(self, row: int, target: int, guess: int, columns: Array) -> Plan | None:
        """Return one of the cheapest sets of cells to blank, at random; None where nothing helps."""
        self._plant(target)
        room = min(1 << min(columns.size, 40), MOST_SETS)
        tried = Tried(*(np.empty(room, dtype=np.int64) for _ in Tried._fields))
        n = try_blanks(self.sheet.state, self.sheet.tree, self._question(row, target), guess, columns, tried)
        costs = np.bitwise_count(tried.masks[:n]) + tried.to_bayes[:n] + tried.to_tree[:n]
        if costs.min() >= FAR:
            return None
        best = np.flatnonzero(costs == costs.min())
        chosen = best[self.choices.below(best.size) if best.size > 1 else 0]
        mask, *rest = (int(each[chosen]) for each in tried)
        return Plan(columns[(mask >> np.arange(columns.size)) & 1 == 1], *rest)

    def _change_elsewhere(self, row: int, target: int, actual: int, plan: Plan) -> bool:
        """Change other rows as if the row were blanked as planned, in the way that takes the fewest cells.

        Only these changes are made: what to blank in the row is chosen again after them. False where there are none.
        """
        sheet, state = self.sheet, self.sheet.state
        values = state.codes[row, plan.blanks].copy()
        state.codes[row, plan.blanks] = HIDDEN  # the row has no label, so no count of the target changes
        try:
            if plan.to_tree:
                self._plant(target)
                return int(run_escape(sheet.tree, state, target, row, actual)) > 0
            fewest, best = int(state.codes.size), -1
            for how in (LABELS, VALUES, RAISE):
                if how != RAISE or plan.toward >= 0:
                    mark = sheet.mark
                    n = int(run_elsewhere(state, row, target, actual, plan.toward, how, fewest))
                    sheet.undo(mark)
                    fewest, best = (n, how) if n < fewest else (fewest, best)
            if best >= 0:
                run_elsewhere(state, row, target, actual, plan.toward, best, fewest + 1)
            return best >= 0
        finally:
            state.codes[row, plan.blanks] = values
            self._planted = -1

    def _delete(self, row: int) -> None:
        self._planted = -1
        delete_row(self.sheet, row)
        self._blanked.pop(row, None)
        self.deleted.add(row)
        self._asked.actuals[self._asked.rows == row] = HIDDEN

    def status(self, row: int, target: int) -> Status:
        """Return what became of a cell."""
        if row in self.deleted:
            return "deleted"
        return "suppressed" if (row, target) in self.touched else "not_needed"
