"""What is said of closeness."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from withhold.requirements._sensitive_words import SensitiveWords
from withhold.requirements._unread import too_small
from withhold.requirements._words import rounded
from withhold.requirements.closeness._requirement import Closeness

if TYPE_CHECKING:
    from withhold.auditing import Finding
    from withhold.requirements._base import Requirement

__all__ = ["WORDS"]


class ClosenessWords(SensitiveWords):
    """Sentences about distances of distributions."""

    bound = "at most"
    axis = "largest distance"
    key = "t"

    def says(self, requirement: "Requirement") -> str:
        """Return how far groups may be from the table."""
        assert isinstance(requirement, Closeness)
        names = ", ".join(requirement.columns)
        reading = ", also to who knows how groups were made" if requirement.informed else ""
        within = f"is within {requirement.t:g} of everybody{reading}"
        return f"{requirement.sensitive} among people who share {names} {within}"

    def promised(self, columns: Sequence[str], asked: float | None) -> str:
        """Return how much an outsider can learn."""
        return f"the sensitive values of people who share {', '.join(columns)} are within {asked:g} of the table's"

    def public(self, finding: "Finding") -> str:
        """Return the largest distance that is allowed."""
        names = ", ".join(finding.columns)
        return f"no combination of {names} is farther than {finding.asked:g} from the distribution of the table"

    def public_figure(self, finding: "Finding", size: Callable[[float | None], int | None]) -> float | None:
        """Return the distance in two digits."""
        return rounded(finding, ".2f")

    def broken(self, requirement: "Requirement", term: int, figure: float) -> str:
        """Return how far a group would be."""
        assert isinstance(requirement, Closeness)
        if requirement.informed:
            return too_small(requirement, figure)
        if figure <= requirement.t:
            return ""
        return f"a group's {requirement.sensitive} would be {figure:.3g} away from the table's, above {requirement.t:g}"


WORDS = ClosenessWords()
