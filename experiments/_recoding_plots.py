"""The plots of the page on recodings: loss, error of queries and error of models against k."""

from pathlib import Path
from statistics import fmean
from typing import Any

from experiments._held_out import LEARNERS, PROTOCOLS
from experiments._markdown import line_plot, save
from experiments._printed_recodings import PRINTED
from experiments._registry import Results

__all__ = ["PLOTS", "draw"]

PLOTS = ("recoding-loss", "recoding-queries", "recoding-errors", "recoding-tables")
SHOWN = (
    "global",
    "levels, 5 % of rows",
    "local, normal",
    "local, tight edges, thorough",
    "local, tight edges, sets, thorough",
    "Mondrian, tight edges, trees",
    "Mondrian, tight edges, sets",
)
SHOWN_PRINTED = ("ARX, local", "anonypy, Mondrian with sets")
SIZE = (460, 300)


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw the plots."""
    charts = [
        _against_k(results, "ncp", "loss (NCP)", 0),
        _against_k(results, "query", "median relative error of queries", 1),
        _errors(results),
        _tables(results),
    ]
    return [save(chart, folder / f"{name}.svg") for name, chart in zip(PLOTS, charts, strict=True)]


def _against_k(results: Results, field: str, title: str, of_printed: int) -> Any:
    order = {way: place for place, way in enumerate(SHOWN)}
    rows = [
        {"series": each["way"], "k": each["k"], "value": max(each[field], 1e-4)}
        for each in sorted((e for e in results["adult"] if e["way"] in order), key=lambda e: order[e["way"]])
    ]
    printed = [f"{name}, printed" for name in SHOWN_PRINTED]
    for name, shown in zip(SHOWN_PRINTED, printed, strict=True):
        rows += [{"series": shown, "k": k, "value": value} for k, value in PRINTED[name][of_printed].items()]
    return line_plot(rows, x=("k", "k"), y=("value", title), logarithmic="xy", dashed=printed, size=SIZE)


def _errors(results: Results) -> Any:
    """Draw the error against k, a plot for each protocol and learner."""
    models, rows = results["models"], []
    ks = sorted({each["k"] for each in models["ways"]})
    for protocol in PROTOCOLS:
        for learner in LEARNERS:
            facet = f"protocol {protocol}, {learner}"
            raw = fmean(fold[learner] for fold in models["raw"])
            rows += [{"plot": facet, "series": "raw", "k": k, "error": raw} for k in ks]
            rows += [
                {"plot": facet, "series": e["way"], "k": e["k"], "error": fmean(f[learner] for f in e["folds"])}
                for e in models["ways"]
                if e["protocol"] == protocol
            ]
    chart = line_plot(
        rows, x=("k", "k"), y=("error", "error, mean of the folds"), facet="plot", logarithmic="x", dashed=["raw"],
        size=(190, 220), zero=False,
    )  # fmt: skip
    return chart.resolve_scale(y="shared")


def _tables(results: Results) -> Any:
    """Draw the loss of each table at the middle k."""
    import altair as alt

    ks = sorted({each["k"] for each in results["others"]})
    middle = ks[len(ks) // 2]
    rows = [
        {"table": each["table"], "series": way["way"], "loss": way["ncp"]}
        for each in results["others"]
        if each["k"] == middle
        for way in each["ways"]
    ]
    ways = list(dict.fromkeys(row["series"] for row in rows))
    chart = alt.Chart(alt.Data(values=rows), width=SIZE[0], height=alt.Step(26)).mark_point(filled=True, size=60)
    legend = alt.Legend(labelLimit=400)
    return chart.encode(
        x=alt.X("loss:Q", title=f"loss (NCP), k = {middle}"),
        y=alt.Y("table:N", title=None, sort=None),
        color=alt.Color("series:N", sort=ways, title=None, legend=legend),
        shape=alt.Shape("series:N", sort=ways, legend=None),
    )
