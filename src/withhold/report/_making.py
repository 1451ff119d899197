"""The sections about how a release was made, from its private report: what was withheld, why, and step by step."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from withhold._markup import folded, paragraph, section, table
from withhold.methods.refine import Step
from withhold.record import Record
from withhold.report import _charts
from withhold.requirements import KINDS, Block

__all__ = ["check_made", "making"]

MOST_STEPS = 200
"""How many steps, and reasons, a page lists."""


def making(record: Record) -> str:
    """Return what was withheld and why, and how the search went."""
    return "".join(
        [
            section("What was withheld, and why", _withheld(record)),
            section("Privacy against information, step by step", _path(record)),
        ]
    )


def check_made(record: Record) -> None:
    """Raise the error of whatever a record lacks, or has where something else belongs; nothing is drawn."""
    points = (_points(record, axis) for axis, _, _ in _figures(record))
    for part in (_withheld(record), _step_rows(record.steps), *points):
        list(part)


def _withheld(record: Record) -> Iterator[str]:
    header = ("column", "values before", "values after", "blanked cells", "coarsened cells", "NCP", "target kept")
    yield table(header, _column_rows(record))
    yield paragraph(
        "NCP, the certainty penalty, is 0 for a column as it was and 1 for one withheld altogether. Target kept: how "
        "much of the column's information about the target, or of the variance that it explains of a number.",
        kind="note",
    )
    together = record.metrics.get("target_variance", {}).get("together")
    if together is not None:
        yield paragraph(
            f"The published columns together explain {together['after']:.0%} of the variance of {record.target}; the "
            f"original ones {together['before']:.0%}, measured on the same rows."
        )
    yield from _inferences(record)
    yield from _lost_by_cells(record)
    reasons = record.stopped
    if reasons:
        shown = [(stop.column, stop.value, stop.why) for stop in reasons[:MOST_STEPS]]
        listed = table(("column", "published or withheld", "because"), shown) + "".join(_left_out(len(reasons)))
        yield folded(f"Why values are not finer ({len(reasons):,})", listed)
    for number, entry in enumerate(record.requirements):
        made = KINDS[entry.kind].words.section(entry.to_json())
        if made is not None:
            title, blocks = made
            yield section(f"{title} (require[{number}])", map(_block, blocks), level=3)


def _block(block: Block) -> str:
    return paragraph(block) if isinstance(block, str) else table(*block)


def _column_rows(record: Record) -> Iterator[tuple[object, ...]]:
    information = record.metrics.get("target_information") or record.metrics.get("target_variance", {}).get(
        "columns", {}
    )
    distinct = record.metrics["distinct_values"]
    for column, changed in record.withheld.columns.items():
        if column not in distinct:
            yield column, None, None, changed.blanked, changed.coarsened, None, None
            continue
        counts = distinct[column]
        kept = f"{information[column]['share']:.0%}" if column in information else None
        penalty = f"{record.metrics['ncp']['columns'][column]:.3f}"
        yield column, counts["before"], counts["after"], changed.blanked, changed.coarsened, penalty, kept


def _inferences(record: Record) -> Iterator[str]:
    found = record.metrics.get("inferences")
    if found is not None:
        header = ("groups that imply a sensitive value", *(f"above {share:.0%}" for share in found["above"]))
        yield table(header, [("before", *found["before"]), ("after", *found["after"])])


def _lost_by_cells(record: Record) -> Iterator[str]:
    """Report what single cells cost: in the measures of the thesis, over the columns that they lie in."""
    found = record.metrics.get("single_cells")
    if found is None:
        return
    names = (
        ("direct_distance", "cells that changed (direct distance)"),
        ("sum_of_kullback_leibler", "distributions: sum of Kullback-Leibler distances, bits"),
        ("change_of_mutual_information", "pairs of columns: mean change of mutual information, bits"),
        ("sum_of_conditional_entropies", "what is left unknown: sum of conditional entropies, bits"),
    )
    yield table(("single cells", "lost"), [(title, found[name]) for name, title in names])


def _path(record: Record) -> Iterator[str]:
    steps = record.steps
    if not steps:
        return
    if _charts.can_draw() and len(steps) > 1:
        for axis in dict.fromkeys(axis for axis, _, _ in _figures(record)):
            yield _charts.draw_path(list(_points(record, axis)), figure=axis)
    header = ("step", "column", "value", "becomes", "gain", "loss", "score")
    listed = table(header, _step_rows(steps[:MOST_STEPS])) + "".join(_left_out(len(steps)))
    yield folded(f"Every step ({len(steps):,})", listed)


def _points(record: Record, axis: str) -> Iterator[dict[str, Any]]:
    """Yield what each promise on an axis had reached after each step, against the gains up to it."""
    places = _figures(record)
    information = 0.0
    for number, step in enumerate(record.steps, start=1):
        information += step.gain
        for place, (own, name, asked) in enumerate(places):
            if own == axis and place < len(step.reached):
                point = {"step": number, "information": information, "reached": step.reached[place]}
                yield {**point, "asked": asked, "promise": name}


def _figures(record: Record) -> list[tuple[str, str, float]]:
    """Return the axis and name of each figure that a step reports, and what was asked for."""
    return [
        (words.axis, name, asked)
        for number, entry in enumerate(record.requirements)
        for words in (KINDS[entry.kind].words,)
        for name, asked in words.curves(entry.to_json(), number)
    ]


def _step_rows(steps: Sequence[Step]) -> Iterable[tuple[object, ...]]:
    for number, step in enumerate(steps, start=1):
        children = ", ".join(step.children[:8]) + (" …" if len(step.children) > 8 else "")
        figures = (f"{figure:.4g}" for figure in (step.gain, step.loss, step.score))
        yield number, step.column, step.value, children, *figures


def _left_out(n: int) -> Iterator[str]:
    if n > MOST_STEPS:
        yield paragraph(f"{n - MOST_STEPS:,} more are in the JSON report.", kind="note")
