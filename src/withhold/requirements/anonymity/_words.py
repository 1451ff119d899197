"""What is said of anonymity."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from withhold.requirements._words import Entry, Words
from withhold.requirements.anonymity._requirement import Anonymity

if TYPE_CHECKING:
    from withhold.auditing import Finding
    from withhold.requirements._base import Requirement

__all__ = ["WORDS"]


class AnonymityWords(Words):
    """Sentences about sizes of groups."""

    bound = "at least"
    axis = "smallest group"

    def says(self, requirement: "Requirement") -> str:
        """Return how many people share which columns."""
        assert isinstance(requirement, Anonymity)
        return f"{requirement.k:,} people share {', '.join(requirement.columns)}"

    def promised(self, columns: Sequence[str], asked: float | None) -> str:
        """Return with how many rows an outsider is left."""
        return f"who knows no more of a person than {', '.join(columns)} is left with at least {asked:g} rows"

    def public(self, finding: "Finding") -> str:
        """Return how many rows share a combination."""
        return f"every combination of {', '.join(finding.columns)} is shared by at least {finding.asked:g} rows"

    def broken(self, requirement: "Requirement", term: int, figure: float) -> str:
        """Return how small a group would be."""
        assert isinstance(requirement, Anonymity)
        if figure >= requirement.k:
            return ""
        rows = "row" if int(figure) == 1 else "rows"
        return f"a group of {int(figure):,} {rows} would appear where {requirement.k:,} are asked for"

    def curves(self, entry: Entry, number: int) -> Iterator[tuple[str, float]]:
        """Yield the smallest group."""
        k = entry["asked"]["k"]
        yield f"require[{number}], at least {k:,}", k


WORDS = AnonymityWords()
