"""What is said of diversity."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from withhold.requirements._sensitive_words import SensitiveWords
from withhold.requirements._unread import too_small
from withhold.requirements.diversity._requirement import Diversity

if TYPE_CHECKING:
    from withhold.auditing import Finding
    from withhold.requirements._base import Requirement

__all__ = ["WORDS"]


class DiversityWords(SensitiveWords):
    """Sentences about how many values a group holds."""

    bound = "at least"
    axis = "least diverse group"
    key = "l"

    def says(self, requirement: "Requirement") -> str:
        """Return how many values of which column every group holds."""
        assert isinstance(requirement, Diversity)
        names = ", ".join(requirement.columns)
        reading = ", also to who knows how groups were made" if requirement.informed else ""
        values = f"{requirement.l:g} values of {requirement.sensitive} ({requirement.model})"
        return f"people who share {names} hold {values}{reading}"

    def promised(self, columns: Sequence[str], asked: float | None) -> str:
        """Return how many values an outsider is left with."""
        return f"who knows {', '.join(columns)} of a person is left with {asked:g} well-represented sensitive values"

    def public(self, finding: "Finding") -> str:
        """Return how many values are promised."""
        names = ", ".join(finding.columns)
        return f"every combination of {names} holds at least {finding.asked:g} well-represented sensitive values"

    def broken(self, requirement: "Requirement", term: int, figure: float) -> str:
        """Return how little a group would hold."""
        assert isinstance(requirement, Diversity)
        if requirement.informed:
            return too_small(requirement, figure)
        if figure >= requirement.l:
            return ""
        return (
            f"a group would hold {figure:.3g} values of {requirement.sensitive} where {requirement.l:g} are asked for"
        )


WORDS = DiversityWords()
