"""What pages draw by themselves: tables, bars and curves as text in which every cell is escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from withhold.methods.refine import Step
from withhold.record import AnyStep, Round
from withhold.workbench._compared import Fate, PageOfRows
from withhold.workbench._frontier import Knob, Point
from withhold.workbench._look import Bars
from withhold.workbench._tree_editor import TreeEditor

__all__ = [
    "bars",
    "before_table",
    "curve",
    "frontier",
    "listed",
    "meter",
    "number",
    "preview_table",
    "said",
    "share",
    "tree",
]

THOUSANDS = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\d)")
CLASSES: dict[Fate, str] = {"as it was": "kept", "coarser": "coarse", "blank": "blank", "not published": "gone"}
MOST_SHOWN = 300
"""How many names of one group a tree shows."""


def number(value: float) -> str:
    """Return a number, which the browser spells as its reader's language does."""
    return (
        f'<span data-n="{value!r}">{value:,}</span>'
        if isinstance(value, int)
        else f'<span data-n="{value!r}">{value:.4g}</span>'
    )


def share(value: float | None) -> str:
    """Return a share as a percentage."""
    return "–" if value is None else f'<span data-p="{float(value)!r}">{value:.1%}</span>'


def said(sentence: str) -> str:
    """Return a sentence of the package, its thousands as the browser spells them.

    Examples
    --------
    >>> said("<b> holds 1,234 rows")
    '&lt;b&gt; holds <span data-n="1234">1,234</span> rows'
    """
    parts, end = [], 0
    for match in THOUSANDS.finditer(sentence):
        parts += [escape(sentence[end : match.start()]), number(int(match[0].replace(",", "")))]
        end = match.end()
    return "".join([*parts, escape(sentence[end:])])


def bars(found: Bars, title: str) -> str:
    """Return a small histogram; each bar has its value and its rows as a title."""
    if not found.counts:
        return '<span class="soft small">–</span>'
    top, n = max(found.counts) or 1, len(found.counts)
    width = 144 / n
    drawn = "".join(
        f'<rect x="{i * width:.2f}" y="{35 - 33 * count / top:.2f}" width="{max(width - 1.2, 0.8):.2f}" '
        f'height="{33 * count / top:.2f}"><title>{escape(label)}: {count:,}</title></rect>'
        for i, (count, label) in enumerate(zip(found.counts, found.labels, strict=True))
    )
    head = f'<svg class="bars" viewBox="0 0 144 36" preserveAspectRatio="none" role="img" aria-label="{escape(title)}">'
    return f"{head}{drawn}</svg>"


def meter(part: float, kind: str, words: str) -> str:
    """Return a bar that is filled in part, with words for who cannot see it."""
    filled = f'<i style="width:{100 * min(1, part):.1f}%"></i>'
    return f'<div class="meter {kind}" role="img" aria-label="{escape(words)}">{filled}</div>'


def listed(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Iterable[int] = ()) -> str:
    """Return a table from cells that are markup already; columns in `numbers` are aligned to the right."""
    right = set(numbers)
    heads = "".join(f'<th scope="col"{_num(i, right)}>{escape(name)}</th>' for i, name in enumerate(header))
    lines = "".join(
        "<tr>" + "".join(f"<td{_num(i, right)}>{cell}</td>" for i, cell in enumerate(row)) + "</tr>" for row in rows
    )
    return (
        f'<div class="scroll"><table class="list"><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'
    )


def _num(i: int, right: set[int]) -> str:
    return ' class="num"' if i in right else ""


def preview_table(names: Sequence[str], rows: Sequence[Sequence[str | None]], first: int) -> str:
    """Return some rows of a table."""
    lines = [
        f'<tr><td class="at">{number(first + i + 1)}</td>'
        + "".join(f"<td>{_cell(cell)}</td>" for cell in row)
        + "</tr>"
        for i, row in enumerate(rows)
    ]
    return _cells(names, lines, "The first rows of the table")


def before_table(page: PageOfRows, *, is_after: bool) -> str:
    """Return some rows before or after; each cell has the class of what happened to it."""
    shown = page.after if is_after else page.before
    lines = []
    for i, (row, fates) in enumerate(zip(shown, page.fates, strict=True)):
        cells = []
        for j, (cell, fate) in enumerate(zip(row, fates, strict=True)):
            text = "not published" if is_after and fate == "not published" else _cell(cell)
            at = f'data-r="{page.first + i}" data-c="{j}" tabindex="{0 if i == j == 0 else -1}"'
            cells.append(f'<td class="{CLASSES[fate]}" {at} title="{fate}: click for why">{text}</td>')
        lines.append(f'<tr><td class="at">{number(page.first + i + 1)}</td>{"".join(cells)}</tr>')
    return _cells(page.names, lines, "After: what is published" if is_after else "Before: the original")


def _cells(names: Sequence[str], lines: Sequence[str], label: str) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    top = f'<thead><tr><th scope="col"><span class="soft">row</span></th>{heads}</tr></thead>'
    table = f'<table class="cells" aria-label="{escape(label)}">{top}<tbody>{"".join(lines)}</tbody></table>'
    box = f'<div class="scroll" data-together tabindex="0" role="region" aria-label="{escape(label)}">'
    return f"{box}{table}</div>"


def _cell(cell: str | None) -> str:
    return '<span class="none">missing</span>' if cell is None else escape(cell) or '<span class="none">empty</span>'


