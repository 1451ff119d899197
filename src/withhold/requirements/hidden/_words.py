"""What is said of hidden cells."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from withhold.requirements._words import Block, Entry, Words, withheld_rows
from withhold.requirements.hidden._requirement import Hidden

if TYPE_CHECKING:
    from withhold.auditing import Finding
    from withhold.requirements._base import Requirement

__all__ = ["UNTRIED", "WORDS"]

UNTRIED = "whether adversaries recover them was not checked"
"""What is said of hidden cells that cannot be found, or of which nobody knows what stood there."""
MOST_CLASSES = 200
"""How many values of hidden cells a page lists."""


class HiddenWords(Words):
    """Sentences about hidden cells and adversaries."""

    def says(self, requirement: "Requirement") -> str:
        """Return which cells are hidden from whom."""
        assert isinstance(requirement, Hidden)
        cells = "listed cells" if requirement.column is None else f"cells of {requirement.column}"
        named = ["learners that were tried" if each == "any" else each for each in requirement.adversaries]
        return f"{cells} stay hidden from {', '.join(named)}"

    def promised(self, columns: Sequence[str], asked: float | None) -> str:
        """Return that hidden cells stay hidden."""
        return "the hidden cells stay hidden from the adversaries that the policy names"

    def public(self, finding: "Finding") -> str:
        """Return that an adversary recovers nothing."""
        adversary = finding.details.get("adversary")
        cells = f"hidden cells in {', '.join(finding.columns)}"
        if adversary == "any":
            return f"none of the learners that were tried on the file recovers {cells} more often than a guess"
        if "inferred" in finding.details:
            if adversary == "rules":
                return f"no association rule of the published rows says anything of {cells}"
            return f"{adversary}, trained on the file, says of {cells} no more than of a row without values"
        if not finding.is_complete:
            return f"no {cells} are known to be published; {UNTRIED}"
        if adversary:
            return f"{adversary}, trained on the file, recovers no {cells}"
        return f"all {cells} are withheld"

    def public_figure(self, finding: "Finding", size: Callable[[float | None], int | None]) -> float | None:
        """Return 0 where nothing is recovered, else nothing."""
        return 0 if finding.ok else None

    def because(self, entry: Entry, number: int, why: str) -> str:
        """Return why a cell is blank: hidden itself, or for the sake of one."""
        if why == "hidden":
            return f"require[{number}] hides this cell."
        if why == "deleted row":
            return f"The whole row was deleted: nothing less protected a hidden cell of it (require[{number}])."
        if entry.get("informed"):
            return (
                f"With it an adversary named by require[{number}] would infer something of a hidden cell of this row."
            )
        return (
            f"With it an adversary named by require[{number}] would recover a hidden cell, in this row or another one."
        )

    def summary(self, entry: Entry, number: int) -> str:
        """Return how many cells are hidden, and what it took."""
        exposed = ", ".join(f"{n:,} to {name}" for name, n in entry["exposed_before"].items())
        others = f"{entry['others_blanked']:,} other cells blanked"
        if entry["others_coarsened"]:
            others += f", {entry['others_coarsened']:,} coarsened"
        return (
            f"hidden require[{number}]: {entry['cells']:,} cells hidden, of which exposed before: {exposed}; "
            f"{others}, {entry['rows_deleted']:,} rows deleted"
        )

    def section(self, entry: Entry) -> tuple[str, list[Block]]:
        """Return what adversaries would have recovered, and what it took to prevent that."""
        did = "would have inferred something of" if entry.get("informed") else "would have recovered"
        exposed = [(name, n, entry["cells"]) for name, n in entry["exposed_before"].items()]
        ways = [
            (
                each["column"],
                each["value"],
                each["cells"],
                ", ".join(f"{w}: {n:,}" for w, n in each["protected_by"].items()),
            )
            for each in entry["classes"][:MOST_CLASSES]
        ]
        blocks: list[Block] = [
            (("adversary", did, "of hidden cells"), exposed),
            f"{entry['others_blanked']:,} other cells were blanked and {entry['others_coarsened']:,} coarsened for "
            f"them; {entry['rows_deleted']:,} rows were deleted.",
            (("column", "value", "hidden cells", "protected by changes in"), ways),
        ]
        if entry["share_withheld"]:
            blocks.append((("column", "share of its other cells withheld"), withheld_rows(entry)))
        if "learners" in entry:
            rows = [(each["learner"], each["n_right"], each["n_guess"], each["n_cells"]) for each in entry["learners"]]
            blocks.append((("learner that was trained", "right at the end", "a guess", "of hidden cells"), rows))
        if "rules" in entry:
            blocks.append((("association rules", ""), _rules(entry["rules"])))
        return "Hidden cells", blocks


def _rules(rules: Any) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = [(f"rules with {k} items", n) for k, n in rules["by_length"].items()]
    found += [(f"rules that predict {column}", n) for column, n in rules["by_column"].items()]
    found.append(("entries blanked", rules["blanked"]))
    if "invalidation" not in rules:
        return found
    found.append(("… to invalidate rules", rules["invalidation"]))
    return [*found, ("… to marginalize them", rules["marginalization"])]


WORDS = HiddenWords()
