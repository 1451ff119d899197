"""Figures 4 to 6 of the paper on adversarial rules: the support, the confidence and the size of the private set."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments._judge import claim, falls, growth, rises, straightness
from experiments._markdown import figure, line_plot, save, table
from experiments._mining import drawn, mean, mined, warm_up
from experiments._registry import Claim, Context, Results, Section, Spec

__all__ = ["SPEC", "draw", "report", "run"]

SPEC = Spec(
    name="rules_fig4_6",
    paper="rules",
    title="Figures 4 to 6: adversarial rules and sensitive entries against support, confidence and private set",
    seeds=(0, 1, 2, 3, 4),
    parameters={
        "table": {"rows": 10_000, "columns": 10, "cardinality": 10, "zipf": 2.0},
        "private": 0.01,
        "confidence": 0.6,
        "support": 0.0005,
        "supports": [0.0005, 0.001, 0.0015, 0.002, 0.0025, 0.003, 0.0035, 0.004, 0.0045, 0.005],
        "confidences": [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0],
        "privates": [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05],
    },
    quick={
        "seeds": (0,),
        "table": {"rows": 4_000, "columns": 8, "cardinality": 10, "zipf": 2.0},
        "support": 0.002,
        "supports": [0.002, 0.004, 0.006],
        "confidences": [0.6, 0.8, 1.0],
        "privates": [0.005, 0.01, 0.02],
    },
)
FIGURES = {"support": "supports", "confidence": "confidences", "private": "privates"}
TITLES = {
    "support": "Figure 4: support threshold",
    "confidence": "Figure 5: confidence threshold",
    "private": "Figure 6: directly private set",
}


def run(context: Context) -> Results:
    """Mine the default table, one parameter changed at a time."""
    asked = context.parameters
    warm_up()
    found = {}
    for what, many in FIGURES.items():

        def mine(what: str = what, many: str = many) -> list[Results]:
            return [{what: value, **_mined(asked, context.seeds, **{what: value})} for value in asked[many]]

        found[what] = context.part(what, mine)
        context.say(f"{what}: {len(found[what])} values")
    return {"parameters": dict(asked), "curves": found}


def _mined(asked: Any, seeds: Sequence[int], **changed: float) -> dict[str, float]:
    used = {name: asked[name] for name in FIGURES} | changed
    private = used.pop("private")
    return mean([mined(*drawn(seed=seed, private=private, **asked["table"]), **used) for seed in seeds])


def report(results: Results) -> Section:
    """Report the curves and which statements hold."""
    asked = results["parameters"]
    sizes = asked["table"]
    text = (
        f"{sizes['rows']:,} tuples of {sizes['columns']} attributes with {sizes['cardinality']} values, Zipf factor "
        f"{sizes['zipf']:g}; where not varied, {asked['private']:.1%} private, confidence {asked['confidence']:.0%}, "
        f"support {asked['support']:.2%}. The ranges of the axes are not given in the text: ours start at its "
        "defaults. Means over the seeds.\n\n"
    )
    for what, curve in results["curves"].items():
        rows = [
            (f"{point[what]:.4g}", figure(point["rules"]), figure(point["sensitive"]), f"{point['share of rows']:.1%}")
            for point in curve
        ]
        text += f"#### {TITLES[what]}\n\n"
        text += table((what, "adversarial rules", "sensitive entries", "tuples with a sensitive entry"), rows)
    text += (
        "The number of rules against the support is as near to a power as to an exponential: which of them it is, this "
        "range does not show. Sensitive "
        "entries are nearly all entries at 60 % confidence, so that the support has nothing to change; at the "
        "thresholds of Figure 7 they agree with the printed number. Rules grow more slowly than the private set; why "
        "was not measured. Two private entries may share a rule, and every private entry is missing from the rows "
        "that rules are found in. What it means that a rule *affects* a tuple is not said; here it is a tuple that "
        "holds an entry of the rule.\n"
    )
    return Section(markdown=text, claims=tuple(_claims(results["curves"], sizes)))


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw a figure for each parameter."""
    paths = []
    for number, (what, curve) in zip((4, 5, 6), results["curves"].items(), strict=True):
        rows = [
            {"x": point[what], "number": point[kind], "what": title, "series": title}
            for kind, title in (("rules", "adversarial rules"), ("sensitive", "sensitive entries"))
            for point in curve
        ]
        chart = line_plot(rows, x=("x", f"{what}, share"), y=("number", "number"), facet="what")
        paths.append(save(chart, folder / f"rules_fig4_6-figure-{number}.svg"))
    return paths


