"""One hidden cell at a time: the algorithms as printed, on a fresh copy of the table."""

from collections.abc import Callable, Sequence

import numpy as np

from withhold.errors import DataError
from withhold.methods.inference._bayes import compare
from withhold.methods.inference._choices import Choices
from withhold.methods.inference._delete import run_decp, run_dropp, run_incp
from withhold.methods.inference._generalize import run_decp_g, run_dropp_g, run_incp_g
from withhold.methods.inference._hid3 import run_hid3, run_hid3_g
from withhold.methods.inference._protection import Status
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._state import GUESS, HIDDEN, blank, note
from withhold.table import Table

__all__ = ["Attempt", "as_sheet", "check_cell", "delete_row", "protect_one"]


class Attempt:
    """The protection of one cell, under way.

    Parameters
    ----------
    sheet
        The table; it is changed.
    row, target
        The cell.
    degree
        How many of the most probable values the random next best guess is drawn from, the actual one counted.
    choices
        Where random choices come from; a coin is tossed at most once.
    """

    def __init__(self, sheet: Sheet, row: int, target: int, *, degree: int | None, choices: Choices) -> None:
        sheet.prepare([target])
        self.sheet = sheet
        self.row = row
        self.target = target
        self.actual = int(sheet.actual[row, target])
        self.degree = degree
        self.choices = choices
        self.guess = -1
        self.begin = sheet.mark
        self._goes_on: bool | None = None

    def hide(self) -> None:
        """Take the cell out of the table, unless it is out."""
        if self.sheet.state.codes[self.row, self.target] != HIDDEN:
            self.sheet.put(self.row, self.target, HIDDEN)

    def delete(self) -> Status:
        """Take everything back, then blank the whole row."""
        self.sheet.undo(self.begin)
        delete_row(self.sheet, self.row)
        return "deleted"

    def stops(self, n_candidates: int) -> bool:
        """Tell whether the coin says to stop: it is tossed where there is only one alternative."""
        if n_candidates != 2:
            return False
        if self._goes_on is None:
            self._goes_on = self.choices.coin()
        return not self._goes_on

    def draw(self, top: int) -> bool:
        """Draw the random next best guess; false where there is none."""
        sheet, row, target = self.sheet, self.row, self.target
        found = sheet.guesses(row, target, top, self.actual, self.degree)
        if not found:
            return False
        self.guess = self.choices.guess(found, lambda label: sheet.probability(row, target, top, label))
        note(sheet.state, GUESS, row, target, -1, self.guess)
        return True

    def next_best(self, top: int) -> tuple[np.ndarray, int]:
        """Return the classes at least as probable as the guess, among those it was drawn from."""
        sheet, row, target = self.sheet, self.row, self.target
        found = sheet.guesses(row, target, top, self.actual, self.degree)
        best = [v for v in found if compare(sheet.state, row, target, top, v, self.guess) >= 0]
        return np.array(best, dtype=np.int64), len(best)

    def bayes(self, name: str) -> Status | None:
        """Protect against naive Bayes by deletion; None where the algorithm fails."""
        sheet, state, row, target = self.sheet, self.sheet.state, self.row, self.target
        if not sheet.is_predicted(row, target, HIDDEN, self.actual):
            return "not_needed"
        if self.stops(int(state.n_leaves[target])):
            return "coin_stop"
        if not self.draw(HIDDEN):
            return None
        if name == "incp":
            is_safe = run_incp(state, row, target, self.actual, self.guess, *self.next_best(HIDDEN))
        else:
            run = run_decp if name == "decp" else run_dropp
            is_safe = run(state, row, target, self.actual, self.guess)
        return "suppressed" if is_safe else None

    def id3(self) -> Status | None:
        """Protect against ID3 by deletion; None where the algorithm fails."""
        sheet, state, row, target = self.sheet, self.sheet.state, self.row, self.target
        if not sheet.is_classified(row, target, HIDDEN, self.actual):
            return "not_needed"
        if self.stops(int(state.n_leaves[target])):
            return "coin_stop"
        return "suppressed" if run_hid3(sheet.tree, state, target, HIDDEN, row, self.actual) else None

    def bayes_g(self, name: str, top: int) -> Status | None:
        """Protect against naive Bayes by generalisation, with the cell published as `top`."""
        sheet, state, row, target = self.sheet, self.sheet.state, self.row, self.target
        n_candidates = len(sheet.candidates(target, top))
        if n_candidates == 1:
            return None
        if not sheet.is_predicted(row, target, top, self.actual):
            return "not_needed"
        if self.stops(n_candidates):
            return "coin_stop"
        if not self.draw(top):
            return None
        if name == "incp":
            is_safe = run_incp_g(state, row, target, top, self.actual, *self.next_best(top))
        else:
            run = run_decp_g if name == "decp" else run_dropp_g
            is_safe = run(state, row, target, top, self.actual, self.guess)
        return "suppressed" if is_safe else None

    def id3_g(self, top: int) -> Status | None:
        """Protect against ID3 by generalisation, with the cell published as `top`."""
        sheet, state, row, target = self.sheet, self.sheet.state, self.row, self.target
        n_candidates = len(sheet.candidates(target, top))
        if n_candidates == 1:
            return None
        if not sheet.is_classified(row, target, top, self.actual):
            return "not_needed"
        if self.stops(n_candidates):
            return "coin_stop"
        return "suppressed" if run_hid3_g(sheet.tree, state, target, top, row, self.actual) else None

    def climb(self, tries: Callable[[int], Status | None], *, first: int = 1) -> tuple[Status | None, int]:
        """Publish the cell ever coarser until something works; return the status and the node."""
        sheet, level = self.sheet, first
        while (top := sheet.climb(self.target, self.actual, level)) >= 0:
            mark = sheet.mark
            status = tries(top)
            if status is not None:
                return status, top
            sheet.undo(mark)
            self.guess = -1
            level += 1
        return None, HIDDEN


