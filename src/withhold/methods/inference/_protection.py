"""What an algorithm did for hidden cells."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from withhold._compiled import Array
from withhold.methods.inference._state import ATTRIBUTE, CHANGE, COMMON, FALLBACK, GUESS
from withhold.table import WITHHELD

if TYPE_CHECKING:
    from withhold.methods.inference._sheet import Sheet

__all__ = ["Change", "Protection", "Status", "Step"]

Status = Literal["not_needed", "coin_stop", "suppressed", "deleted"]
Action = Literal["change", "guess", "column", "nothing in common", "decp"]

ACTIONS: dict[int, Action] = {
    CHANGE: "change",
    GUESS: "guess",
    ATTRIBUTE: "column",
    COMMON: "nothing in common",
    FALLBACK: "decp",
}


class Change(NamedTuple):
    """One cell that is published otherwise than it stood."""

    row: int
    """The row, from 0."""
    column: str
    """The column."""
    published: str
    """What is published: ``*``, or a coarser value."""


class Step(NamedTuple):
    """One thing an algorithm did, in order."""

    action: Action
    """What was done: a cell changed, a guess drawn, a column chosen, rows of a class searched, DECP begun."""
    row: int | None
    """The row of the cell."""
    column: str
    """The column of the cell, or the one chosen."""
    value: str | None
    """What the cell holds now, or the class meant."""
    level: int | None = None
    """The level of generalisation."""


@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """What was done, line by line; objects are made of it only where they are asked for."""

    lines: Array
    """Kind, row, column, what was there, what is there now."""
    columns: Sequence[str]
    """The names of the columns."""
    texts: Sequence[Sequence[str]]
    """For each column what is published for each node."""

    def changes(self) -> Iterator[Change]:
        """Yield the cells that differ at the end, by row and column."""
        before: dict[tuple[int, int], int] = {}
        after: dict[tuple[int, int], int] = {}
        for kind, row, column, old, new in self.lines.tolist():
            if kind == CHANGE:
                before.setdefault((row, column), old)
                after[row, column] = new
        for (row, column), new in sorted(after.items()):
            if new != before[row, column]:
                yield Change(row, self.columns[column], self.texts[column][new])

    def steps(self) -> Iterator[Step]:
        """Yield everything that was done, in order."""
        for kind, row, column, old, new in self.lines.tolist():
            if kind == CHANGE:
                yield Step("change", row, self.columns[column], self.texts[column][new])
            else:
                value = None if new < 0 else self.texts[column][new]
                level = old if kind in (ATTRIBUTE, COMMON) else None
                yield Step(ACTIONS[kind], None, self.columns[column], value, level)


@dataclass(frozen=True, eq=False)
class Protection:
    """What was done so that hidden cells cannot be predicted."""

    cells: tuple[tuple[int, str], ...]
    """The hidden cells: row and column."""
    statuses: tuple[Status, ...]
    """For each hidden cell what became of it."""
    guesses: tuple[str | None, ...]
    """For each hidden cell the guess that was drawn."""
    log: Log
    """What was done, line by line."""

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """All cells that changed, the hidden ones included, by row and column."""
        return tuple(self.log.changes())

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What was done, in order."""
        return tuple(self.log.steps())

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
        counts = ", ".join(f"{n} {status}" for status, n in sorted(Counter(self.statuses).items()))
        return f"<Protection of {len(self.cells)} cells: {counts}; {self.n_changed} cells changed>"


def collect(
    sheet: "Sheet", mark: int, cells: list[tuple[int, int]], statuses: list[Status], guesses: list[int]
) -> Protection:
    """Return what the log holds since a line of it."""
    columns, texts = sheet.grid.columns, sheet.texts
    drawn = [None if guess < 0 else texts[target][guess] for (_, target), guess in zip(cells, guesses, strict=True)]
    named = tuple((row, columns[target]) for row, target in cells)
    log = Log(sheet.state.log[mark : sheet.mark].copy(), columns, texts)
    return Protection(named, tuple(statuses), tuple(drawn), log)


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
