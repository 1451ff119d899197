"""Figure 7 of the paper on TDS: several requirements against one over all their columns."""

import random
from pathlib import Path

import withhold as wh
from experiments._errors import Judge, percent, published
from experiments._judge import claim
from experiments._markdown import save, table
from experiments._registry import Context, Results, Section, Spec
from experiments._tables import ADULT, ADULT_DATA, ADULT_TREES, adult, adult_domains, encoded
from withhold.methods import tds
from withhold.table import Grid

__all__ = ["SPEC", "draw", "random_policies", "report", "run"]

SPEC = Spec(
    name="tds_fig7",
    paper="tds",
    title="Figure 7: error of C4.5 after random policies of several requirements, and after the one that unites them",
    data=(*ADULT_DATA, ADULT_TREES),
    seeds=(0, 1, 2),
    parameters={"policies": 30, "k": 100},
    quick={"policies": 3, "seeds": (0,)},
)


def random_policies(n_policies: int, seed: int) -> list[list[tuple[str, ...]]]:
    """Draw policies as section 6.1 does: 3 to 7 sets of columns, all of one length from 2 to 9; no set twice."""
    draw = random.Random(seed)
    found = []
    for _ in range(n_policies):
        n_sets, length = draw.randint(3, 7), draw.randint(2, 9)
        found.append(sorted({tuple(sorted(draw.sample(ADULT[:-1], length))) for _ in range(n_sets)}))
    return found


def run(context: Context) -> Results:
    """Release Adult for every policy and its union, and measure the errors."""
    asked = context.parameters
    columns, n_train = adult(context.data)
    data = adult_domains(context.data, encoded(columns))
    grid, judge = Grid.of(data), Judge(n_train, "income")

    def error(sets: list[tuple[str, ...]]) -> float:
        result = tds(data, [wh.Anonymity(columns=each, k=asked["k"]) for each in sets], target="income")
        return float(judge.error(published(grid, result))["error"])

    points = []
    for seed in context.seeds:
        for place, sets in enumerate(random_policies(asked["policies"], seed)):
            union = [tuple(name for name in ADULT if any(name in each for each in sets))]

            def both(sets: list[tuple[str, ...]] = sets, union: list[tuple[str, ...]] = union) -> Results:
                return {"multi": error(sets), "single": error(union)}

            known = {"seed": seed, "sets": len(sets), "length": len(sets[0]), "columns": len(union[0])}
            points.append(known | context.part(f"seed{seed} policy{place}", both))
        context.say(f"seed {seed}")
    return {"points": points, "k": asked["k"]}


def report(results: Results) -> Section:
    """Count on which side of the diagonal the points are."""
    points = results["points"]
    text = (
        f"Random policies of 3 to 7 column sets of one length from 2 to 9, k = {results['k']}; SingleVID is one "
        "requirement over all columns that they name. The paper draws 30 points and prints no number.\n\n"
    )
    rows = []
    for seed in dict.fromkeys(point["seed"] for point in points):
        own = [point for point in points if point["seed"] == seed]
        counts = _sides(own)
        means = [percent(point[kind] for point in own) for kind in ("multi", "single")]
        rows.append((seed, *counts, *means))
    head = ("seed", "MultiVID lower", "equal", "MultiVID higher", "mean MultiVID", "mean SingleVID")
    text += table(head, rows)
    lower, equal, higher = _sides(points)
    shown = f"lower in {lower}, equal in {equal}, higher in {higher} of {len(points)}"
    return Section(
        markdown=text,
        claims=(
            claim("MultiVID generally (in most) has a lower error than its SingleVID", lower > len(points) / 2, shown),
        ),
    )


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw a point for each policy, and the diagonal."""
    import altair as alt

    points = results["points"]
    ends = [min(min(p["multi"], p["single"]) for p in points), max(max(p["multi"], p["single"]) for p in points)]
    scale = alt.Scale(zero=False)
    dots = alt.Chart(alt.Data(values=points), width=320, height=320).mark_point(filled=True)
    dots = dots.encode(
        x=alt.X("multi:Q", title="AE of MultiVID", scale=scale),
        y=alt.Y("single:Q", title="AE of SingleVID", scale=scale),
        color=alt.Color("seed:N", title="seed"),
    )
    line = alt.Chart(alt.Data(values=[{"end": end} for end in ends])).mark_line(color="grey", strokeDash=[4, 4])
    return [save(dots + line.encode(x="end:Q", y="end:Q"), folder / "tds_fig7.svg")]


def _sides(points: list[Results]) -> tuple[int, int, int]:
    lower = sum(point["multi"] < point["single"] for point in points)
    equal = sum(point["multi"] == point["single"] for point in points)
    return lower, equal, len(points) - lower - equal
