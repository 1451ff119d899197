"""Plots as vector pictures inside a page; they need the extra ``report``, and no browser or network."""

import html
import re
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import count
from typing import Any

__all__ = ["can_draw", "draw_attacks", "draw_column", "draw_dependence", "draw_errors", "draw_path", "draw_risk"]

BEFORE, AFTER, GUESS = "#8a93a6", "#1b6ca8", "#c2571a"
MOST_NAMES = 40
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no vector picture can hold; the packages that draw end the whole process on it."""
_numbers = count(1)


def can_draw() -> bool:
    """Return whether the packages that draw are installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


def draw_attacks(rows: Sequence[dict[str, Any]]) -> str:
    """Draw how often each attacker is right: with its interval after, before, and the majority guess.

    Each row holds ``attacker``, ``rate``, ``low``, ``high``, ``before`` (or None) and ``majority``.
    """
    import altair as alt

    values = [{**row, "attacker": _short(row["attacker"])} for row in rows]
    base = _chart(values)
    y = alt.Y("attacker:N", sort=None, title=None, axis=alt.Axis(labelLimit=260))
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", title="cells recovered")
    interval = base.mark_rule(strokeWidth=2, color=AFTER).encode(
        y=y, x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    after = base.mark_circle(size=70, color=AFTER, opacity=1).encode(y=y, x=alt.X("rate:Q", scale=scale))
    before = base.mark_point(size=60, color=BEFORE, filled=False).encode(y=y, x=alt.X("before:Q", scale=scale))
    guess = base.mark_tick(color=GUESS, thickness=2, size=16).encode(y=y, x=alt.X("majority:Q", scale=scale))
    return _figure(
        (interval + before + after + guess).properties(width=520, height=alt.Step(22)),
        "Filled: the release, with its 95 % interval. Hollow: where only the attacked cells were blank. "
        "Tick: guessing the most frequent value.",
    )


def draw_errors(rows: Sequence[dict[str, Any]]) -> str:
    """Draw the errors of learners; each row holds ``learner``, ``table``, ``error``, ``low`` and ``high``."""
    import altair as alt

    base = _chart(list(rows))
    y = alt.Y("table:N", sort=None, title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("error:Q", axis=alt.Axis(format="%", title="error on held-out rows"), scale=alt.Scale(zero=False))
    interval = base.mark_rule(strokeWidth=2, color=AFTER).encode(y=y, x=alt.X("low:Q"), x2="high:Q")
    dots = base.mark_circle(size=60, color=AFTER, opacity=1).encode(y=y, x=x)
    chart = (interval + dots).properties(width=430, height=alt.Step(20)).facet(row=alt.Row("learner:N", title=None))
    return _figure(chart, "Error of models trained for the target, with 95 % intervals: lower is better.")


def draw_column(name: str, rows: Sequence[dict[str, Any]], *, is_number: bool) -> str:
    """Draw a column before and after; each row holds ``value`` (or ``low``, ``high``), ``before`` and ``after``."""
    import altair as alt

    values = []
    for row in rows:
        for when in ("before", "after"):
            if row[when] is not None:
                values.append({**row, "rows": row[when], "when": when})
    colour = alt.Color(
        "when:N",
        scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]),
        legend=alt.Legend(title=None, orient="top"),
    )
    base = _chart(values)

    def share(channel: Any) -> Any:
        return channel("rows:Q", title="share of rows", axis=alt.Axis(format="%"))

    if is_number:
        mark = base.mark_rect(opacity=0.55).encode(
            x=alt.X("low:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(labelExpr="'' + datum.value")),
            x2="high:Q",
            y=share(alt.Y),
            y2=alt.datum(0),
            color=colour,
        )
        return _figure(mark.properties(width=250, height=130), name)
    for value in values:
        value["value"] = _short(str(value["value"]), 24) or "(empty)"
    mark = base.mark_bar().encode(
        y=alt.Y("value:N", sort=None, title=None, axis=alt.Axis(labelLimit=130)),
        x=share(alt.X),
        yOffset=alt.YOffset("when:N", sort=["before", "after"]),
        color=colour,
    )
    return _figure(mark.properties(width=190, height=alt.Step(8)), name)


def draw_dependence(names: Sequence[str], before: Any, after: Any) -> str:
    """Draw pairwise dependence before and after, as two squares of shades."""
    import altair as alt

    values = [
        {"one": one, "other": other, "when": when, "dependence": float(matrix[i][j])}
        for when, matrix in (("before", before), ("after", after))
        for i, one in enumerate(names)
        for j, other in enumerate(names)
        if i != j
    ]
    chart = (
        _chart(values)
        .mark_rect()
        .encode(
            x=alt.X("other:N", sort=list(names), title=None),
            y=alt.Y("one:N", sort=list(names), title=None),
            color=alt.Color(
                "dependence:Q", scale=alt.Scale(scheme="blues", domain=[0, 1]), legend=alt.Legend(title=None)
            ),
        )
        .properties(width=alt.Step(18), height=alt.Step(18))
        .facet(column=alt.Column("when:N", sort=["before", "after"], title=None))
    )
    return _figure(chart, "How strongly columns depend on each other: 0 not at all, 1 one determines the other.")


def draw_path(rows: Sequence[dict[str, Any]], *, figure: str) -> str:
    """Draw privacy against information; each row holds ``step``, ``information``, ``reached``, ``asked``, ``promise``.

    A dashed line marks what was asked for. Sizes of groups are drawn by their powers of ten.
    """
    import altair as alt

    is_size = "group" in figure
    values = [{**row, "reached": max(row["reached"], 1) if is_size else row["reached"]} for row in rows]
    most = max(max(row["reached"], row["asked"]) for row in values)
    ticks = [10**power for power in range(len(str(int(most))) + 1)]
    scale = (
        alt.Scale(type="log", domain=[1, max(most, 10)], nice=False) if is_size else alt.Scale(domain=[0, max(most, 1)])
    )
    axis = alt.Axis(values=ticks, format=",d") if is_size else alt.Axis(format="%")
    colour = alt.Color("promise:N", legend=alt.Legend(title=None, orient="top", labelLimit=400))
    path = (
        _chart(values)
        .mark_line(point=alt.OverlayMarkDef(size=22))
        .encode(
            x=alt.X("information:Q", title="information given back (sum of gains)"),
            y=alt.Y("reached:Q", title=figure, scale=scale, axis=axis),
            color=colour,
            order="step:Q",
        )
    )
    asked = list({row["promise"]: row for row in values}.values())
    lines = _chart(asked).mark_rule(strokeDash=[5, 4]).encode(y=alt.Y("asked:Q", scale=scale), color=colour)
    return _figure(
        (path + lines).properties(width=520, height=200),
        f"Each point is a step of the search: what it gave back, and the {figure} after it. Dashed: what was asked.",
    )


def draw_risk(rows: Sequence[dict[str, Any]]) -> str:
    """Draw how many records lie in which class of risk; each row holds ``risk``, ``records`` and ``when``."""
    import altair as alt

    order = list(dict.fromkeys(row["risk"] for row in rows))
    chart = (
        _chart(list(rows))
        .mark_bar()
        .encode(
            y=alt.Y("risk:N", sort=order, title="risk"),
            x=alt.X("records:Q", title="records", scale=alt.Scale(type="symlog")),
            yOffset=alt.YOffset("when:N", sort=["before", "after"]),
            color=alt.Color(
                "when:N",
                scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]),
                legend=alt.Legend(title=None, orient="top"),
            ),
        )
        .properties(width=460, height=alt.Step(9))
    )
    return _figure(chart, "Records by risk, before and after.")


def _chart(values: Sequence[dict[str, Any]]) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(values=list(values)))  # type: ignore[no-untyped-call]


def _figure(chart: Any, caption: str) -> str:
    """Return a chart as a figure; identifiers in it are made unique in the page."""
    import vl_convert

    drawn = chart.configure_view(strokeWidth=0).configure_axis(grid=False, labelFontSize=11, titleFontSize=11)
    drawn = drawn.configure(font="DejaVu Sans, Verdana, sans-serif")
    svg: str = vl_convert.vegalite_to_svg(_drawable(drawn.to_dict()))
    prefix = f"plot{next(_numbers)}-"
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}", svg)
    svg = re.sub(r'href="#', f'href="#{prefix}', svg)
    label = html.escape(caption, quote=True)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"


def _drawable(part: Any) -> Any:
    """Return a part of a chart whose texts hold nothing that cannot be drawn."""
    if isinstance(part, str):
        return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", part)
    if isinstance(part, dict):
        return {key: _drawable(value) for key, value in part.items()}
    return [_drawable(each) for each in part] if isinstance(part, list | tuple) else part


def _short(text: str, most: int = MOST_NAMES) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
