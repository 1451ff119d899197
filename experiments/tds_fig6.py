"""Figure 6 of the paper on TDS: the interval trees that grow on Adult."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import withhold as wh
from experiments._judge import claim
from experiments._markdown import save, table
from experiments._registry import Claim, Context, Results, Section, Spec
from experiments._tables import ADULT, ADULT_DATA, ADULT_TREES, Columns, adult, adult_domains, encoded
from experiments.tds_fig5 import search

__all__ = ["SPEC", "draw", "report", "run"]

WAYS = {"trees": "categories along their trees", "suppress": "categories disclosed one by one"}
RANGES = {
    "age": (17, 90),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_356),
    "education-num": (1, 16),
    "fnlwgt": (13_492, 1_490_400),
    "hours-per-week": (1, 99),
}
"""Table 6: the printed ranges of the numbers."""
TREES = {
    "education": (16, 5),
    "marital-status": (7, 4),
    "native-country": (40, 5),
    "occupation": (14, 3),
    "race": (5, 3),
    "relationship": (6, 3),
    "sex": (2, 2),
    "workclass": (8, 5),
}
"""Table 6: the printed leaves and levels of the categories."""

SPEC = Spec(
    name="tds_fig6",
    paper="tds",
    title="Table 6: the columns of Adult; Figure 6: interval trees of two of them, Top7, k = 60",
    data=(*ADULT_DATA, ADULT_TREES),
    parameters={"columns": 7, "k": 60, "shown": ["hours-per-week", "education-num"]},
)


def run(context: Context) -> Results:
    """Describe the columns, run the setting and keep the splits."""
    asked = context.parameters
    columns, _ = adult(context.data)
    data = adult_domains(context.data, encoded(columns))
    found: Results = {"columns": _described(columns, data)}
    for way in WAYS:
        result = search(data, asked["k"], asked["columns"], way)
        splits = [
            {"column": step.column, "step": place, "value": step.value, "children": list(step.children)}
            for place, step in enumerate(result.steps, start=1)
        ]
        found[way] = {name: [split for split in splits if split["column"] == name] for name in asked["shown"]}
    return found


def _described(columns: Columns, data: wh.Table) -> Results:
    """Return for each column its range, or its values, and the leaves and levels of its tree."""
    found: Results = {}
    for name in ADULT[:-1]:
        tree = data.domain(name)
        if isinstance(tree, wh.Taxonomy):
            values, levels = len(np.unique(columns[name])), max(len(path) for path in tree.paths())
            found[name] = {"values": values, "leaves": tree.n_leaves, "levels": levels}
        else:
            numbers = columns[name].astype(float)
            found[name] = {"low": numbers.min(), "high": numbers.max()}
    return found


def report(results: Results) -> Section:
    """Print the trees."""
    text = "#### Table 6: the columns of Adult\n\n" + _shown(results["columns"])
    text += (
        "The values that occur are those of the 45,222 rows without unknown cells. The printed 40 countries and 8 "
        "classes of work are not: Holand-Netherlands occurs once, and Never-worked only beside unknown cells. Trees "
        "and ranges are those that the authors' program came with: there native-country has a level less than "
        "printed.\n\n"
        "#### Figure 6: interval trees\n\n"
    )
    text += "The image is lost. The number is the step in which an interval was split.\n\n"
    for way, trees in _trees(results).items():
        text += f"With {WAYS[way]}:\n\n```\n"
        for name, splits in trees.items():
            text += f"{name}\n" + "\n".join(_lines(splits, splits[0]["value"]) if splits else ["not split"]) + "\n"
        text += "```\n\n"
    return Section(markdown=text, claims=tuple(_claims(results)))


def _shown(columns: Results) -> str:
    """Return Table 6, printed and ours."""
    rows = []
    for name, own in columns.items():
        if name in RANGES:
            low, high = RANGES[name]
            rows.append((name, f"{low} to {high}", f"{own['low']:.0f} to {own['high']:.0f}", "", "", ""))
        else:
            sizes, levels = TREES[name]
            rows.append((name, sizes, own["values"], own["leaves"], levels, own["levels"]))
    head = ("column", "printed range or leaves", "occurs", "leaves of the tree", "printed levels", "levels of the tree")
    return table(head, rows)


def _trees(results: Results) -> dict[str, Results]:
    return {way: results[way] for way in WAYS}


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw every interval of the tree that is split as a bar, one line for each depth."""
    import altair as alt

    rows = []
    for way, trees in _trees(results).items():
        for name, splits in trees.items():
            depths = {splits[0]["value"]: 0} if splits else {}
            for split in splits:
                depths |= dict.fromkeys(split["children"], depths[split["value"]] + 1)
            for label, depth in depths.items():
                low, high = (float(end) for end in label.strip("[])").split(", "))
                row = {"low": low, "high": high, "depth": depth, "label": label}
                rows.append(row | {"column": f"{name}, {WAYS[way]}"})
    bars = alt.Chart(width=250, height=100).mark_bar(stroke="white", height=22)
    bars = bars.encode(
        x=alt.X("low:Q", title=None),
        x2="high:Q",
        y=alt.Y("depth:O", title="depth"),
        color=alt.Color("depth:O", legend=None),
    )
    names = alt.Chart().mark_text(fontSize=9, align="left", dx=2, color="white")
    names = names.encode(x="low:Q", y="depth:O", text="label:N")
    chart = alt.layer(bars, names, data=alt.Data(values=rows))
    chart = chart.facet(column=alt.Column("column:N", title=None, sort=None))
    return [save(chart.resolve_scale(x="independent", y="independent"), folder / "tds_fig6.svg")]


def _claims(results: Results) -> Iterator[Claim]:
    known = results["columns"]
    ranges = [name for name, ends in RANGES.items() if (known[name]["low"], known[name]["high"]) != ends]
    shown = f"other ends: {', '.join(ranges)}" if ranges else "all six"
    yield claim("Table 6: the ranges of the numbers, as they occur", not ranges, shown)
    for place, what in enumerate(("values", "levels")):
        other = [f"{name} {known[name][what]}" for name, sizes in TREES.items() if known[name][what] != sizes[place]]
        shown = f"ours: {', '.join(other)}" if other else "all eight"
        title = "values that occur" if what == "values" else "levels of the trees"
        yield claim(f"Table 6: the {title} of the categories", not other, shown)
    for way, trees in _trees(results).items():
        first = trees["education-num"][0]["children"]
        shown = f"the first split is into {' and '.join(first)}"
        text = f"Education-num is split at 13: post-secondary education [{WAYS[way]}]"
        yield claim(text, first[0].endswith(", 13)"), shown)
    for way, trees in _trees(results).items():
        is_split = bool(trees["hours-per-week"])
        text = f"Hours-per-week grows a tree too, Top7, k = 60 [{WAYS[way]}]"
        yield claim(text, is_split, "split" if is_split else "not split")


def _lines(splits: list[Results], label: str, depth: int = 1) -> list[str]:
    split = next((each for each in splits if each["value"] == label), None)
    if split is None:
        return ["  " * depth + label]
    below = [line for child in split["children"] for line in _lines(splits, child, depth + 1)]
    return [f"{'  ' * depth}{label}   step {split['step']}", *below]
