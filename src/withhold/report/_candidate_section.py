"""The part of the page about linkage by compatibility: the rows that a person could be."""

from collections.abc import Iterator, Sequence

from withhold._markup import folded, paragraph, table
from withhold.auditing import Candidates
from withhold.report._sections import reported_if, share

__all__ = ["candidate_parts", "candidate_sentence"]

STORY = (
    "Somebody who knows these columns of a person looks for the rows that the person could be: a blank or coarse cell "
    "matches every value that it may stand for. Who has the full register of people also knows that each row is one "
    "person, and rules out what no assignment of all rows to all people allows."
)
ALONE = " Without the original, people are rows of the file: counted are the rows that may describe the same person."


def candidate_parts(found: Sequence[Candidates]) -> Iterator[str]:
    """Report how many rows each person could be, and what these hold."""
    yield paragraph(STORY + (ALONE if all(each.register_rate is None and not each.note for each in found) else ""))
    header = (
        "columns known",
        "people",
        "one row only",
        "of these with a withheld cell",
        "fewest rows",
        "right row",
        "found for certain by a register",
        "right row by a register",
    )
    yield reported_if(header, [_row(each) for each in found], optional=header[3:])
    yield from _read_off(found)
    notes = [f"{', '.join(each.columns)}: {each.note}." for each in found if each.note]
    yield from (paragraph(note, kind="note") for note in notes)
    counts = [
        (", ".join(each.columns), _class(low, high), n)
        for each in found
        for low, high, n in each.sizes
        if n is not None
    ]
    yield folded("How many rows each person could be", table(("columns known", "rows", "people"), counts))


def candidate_sentence(found: Candidates) -> str:
    """Return in one line what was found."""
    known = ", ".join(found.columns)
    says = f"rows that may be a person, by {known}: {found.single:,} of {found.n_tried:,} people could be one row only"
    if found.withheld_single:
        says += f", {found.withheld_single:,} of them though a cell of theirs is withheld"
    says += f"; the right row in {found.rate:.1%} of cases"
    if found.register_rate is not None:
        says += f", with the full register {found.register_rate:.1%} ({found.register_single:,} people for certain)"
    return f"{says}; {found.note}" if found.note else says


def _row(found: Candidates) -> tuple[object, ...]:
    return (
        ", ".join(found.columns),
        found.n_tried,
        found.single,
        found.withheld_single,
        found.smallest,
        share(found.rate),
        found.register_single,
        share(found.register_rate),
    )


def _read_off(found: Sequence[Candidates]) -> Iterator[str]:
    rows = [
        (
            ", ".join(each.columns),
            off.column,
            share(off.rate),
            share(off.majority_rate),
            off.certain,
            off.register_certain,
        )
        for each in found
        for off in each.read_off
    ]
    if rows:
        header = ("columns known", "guessed", "right", "blind", "certain people", "certain by a register")
        yield paragraph("What the rows that a person could be hold in another column:")
        yield reported_if(header, rows, optional=header)


def _class(low: int, high: int | None) -> str:
    return f"{low:,} or more" if high is None else f"{low:,}" if low == high else f"{low:,} to {high:,}"
