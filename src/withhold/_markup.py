"""The few pieces of HTML that pages and notebooks are made of; no script, nothing fetched."""

import html
import re
from collections.abc import Iterable, Sequence

__all__ = ["badge", "document", "folded", "fragment", "paragraph", "section", "table"]

FIGURE = re.compile(r"(at least |at most |below )?[-+]?\d[\d,.]*(e[-+]?\d+)?( ?%| points)?( to \d[\d.]*%)?")

STYLE = """
:root { --ink: #1f2430; --soft: #5d6475; --line: #d9dce4; --good: #17692f; --bad: #a3171b; --doubt: #a86400;
  --paper: #fff; }
.withhold { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink); }
body.withhold { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; background: var(--paper); }
.withhold h1 { font-size: 1.5rem; margin: 0 0 .5rem; } .withhold h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; }
.withhold h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
.withhold table { border-collapse: collapse; margin: .6rem 0 1rem; font-size: .92em; }
.withhold .wide { overflow-x: auto; } .withhold p, .withhold td, .withhold h1 { overflow-wrap: anywhere; }
.withhold td { min-width: 3.5rem; } .withhold th { color: var(--soft); font-weight: 600; }
.withhold th, .withhold td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
.withhold .number { text-align: right; font-variant-numeric: tabular-nums; }
.withhold td.number { white-space: nowrap; }
.withhold .met, .withhold .unmet { white-space: nowrap; } .withhold summary { color: var(--soft); cursor: pointer; }
.withhold .met { color: var(--good); } .withhold .unmet { color: var(--bad); } .withhold .note { color: var(--soft); }
.withhold .verdict { border-left: .4rem solid var(--good); background: #f1f7f2; padding: .8rem 1.1rem; }
.withhold .verdict.broken { border-color: var(--bad); background: #fbf1f1; }
.withhold .verdict.doubtful { border-color: var(--doubt); background: #fdf7ec; }
.withhold .verdict.plain { border-color: var(--line); background: var(--paper); }
.withhold .verdict p { margin: .2rem 0; } .withhold figure { margin: .8rem 0; break-inside: avoid; }
.withhold figure svg { max-width: 100%; height: auto; } .withhold figcaption { color: var(--soft); font-size: .9em; }
.withhold .columns { display: grid; gap: 0 1.2rem;
  grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); }
@media print { body.withhold { margin: 0; max-width: none; font-size: 12px; } .withhold tr { break-inside: avoid; }
  .withhold .wide { overflow: visible; } }
"""


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; columns of figures are aligned to the right.

    Examples
    --------
    >>> table(["column", "rows"], [("age", 1200)]).partition("<tbody>")[2]
    '<tr><td>age</td><td class="number">1,200</td></tr></tbody></table></div>'
    """
    listed = [tuple(row) for row in rows]
    kinds = [_kind([row[i] for row in listed]) for i in range(len(header))]
    head = "".join(f"<th{kind}>{html.escape(name)}</th>" for name, kind in zip(header, kinds, strict=True))
    body = "".join(f"<tr>{''.join(map(_cell, row, kinds))}</tr>" for row in listed)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def folded(title: str, inside: str) -> str:
    """Return something that opens on a click, for what few readers need."""
    return f"<details><summary>{html.escape(title)}</summary>{inside}</details>"


def paragraph(text: str, *, kind: str = "") -> str:
    """Return a paragraph of plain text."""
    return f'<p class="{kind}">{html.escape(text)}</p>' if kind else f"<p>{html.escape(text)}</p>"


def section(title: str, parts: Iterable[str], *, level: int = 2) -> str:
    """Return a titled section, or nothing where it would be empty."""
    inside = "".join(parts)
    return f"<section><h{level}>{html.escape(title)}</h{level}>{inside}</section>" if inside else ""


def badge(ok: bool) -> str:
    """Return the word for a promise that is kept or broken, marked for colour; the word alone says it on paper."""
    return "met" if ok else "NOT MET"


def document(title: str, parts: Iterable[str]) -> str:
    """Return a page that needs nothing but itself; the policy in its head forbids a browser to fetch anything."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'img-src data:">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>"
        f'<body class="withhold">{"".join(parts)}</body></html>\n'
    )


def fragment(parts: Iterable[str]) -> str:
    """Return a piece of HTML for a notebook."""
    return f'<style>{STYLE}</style><div class="withhold">{"".join(parts)}</div>'


def _kind(values: Sequence[object]) -> str:
    """Return the class of a column: figures, or text."""
    filled = [value for value in values if value is not None]
    return ' class="number"' if filled and all(map(_is_figure, filled)) else ""


def _is_figure(value: object) -> bool:
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    return FIGURE.fullmatch(str(value)) is not None


def _cell(value: object, kind: str) -> str:
    if isinstance(value, bool):
        return f'<td class="{"met" if value else "unmet"}">{badge(value)}</td>'
    text = f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"<td{kind}>{html.escape('–' if value is None else text)}</td>"