def curve(steps: Sequence[AnyStep], asked: Sequence[tuple[str, float]] = ()) -> str:
    """Return information against privacy as a search goes on: one curve each, over the steps."""
    rounds = [step for step in steps if isinstance(step, Round)]
    moves = [step for step in steps if isinstance(step, Step)]
    if rounds:
        return _lines(
            [step.grouped / step.rows for step in rounds],
            [],
            "rows in groups, each rise one try",
            "",
            f"{rounds[-1].grouped / rounds[-1].rows:.0%}",
        )
    if not moves:
        return '<div class="empty">Nothing was given back yet: everything that outsiders may know is withheld.</div>'
    total, gained = 0.0, []
    for step in moves:
        total += step.gain
        gained.append(total)
    reached = [min(step.reached) if step.reached else 0.0 for step in moves]
    return _lines(gained, reached, "information given back", "smallest figure of a promise", f"{total:.3g}")


def _lines(one: Sequence[float], two: Sequence[float], first: str, second: str, top: str) -> str:
    n = max(len(one) - 1, 1)

    def path(values: Sequence[float]) -> str:
        high = max(values) or 1
        points = (f"{30 + 430 * i / n:.1f},{190 - 165 * value / high:.1f}" for i, value in enumerate(values))
        return " ".join(points)

    drawn = f'<polyline class="one" points="{path(one)}"/>'
    drawn += f'<polyline class="two-line" points="{path(two)}"/>' if two else ""
    key = f'<text x="30" y="14">— {escape(first)} ({escape(top)})</text>'
    key += f'<text x="460" y="14" text-anchor="end">- - {escape(second)} ({two[-1]:.4g})</text>' if two else ""
    axis = (
        '<line class="axis" x1="30" y1="190" x2="460" y2="190"/><line class="axis" x1="30" y1="25" x2="30" y2="190"/>'
    )
    steps = f'<text x="460" y="208" text-anchor="end">{len(one):,} steps</text>'
    words = escape(f"{first} after {len(one)} steps")
    return f'<svg class="chart" viewBox="0 0 480 215" role="img" aria-label="{words}">{axis}{drawn}{key}{steps}</svg>'


def frontier(points: Sequence[Point], knob: Knob, now: float | None) -> str:
    """Return loss against protection, a point for each setting, which takes it when it is clicked."""
    met = [point for point in points if point.loss is not None]
    met.sort(key=lambda point: point.setting if knob.is_rising else -point.setting)
    if not met:
        return ""
    top = max(point.loss or 0 for point in met) or 1
    n = max(len(met) - 1, 1)
    places = [(60 + 600 * i / n, 200 - 165 * (point.loss or 0) / top) for i, point in enumerate(met)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = ""
    for (x, y), point in zip(places, met, strict=True):
        words = f"{knob.key} = {point.setting:g}: loss {point.loss:.1%}"
        is_now = ' class="now"' if point.setting == now else ""
        dots += (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" tabindex="0" role="button" aria-label="Take {escape(words)}" '
            f'data-setting="{point.setting!r}"{is_now}><title>{escape(words)}</title></circle>'
            f'<text x="{x:.1f}" y="222" text-anchor="middle">{point.setting:g}</text>'
        )
    axis = (
        '<line class="axis" x1="50" y1="205" x2="690" y2="205"/><line class="axis" x1="50" y1="25" x2="50" y2="205"/>'
    )
    legend = f'<text x="56" y="20">detail lost, up to {top:.1%}</text>'
    legend += f'<text x="690" y="240" text-anchor="end">{escape(knob.key)}: more protection →</text>'
    drawn = f'{axis}<polyline class="one" points="{line}"/>{dots}{legend}'
    return f'<svg class="chart" viewBox="0 0 720 245" role="group" aria-label="The frontier">{drawn}</svg>'


def tree(editor: TreeEditor, picked: Iterable[str] = (), sought: str = "") -> str:
    """Return a tree whose names can be dragged onto each other; numbers stand for the names."""
    place = {name: i for i, name in enumerate(editor.parent)}
    below, chosen, wanted = editor.below(), set(picked), sought.casefold()

    def line(name: str) -> str:
        inside = below[name]
        is_group = name not in editor.leaves
        check = (
            ""
            if name == editor.root
            else f'<input type="checkbox" aria-label="{escape(name)}"{" checked" if name in chosen else ""}>'
        )
        count = f' <span class="soft small">{number(len(inside))}</span>' if inside else ""
        drag = "" if name == editor.root else ' draggable="true"'
        kind = "group" if is_group else "value"
        inner = f"{check}<span>{escape(name)}</span>{count}"
        own = f'<span data-node="{place[name]}"{drag} class="{kind}">{inner}</span>'
        shown = [child for child in inside if not wanted or _holds(child)][:MOST_SHOWN]
        more = len(inside) - len(shown)
        rest = f'<li class="soft small">… {number(more)} more</li>' if more and not wanted else ""
        return f"<li>{own}<ul class='tree'>{''.join(map(line, shown))}{rest}</ul></li>" if inside else f"<li>{own}</li>"

    def _holds(name: str) -> bool:
        return wanted in name.casefold() or any(_holds(child) for child in below[name])

    return f'<div class="treebox"><ul class="tree top">{line(editor.root)}</ul></div>'
