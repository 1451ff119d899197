"""Figure 3 of the paper on adversarial rules: how many there are, for Zipf factors, dimensionalities, cardinalities."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from experiments._judge import claim, falls, fold, rises
from experiments._markdown import figure, line_plot, save, table
from experiments._mining import drawn, mean, mined, warm_up
from experiments._registry import Claim, Context, Results, Section, Spec

__all__ = ["SPEC", "draw", "report", "run"]

SPEC = Spec(
    name="rules_fig3",
    paper="rules",
    title="Figure 3: adversarial rules and sensitive entries for growing Zipf factors",
    seeds=(0, 1, 2),
    parameters={
        "rows": 10_000,
        "private": 0.01,
        "confidence": 0.6,
        "support": 0.0005,
        "zipf": [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5],
        "tables": [[5, 10], [8, 10], [10, 10], [12, 10], [10, 5], [10, 20]],
    },
    quick={"seeds": (0,), "rows": 4_000, "support": 0.002, "zipf": [1, 2, 3, 5], "tables": [[6, 10], [8, 10], [8, 20]]},
)


def run(context: Context) -> Results:
    """Mine a table for each Zipf factor, number of columns and number of values."""
    asked = context.parameters
    limits = {name: asked[name] for name in ("confidence", "support")}
    warm_up()
    found = []
    for columns, cardinality in asked["tables"]:
        sizes = {"rows": asked["rows"], "private": asked["private"], "columns": columns, "cardinality": cardinality}

        def mine(sizes: dict[str, Any] = sizes) -> list[Results]:
            runs = {z: [mined(*drawn(seed=s, zipf=z, **sizes), **limits) for s in context.seeds] for z in asked["zipf"]}
            return [{"zipf": z, **mean(each)} for z, each in runs.items()]

        curve = context.part(f"{columns} columns of {cardinality} values", mine)
        found.append({"columns": columns, "cardinality": cardinality, "curve": curve})
        context.say(f"{columns} columns of {cardinality} values")
    return {"parameters": dict(asked), "tables": found}


def report(results: Results) -> Section:
    """Report the curves and which statements hold."""
    asked = results["parameters"]
    text = (
        f"{asked['rows']:,} tuples, {asked['private']:.0%} of the entries private, confidence "
        f"{asked['confidence']:.0%}, support {asked['support']:.2%}. The paper does not name its dimensionalities "
        "and cardinalities, and prints no number of this figure. Means over the seeds.\n\n"
    )
    for what, title in (("rules", "Adversarial rules"), ("sensitive", "Sensitive entries")):
        rows = [(_name(each), *(figure(point[what]) for point in each["curve"])) for each in results["tables"]]
        text += table((f"{title}; Zipf factor", *(str(z) for z in asked["zipf"])), rows)
    text += (
        "The rules depend on the cardinality while the Zipf factor is small. From about 3 on the first five values "
        "hold nearly all entries, and further values change the number of rules by a few per cent, sometimes upwards. "
        "Sensitive entries are nearly all entries from a Zipf factor of 2 on: they are bounded by them, as the paper "
        "says.\n"
    )
    return Section(markdown=text, claims=tuple(_claims(results)))


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw both curves."""
    rows = [
        {"series": _name(each), "zipf": point["zipf"], "number": point[what], "what": title}
        for what, title in (("rules", "adversarial rules"), ("sensitive", "sensitive entries"))
        for each in results["tables"]
        for point in each["curve"]
        if point[what]
    ]
    x, y = ("zipf", "Zipf factor"), ("number", "number")
    return [save(line_plot(rows, x=x, y=y, facet="what", logarithmic="y"), folder / "rules_fig3.svg")]


def _name(each: Results) -> str:
    return f"{each['columns']} × {each['cardinality']} values"


def _claims(results: Results) -> Iterator[Claim]:
    tables = results["tables"]
    curves = {_name(each): [point["rules"] for point in each["curve"]] for each in tables}
    factors = results["parameters"]["zipf"]
    peaks = {name: factors[curve.index(max(curve))] for name, curve in curves.items()}
    shares = {name: curve[-1] / max(curve) for name, curve in curves.items()}
    evidence = f"most at {_span(peaks.values())}; at {factors[-1]} "
    evidence += f"{min(shares.values()):.0%} to {max(shares.values()):.0%} of that, in {len(curves)} tables"
    holds = all(2 <= peak <= 3 for peak in peaks.values()) and max(shares.values()) < 1
    yield claim("Rules are most at a Zipf factor of 2 to 3 and decrease towards 5", holds, evidence)
    entries = {_name(each): [point["sensitive"] for point in each["curve"]] for each in tables}
    holds = all(rises(each) for each in entries.values())
    default = entries.get("10 × 10 values", next(iter(entries.values())))
    shown = f"{default[0]:,.0f} to {default[-1]:,.0f} in the default table; not falling in "
    shown += f"{sum(rises(each) for each in entries.values())} of {len(entries)} tables"
    yield claim("Sensitive entries go up with the Zipf factor and do not drop at high ones", holds, shown)
    yield _stable(tables, factors)
    yield _order(results, "columns", "cardinality", "Rules increase with the dimensionality")
    yield _order(results, "cardinality", "columns", "Rules decrease with the cardinality")


def _span(values: Iterable[float]) -> str:
    each = sorted(set(values))
    return f"{each[0]:g}" if len(each) == 1 else f"{each[0]:g} to {each[-1]:g}"


def _stable(tables: list[Results], factors: list[float]) -> Claim:
    """Hold the tuples that rules rest on, from the peak of the rules on, against what the text says."""
    high = {_name(each): [p["share of rows"] for p in each["curve"] if p["zipf"] >= 3] for each in tables}
    largest = max(fold(shares) for shares in high.values())
    shown = f"at Zipf factors of 3 to {factors[-1]:g} at most {largest:.2f}-fold; "
    shown += f"{min(map(min, high.values())):.1%} to {max(map(max, high.values())):.1%} of the tuples"
    text = "At high Zipf factors the tuples affected by rules remain stable (at most 1.25-fold)"
    return claim(text, largest <= 1.25, shown)


def _order(results: Results, along: str, fixed: str, text: str) -> Claim:
    """Hold the numbers of rules at each Zipf factor against an order of the tables."""
    tables = results["tables"]
    most = max({each[fixed] for each in tables}, key=lambda value: sum(each[fixed] == value for each in tables))
    chosen = sorted((each for each in tables if each[fixed] == most), key=lambda each: each[along])
    is_ordered = rises if along == "columns" else falls
    kept, broken = [], []
    for place, factor in enumerate(results["parameters"]["zipf"]):
        numbers = [each["curve"][place]["rules"] for each in chosen]
        (kept if is_ordered(numbers) else broken).append(f"{factor}: {' / '.join(f'{n:,.0f}' for n in numbers)}")
    where = f"{along} {' / '.join(str(each[along]) for each in chosen)}"
    shown = f"{where}; not so at {'; '.join(broken)}" if broken else f"{where}; at Zipf factor {kept[0]}; {kept[-1]}"
    return claim(text, not broken, shown)
