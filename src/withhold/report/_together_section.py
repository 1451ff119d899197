"""The section of the page about earlier releases of the same people."""

from collections.abc import Iterator

from withhold._markup import paragraph, section, table
from withhold.auditing import Audit, Together

__all__ = ["together"]


def together(audit: Audit) -> str:
    """Report what the file says together with earlier releases."""
    return "" if audit.together is None else section("Together with earlier releases", _parts(audit.together))


def _parts(found: Together) -> Iterator[str]:
    yield paragraph(
        f"Read together with {', '.join(found.releases)}, as if it were known which rows are the same person's: each "
        "cell says what all releases allow, and every promise is counted again over all people. "
        f"{found.n_both:,} people are in this and an earlier release, {found.n_left:,} in an earlier one only, "
        f"{found.n_joined:,} in this one only."
    )
    rows = [(finding.ok, f"{finding.kind} {finding.where}", finding.says) for finding in found.findings]
    if rows:
        yield table(("", "promise", "together"), rows)
    if found.broken_alone:
        yield paragraph(f"Broken by one of the releases alone: {', '.join(found.broken_alone)}.")
    for finding in found.by_membership:
        yield paragraph(f"To somebody who also knows who left and who joined, {finding.where}: {finding.says}.")
    if found.single is not None:
        alone = "" if found.single_alone is None else f" (in this file alone {found.single_alone:,})"
        yield paragraph(f"Read together, {found.single:,} people could be one row only{alone}.")
