"""Any cells, any adversaries: `protect`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from withhold.errors import DataError
from withhold.methods.inference._auto import Guard
from withhold.methods.inference._blind import BlindGuard
from withhold.methods.inference._choices import Choices, choices_from
from withhold.methods.inference._coarsen import find_coarser
from withhold.methods.inference._many import protect_columns, protect_rows
from withhold.methods.inference._protection import Protection, Status, collect
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._single import Attempt, as_sheet, check_cell, delete_row
from withhold.methods.inference._state import HIDDEN
from withhold.table import Table

__all__ = ["ADVERSARIES", "METHODS", "Defence", "Shield", "protect"]

ADVERSARIES = ("naive-bayes", "id3")
METHODS = {"naive-bayes": ("auto", "decp", "incp", "dropp"), "id3": ("auto", "hid3")}
MOST_ROUNDS = 10
MOST_COLUMNS, MOST_SETS = 60, 4_000
"""How many cells of a row may be coarsened together, and how many sets of them are tried."""


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
    """With ``"auto"``: delete a row rather than change more than so many cells of other rows for it."""


class Shield:
    """Protects a set of cells of a sheet from one or two adversaries, in as many rounds as it takes.

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
    tosses_coin
        Whether a value with one alternative may be left to a coin, as the thesis does; then it may stay exposed.
    is_blind
        Whether nothing may hang on what stood in the cells, which are blank in the sheet already: then adversaries are
        brought to say of them what they say of a row without values.
    """

    def __init__(
        self,
        sheet: Sheet,
        cells: Sequence[tuple[int, int]],
        defences: Sequence[Defence],
        *,
        choices: Choices,
        tosses_coin: bool = False,
        is_blind: bool = False,
    ) -> None:
        self.sheet = sheet
        self.cells = list(cells)
        self.defences = list(defences)
        self.statuses: dict[tuple[int, int], Status] = {}
        self.ways: dict[tuple[int, int], str] = {}
        """For each cell that needed it, what protected it."""
        self.guesses: dict[tuple[int, int], int] = {}
        self.choices = choices if tosses_coin else _NoCoin(choices)
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
        left = [cell for cell in self.cells if not self._is_given_up(*cell)]
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
        pending = dict.fromkeys(self.cells)
        for _ in range(MOST_ROUNDS):
            for defence in self.defences:
                self._defend(
                    defence, [cell for cell in pending if self.statuses.get(cell) not in ("deleted", "coin_stop")]
                )
            exposed = [cell for cell in self.cells if self.is_exposed(*cell)]
            if on_round is not None:
                on_round(len(exposed))
            if not exposed:
                return
            pending = dict.fromkeys(exposed)
            self._is_first = False
        while exposed := [cell for cell in self.cells if self.is_exposed(*cell)]:
            for cell in exposed:
                if self.is_exposed(*cell):
                    self._give_up(cell)

    def is_exposed(self, row: int, target: int, defences: Iterable[Defence] | None = None) -> bool:
        """Tell whether an adversary recovers a cell that was not given up."""
        if self._is_given_up(row, target):
            return False
        actual, top = int(self.sheet.actual[row, target]), self._top(row, target)
        for defence in self.defences if defences is None else defences:
            if defence.adversary == "naive-bayes" and self.sheet.is_predicted(row, target, top, actual):
                return True
            if defence.adversary == "id3" and self.sheet.is_classified(row, target, top, actual):
                return True
        return False

    def _is_given_up(self, row: int, target: int) -> bool:
        return self.statuses.get((row, target)) in ("deleted", "coin_stop")

    def count_exposed(self, adversary: str) -> int:
        """Count the cells that one adversary recovers now; those of which it tells something, where that counts."""
        with self.sheet.counting_ties():
            if self._is_blind:
                return self._blind_guard([adversary]).count_told()
            defence = [Defence(adversary)]
            return sum(self.is_exposed(row, target, defence) for row, target in self.cells)

    def _top(self, row: int, target: int) -> int:
        """Return what is published for a hidden cell; another cell's algorithm may have coarsened it further."""
        node = int(self.sheet.state.codes[row, target])
        return node if node >= 0 else self.sheet.root(target)

    def _defend(self, defence: Defence, cells: Sequence[tuple[int, int]]) -> None:
        """Run one adversary's algorithm on cells; those it protects together are taken together."""
        method = "dropp" if defence.method == "auto" and defence.adversary == "naive-bayes" else defence.method
        if defence.adversary == "naive-bayes" and self._is_first and method in ("decp", "dropp"):
            groups: dict[tuple[int, ...], list[tuple[int, int]]] = {}
            for row, target in cells:
                key = (target, int(self.sheet.actual[row, target])) if method == "decp" else (row,)
                groups.setdefault(key, []).append((row, target))
            for group in groups.values():
                if len(group) > 1:
                    self._together(method, defence, group)
                else:
                    self._alone(method, defence, group[0])
            return
        for cell in cells:
            self._alone(method, defence, cell)

    def _together(self, method: str, defence: Defence, group: Sequence[tuple[int, int]]) -> None:
        attempts = [self._attempt(defence, cell) for cell in group]
        found = protect_rows(self.sheet, attempts) if method == "decp" else protect_columns(self.sheet, attempts)
        for cell, attempt, status in zip(group, attempts, found, strict=True):
            self._settle(f"e_{method}", cell, attempt, status)

    def _attempt(self, defence: Defence, cell: tuple[int, int]) -> Attempt:
        return Attempt(self.sheet, *cell, degree=defence.degree, choices=self.choices)

    def _alone(self, method: str, defence: Defence, cell: tuple[int, int]) -> None:
        if self.statuses.get(cell) == "deleted":
            return
        attempt = self._attempt(defence, cell)
        if not self.sheet.generalizes:
            status = attempt.id3() if method in ("hid3", "auto") else attempt.bayes(method)
        else:
            status = self._climb(method, defence, attempt, cell)
        if status is None and defence.method == "auto" and defence.adversary == "naive-bayes":
            for method in ("incp", "decp"):
                if status is None:
                    self.sheet.undo(attempt.begin)
                    status = self._climb(method, defence, attempt, cell)
        if status is None:
            self.sheet.undo(attempt.begin)
            self._give_up(cell)
            return
        self._settle(method, cell, attempt, status)

    def _give_up(self, cell: tuple[int, int]) -> None:
        """Delete the row of a cell that no algorithm protects; unless ties count, and coarser cells in it do."""
        if self.sheet.generalizes and self.sheet.state.is_strict and self._coarsen(*cell):
            self.statuses[cell] = "suppressed"
            self.ways.setdefault(cell, "its row")
        else:
            self._delete(cell[0])

    def _coarsen(self, row: int, target: int) -> bool:
        """Coarsen a cell and others of its row until no adversary recovers it, as little as it takes."""
        sheet, state = self.sheet, self.sheet.state
        adversaries = {defence.adversary for defence in self.defences}
        known = np.flatnonzero(state.uses[target] & (state.codes[row] >= 0) & (state.codes[row] != sheet.roots))
        known, actual = known[:MOST_COLUMNS], int(sheet.actual[row, target])
        nodes = np.empty(known.size, dtype=np.int64)
        top = int(state.codes[row, target])
        if top == HIDDEN:
            top = sheet.climb(target, actual, 1)
        else:
            sheet.put(row, target, HIDDEN)  # what is published of a cell is not learned from for it
        while top >= 0:
            is_found = len(sheet.candidates(target, top)) > 1 and find_coarser(
                state, sheet.tree, row, target, top, actual, "naive-bayes" in adversaries, "id3" in adversaries,
                known, MOST_SETS, nodes,
            )  # fmt: skip
            if is_found:
                for column, node in [(target, top), *zip(known.tolist(), nodes.tolist(), strict=True)]:
                    if state.codes[row, column] != node:
                        sheet.put(row, column, node)
                return True
            top = sheet.climb(target, top, 1)
        return False

    def _climb(self, method: str, defence: Defence, attempt: Attempt, cell: tuple[int, int]) -> Status | None:
        """Run a generalising algorithm from the level at which the cell stands."""
        row, target = cell
        level, published = 1, int(self.sheet.state.codes[row, target])
        if published != HIDDEN:
            while self.sheet.climb(target, attempt.actual, level) != published:
                level += 1
            self.sheet.put(row, target, HIDDEN)
        if defence.adversary == "id3":
            status, top = attempt.climb(attempt.id3_g, first=level)
        else:
            status, top = attempt.climb(lambda top: attempt.bayes_g(method, top), first=level)
            if status is None and method == "incp":
                status, top = attempt.climb(lambda top: attempt.bayes_g("decp", top), first=level)
        if status is not None:
            self.sheet.put(row, target, top)
        return status

    def _settle(self, method: str, cell: tuple[int, int], attempt: Attempt, status: Status) -> None:
        if status == "deleted":
            self._delete(cell[0])
            return
        if self.statuses.get(cell) != "suppressed" or status == "coin_stop":
            self.statuses[cell] = status
        if status == "suppressed":
            self.ways[cell] = method
        if attempt.guess >= 0:
            self.guesses[cell] = attempt.guess

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


