"""A set of hidden cells against adversaries, each met by the method that is asked for."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from withhold.methods.inference._attempt import Attempt, delete_row
from withhold.methods.inference._auto_guard import Guard
from withhold.methods.inference._blind_guard import BlindGuard
from withhold.methods.inference._cell_guard import MOST_COLUMNS
from withhold.methods.inference._choices import Choices
from withhold.methods.inference._coarsen import find_coarser
from withhold.methods.inference._many import protect_columns, protect_rows
from withhold.methods.inference._protection import Status
from withhold.methods.inference._question import Question
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._state import HIDDEN

__all__ = ["ADVERSARIES", "METHODS", "Defence", "Shield"]

METHODS = {"naive-bayes": ("auto", "decp", "incp", "dropp"), "id3": ("auto", "hid3")}
"""The adversaries, and what can be asked for against each."""
ADVERSARIES = tuple(METHODS)
AUTO = {"naive-bayes": ("dropp", "incp", "decp"), "id3": ("hid3",)}
"""What ``"auto"`` runs where cells are generalised, one after the other until one succeeds."""
MOST_ROUNDS = 10
"""How often all adversaries take turns before the rows of cells that are still exposed are deleted."""
MOST_SETS = 4_000
"""How many sets of cells of a row are tried for one that may be coarsened together."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Defence:
    """An adversary, and how to keep it from hidden cells."""

    adversary: str
    """``"naive-bayes"`` or ``"id3"``."""
    method: str = "auto"
    """``"auto"``, or the printed algorithm to use."""
    degree: int | None = None
    """How many of the most probable values a random guess is drawn from, the actual one counted; all where None."""
    delete_above: int | None = None
    """With ``"auto"``: delete a row rather than change more cells of other rows for it."""


