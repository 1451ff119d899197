"""Tables and plots of the page, for every experiment."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["figure", "line_plot", "save", "table"]

Row = dict[str, Any]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown, the first column to the left; ends with an empty line."""
    marks = ["---", *("---:" for _ in head[1:])]
    lines = [f"| {' | '.join(str(cell).replace('|', '∣') for cell in row)} |" for row in (head, marks, *rows)]
    return "\n".join([*lines, "", ""])


def figure(value: float | None, digits: int = 3) -> str:
    """Return a number in a few significant digits, or a dash where there is none."""
    if value is None:
        return "–"
    if value == int(value) or abs(value) >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def line_plot(
    rows: Sequence[Row],
    *,
    x: tuple[str, str],
    y: tuple[str, str],
    color: str = "series",
    facet: str | None = None,
    logarithmic: str = "",
    dashed: Sequence[str] = (),
    size: tuple[int, int] = (300, 220),
    zero: bool = True,
) -> Any:
    """Return a chart with a line for each `color`; `x` and `y` are a field and its title.

    `logarithmic` names the axes with a logarithmic scale ("x", "y" or "xy"); every `facet` has its own y axis; the
    lines named in `dashed` are dashed; the y axis starts at 0 unless `zero` is false.
    """
    import altair as alt

    def axis(kind: Any, which: str, named: tuple[str, str]) -> Any:
        scale = alt.Scale(type="log") if which in logarithmic else alt.Scale(zero=zero and which == "y")
        return kind(f"{named[0]}:Q", title=named[1], scale=scale)

    chart = alt.Chart(alt.Data(values=list(rows)), width=size[0], height=size[1]).mark_line(point=True)
    # A legend is cut at 160 pixels by default.
    legend = alt.Legend(labelLimit=400)
    chart = chart.encode(
        x=axis(alt.X, "x", x),
        y=axis(alt.Y, "y", y),
        color=alt.Color(f"{color}:N", sort=None, title=None, legend=legend),
    )
    if dashed:
        names = list(dict.fromkeys(row[color] for row in rows))
        strokes = alt.Scale(domain=names, range=[[5, 5] if name in dashed else [1, 0] for name in names])
        chart = chart.encode(strokeDash=alt.StrokeDash(f"{color}:N", sort=None, scale=strokes, legend=None))
    if facet is None:
        return chart
    return chart.facet(column=alt.Column(f"{facet}:N", title=None, sort=None)).resolve_scale(y="independent")


def save(chart: Any, path: Path) -> Path:
    """Write a chart as SVG and return where."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Another font than the one it was measured with may be wider: legends need room to the right.
    chart.properties(padding={"left": 5, "top": 5, "right": 60, "bottom": 5}).save(path)
    return path
