"""What an algorithm did for hidden cells."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from withhold.methods.inference._state import ATTRIBUTE, CHANGE, COMMON, FALLBACK, GUESS
from withhold.table._decision import WITHHELD

if TYPE_CHECKING:
    from withhold.methods.inference._sheet import Sheet

__all__ = ["Change", "Protection", "Status", "Step"]

Status = Literal["not_needed", "coin_stop", "suppressed", "deleted"]

ACTIONS = {CHANGE: "change", GUESS: "guess", ATTRIBUTE: "column", COMMON: "nothing in common", FALLBACK: "decp"}


@dataclass(frozen=True, slots=True)
class Change:
    """One cell that is published otherwise than it stood."""

    row: int
    """The row, from 0."""
    column: str
    """The column."""
    published: str
    """What is published: ``*``, or a coarser value."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing an algorithm did, in order."""

    action: Literal["change", "guess", "column", "nothing in common", "decp"]
    """What was done: a cell changed, a guess drawn, a column chosen, rows of a class searched, DECP begun."""
    row: int | None
    """The row of the cell."""
    column: str
    """The column of the cell, or the one chosen."""
    value: str | None
    """What the cell holds now, or the class meant."""
    level: int | None = None
    """The level of generalisation."""


@dataclass(frozen=True, slots=True)
class Protection:
    """What was done so that hidden cells cannot be predicted."""

    cells: tuple[tuple[int, str], ...]
    """The hidden cells: row and column."""
    statuses: tuple[Status, ...]
    """For each hidden cell what became of it."""
    guesses: tuple[str | None, ...]
    """For each hidden cell the guess that was drawn."""
    changes: tuple[Change, ...]
    """All cells that changed, the hidden ones included, by row and column."""
    steps: tuple[Step, ...]
    """What was done, in order."""

    @property
    def status(self) -> Status:
        """The status of a single hidden cell; of several, ``deleted`` if a row was deleted."""
        if len(self.statuses) == 1:
            return self.statuses[0]
        order: tuple[Status, ...] = ("deleted", "coin_stop", "suppressed", "not_needed")
        return next(status for status in order if status in self.statuses)

    @property
    def n_changed(self) -> int:
        """The number of cells that changed, the hidden ones included: the direct distance."""
        return len(self.changes)

    @property
    def n_deleted(self) -> int:
        """The number of rows that were deleted."""
        deleted = {row for (row, _), status in zip(self.cells, self.statuses, strict=True) if status == "deleted"}
        return len(deleted)

    def __repr__(self) -> str:
        told = ", ".join(f"{n} {status}" for status, n in sorted(Counter(self.statuses).items()))
        return f"<Protection of {len(self.cells)} cells: {told}; {self.n_changed} cells changed>"


def collect(
    sheet: "Sheet", mark: int, cells: list[tuple[int, int]], statuses: list[Status], guesses: list[int]
) -> Protection:
    """Return what the log tells since a line of it."""
    state, columns = sheet.state, sheet.grid.columns
    lines = state.log[mark : sheet.mark].tolist()
    before: dict[tuple[int, int], int] = {}
    steps = []
    for kind, row, column, old, new in lines:
        if kind == CHANGE:
            before.setdefault((row, column), old)
            steps.append(Step("change", row, columns[column], sheet.published(column, new)))
        else:
            value = None if new < 0 else sheet.labels[column][new]
            level = old if kind in (ATTRIBUTE, COMMON) else None
            steps.append(Step(ACTIONS[kind], None, columns[column], value, level))  # type: ignore[arg-type]
    changes = [
        Change(row, columns[column], sheet.published(column, int(state.codes[row, column])))
        for (row, column), old in sorted(before.items())
        if int(state.codes[row, column]) != old
    ]
    drawn = [
        None if guess < 0 else sheet.labels[target][guess] for (_, target), guess in zip(cells, guesses, strict=True)
    ]
    named = tuple((row, columns[target]) for row, target in cells)
    return Protection(named, tuple(statuses), tuple(drawn), tuple(changes), tuple(steps))


def replay(sheet: "Sheet", protection: Protection) -> Iterator[tuple[Step, Fraction, Fraction | None]]:
    """Yield each step of a single cell's protection with the probabilities of its actual class and of the guess."""
    ((row, column),) = protection.cells
    target = sheet.place(column)
    sheet.prepare([target])
    actual = int(sheet.actual[row, target])
    mark = sheet.mark
    published = next((c.published for c in protection.changes if (c.row, c.column) == (row, column)), WITHHELD)
    top = sheet.node(target, published) if sheet.generalizes else -1
    guess: int | None = None
    sheet.put(row, target, -1)
    for step in protection.steps:
        if step.action == "guess":
            guess = sheet.labels[target].index(str(step.value))
        elif step.action == "change" and (step.row, step.column) != (row, column):
            place = sheet.place(step.column)
            sheet.put(int(step.row or 0), place, sheet.node(place, str(step.value)))
        of_guess = None if guess is None else sheet.probability(row, target, top, guess)
        yield step, sheet.probability(row, target, top, actual), of_guess
    sheet.undo(mark)