def _claims(curves: dict[str, list[Results]], sizes: Results) -> Iterator[Claim]:
    yield from _of_support(*_columns(curves["support"], "support"))
    _, rules, entries = _columns(curves["confidence"], "confidence")
    shown = f"rules {_ends(rules)}, entries {_ends(entries)}, from confidence 60 % to 100 %"
    text = "A lower confidence threshold brings more rules and more sensitive entries"
    yield claim(text, falls(rules, 0) and falls(entries, 0), shown)
    last = curves["confidence"][-1]
    share = last["sensitive"] / (sizes["rows"] * sizes["columns"])
    text = "Rules of 100 % confidence are many, and affect about 20 % (15 % to 25 %) of the tuples"
    shown = f"{last['rules']:,.0f} rules; {last['share of rows']:.1%} of the tuples hold an entry of one, "
    holds = last["rules"] > 0 and 0.15 <= last["share of rows"] <= 0.25
    yield claim(text, holds, shown + f"{share:.1%} of all entries")
    private, rules, _ = _columns(curves["private"], "private")
    straight = straightness(private, rules)
    shown = f"{_ends(rules)} rules from {private[0]:.2%} to {private[-1]:.2%} private; "
    shown += f"R² of a line {figure(straight)}, exponent {figure(growth(private, rules), 2)}"
    small = rises(rules)
    text = "With a small private set there are few rules (less than half of the most)"
    yield claim(text, small and rules[0] < max(rules) / 2, shown)
    holds = None if straight is None else small and straight >= 0.95
    yield claim("Rules increase linearly with the private set (R² at least 0.95)", holds, shown)


def _of_support(support: list[float], rules: list[float], entries: list[float]) -> Iterator[Claim]:
    plain, half = straightness(support, rules), straightness(support, np.log(rules).tolist())
    full = straightness(np.log(support).tolist(), np.log(rules).tolist())
    shown = f"{_ends(rules)} rules from {support[0]:.2%} to {support[-1]:.2%}; R² of a line {figure(plain)}, "
    shown += f"of an exponential {figure(half)}, of a power {figure(full)}"
    best = None if half is None or plain is None or full is None else half - max(plain, full)
    # A curve that is as near to a power is neither shown to be exponential nor shown not to be.
    holds = None if best is None or half is None or abs(best) < 0.02 else half >= 0.95 and best > 0
    text = "Rules increase exponentially as the support goes down (R² at least 0.95, and 0.02 above a line and a power)"
    yield claim(text, holds, shown)
    straight = straightness(support, entries)
    shown = f"{_ends(entries)} entries; R² of a line {figure(straight)}"
    holds = None if straight is None else straight >= 0.95 and falls(entries)
    yield claim("Sensitive entries change linearly with the support (R² at least 0.95)", holds, shown)
    ratio = entries[0] / entries[-1], rules[0] / rules[-1]
    shown = f"entries change {ratio[0]:.2f}-fold, rules {ratio[1]:.0f}-fold"
    text = "Sensitive entries change far less with the support than rules do (half as many times)"
    yield claim(text, ratio[0] < ratio[1] / 2, shown)


def _columns(curve: Sequence[Results], what: str) -> tuple[list[float], list[float], list[float]]:
    return [each[what] for each in curve], [each["rules"] for each in curve], [each["sensitive"] for each in curve]


def _ends(values: Sequence[float]) -> str:
    return f"{values[0]:,.0f} to {values[-1]:,.0f}"
