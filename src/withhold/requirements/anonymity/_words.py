"""What is said of anonymity."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from withhold.requirements._words import Entry, Words
from withhold.requirements.anonymity._requirement import Anonymity

if TYPE_CHECKING:
    from withhold.auditing import Finding
    from withhold.requirements._base import Requirement

__all__ = ["WORDS"]

WEAKER = "a blank read as any value: weaker"


class AnonymityWords(Words):
    """Sentences about sizes of groups."""

    bound = "at least"
    axis = "smallest group"

    def says(self, requirement: "Requirement") -> str:
        """Return how many people share which columns."""
        assert isinstance(requirement, Anonymity)
        if requirement.blanks == "any":
            return f"{requirement.k:,} people may share {', '.join(requirement.columns)} ({WEAKER})"
        whole = "" if requirement.unit_k is None else f", and {requirement.unit_k:,} units all that their rows publish"
        beside = whole + _of_population(requirement)
        return f"{requirement.k:,} people share {', '.join(requirement.columns)}{beside}"

    def promised(self, columns: Sequence[str], asked: float | None) -> str:
        """Return with how many rows an outsider is left."""
        return f"who knows no more of a person than {', '.join(columns)} is left with at least {asked:g} rows"

    def public(self, finding: "Finding") -> str:
        """Return how many rows share a combination."""
        if finding.details.get("blanks") == "any":
            return f"each row may share {', '.join(finding.columns)} with at least {finding.asked:g} rows, {WEAKER}"
        names, counted = ", ".join(finding.columns), finding.details.get("counted", "rows")
        if counted == "whole units":
            return f"what all rows of a unit publish in {names} is shared by at least {finding.asked:g} units"
        return f"every combination of {names} is shared by at least {finding.asked:g} {counted}"

    def weaker(self, finding: "Finding") -> str:
        """Return that blanks are read as any value, where they are."""
        return WEAKER if finding.details.get("blanks") == "any" else ""

    def broken(self, requirement: "Requirement", term: int, figure: float) -> str:
        """Return how small a group would be."""
        assert isinstance(requirement, Anonymity)
        if figure >= requirement.k:
            return ""
        rows = "row" if int(figure) == 1 else "rows"
        return f"a group of {int(figure):,} {rows} would appear where {requirement.k:,} are asked for"

    def because(self, entry: Entry, number: int, why: str) -> str:
        """Return why a cell is blank, or coarser."""
        if why == "suppressed":
            return f"Its row had too few others that may be the same (require[{number}]), so this cell is blank."
        if why == "unit":
            return f"Too few units publish what its unit would publish as a whole (require[{number}]), so it is blank."
        return super().because(entry, number, why)

    def summary(self, entry: Entry, number: int) -> str:
        """Return how many cells were blanked one by one."""
        if entry.get("blanks") == "any":
            return f"anonymity require[{number}]: {entry['suppressed']:,} cells blanked; {WEAKER}"
        return super().summary(entry, number)

    def curves(self, entry: Entry, number: int) -> Iterator[tuple[str, float]]:
        """Yield the smallest group, where groups steered a search."""
        if entry.get("blanks") == "any":
            return
        k = entry["asked"]["k"]
        yield f"require[{number}], at least {k:,}", k


def _of_population(requirement: Anonymity) -> str:
    """Return what is asked of the population."""
    people = "" if requirement.k_map is None else f", {requirement.k_map:,} people of the population"
    risk = requirement.individual_risk
    return people + ("" if risk is None else f", with an individual risk of at most {risk:g}")


WORDS = AnonymityWords()
