"""What is said of record risk."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from withhold.requirements._words import Block, Entry, Words, rounded, withheld_rows
from withhold.requirements.risk._requirement import Risk

if TYPE_CHECKING:
    from withhold.auditing import Finding
    from withhold.requirements._base import Requirement

__all__ = ["WORDS", "class_of"]


def class_of(low: float, high: float | None) -> str:
    """Return the name of a class of risk."""
    if high is None:
        return f"above {low:g}"
    return "none" if high == 0 else f"{low:g} to {high:g}"


class RiskWords(Words):
    """Sentences about risks of records."""

    bound = "at most"
    unproven_hint = " Run without --quick for a proof."

    def says(self, requirement: "Requirement") -> str:
        """Return the largest risk that is allowed."""
        assert isinstance(requirement, Risk)
        reading = ", whoever is sensitive" if requirement.informed else ""
        return f"nobody's risk is above {requirement.at_most:g}{reading}"

    def promised(self, columns: Sequence[str], asked: float | None) -> str:
        """Return that nobody is too exposed."""
        return "by the columns that the policy gives a chance to be known, no person is more exposed than allowed"

    def public(self, finding: "Finding") -> str:
        """Return the largest risk that is allowed."""
        who = "no record" if finding.is_complete else "no record that was tried"
        reading = ", whoever is sensitive; blanks do not depend on that" if finding.details.get("informed") else ""
        return f"{who} has a risk above {finding.asked:g}{reading}"

    def public_figure(self, finding: "Finding", size: Callable[[float | None], int | None]) -> float | None:
        """Return the risk in two digits."""
        return rounded(finding, ".2g")

    def because(self, entry: Entry, number: int, why: str) -> str:
        """Return that the record was too exposed."""
        at_most = entry["asked"]["at_most"]
        if entry.get("informed"):
            return (
                f"With the heaviest sensitive value the record's risk would be above {at_most:g} (require[{number}]); "
                "what it holds was not read."
            )
        return f"The record's risk was above {at_most:g} (require[{number}]), or would be without this blank."

    def summary(self, entry: Entry, number: int) -> str:
        """Return how many records were above the threshold, and what was withheld."""
        above = f"{entry['records_above_before']:,} records were above {entry['asked']['at_most']}"
        lost = f"{entry['blanked']:,} cells blanked, {entry['coarsened']:,} coarsened (NCP {entry['ncp']:.2%})"
        return f"risk require[{number}]: {above}; {lost}{_price(entry)}"

    def section(self, entry: Entry) -> tuple[str, list[Block]]:
        """Return how exposed records were, and by which columns."""
        bars = zip(entry["histogram"]["before"], entry["histogram"]["after"], strict=True)
        counts = [(class_of(low, high), was, now) for (low, high, was), (_, _, now) in bars]
        shares = [(column, f"{share:.1%}") for column, share in entry["risk_by_column"].items()]
        blocks: list[Block] = [
            f"{entry['records_above_before']:,} records were above {entry['asked']['at_most']}; {entry['blanked']:,} "
            f"cells were blanked, {entry['given_back']:,} given back in {entry['rounds']} rounds{_price(entry)}.",
            (("risk", "records before", "after"), counts),
            (("column", "share of all risk that goes when nobody knows it"), shares),
        ]
        if entry["share_withheld"]:
            blocks.append((("column", "share of its cells withheld"), withheld_rows(entry)))
        return "Record risk", blocks


def _price(entry: Entry) -> str:
    """Return what it would have cost to look at who is sensitive, where nobody did."""
    if entry.get("withheld_if_seen") is None:
        return ""
    return f"; by a look at who is sensitive {entry['withheld_if_seen']:,} cells would have been withheld"


WORDS = RiskWords()
