"""Estimated against true risk: samples are drawn from a known population, and the estimators see the samples only."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

import withhold as wh
from experiments._key_tables import ADULT_8
from experiments._markdown import figure, line_plot, save, table
from experiments._registry import Claim, Context, Results, Section, Spec
from experiments._tables import ADULT_DATA, adult

__all__ = ["SPEC", "draw", "report", "run"]

KEYS = {"3 columns": ("age", "sex", "race"), "8 columns": ADULT_8}
DESIGNS = ("equal", "unequal")
LEAST_ROWS = (1, 3, 5, 10)
"""The k beside which a k-map is judged."""
ESTIMATORS = ("sample", "negative-binomial", "poisson", "independence")
MODELS = ("zayatz", "snb", "pitman", "chosen")
TITLES = {
    "sample": "sample taken for the population",
    "negative-binomial": "individual risk (Benedetti, Franconi)",
    "poisson": "Poisson, by weights",
    "independence": "Poisson, log-linear",
    "zayatz": "Zayatz",
    "snb": "slide negative binomial",
    "pitman": "Pitman",
    "chosen": "chosen by the rule of Dankar et al.",
}
SPEC = Spec(
    name="population",
    paper="ours",
    title="Samples of a known population: estimated and true risk",
    page="samples-compared.md",
    data=ADULT_DATA,
    seeds=tuple(range(10)),
    parameters={"people": None, "shares": [0.01, 0.05, 0.1, 0.2], "k_map": 10},
    quick={"people": 4000, "shares": [0.05, 0.2], "seeds": (0,)},
)


def run(context: Context) -> Results:
    """Draw samples, and estimate what the population is known to be."""
    columns, _ = adult(context.data)
    n_people = context.parameters["people"] or len(columns["age"])
    people = {name: cells[:n_people] for name, cells in columns.items()}
    found = []
    for keys, names in KEYS.items():
        truth = _frequencies(people, names)
        for design in DESIGNS:
            for share in context.parameters["shares"]:
                for seed in context.seeds:
                    key = f"{keys} {design} {share} {seed}"
                    made = context.part(
                        key,
                        lambda n=names, d=design, s=share, r=seed, t=truth: _sampled(people, n, t, d, s, r, context),
                    )
                    found.append({"keys": keys, "design": design, "share": share, **made})
                context.say(f"{keys}, {design} chances, {share:.0%}")
    alone = {keys: int((_frequencies(people, names) == 1).sum()) for keys, names in KEYS.items()}
    return {"people": n_people, "alone": alone, "samples": found, "k_map": context.parameters["k_map"]}


def _frequencies(columns: dict[str, NDArray[Any]], names: Sequence[str]) -> NDArray[np.int64]:
    """Return for each person how many hold the same values."""
    _, place, counts = np.unique(
        np.column_stack([np.unique(columns[name], return_inverse=True)[1] for name in names]),
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    return np.asarray(counts[place.reshape(-1)], dtype=np.int64)


def _sampled(
    people: dict[str, NDArray[Any]],
    names: Sequence[str],
    truth: NDArray[np.int64],
    design: str,
    share: float,
    seed: int,
    context: Context,
) -> Results:
    """Draw one sample; return the truth about its rows, and each estimate."""
    rng = np.random.default_rng([seed, round(1000 * share), DESIGNS.index(design)])
    n_people = len(truth)
    if design == "equal":
        rows = np.sort(rng.choice(n_people, size=round(share * n_people), replace=False))
        weights = np.full(rows.size, n_people / rows.size)
    else:
        # Older people are drawn twice as often as younger ones.
        chance = np.where(people["age"].astype(np.int64) >= 40, 2.0, 1.0)
        chance = np.minimum(chance * share / chance.mean(), 1.0)
        rows = np.flatnonzero(rng.random(n_people) < chance)
        weights = 1 / chance[rows]
    cells = {name: people[name][rows].tolist() for name in names}
    sample = wh.Table.from_columns({**cells, "weight": [round(each, 6) for each in weights.tolist()]})
    risk = wh.population_risk(sample, names, weight="weight")
    own = truth[rows]
    uniques = {each.model: each.n_people for each in risk.uniqueness}
    return {
        "rows": int(rows.size),
        "true": {"expected": float((1 / own).sum()), "unique_rows": int((own == 1).sum())},
        "estimates": {
            each.estimator: {"expected": each.expected, "unique_rows": each.unique_rows} for each in risk.estimates
        },
        "uniques": {**uniques, "chosen": next(each.n_people for each in risk.uniqueness if each.is_chosen)},
        "k_map": _k_map(sample, names, own, context.parameters["k_map"]),
    }


def _k_map(sample: wh.Table, names: Sequence[str], truth: NDArray[np.int64], k_map: int) -> list[Results]:
    """Return how many rows have enough people by their weights, and how many of these by the truth; by k."""
    people = wh.population.people_of(sample, weight="weight")
    cells = np.column_stack([sample.store.cells(name) for name in names])
    groups = np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1)
    n_groups = int(groups.max()) + 1
    enough = (people.sums(groups, n_groups) >= k_map * people.unit)[groups]
    rows = np.bincount(groups, minlength=n_groups)[groups]
    return [
        {
            "k": k,
            "by weights": int((enough & (rows >= k)).sum()),
            "truly": int((enough & (rows >= k) & (truth >= k_map)).sum()),
        }
        for k in LEAST_ROWS
    ]


def report(results: Results) -> Section:
    """Report the estimates beside the truth."""
    shares = sorted({each["share"] for each in results["samples"]})
    parts = [_about(results)]
    for keys in KEYS:
        parts.append(f"## {keys}: {', '.join(KEYS[keys])}\n")
        for design in DESIGNS:
            mine = [e for e in results["samples"] if e["keys"] == keys and e["design"] == design]
            parts.append(f"### {'Equal' if design == 'equal' else 'Unequal'} chances\n")
            parts.append(_links(mine, shares))
            if design == "equal":
                parts.append(_alone(mine, shares, results["alone"][keys]))
    parts += ["## k-map by weights\n", _k_map_table(results, shares)]
    return Section(markdown="\n".join(parts), claims=tuple(_claims(results, shares)))


def _about(results: Results) -> str:
    return (
        f"The population is Adult's {results['people']:,} complete rows. From it samples are drawn: of equal chances "
        "without replacement, or person by person with unequal chances (people of 40 and more are drawn twice as often "
        "as others). Estimators see the rows of the sample and their weights; the truth is counted in the population."
        "\n\n"
        "A figure is the mean of all seeds of *estimated / true*, its standard deviation behind ±. 1 is right; below 1 "
        "people are more exposed than the estimator says.\n"
    )


def _links(mine: Sequence[Results], shares: Sequence[float]) -> str:
    """Return how many rows are linked rightly, estimated over true."""
    head = ["rows linked to the right person: estimated / true", *(f"{share:.0%}" for share in shares)]
    rows: list[list[str]] = [["*true number*", *(figure(_mean(mine, share, "expected")) for share in shares)]]
    for name in ESTIMATORS:
        rows.append([TITLES[name], *(_ratio(_of(mine, share, name)) for share in shares)])
    return table(head, rows)


def _alone(mine: Sequence[Results], shares: Sequence[float], alone: int) -> str:
    """Return how many people are alone in the population, estimated over true."""
    head = [f"people alone in the population: estimated / {alone:,}", *(f"{share:.0%}" for share in shares)]
    rows = []
    for name in MODELS:
        cells = []
        for share in shares:
            found = [e["uniques"][name] for e in mine if e["share"] == share and e["uniques"][name] is not None]
            cells.append(_ratio([each / max(alone, 1) for each in found]) if found else "–")
        rows.append([TITLES[name], *cells])
    return table(head, rows)


def _of(mine: Sequence[Results], share: float, estimator: str) -> list[float]:
    return [
        each["estimates"][estimator]["expected"] / each["true"]["expected"] for each in mine if each["share"] == share
    ]


def _mean(mine: Sequence[Results], share: float, field: str) -> float:
    return fmean(each["true"][field] for each in mine if each["share"] == share)


def _ratio(found: Sequence[float]) -> str:
    return f"{fmean(found):.2f} ± {pstdev(found):.2f}"


def _k_map_table(results: Results, shares: Sequence[float]) -> str:
    """Return which share of the rows that have enough people by their weights truly have, by k."""
    head = ["columns, chances, k", *(f"{share:.0%}" for share in shares)]
    rows = []
    for keys in KEYS:
        for design in DESIGNS:
            for place, k in enumerate(LEAST_ROWS):
                cells = [_truly(results, (keys, design, share), place) for share in shares]
                rows.append([f"{keys}, {design}, k = {k}", *cells])
    return (
        f"Rows of combinations that at least k rows of the sample hold, and whose weights add up to {results['k_map']} "
        "people or more: which share of them truly has as many people in the population, and of how many rows.\n\n"
    ) + table(head, rows)


def _truly(results: Results, which: tuple[str, str, float], place: int) -> str:
    some = [e["k_map"][place] for e in results["samples"] if (e["keys"], e["design"], e["share"]) == which]
    by_weights, truly = sum(each["by weights"] for each in some), sum(each["truly"] for each in some)
    return f"{truly / by_weights:.0%} of {by_weights / len(some):,.0f}" if by_weights else "–"


def _claims(results: Results, shares: Sequence[float]) -> list[Claim]:
    """Return for each estimator whether it is near the truth."""
    found = []
    for name in ESTIMATORS:
        ratios = {
            (keys, share): fmean(
                _of([e for e in results["samples"] if e["keys"] == keys and e["design"] == "equal"], share, name)
            )
            for keys in KEYS
            for share in shares
        }
        is_near = all(0.5 <= ratio <= 2 for ratio in ratios.values())
        evidence = "; ".join(f"{keys}: " + ", ".join(f"{ratios[keys, share]:.2f}" for share in shares) for keys in KEYS)
        text = f"{TITLES[name]}: within a factor of two of the truth at {', '.join(f'{share:.0%}' for share in shares)}"
        found.append(Claim(text=text, verdict="holds" if is_near else "does not hold", evidence=evidence, is_ours=True))
    return found


def draw(results: Results, folder: Path) -> Sequence[Path]:
    """Draw estimated over true links against the share."""
    rows = [
        {
            "series": TITLES[name],
            "plot": keys,
            "share": share,
            "ratio": fmean(
                _of([e for e in results["samples"] if e["keys"] == keys and e["design"] == "equal"], share, name)
            ),
        }
        for keys in KEYS
        for share in sorted({each["share"] for each in results["samples"]})
        for name in ESTIMATORS
    ]
    chart = line_plot(
        rows,
        x=("share", "share of the population in the sample"),
        y=("ratio", "rows linked rightly: estimated / true"),
        facet="plot",
        logarithmic="xy",
    )
    return [save(chart, folder / "population.svg")]
