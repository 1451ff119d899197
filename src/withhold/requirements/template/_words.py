"""What is said of templates."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from withhold.requirements._unread import too_small
from withhold.requirements._words import Entry, Words, rounded
from withhold.requirements.template._requirement import Template

if TYPE_CHECKING:
    from withhold.auditing import Finding
    from withhold.requirements._base import Requirement

__all__ = ["WORDS"]


class TemplateWords(Words):
    """Sentences about confidences."""

    bound = "at most"
    axis = "largest confidence"

    def says(self, requirement: "Requirement") -> str:
        """Return what implies what, and how surely at most."""
        assert isinstance(requirement, Template)
        values = " or ".join(f"{column} = {value}" for column, value in requirement.terms)
        reading = ", also to who knows how groups were made" if requirement.informed else ""
        return f"{', '.join(requirement.given)} imply {values} with at most {requirement.at_most:g}{reading}"

    def promised(self, columns: Sequence[str], asked: float | None) -> str:
        """Return that no combination implies too much."""
        names = ", ".join(columns)
        return f"no combination of {names} implies a sensitive value that the policy names more surely than allowed"

    def public(self, finding: "Finding") -> str:
        """Return the largest confidence that is allowed."""
        names = ", ".join(finding.columns)
        only = "" if finding.is_complete else "; only what is published was counted"
        return f"no combination of {names} implies a sensitive value with a confidence above {finding.asked:g}{only}"

    def public_figure(self, finding: "Finding", size: Callable[[float | None], int | None]) -> float | None:
        """Return the confidence in two digits."""
        return rounded(finding, ".2f")

    def broken(self, requirement: "Requirement", term: int, figure: float) -> str:
        """Return how surely a group would imply a value."""
        assert isinstance(requirement, Template)
        if requirement.informed:
            return too_small(requirement, figure)
        if figure <= requirement.at_most:
            return ""
        column, value = requirement.terms[term]
        return f'a group would imply {column} = "{value}" with confidence {figure:.3g}, above {requirement.at_most:g}'

    def because(self, entry: Entry, number: int, why: str) -> str:
        """Return why a sensitive cell was withheld."""
        if why == "sensitive":
            return f"With it its group would imply a sensitive value too surely (require[{number}])."
        return super().because(entry, number, why)

    def curves(self, entry: Entry, number: int) -> Iterator[tuple[str, float]]:
        """Yield the confidence of each sensitive value."""
        if entry.get("informed"):
            yield f"require[{number}], at least {entry['groups_of']}", entry["groups_of"]
            return
        at_most = entry["asked"]["at_most"]
        for each in entry["reached"]["values"]:
            yield f"require[{number}] {each['column']}: {each['value']}, at most {at_most:g}", at_most


WORDS = TemplateWords()
