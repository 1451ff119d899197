"""The owner's report of a release as one page, readable offline; no script, nothing fetched."""

import html
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from withhold.audit import Audit

__all__ = ["write_audit_html", "write_html"]

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.met { color: #17692f; } .unmet { color: #a11; } .note { color: #666; }
svg { width: 100%; height: auto; } @media print { body { margin: 0; } }
"""


def write_html(report: dict[str, Any], path: Path) -> None:
    """Write the page for a private report."""
    path.write_text(page(report), encoding="utf-8")
    path.chmod(0o600)


def page(report: dict[str, Any]) -> str:
    """Return the page for a private report."""
    met = all(entry["ok"] for entry in report["requirements"])
    verdict = "Every requirement is met." if met else "A requirement is not met."
    order = "keep their order" if report["rows"] == "keep" else "were shuffled"
    parts = [
        f"<h1>{html.escape(str(report['source']))}</h1>",
        f'<p class="{"met" if met else "unmet"}"><strong>{verdict}</strong></p>',
        f"<p>{report['n_rows']:,} rows, which {order}. "
        '<span class="note">Private to the owner: do not publish this page.</span></p>',
        "<h2>Requirements</h2>",
        _table(("kind", "columns", "asked", "reached", "met"), _requirement_rows(report)),
        "".join(f'<p class="note">{html.escape(note)}</p>' for note in report["notes"]),
        "<h2>Columns</h2>",
        _table(
            ("column", "values before", "values after", "blanked cells", "coarsened cells", "NCP", "target kept"),
            _column_rows(report),
        ),
        _inferences(report),
        _single_cells(report),
        *(["<h2>Steps</h2>", _curve(report), _steps(report)] if report["steps"] else []),
    ]
    return _document(parts)


def _requirement_rows(report: dict[str, Any]) -> Iterable[tuple[object, ...]]:
    for entry in report["requirements"]:
        met = "yes" if entry["ok"] else "no"
        asked, reached = entry["asked"], entry["reached"]
        if entry["kind"] == "anonymity":
            figures: tuple[object, object] = (f"k = {asked['k']}", f"k = {reached['k']}")
        elif entry["kind"] == "hidden":
            figures = (f"{entry['cells']:,} cells hidden, none recovered", f"{reached['recovered']:,} recovered")
        elif entry["kind"] == "risk":
            figures = (f"risk ≤ {asked['at_most']}", f"{reached['risk']:.4g}")
        else:
            figures = (f"confidence ≤ {asked['at_most']}", f"{reached['confidence']:.4f}")
        yield entry["kind"], ", ".join(entry["columns"]), *figures, met


def _column_rows(report: dict[str, Any]) -> Iterable[tuple[object, ...]]:
    told = report["metrics"].get("target_information", {})
    distinct = report["metrics"]["distinct_values"]
    for column, changed in report["withheld"]["columns"].items():
        if column not in distinct:
            yield column, "–", "–", changed["blanked"], changed["coarsened"], "–", "–"
            continue
        counts = distinct[column]
        kept = f"{told[column]['share']:.0%}" if column in told else "–"
        penalty = f"{report['metrics']['ncp']['columns'][column]:.3f}"
        yield column, counts["before"], counts["after"], changed["blanked"], changed["coarsened"], penalty, kept


def _inferences(report: dict[str, Any]) -> str:
    found = report["metrics"].get("inferences")
    if found is None:
        return ""
    rows = [("before", *found["before"]), ("after", *found["after"])]
    header = ("groups that imply a sensitive value", *(f"above {share:.0%}" for share in found["above"]))
    return "<h2>Inferences</h2>" + _table(header, rows)


def _single_cells(report: dict[str, Any]) -> str:
    """Tell what was withheld cell by cell: by column and value, never by row."""
    parts = []
    for entry in report["requirements"]:
        if entry["kind"] == "risk":
            parts.append(_risk(entry))
        if entry["kind"] != "hidden":
            continue
        exposed = [(name, n, entry["cells"]) for name, n in entry["exposed_before"].items()]
        parts.append("<h2>Hidden cells</h2>")
        parts.append(_table(("adversary", "would have recovered", "of hidden cells"), exposed))
        parts.append(
            f"<p>{entry['others_blanked']:,} other cells were blanked and {entry['others_coarsened']:,} coarsened for "
            f"them; {entry['rows_deleted']:,} rows were deleted.</p>"
        )
        ways = [
            (each["column"], each["value"], each["cells"], _listed(each["protected_by"])) for each in entry["classes"]
        ]
        parts.append(_table(("column", "value", "hidden cells", "protected by changes in"), ways))
        if "rules" in entry:
            rules = entry["rules"]
            told = [(f"rules with {k} items", n) for k, n in rules["by_length"].items()]
            told += [(f"rules that predict {column}", n) for column, n in rules["by_column"].items()]
            told += [("entries blanked", rules["blanked"]), ("… to invalidate rules", rules["invalidation"])]
            told += [("… to marginalize them", rules["marginalization"])]
            parts.append(_table(("association rules", ""), told))
    return "".join(parts)


def _risk(entry: dict[str, Any]) -> str:
    """Tell how many records lay in which interval of risk, before and after."""
    bars = zip(entry["histogram"]["before"], entry["histogram"]["after"], strict=True)
    rows = [(f"{low:g} to {high:g}", was, now) for (low, high, was), (_, _, now) in bars]
    shares = [(column, f"{share:.1%}") for column, share in entry["risk_by_column"].items()]
    return (
        f"<h2>Record risk</h2><p>{entry['records_above_before']:,} records were above {entry['asked']['at_most']}; "
        f"{entry['blanked']:,} cells were blanked, {entry['given_back']:,} given back in {entry['rounds']} rounds.</p>"
        + _table(("risk", "records before", "after"), rows)
        + _table(("column", "share of all risk that goes when nobody knows it"), shares)
    )


def _listed(ways: dict[str, int]) -> str:
    return ", ".join(f"{way}: {n:,}" for way, n in ways.items())


def _steps(report: dict[str, Any]) -> str:
    return _table(("step", "column", "value", "becomes", "gain", "loss", "score"), _step_rows(report))


def _step_rows(report: dict[str, Any]) -> Iterable[tuple[object, ...]]:
    for number, step in enumerate(report["steps"], start=1):
        children = ", ".join(step["children"][:8]) + (" …" if len(step["children"]) > 8 else "")
        figures = (f"{step[key]:.4g}" for key in ("gain", "loss", "score"))
        yield number, step["column"], step["value"], children, *figures


def _table(header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{html.escape(str(value))}</td>"


def _curve(report: dict[str, Any]) -> str:
    """Draw the smallest group after each step, from left to right, where anonymity was asked for."""
    sizes = [[size for size in step["reached"] if isinstance(size, int)] for step in report["steps"]]
    if len(sizes) < 2 or not sizes[0]:
        return ""
    smallest = [min(each) for each in sizes]
    width, height, top = 600, 160, max(smallest)
    points = " ".join(
        f"{40 + i * (width - 50) / (len(smallest) - 1):.1f},{height - 20 - (height - 40) * size / top:.1f}"
        for i, size in enumerate(smallest)
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="smallest group after each step">'
        f'<polyline fill="none" stroke="#2a6" stroke-width="2" points="{points}"/>'
        f'<text x="0" y="24" font-size="12">{top:,}</text>'
        f'<text x="40" y="{height - 4}" font-size="12">smallest group after each step</text></svg>'
    )


def write_audit_html(audit: "Audit", name: str, path: Path) -> None:
    """Write what an audit found as a page; it holds no value of any person."""
    verdict = "Every requirement is met." if audit.ok else "A requirement is not met."
    rows = [
        (
            finding.kind,
            ", ".join(finding.columns),
            finding.asked,
            finding.reached,
            "yes" if finding.ok else "no",
            finding.says,
        )
        for finding in audit.findings
    ]
    parts = [
        f"<h1>{html.escape(name)}</h1>",
        f'<p class="{"met" if audit.ok else "unmet"}"><strong>{verdict}</strong> {audit.n_rows:,} rows.</p>',
        _table(("kind", "columns", "asked", "reached", "met", "finding"), rows),
    ]
    path.write_text(_document(parts), encoding="utf-8")


def _document(parts: list[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>withhold</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )
