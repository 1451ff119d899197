"""The figures of chapter 5."""

from pathlib import Path
from statistics import fmean
from typing import Any

from experiments._cells import NO_COIN
from experiments._markdown import save

__all__ = ["draw"]

METRICS = {
    "figure_5_2": ("direct distance", "Total direct distance"),
    "figure_5_3": ("SKLD", "Sum of Kullback-Leibler distances"),
    "figure_5_4": ("ACMI", "Average change in mutual information"),
    "figure_5_5": ("SCE", "Sum of conditional entropies"),
}
TABLES = {"wisconsin": "Wisconsin Breast Cancer", "car": "Car Evaluation"}
LOGARITHMIC = ("direct distance", "SKLD")


def draw(results: dict[str, Any], folder: Path) -> list[Path]:
    """Write all figures and return where."""
    import altair as alt

    charts = {"figure_5_1": bars(alt, results, hybrid=False), "figure_5_6": bars(alt, results, hybrid=True)}
    charts |= {name: lines(alt, results, *metric) for name, metric in METRICS.items()}
    charts["figure_5_7"] = enhanced(alt, results)
    return [save(chart, folder / f"thesis-{name.replace('_', '-')}.svg") for name, chart in sorted(charts.items())]


def label(algorithm: str) -> str:
    """Return the name of an algorithm as the thesis writes it."""
    if algorithm in ("auto", "hidden only"):
        return algorithm
    plain = algorithm.removesuffix(NO_COIN)
    base = plain.removesuffix("_g")
    ending = "-G" if base != plain else ""
    name = "+".join(f"{part.upper()}{ending}" for part in base.split("_"))
    return name if plain == algorithm else f"{name}, no coin"


def beside(alt: Any, chart: Any) -> Any:
    """Draw the tables beside each other."""
    column = alt.Column("table:N", title=None, sort=list(TABLES.values()))
    return chart.facet(column=column).resolve_scale(y="independent")


def bars(alt: Any, results: dict[str, Any], *, hybrid: bool) -> Any:
    """Draw the average direct distance of each algorithm."""
    rows = [
        {"table": title, "algorithm": label(name), "distance": sum(m["direct distance"]) / len(m["direct distance"])}
        for table, title in TABLES.items()
        for name, m in sorted(results[table]["cells"].items(), key=lambda item: item[0] == "auto")
        if name != "hidden only"
        and (name == "auto" or hybrid == ("_" in name.removesuffix(NO_COIN).removesuffix("_g")))
    ]
    chart = alt.Chart(alt.Data(values=rows), width=260, height=220).mark_bar()
    chart = chart.encode(
        y=alt.Y("algorithm:N", sort=None, title=None),
        x=alt.X("distance:Q", title="average direct distance, cells", scale=alt.Scale(type="symlog")),
        color=alt.Color("algorithm:N", legend=None, sort=None),
    )
    return chart.facet(column=alt.Column("table:N", title=None, sort=list(TABLES.values()))).resolve_scale(
        y="independent"
    )


def lines(alt: Any, results: dict[str, Any], metric: str, title: str) -> Any:
    """Draw a metric for growing numbers of confidential values."""
    rows = [
        {"table": shown, "algorithm": label(name), "cells": int(n), "value": fmean(finite)}
        for table, shown in TABLES.items()
        for name, of in results[table]["growing"].items()
        for n, m in of.items()
        if not name.endswith(NO_COIN) and (finite := [value for value in m[metric] if value is not None])
    ]
    scale = alt.Scale(type="symlog", constant=0.001) if metric in LOGARITHMIC else alt.Scale(zero=False)
    chart = alt.Chart(alt.Data(values=rows), width=300, height=280).mark_line(point=True)
    chart = chart.encode(
        x=alt.X("cells:Q", title="confidential values"),
        y=alt.Y("value:Q", title=title, scale=scale),
        color=alt.Color("algorithm:N", sort=None, title=None),
        strokeDash=alt.StrokeDash("algorithm:N", sort=None, title=None),
    )
    return chart.facet(column=alt.Column("table:N", title=None, sort=list(TABLES.values()))).resolve_scale(
        y="independent"
    )


def enhanced(alt: Any, results: dict[str, Any]) -> Any:
    """Draw the total direct distance of the many-cell versions and of the single ones."""
    rows = [
        {"family": name.partition("_")[0].upper(), "cells": int(n), "value": fmean(m[way]), "algorithm": shown}
        for name, of in results["wisconsin"]["enhanced"].items()
        if not name.endswith(NO_COIN)
        for n, m in of.items()
        for way, shown in (("one after the other", label(name)), ("together", f"e-{label(name)}"))
    ]
    chart = alt.Chart(alt.Data(values=rows), width=260, height=240).mark_line(point=True)
    chart = chart.encode(
        x=alt.X("cells:Q", title="confidential values"),
        y=alt.Y("value:Q", title="total direct distance"),
        color=alt.Color("algorithm:N", sort=None, title=None),
    )
    return chart.facet(column=alt.Column("family:N", title=None)).resolve_scale(x="independent", y="independent")
