"""The section of the page about the population that a file is a sample of."""

from collections.abc import Iterator

from withhold._markup import paragraph, section, table
from withhold.auditing import Audit, SampledRisk
from withhold.report._sections import reported_before, share

__all__ = ["sampled_people"]

READING = (
    "Somebody who knows these columns of a person, and can look up all people of the population, links a row to one of "
    "those who share its values. The chance that it is the right one is one over their number. A person who is "
    "alone in the file need not be alone in the population."
)
ESTIMATES = (
    "Who is not in the file was not counted: these are estimates, and estimators differ. docs/samples.md compares them "
    "with the truth."
)


def sampled_people(audit: Audit) -> str:
    """Report how exposed people are in the population."""
    return section("How exposed people are in the population", _populations(audit))


def _populations(audit: Audit) -> Iterator[str]:
    if not audit.populations:
        return
    is_counted = audit.populations[0].after.basis == "table"
    yield paragraph(READING if is_counted else f"{READING} {ESTIMATES}")
    for each in audit.populations:
        yield section(f"By {', '.join(each.columns)}", _population(each), level=3)


def _population(found: SampledRisk) -> Iterator[str]:
    after, before = found.after, found.before
    yield paragraph(after.says)
    header = ("estimator", "right person", "before", "most exposed row", "before ", "rows linked rightly", "rows alone")
    rows = []
    for each in after.estimates:
        was = None if before is None else before.estimate(each.estimator)
        rows.append(
            (
                each.title,
                share(each.average),
                None if was is None else share(was.average),
                share(each.largest),
                None if was is None else share(was.largest),
                f"{each.expected:,.1f}",
                f"{each.unique_rows:,.1f}",
            )
        )
    yield reported_before(header, rows)
    if after.uniqueness:
        models = [
            (each.title, "no estimate" if each.n_people is None else f"{each.n_people:,.0f}", share(each.share))
            for each in after.uniqueness
        ]
        yield table(("model", "people alone in the population", "share"), models)
