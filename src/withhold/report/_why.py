"""Why something was withheld: which requirement stands in the way of the next finer value, and of each single cell."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from withhold.policy import Anonymity, Policy, Template

if TYPE_CHECKING:
    from withhold._release import Release

__all__ = ["cell_reasons", "stops"]

MOST_STOPS = 5_000
"""How many moves that were not made a report lists at most."""


def stops(release: "Release") -> list[dict[str, Any]]:
    """Tell for each value that is published coarse, or not at all, why it was not made finer."""
    promises = list(_promises(release.policy))
    found = []
    for move in release.candidates[:MOST_STOPS]:
        broken = [
            (number, why)
            for (number, promise), figure in zip(promises, move.reached, strict=True)
            if (why := _broken(promise, figure))
        ]
        if broken:
            why = "; ".join(dict.fromkeys(f"{why} (require[{number}])" for number, why in broken))
        elif not move.is_valid:
            why = "no finer value keeps every requirement"
        elif not move.is_beneficial:
            why = "what is finer tells nothing about the target"
        else:
            why = "the search was stopped before"
        numbers = sorted({number for number, _ in broken})
        found.append({"column": move.column, "value": move.value, "why": why, "requirements": numbers})
    return found


def cell_reasons(release: "Release") -> dict[str, list[dict[str, Any]]]:
    """Return for each column the rows whose cell was withheld by itself, for each reason."""
    found: dict[str, dict[tuple[int, str], list[int]]] = {}
    for (row, column), reason in release.single.reasons.items():
        found.setdefault(column, {}).setdefault(reason, []).append(row)
    return {
        column: [{"requirement": number, "why": why, "rows": sorted(rows)} for (number, why), rows in reasons.items()]
        for column, reasons in found.items()
    }


def _promises(policy: Policy) -> Iterator[tuple[int, Anonymity | tuple[Template, str, str]]]:
    """Yield what the figures of a step are about, in their order."""
    for number, requirement in enumerate(policy.require):
        if isinstance(requirement, Anonymity):
            yield number, requirement
        elif isinstance(requirement, Template):
            for column, value in requirement.terms:
                yield number, (requirement, column, value)


def _broken(promise: Anonymity | tuple[Template, str, str], figure: float) -> str:
    """Return what would be wrong after a move, or nothing."""
    if isinstance(promise, Anonymity):
        if figure >= promise.k:
            return ""
        return f"a group of {int(figure):,} {_rows(int(figure))} would appear where {promise.k:,} are asked for"
    template, column, value = promise
    if figure <= template.at_most:
        return ""
    return f'a group would imply {column} = "{value}" with confidence {figure:.3g}, above {template.at_most:g}'


def _rows(n: int) -> str:
    return "row" if n == 1 else "rows"
