"""The sentences of a kind of promise: what every kind must be able to say."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from withhold.auditing import Finding
    from withhold.requirements._base import Requirement

__all__ = ["Block", "Words"]

Entry = Mapping[str, Any]
"""What the owner's record says of a requirement."""
Block = str | tuple[Sequence[str], Sequence[Sequence[object]]]
"""A part of a section: a paragraph, or the header and the rows of a table."""
WHY_GROUP = "Its group would have broken a promise (require[{number}]), so it shares a coarser one."


class Words(ABC):
    """What is said of a kind: in messages, on a terminal, on the page, in public."""

    bound: ClassVar[str] = ""
    """How what was asked for is bounded: ``at least``, ``at most``; empty where a promise is kept or not."""
    axis: ClassVar[str] = ""
    """What a search reaches for it, step by step; empty where no search is steered by it."""
    unproven_hint: ClassVar[str] = ""
    """What to do where a check could not prove it."""

    @abstractmethod
    def says(self, requirement: "Requirement") -> str:
        """Return what a requirement promises, in a few words."""

    @abstractmethod
    def promised(self, columns: Sequence[str], asked: float | None) -> str:
        """Return what holds where it is met: part of a verdict."""

    @abstractmethod
    def public(self, finding: "Finding") -> str:
        """Return what a check found where it is met, without a value and without a count of people."""

    def weaker(self, finding: "Finding") -> str:
        """Return in which way what was checked is weaker than `promised` says; mostly nothing."""
        return ""

    def public_figure(self, finding: "Finding", size: Callable[[float | None], int | None]) -> float | None:
        """Return what may be published of what a file reaches; `size` makes a size of a group safe to publish."""
        return size(finding.reached)

    def broken(self, requirement: "Requirement", term: int, figure: float) -> str:
        """Return what would be wrong with a figure of a search, or nothing; `term` counts its figures."""
        return ""

    def because(self, entry: Entry, number: int, why: str) -> str:
        """Return why a single cell was withheld."""
        return WHY_GROUP.format(number=number)

    def curves(self, entry: Entry, number: int) -> Iterator[tuple[str, float]]:
        """Yield the name of each figure of a search, and what was asked for."""
        return iter(())

    def summary(self, entry: Entry, number: int) -> str:
        """Return what was withheld cell by cell for it, for a terminal; empty where nothing was."""
        n_blanked, n_coarsened = entry.get("regrouped_blanked", 0), entry.get("regrouped_coarsened", 0)
        if not n_blanked + n_coarsened:
            return ""
        done = f"{n_blanked:,} cells blanked, {n_coarsened:,} coarsened to close groups that single cells had broken"
        return f"{entry['kind']} require[{number}]: {done}"

    def section(self, entry: Entry) -> tuple[str, list[Block]] | None:
        """Return the title and the parts of its section on the owner's page; None where it has none."""
        return None


def rounded(finding: "Finding", digits: str) -> float | None:
    """Return a figure with few digits that is still on its side of the bound; None where that cannot be."""
    if finding.reached is None or finding.asked is None:
        return None
    # How often a value stood in the original, only its owner knows.
    found = float(f"{finding.details.get('published', finding.reached):{digits}}")
    if finding.ok:
        return min(found, finding.asked)
    return found if found > finding.asked else None


def withheld_rows(entry: Entry) -> list[tuple[str, str]]:
    """Return which share of each column a requirement withheld, the largest first."""
    return [(column, f"{share:.1%}") for column, share in entry["share_withheld"].items()]