class Shield:
    """Protects a set of cells of a sheet from one or two adversaries, in as many rounds as it takes.

    No coin is tossed for a value with one alternative, as the thesis does: it would leave half of them exposed.

    Parameters
    ----------
    sheet
        The table; it is changed.
    cells
        The cells to hide, as row and position of the column.
    defences
        The adversaries and methods.
    choices
        Where random choices come from.
    is_blind
        Whether nothing may depend on what stood in the cells, which are blank in the sheet already: then adversaries
        are brought to say of them what they say of a row without values.
    """

    def __init__(
        self,
        sheet: Sheet,
        cells: Sequence[Cell],
        defences: Sequence[Defence],
        *,
        choices: Choices,
        is_blind: bool = False,
    ) -> None:
        self.sheet = sheet
        self.cells = list(cells)
        self.defences = list(defences)
        self.statuses: dict[Cell, Status] = {}
        self.ways: dict[Cell, str] = {}
        """For each cell that needed it, what protected it."""
        self.guesses: dict[Cell, int] = {}
        self.choices: Choices = _NoCoin(choices)
        self._is_first = True
        self._is_blind = is_blind
        sheet.prepare(target for _, target in self.cells)

    def run(self, on_round: Callable[[int], object] | None = None) -> None:
        """Hide the cells and change others until no adversary recovers one, whichever way ties go.

        Algorithms that are asked for by name read ties as the thesis does. What they leave to a tie is protected after.
        """
        self.hide()
        if any(defence.method != "auto" for defence in self.defences):
            with self.sheet.counting_ties(counts=False):
                self._run_rounds(on_round)
            self._is_first = False
        with self.sheet.counting_ties():
            if self._is_blind:
                self._run_blind(on_round)
            elif self.sheet.generalizes:
                self._run_rounds(on_round)
            else:
                self._run_auto(on_round)

    def hide(self) -> None:
        """Hide the cells; those that are coarse already stay."""
        for row, target in self.cells:
            if self.sheet.state.codes[row, target] == self.sheet.actual[row, target]:
                self.sheet.put(row, target, HIDDEN)

    def _run_auto(self, on_round: Callable[[int], object] | None) -> None:
        degrees = [defence.degree for defence in self.defences if defence.adversary == "naive-bayes"]
        left = [cell for cell in self.cells if self.statuses.get(cell) != "deleted"]
        guard = Guard(
            self.sheet,
            left,
            against=[defence.adversary for defence in self.defences],
            degree=degrees[0] if degrees else None,
            choices=self.choices,
            delete_above=min((d.delete_above for d in self.defences if d.delete_above is not None), default=None),
        )
        guard.protect(on_round)
        for cell in left:
            status = guard.status(*cell)
            if status != "not_needed" or cell not in self.statuses:
                self.statuses[cell] = status
            if status == "suppressed":
                self.ways.setdefault(cell, "other rows" if cell in guard.helped else "its row")
            elif status == "deleted":
                self.ways.pop(cell, None)

    def _run_blind(self, on_round: Callable[[int], object] | None) -> None:
        guard = self._blind_guard([defence.adversary for defence in self.defences])
        guard.protect(on_round)
        for cell in self.cells:
            self.statuses[cell] = guard.status(*cell)
            if self.statuses[cell] == "suppressed":
                self.ways[cell] = "its row"

    def _blind_guard(self, against: Sequence[str]) -> BlindGuard:
        return BlindGuard(self.sheet, self.cells, against=against, choices=self.choices)

    def _run_rounds(self, on_round: Callable[[int], object] | None) -> None:
        """Run each adversary's algorithm on the cells it recovers, in turn, until none recovers any."""
        pending = self.cells
        for _ in range(MOST_ROUNDS):
            for defence in self.defences:
                self._defend(defence, [cell for cell in pending if self.statuses.get(cell) != "deleted"])
            pending = [cell for cell in self.cells if self.is_exposed(*cell)]
            if on_round is not None:
                on_round(len(pending))
            if not pending:
                return
            self._is_first = False
        while exposed := [cell for cell in self.cells if self.is_exposed(*cell)]:
            for cell in exposed:
                if self.is_exposed(*cell):
                    self._give_up(cell)

    def is_exposed(self, row: int, target: int, defences: Iterable[Defence] | None = None) -> bool:
        """Return whether an adversary recovers a cell whose row was not deleted."""
        if self.statuses.get((row, target)) == "deleted":
            return False
        actual, top = int(self.sheet.actual[row, target]), self._top(row, target)
        for defence in self.defences if defences is None else defences:
            if defence.adversary == "naive-bayes" and self.sheet.is_predicted(row, target, top, actual):
                return True
            if defence.adversary == "id3" and self.sheet.is_classified(row, target, top, actual):
                return True
        return False

    def count_exposed(self, adversary: str) -> int:
        """Count the cells that one adversary recovers now; or of which it says too much, where nothing may be said."""
        with self.sheet.counting_ties():
            if self._is_blind:
                return self._blind_guard([adversary]).count_revealing()
            defence = [Defence(adversary)]
            return sum(self.is_exposed(row, target, defence) for row, target in self.cells)

    def _top(self, row: int, target: int) -> int:
        """Return what is published for a hidden cell; another cell's algorithm may have coarsened it further."""
        node = int(self.sheet.state.codes[row, target])
        return node if node >= 0 else self.sheet.root(target)

    def _defend(self, defence: Defence, cells: Sequence[Cell]) -> None:
        """Run one adversary's algorithm on cells; those it protects together are taken together."""
        method = AUTO[defence.adversary][0] if defence.method == "auto" else defence.method
        if not self._is_first or method not in ("decp", "dropp"):
            for cell in cells:
                self._alone(method, defence, cell)
            return
        groups: dict[tuple[int, ...], list[Cell]] = {}
        for row, target in cells:
            key = (target, int(self.sheet.actual[row, target])) if method == "decp" else (row,)
            groups.setdefault(key, []).append((row, target))
        for group in groups.values():
            if len(group) > 1:
                self._together(method, defence, group)
            else:
                self._alone(method, defence, group[0])

    def _together(self, method: str, defence: Defence, group: Sequence[Cell]) -> None:
        attempts = [self._attempt(defence, cell) for cell in group]
        found = protect_rows(self.sheet, attempts) if method == "decp" else protect_columns(self.sheet, attempts)
        for cell, attempt, status in zip(group, attempts, found, strict=True):
            self._settle(f"e_{method}", cell, attempt, status)

    def _attempt(self, defence: Defence, cell: Cell) -> Attempt:
        return Attempt(self.sheet, *cell, degree=defence.degree, choices=self.choices)

    def _alone(self, method: str, defence: Defence, cell: Cell) -> None:
        """Run an algorithm on a cell, from the level at which it stands."""
        if self.statuses.get(cell) == "deleted":
            return
        sheet, attempt = self.sheet, self._attempt(defence, cell)
        is_free = sheet.generalizes and defence.method == "auto"
        for each in AUTO[defence.adversary] if is_free else (method,):
            published = int(sheet.state.codes[cell])
            level = 1 if published == HIDDEN else sheet.levels_up(cell[1], attempt.actual, published)
            attempt.hide()
            status, top = attempt.run(each, first=level)
            if status is not None:
                attempt.publish(top)
                self._settle("auto" if (each, defence.method) == ("hid3", "auto") else each, cell, attempt, status)
                return
            sheet.undo(attempt.begin)
        self._give_up(cell)

    def _settle(self, way: str, cell: Cell, attempt: Attempt, status: Status) -> None:
        if status == "deleted":
            self._delete(cell[0])
            return
        if self.statuses.get(cell) != "suppressed":
            self.statuses[cell] = status
        if status == "suppressed":
            self.ways[cell] = way
        if attempt.guess >= 0:
            self.guesses[cell] = attempt.guess

    def _give_up(self, cell: Cell) -> None:
        """Delete the row of a cell that no algorithm protects; unless ties count, and coarser cells in it do."""
        if self.sheet.generalizes and self.sheet.state.is_strict and self._coarsen(*cell):
            self.statuses[cell] = "suppressed"
            self.ways.setdefault(cell, "its row")
        else:
            self._delete(cell[0])

    def _coarsen(self, row: int, target: int) -> bool:
        """Coarsen a cell and others of its row until no adversary recovers it, as little as it takes."""
        sheet, state = self.sheet, self.sheet.state
        against = [defence.adversary for defence in self.defences]
        known = np.flatnonzero(state.uses[target] & (state.codes[row] >= 0) & (state.codes[row] != sheet.roots))
        known, actual = known[:MOST_COLUMNS], int(sheet.actual[row, target])
        nodes = np.empty(known.size, dtype=np.int64)
        top = int(state.codes[row, target])
        if top == HIDDEN:
            top = sheet.climb(target, actual, 1)
        else:
            sheet.put(row, target, HIDDEN)  # an adversary learns nothing for a cell from what is published of it
        while top >= 0:
            question = Question(row, target, top, actual, "naive-bayes" in against, "id3" in against)
            if len(sheet.candidates(target, top)) > 1 and find_coarser(
                state, sheet.tree, question, known, MOST_SETS, nodes
            ):
                for column, node in [(target, top), *zip(known.tolist(), nodes.tolist(), strict=True)]:
                    if state.codes[row, column] != node:
                        sheet.put(row, column, node)
                return True
            top = sheet.climb(target, top, 1)
        return False

    def _delete(self, row: int) -> None:
        delete_row(self.sheet, row)
        for cell in self.cells:
            if cell[0] == row:
                self.statuses[cell] = "deleted"
                self.ways.pop(cell, None)


class _NoCoin:
    """Choices whose coin always says to go on."""

    def __init__(self, choices: Choices) -> None:
        self.guess = choices.guess
        self.below = choices.below

    def coin(self) -> bool:
        return True
