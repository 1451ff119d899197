"""One hidden cell at a time: the algorithms as printed, on a fresh copy of the table."""

from collections.abc import Sequence

import numpy as np

from withhold._compiled import Array
from withhold.errors import DataError
from withhold.methods.inference._choices import Choices
from withhold.methods.inference._delete import run_decp, run_dropp, run_incp
from withhold.methods.inference._generalize import run_decp_g, run_dropp_g, run_incp_g
from withhold.methods.inference._hid3 import run_hid3, run_hid3_g
from withhold.methods.inference._posteriors import compare
from withhold.methods.inference._protection import Status
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._state import GUESS, HIDDEN, blank, note
from withhold.table import Table

__all__ = ["Attempt", "as_sheet", "attempts_of", "check_cell", "delete_row", "protect_one"]


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

    def publish(self, top: int) -> None:
        """Put what is published for the cell into the table; nothing where values are deleted."""
        if self.sheet.generalizes:
            self.sheet.put(self.row, self.target, top)

    def delete(self) -> Status:
        """Take everything back, then blank the whole row."""
        self.sheet.undo(self.begin)
        delete_row(self.sheet, self.row)
        return "deleted"

    def stops(self, n_candidates: int) -> bool:
        """Return whether the coin says to stop: it is tossed where there is only one alternative."""
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

    def _next_best(self, top: int) -> tuple[Array, int]:
        """Return the classes at least as probable as the guess, among those it was drawn from."""
        sheet, row, target = self.sheet, self.row, self.target
        found = sheet.guesses(row, target, top, self.actual, self.degree)
        best = [v for v in found if compare(sheet.state, row, target, top, v, self.guess) >= 0]
        return np.array(best, dtype=np.int64), len(best)

    def run(self, name: str, *, first: int = 1) -> tuple[Status | None, int]:
        """Run a printed algorithm on the cell, which is hidden; return its status and what is published of the cell.

        The status is None where the algorithm fails. Where values are generalised the cell is published ever coarser,
        from a level on, until it succeeds; INCP-G then begins anew as DECP-G, where INCP goes on as DECP.
        """
        if not self.sheet.generalizes:
            return self._try(name, HIDDEN), HIDDEN
        for each in (name, "decp") if name == "incp" else (name,):
            level = first
            while (top := self.sheet.climb(self.target, self.actual, level)) >= 0:
                mark = self.sheet.mark
                status = self._try(each, top)
                if status is not None:
                    return status, top
                self.sheet.undo(mark)
                self.guess = -1
                level += 1
        return None, HIDDEN

    def _try(self, name: str, top: int) -> Status | None:
        """Run an algorithm with the cell published as `top`; None where it fails."""
        sheet, asked = self.sheet, (self.row, self.target, top, self.actual)
        n_candidates = int(sheet.state.n_leaves[self.target]) if top < 0 else len(sheet.candidates(self.target, top))
        if top >= 0 and n_candidates == 1:
            return None
        if not (sheet.is_classified(*asked) if name == "hid3" else sheet.is_predicted(*asked)):
            return "not_needed"
        if self.stops(n_candidates):
            return "coin_stop"
        if name != "hid3" and not self.draw(top):
            return None
        return "suppressed" if self._change(name, top) else None

    def _change(self, name: str, top: int) -> bool:
        """Change cells as an algorithm does, and return whether its adversary fails then."""
        sheet, cell = self.sheet, (self.sheet.state, self.row, self.target)
        if name == "hid3":
            run_tree = run_hid3 if top < 0 else run_hid3_g
            return bool(run_tree(sheet.tree, sheet.state, self.target, top, self.row, self.actual))
        if name == "incp" and top < 0:
            return bool(run_incp(*cell, self.actual, self.guess, *self._next_best(top)))
        if name == "incp":
            return bool(run_incp_g(*cell, top, self.actual, *self._next_best(top)))
        if top < 0:
            return bool((run_decp if name == "decp" else run_dropp)(*cell, self.actual, self.guess))
        return bool((run_decp_g if name == "decp" else run_dropp_g)(*cell, top, self.actual, self.guess))


def attempts_of(
    sheet: Sheet, cells: Sequence[tuple[int, int]], *, degree: int | None, choices: Choices
) -> list[Attempt]:
    """Return one attempt for each cell, all from the same line of the log."""
    sheet.prepare(target for _, target in cells)
    return [Attempt(sheet, row, target, degree=degree, choices=choices) for row, target in cells]


def delete_row(sheet: Sheet, row: int) -> None:
    """Blank every cell of a row."""
    blank(sheet.state, row, sheet.roots)


def protect_one(attempt: Attempt, name: str) -> Status:
    """Run one of the printed algorithms on a cell; delete its row where it fails."""
    attempt.hide()
    status, top = attempt.run(name)
    if status is None:
        return attempt.delete()
    attempt.publish(top)
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
