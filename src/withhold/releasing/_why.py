"""Why something was withheld: which requirement stands in the way of the next finer value, and of each single cell."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from withhold.record import CellReason, Stop

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["cell_reasons", "stops"]

MOST_STOPS = 5_000
"""How many moves that were not made a record lists at most."""


def stops(run: "Run") -> tuple[Stop, ...]:
    """Return for each value that is published coarse, or not at all, why it was not made finer."""
    places = list(_figures(run))
    found = []
    for move in run.candidates()[:MOST_STOPS]:
        broken = [
            (number, why)
            for (number, term), figure in zip(places, move.reached, strict=True)
            if (why := run.policy.require[number].home.words.broken(run.policy.require[number], term, figure))
        ]
        if broken:
            why = "; ".join(dict.fromkeys(f"{why} (require[{number}])" for number, why in broken))
        elif not move.is_valid:
            why = "no finer value keeps every requirement"
        elif not move.is_beneficial:
            why = "what is finer says nothing about the target"
        else:
            why = "the search was stopped before"
        numbers = tuple(sorted({number for number, _ in broken}))
        found.append(Stop(column=move.column, value=move.value, why=why, requirements=numbers))
    return tuple(found)


def _figures(run: "Run") -> Iterator[tuple[int, int]]:
    """Yield which requirement the figures of a step are about, in their order, and which of its own each is."""
    for number, requirement in enumerate(run.policy.require):
        if requirement.refines and number not in run.policy.averaged:
            terms = [term for promise in requirement.promise() for term in promise.terms]
            yield from ((number, place) for place in range(len(terms)))


def cell_reasons(run: "Run") -> dict[str, tuple[CellReason, ...]]:
    """Return for each column the rows whose cell was withheld by itself, for each reason."""
    found: dict[str, tuple[CellReason, ...]] = {}
    if run.draft.weights is not None:
        return found  # the rows of a counted table have no numbers
    for column in run.draft.columns:
        reasons = tuple(
            CellReason(requirement=reason.requirement, why=reason.why, rows=rows.tolist())
            for reason, rows in run.draft.reasons_of(column.name)
        )
        if reasons:
            found[column.name] = reasons
    return found
