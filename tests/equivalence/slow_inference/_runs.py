"""A run of an algorithm, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from slow_inference._base import DELETED, Step, Table, changes_between
from slow_inference._choices import Choices, MostProbable, _Coin
from slow_inference._models import _evidence, _labelled, guess_candidates, nb_posterior, nb_posterior_g


@dataclass
class Outcome:
    """The released table and how it came about. Several confidential cells have one status each, in given order."""

    status: str
    table: Table
    changes: list[list[int | str]]
    steps: list[Step]
    guess: str | None = None
    statuses: list[str] = field(default_factory=list)


def _outcome(status: str, before: Table, after: Table, steps: list[Step], guess: str | None = None) -> Outcome:
    return Outcome(status, after, changes_between(before, after), steps, guess, [status])


def _deleted(before: Table, number: int, steps: list[Step], guess: str | None = None) -> Outcome:
    """Everything reverted, then the tuple blanked."""
    after = before.copy()
    after.blank(number)
    return _outcome(DELETED, before, after, steps, guess)


def _actual(table: Table, number: int, target: str) -> str:
    """The confidential value, which has to be a primitive one."""
    value = table.get(number, target)
    if value is None or value not in table.domains[target]:
        raise ValueError(f"tuple {number} has no primitive value of {target!r}")
    return value


def nrd(table: Table, number: int) -> Outcome:
    """Naive row deletion."""
    return _deleted(table, number, [])


@dataclass
class _Run:
    """One confidential value being suppressed. `table` is changed in place."""

    table: Table
    number: int
    target: str
    actual: str
    predictors: list[str]
    k: int | None
    choices: Choices
    coin: _Coin
    steps: list[Step]
    guess: str | None = None

    def with_table(self, table: Table) -> _Run:
        return _Run(
            table,
            self.number,
            self.target,
            self.actual,
            self.predictors,
            self.k,
            self.choices,
            self.coin,
            self.steps,
        )

    def posterior(self) -> dict[str, Fraction]:
        return nb_posterior(self.table, self.number, self.target, self.predictors)

    def posterior_g(self) -> dict[str, Fraction]:
        return nb_posterior_g(self.table, self.number, self.target, self.predictors)

    def evidence(self) -> list[str]:
        return _evidence(self.table, self.number, self.target, self.predictors)

    def members(self, label: str) -> list[int]:
        return _labelled(self.table, self.number, self.target, label)

    def sharing(self, label: str, column: str) -> list[int]:
        """The other tuples of a class that share the tuple's value."""
        own = self.table.get(self.number, column)
        return [other for other in self.members(label) if own is not None and self.table.get(other, column) == own]

    def draw(self, posterior: dict[str, Fraction]) -> bool:
        """Draw the random next best guess, if there is a candidate."""
        candidates = guess_candidates(posterior, self.actual, self.k)
        if not candidates:
            return False
        self.guess = self.choices.pick(candidates, posterior)
        self.steps.append({"action": "rnbg", "value": self.guess, "candidates": candidates})
        return True


def _predictors(table: Table, target: str, predictors: Sequence[str] | None) -> list[str]:
    """The predictors in table order: all attributes by default, never the target."""
    listed = table.columns if predictors is None else predictors
    return [column for column in table.in_order(listed) if column != target]


def _run(
    table: Table, number: int, target: str, predictors: Sequence[str] | None, k: int | None, choices: Choices | None
) -> _Run:
    """A run on a copy of the table. All attributes predict by default."""
    choices = choices if choices is not None else MostProbable()
    columns = _predictors(table, target, predictors)
    actual = _actual(table, number, target)
    return _Run(table.copy(), number, target, actual, columns, k, choices, _Coin(choices), [])
