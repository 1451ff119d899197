"""Any cells, any adversaries: `protect`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from withhold.errors import DataError
from withhold.methods.inference._attempt import as_sheet, check_cell
from withhold.methods.inference._choices import Choices, choices_from
from withhold.methods.inference._protection import Protection, collect
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._shield import ADVERSARIES, METHODS, Defence, Shield
from withhold.methods.inference._state import HIDDEN
from withhold.table import Table

__all__ = ["protect"]


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
        Whether outsiders may know the method and the cells. Then nothing depends on what stood in them: cells of their
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