def protect(
    table: Table | Sheet,
    cells: Iterable[tuple[int, str]],
    *,
    against: Sequence[str | Defence] = ADVERSARIES,
    modify: str = "delete",
    predictors: Sequence[str] | None = None,
    informed: bool = False,
    rng: int | np.random.Generator | Choices | None = None,
    on_round: Callable[[int], object] | None = None,
) -> Protection:
    """Hide any set of cells so that no adversary named recovers one of them.

    All cells are hidden first. With ``method = "auto"``, blanks in the row of a cell are tried first, in all
    combinations; where none works, labels and values of other rows go, as few as possible; a row is deleted only where
    nothing else works. Every cell is checked again after all changes, until none is exposed.

    Parameters
    ----------
    table
        The table, or a sheet made of it; it is not changed.
    cells
        Pairs of row (from 0) and column.
    against
        The adversaries: ``"naive-bayes"``, ``"id3"``; or a `Defence` for each, with a printed algorithm and a degree.
    modify
        ``"delete"`` blanks cells, ``"generalize"`` climbs along taxonomies.
    predictors
        The columns an outsider predicts from; all others where None.
    informed
        Whether outsiders may know the method and the cells. Then nothing hangs on what stood in them: cells of their
        rows are blanked until an adversary says of them what it says of a row without values, or nothing.
    rng
        A seed, generator or `Choices`; the default is the system's secure source.
    on_round
        Called before each round with the number of cells that are exposed.

    Returns
    -------
    Protection
        What became of each cell, and all changes.

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> cells = [(1, "Diagnosis"), (5, "Diagnosis")]
    >>> done = protect(samples.thesis_table1(), cells, predictors=symptoms, rng=1)
    >>> done.n_deleted, {change.published for change in done.changes}
    (0, {'*'})
    """
    sheet = as_sheet(table, modify=modify, predictors=predictors)
    chosen = [(int(row), sheet.place(column)) for row, column in cells]
    check_cells(sheet, chosen)
    defences = [Defence(each) if isinstance(each, str) else each for each in against]
    for defence in defences:
        check_defence(defence)
    begin = sheet.mark
    work = _blind_sheet(table, sheet, chosen, defences, predictors) if informed else sheet
    shield = Shield(work, chosen, defences, choices=choices_from(rng), is_blind=informed)
    try:
        shield.run(on_round)
        if informed:
            _blank_alike(sheet, work, chosen)
        statuses = [shield.statuses[cell] for cell in chosen]
        return collect(sheet, begin, chosen, statuses, [shield.guesses.get(cell, -1) for cell in chosen])
    finally:
        sheet.undo(begin)