def delete_row(sheet: Sheet, row: int) -> None:
    """Blank every cell of a row."""
    blank(sheet.state, row, sheet.roots)


def protect_one(attempt: Attempt, name: str) -> Status:
    """Run one of the printed algorithms on a cell; delete its row where it fails."""
    attempt.hide()
    if not attempt.sheet.generalizes:
        status = attempt.id3() if name == "hid3" else attempt.bayes(name)
        return attempt.delete() if status is None else status
    if name == "hid3":
        status, top = attempt.climb(attempt.id3_g)
    else:
        status, top = attempt.climb(lambda top: attempt.bayes_g(name, top))
        if status is None and name == "incp":
            status, top = attempt.climb(lambda top: attempt.bayes_g("decp", top))
    if status is None:
        return attempt.delete()
    attempt.sheet.put(attempt.row, attempt.target, top)
    return status


def as_sheet(table: Table | Sheet, *, modify: str, predictors: Sequence[str] | None) -> Sheet:
    """Return a sheet for a table; a sheet stays as it is."""
    if isinstance(table, Sheet):
        if predictors is not None or table.generalizes != (modify == "generalize"):
            raise DataError("a sheet has its predictors and its way to modify cells already.")
        return table
    return Sheet(table, modify=modify, predictors=predictors)


def check_cell(sheet: Sheet, row: int, target: int) -> None:
    """Refuse a cell that is not there or holds nothing to hide."""
    name = sheet.grid.columns[target]
    if not 0 <= row < sheet.n_rows:
        raise DataError(f"there is no row {row}: the table has {sheet.n_rows}, counted from 0.")
    if not 0 <= sheet.actual[row, target] < sheet.state.n_leaves[target]:
        raise DataError(
            f'row {row}, column "{name}": the cell is missing or coarse already, so there is nothing to hide.'
        )
