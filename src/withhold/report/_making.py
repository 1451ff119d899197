"""The sections about how a release was made, from its private report: what was withheld, why, and step by step."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from withhold._markup import folded, paragraph, section, table
from withhold.report import _charts
from withhold.report._sections import class_of

__all__ = ["making"]

Report = dict[str, Any]
MOST_STEPS = 200
"""How many steps, and reasons, a page lists."""


def making(report: Report) -> str:
    """Tell what was withheld and why, and how the search went."""
    return "".join(
        [
            section("What was withheld, and why", _withheld(report)),
            section("Privacy against information, step by step", _path(report)),
        ]
    )


def _withheld(report: Report) -> Iterator[str]:
    header = ("column", "values before", "values after", "blanked cells", "coarsened cells", "NCP", "target kept")
    yield table(header, _column_rows(report))
    yield paragraph(
        "NCP, the certainty penalty, is 0 for a column as it was and 1 for one withheld altogether. Target kept: how "
        "much of what the column tells about the target.",
        kind="note",
    )
    yield from _inferences(report)
    yield from _lost_by_cells(report)
    reasons = report["stopped"]
    if reasons:
        shown = [(stop["column"], stop["value"], stop["why"]) for stop in reasons[:MOST_STEPS]]
        listed = table(("column", "published or withheld", "because"), shown) + "".join(_left_out(len(reasons)))
        yield folded(f"Why values are not finer ({len(reasons):,})", listed)
    for number, entry in enumerate(report["requirements"]):
        if entry["kind"] == "risk":
            yield section(f"Record risk (require[{number}])", _risk(entry), level=3)
        if entry["kind"] == "hidden":
            yield section(f"Hidden cells (require[{number}])", _hidden(entry), level=3)


def _column_rows(report: Report) -> Iterator[tuple[object, ...]]:
    told = report["metrics"].get("target_information", {})
    distinct = report["metrics"]["distinct_values"]
    for column, changed in report["withheld"]["columns"].items():
        if column not in distinct:
            yield column, None, None, changed["blanked"], changed["coarsened"], None, None
            continue
        counts = distinct[column]
        kept = f"{told[column]['share']:.0%}" if column in told else None
        penalty = f"{report['metrics']['ncp']['columns'][column]:.3f}"
        yield column, counts["before"], counts["after"], changed["blanked"], changed["coarsened"], penalty, kept


def _inferences(report: Report) -> Iterator[str]:
    found = report["metrics"].get("inferences")
    if found is not None:
        header = ("groups that imply a sensitive value", *(f"above {share:.0%}" for share in found["above"]))
        yield table(header, [("before", *found["before"]), ("after", *found["after"])])


def _lost_by_cells(report: Report) -> Iterator[str]:
    """Tell what single cells cost: in the measures of the thesis, over the columns that they lie in."""
    found = report["metrics"].get("single_cells")
    if found is None:
        return
    names = (
        ("direct_distance", "cells that changed (direct distance)"),
        ("sum_of_kullback_leibler", "distributions: sum of Kullback-Leibler distances, bits"),
        ("change_of_mutual_information", "pairs of columns: mean change of mutual information, bits"),
        ("sum_of_conditional_entropies", "what is left unknown: sum of conditional entropies, bits"),
    )
    yield table(("single cells", "lost"), [(title, found[name]) for name, title in names])


def _hidden(entry: Report) -> Iterator[str]:
    exposed = [(name, n, entry["cells"]) for name, n in entry["exposed_before"].items()]
    did = "would have told something of" if entry.get("informed") else "would have recovered"
    yield table(("adversary", did, "of hidden cells"), exposed)
    yield paragraph(
        f"{entry['others_blanked']:,} other cells were blanked and {entry['others_coarsened']:,} coarsened for them; "
        f"{entry['rows_deleted']:,} rows were deleted."
    )
    ways = [(each["column"], each["value"], each["cells"], _listed(each["protected_by"])) for each in entry["classes"]]
    yield table(("column", "value", "hidden cells", "protected by changes in"), ways[:MOST_STEPS])
    if "rules" in entry:
        rules = entry["rules"]
        told = [(f"rules with {k} items", n) for k, n in rules["by_length"].items()]
        told += [(f"rules that predict {column}", n) for column, n in rules["by_column"].items()]
        told += [("entries blanked", rules["blanked"]), ("… to invalidate rules", rules["invalidation"])]
        told += [("… to marginalize them", rules["marginalization"])]
        yield table(("association rules", ""), told)


def _risk(entry: Report) -> Iterator[str]:
    yield paragraph(
        f"{entry['records_above_before']:,} records were above {entry['asked']['at_most']}; {entry['blanked']:,} cells "
        f"were blanked, {entry['given_back']:,} given back in {entry['rounds']} rounds."
    )
    bars = zip(entry["histogram"]["before"], entry["histogram"]["after"], strict=True)
    yield table(("risk", "records before", "after"), [(class_of(a, b), was, now) for (a, b, was), (_, _, now) in bars])
    shares = [(column, f"{share:.1%}") for column, share in entry["risk_by_column"].items()]
    yield table(("column", "share of all risk that goes when nobody knows it"), shares)


def _path(report: Report) -> Iterator[str]:
    steps = report["steps"]
    if not steps:
        return
    if _charts.can_draw() and len(steps) > 1:
        for figure, kind in (("smallest group", "anonymity"), ("largest confidence", "template")):
            rows = list(_points(report, kind))
            if rows:
                yield _charts.draw_path(rows, figure=figure)
    header = ("step", "column", "value", "becomes", "gain", "loss", "score")
    listed = table(header, _step_rows(steps[:MOST_STEPS])) + "".join(_left_out(len(steps)))
    yield folded(f"Every step ({len(steps):,})", listed)


def _points(report: Report, kind: str) -> Iterator[dict[str, Any]]:
    """Yield what each promise of a kind had reached after each step, against the gains up to it."""
    places = _figures(report)
    information = 0.0
    for number, step in enumerate(report["steps"], start=1):
        information += step["gain"]
        for place, (own, name, asked) in enumerate(places):
            if own == kind and place < len(step["reached"]):
                point = {"step": number, "information": information, "reached": step["reached"][place]}
                yield {**point, "asked": asked, "promise": name}


def _figures(report: Report) -> list[tuple[str, str, float]]:
    """Return the kind and name of each figure that a step reports, and what was asked for."""
    found: list[tuple[str, str, float]] = []
    for number, entry in enumerate(report["requirements"]):
        if entry["kind"] == "anonymity":
            k = entry["asked"]["k"]
            found.append(("anonymity", f"require[{number}], at least {k:,}", k))
        elif entry["kind"] == "template":
            at_most = entry["asked"]["at_most"]
            found += [
                ("template", f"require[{number}] {each['column']}: {each['value']}, at most {at_most:g}", at_most)
                for each in entry["reached"]["values"]
            ]
    return found


def _step_rows(steps: Sequence[Report]) -> Iterable[tuple[object, ...]]:
    for number, step in enumerate(steps, start=1):
        children = ", ".join(step["children"][:8]) + (" …" if len(step["children"]) > 8 else "")
        figures = (f"{step[key]:.4g}" for key in ("gain", "loss", "score"))
        yield number, step["column"], step["value"], children, *figures


def _left_out(n: int) -> Iterator[str]:
    if n > MOST_STEPS:
        yield paragraph(f"{n - MOST_STEPS:,} more are in the JSON report.", kind="note")


def _listed(ways: dict[str, int]) -> str:
    return ", ".join(f"{way}: {n:,}" for way, n in ways.items())