def _blind_sheet(
    table: Table | Sheet,
    sheet: Sheet,
    cells: Sequence[tuple[int, int]],
    defences: Sequence[Defence],
    predictors: Sequence[str] | None,
) -> Sheet:
    """Return the table as if the cells had never held anything."""
    if isinstance(table, Sheet):
        raise DataError("a sheet knows what stands in its cells: `informed` needs the table.")
    if sheet.generalizes or any(replace(defence, adversary="") != Defence("") for defence in defences):
        raise DataError("methods, degrees and generalisation look at hidden values; leave them out with `informed`.")
    rows: dict[str, list[int]] = {}
    for row, target in cells:
        rows.setdefault(sheet.grid.columns[target], []).append(row)
    named = {name: np.array(each, dtype=np.int64) for name, each in rows.items()}
    given = [name for name in table.names if table.has_given_domain(name)]
    return Sheet(sheet.grid.without(named, in_order=given), predictors=predictors)


def _blank_alike(sheet: Sheet, done: Sheet, cells: Sequence[tuple[int, int]]) -> None:
    """Blank the hidden cells of a sheet, and what was blanked in the one without them."""
    for row, column in [*cells, *np.argwhere(done.state.codes != done.actual).tolist()]:
        sheet.put(row, column, HIDDEN)


def check_cells(sheet: Sheet, cells: Sequence[tuple[int, int]]) -> None:
    """Refuse cells that are not there, hold nothing, are listed twice, or can only be one thing."""
    seen = set()
    for row, target in cells:
        check_cell(sheet, row, target)
        name = sheet.grid.columns[target]
        if (row, target) in seen:
            raise DataError(f'row {row}, column "{name}" is listed twice.')
        seen.add((row, target))
    for target in dict.fromkeys(target for _, target in cells):
        if sheet.state.n_leaves[target] < 2:
            name = sheet.grid.columns[target]
            raise DataError(f'column "{name}" has only one value, so a blank in it hides nothing.')


def check_defence(defence: Defence) -> None:
    """Refuse an adversary or method that does not exist."""
    if defence.adversary not in METHODS:
        raise DataError(f'there is no adversary "{defence.adversary}": it is one of {", ".join(METHODS)}.')
    if defence.method not in METHODS[defence.adversary]:
        known = ", ".join(METHODS[defence.adversary])
        raise DataError(f'there is no method "{defence.method}" against {defence.adversary}: it is one of {known}.')
