"""Figure 9 of the paper on adversarial rules: the number of tuples."""

from collections.abc import Iterator
from pathlib import Path

from experiments._judge import claim, falls, growth, straightness
from experiments._markdown import figure, line_plot, save, table
from experiments._mining import drawn, mean, protected, warm_up
from experiments._registry import Claim, Context, Results, Section, Spec

__all__ = ["SPEC", "draw", "report", "run"]

TIMES = ("mining seconds", "one pass seconds", "seconds")

SPEC = Spec(
    name="rules_fig9",
    paper="rules",
    title="Figure 9: adversarial rules and sensitive entries for growing tables",
    seeds=(0, 1),
    parameters={
        "table": {"columns": 10, "cardinality": 10, "zipf": 2.0, "private": 0.01},
        "rows": [10_000, 20_000, 40_000, 60_000, 80_000, 100_000],
        "confidence": 0.8,
        "support": 0.0005,
        "blanking": 1,
    },
    quick={"seeds": (0,), "rows": [4_000, 8_000, 16_000], "support": 0.002},
)


def run(context: Context) -> Results:
    """Mine and protect tables of every size."""
    asked = context.parameters
    limits = {name: asked[name] for name in ("confidence", "support", "blanking")}
    warm_up()
    curve = []
    for n_rows in asked["rows"]:

        def protect(n_rows: int = n_rows) -> Results:
            tables = (drawn(seed=seed, rows=n_rows, **asked["table"]) for seed in context.seeds)
            return mean([protected(*each, **limits) for each in tables])

        curve.append({"rows": n_rows, **context.part(f"{n_rows} rows", protect)})
        context.say(f"{n_rows:,} rows")
    return {"parameters": dict(asked), "curve": curve}


def report(results: Results) -> Section:
    """Report the curves and which statements hold."""
    asked = results["parameters"]
    text = (
        f"Default tables of growing size, {asked['confidence']:.0%} confidence, {asked['support']:.2%} support, "
        f"blanking factor {asked['blanking']}; means over the seeds. The paper prints no number of this figure. "
        "Times are processor times.\n\n"
    )
    names = ("rules", "sensitive", "one pass", "ours")
    rows = [
        (f"{each['rows']:,}", *(figure(each[name]) for name in names), *(f"{each[name]:.2f}" for name in TIMES))
        for each in results["curve"]
    ]
    head = ("tuples", "adversarial rules", "sensitive entries", "one pass", "ours")
    text += table((*head, "mining s", "one pass s", "ours s"), rows)
    text += (
        "Mining is most of the cost of one pass here, because weights are brought up to date and not computed anew. "
        "So the time follows the size of the table, not the sensitive entries, of which there are first more and "
        "then fewer: the rules they rest on become rarer.\n"
    )
    return Section(markdown=text, claims=tuple(_claims(results["curve"])))


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw the numbers and the time."""
    rows = [
        {"series": title, "what": what, "rows": each["rows"], "number": each[name]}
        for name, title, what in (
            ("rules", "adversarial rules", "adversarial rules"),
            ("sensitive", "sensitive entries", "sensitive entries"),
            ("mining seconds", "mining", "seconds"),
            ("one pass seconds", "mining and one pass", "seconds"),
            ("seconds", "ours, all", "seconds"),
        )
        for each in results["curve"]
    ]
    chart = line_plot(rows, x=("rows", "tuples"), y=("number", ""), facet="what", size=(230, 220))
    return [save(chart, folder / "rules_fig9.svg")]


def _claims(curve: list[Results]) -> Iterator[Claim]:
    sizes, rules, entries = ([each[name] for each in curve] for name in ("rows", "rules", "sensitive"))
    shown = f"{rules[0]:,.0f} rules at {sizes[0]:,}, {rules[-1]:,.0f} at {sizes[-1]:,}"
    yield claim("Rules decrease as the table grows, the support a fixed share", falls(rules), shown)
    shares = [n / size for n, size in zip(entries, sizes, strict=True)]
    shown = f"{entries[0]:,.0f} at {sizes[0]:,}, most {max(entries):,.0f} at {sizes[entries.index(max(entries))]:,}, "
    shown += f"{entries[-1]:,.0f} at {sizes[-1]:,} tuples; of all entries {shares[0] / 10:.0%} to {shares[-1] / 10:.0%}"
    text = "Sensitive entries show a more modest growth (their share of the table never rises)"
    yield claim(text, falls(shares), shown)
    mining = [each["mining seconds"] for each in curve]
    straight, exponent = straightness(sizes, mining), growth(sizes, mining)
    shown = f"{mining[0]:.2f} s to {mining[-1]:.2f} s, exponent {figure(exponent, 2)}, R² of a line {figure(straight)}"
    holds = None if straight is None or exponent is None else straight >= 0.95 and 0.7 <= exponent <= 1.15
    text = "Mining is linear in the size of the table (R² at least 0.95, exponent 0.7 to 1.15)"
    yield claim(text, holds, shown)
    times = [each["one pass seconds"] for each in curve]
    exponent, straight = growth(entries, times), straightness(entries, times)
    shown = f"one pass {times[0]:.2f} s to {times[-1]:.2f} s, exponent in the entries {figure(exponent, 2)}, "
    shown += f"R² of a line {figure(straight)}"
    holds = None if exponent is None or straight is None else 0.7 <= exponent <= 1.3 and straight >= 0.9
    text = "The running time is mainly proportional to the sensitive entries (exponent 0.7 to 1.3, R² at least 0.9)"
    yield claim(text, holds, shown)
    is_small = all(each["mining seconds"] < 0.25 * each["one pass seconds"] for each in curve)
    shares = ", ".join(f"{each['mining seconds'] / each['one pass seconds']:.0%}" for each in curve)
    yield claim(
        "Mining is a very minor part of the cost (less than a quarter)", is_small, f"of mining and one pass: {shares}"
    )
