"""Table 3 of the paper on PDA: how many inferences are above a confidence."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import withhold as wh
from experiments._errors import ranking
from experiments._judge import claim
from experiments._markdown import line_plot, save, table
from experiments._registry import Claim, Context, Results, Section, Spec
from experiments._tables import ADULT_DATA, CRX_DATA, adult, crx, encoded
from experiments._templates import ADULT_TOP4, CATEGORIES, CRX_TOP4, template
from withhold.metrics import count_inferences
from withhold.table import Grid

__all__ = ["SPEC", "draw", "report", "run"]

PRINTED = {"CRX (Top4)": [40, 27, 15, 8, 6], "Adult (Top4)": [1333, 786, 365, 324, 318]}

VALUES = {
    "education": 16,
    "marital-status": 7,
    "occupation": 14,
    "native-country": 40,
    "race": 5,
    "relationship": 6,
    "sex": 2,
    "workclass": 8,
}
"""Table 4: the printed numbers of values."""

SPEC = Spec(
    name="pda_table3",
    paper="pda",
    title="Tables 3 and 4: number of inferences above a confidence, CRX and Adult, Top4; the columns of Adult",
    data=(*ADULT_DATA, CRX_DATA),
    parameters={"thresholds": [0.1, 0.3, 0.5, 0.7, 0.9]},
)


def run(context: Context) -> Results:
    """Count the inferences of the templates of the text, and of those that give the printed row."""
    thresholds = context.parameters["thresholds"]
    credit, n_credit = crx(context.data)
    people, n_people = adult(context.data)
    people = {name: people[name] for name in (*CATEGORIES, "income")}
    without_race = {name: cells for name, cells in people.items() if name != "race"}

    def count(columns: dict[str, np.ndarray], sensitive: tuple[str, ...], target: str) -> list[int]:
        wanted: list[wh.Template] = template(columns, sensitive, target)
        return list(count_inferences(encoded(columns), wanted, thresholds).values())

    return {
        "thresholds": thresholds,
        "CRX (Top4)": count(credit, CRX_TOP4, "A16"),
        "Adult (Top4)": count(people, ADULT_TOP4, "income"),
        "Adult, sex given, without race": count(without_race, ADULT_TOP4[:3], "income"),
        "values": {name: len(np.unique(people[name])) for name in CATEGORIES},
        "ranking": {
            "CRX": ranking(Grid.of(encoded(credit)), "A16", np.arange(n_credit), 4),
            "Adult": ranking(Grid.of(encoded(people)), "income", np.arange(n_people), 4),
        },
    }


def report(results: Results) -> Section:
    """Set the counts beside the printed ones."""
    text = (
        "All rows without unknown cells, training and test together. The sensitive values are the rarer half of each "
        "of the four columns that C4.5 ranks best; the others are given. The printed row of Adult is not that of the "
        "text: it is what marital status, relationship and education give, with sex among the given columns and race "
        "in neither.\n\n"
    )
    rows = [(f"{name}, printed", *counts) for name, counts in PRINTED.items()]
    names = ("CRX (Top4)", "Adult (Top4)", "Adult, sex given, without race")
    rows += [(f"{name}, ours", *results[name]) for name in names]
    text += table(("confidence above", *(f"{share:.0%}" for share in results["thresholds"])), rows)
    text += "#### Table 4: the values of the columns of Adult\n\n"
    text += table(
        ("", *VALUES), [("printed", *VALUES.values()), ("ours", *(results["values"][name] for name in VALUES))]
    )
    text += (
        "Ours are the values in the 45,222 rows without unknown cells. Holand-Netherlands occurs once; Never-worked "
        "occurs only beside unknown cells.\n\n"
    )
    return Section(markdown=text, claims=tuple(_claims(results)))


def _claims(results: Results) -> Iterator[Claim]:
    own, other = results["CRX (Top4)"], results["Adult, sex given, without race"]
    yield claim("CRX, Top4: 40, 27, 15, 8 and 6", own == PRINTED["CRX (Top4)"], str(own))
    own = results["Adult (Top4)"]
    is_other = "the printed row" if other == PRINTED["Adult (Top4)"] else "not the printed row"
    shown = f"{own}; with M, Re, E sensitive and W, O, S, N given {other}, {is_other}"
    text = "Adult, Top4 (M, Re, E, S): 1333, 786, 365, 324 and 318"
    yield claim(text, own == PRINTED["Adult (Top4)"], shown)
    differing = [f"{name} {results['values'][name]}" for name, n in VALUES.items() if results["values"][name] != n]
    shown = f"ours: {', '.join(differing)}" if differing else "all eight"
    yield claim("Table 4: the number of values of the eight columns", not differing, shown)
    order = results["ranking"]
    yield claim("Adult: the Top4 are M, Re, E, S", tuple(order["Adult"]) == ADULT_TOP4, ", ".join(order["Adult"]))
    text = "CRX: the Top4 are A9, A10, A7, A6 (as Table 3 needs)"
    yield claim(text, tuple(order["CRX"]) == CRX_TOP4, ", ".join(order["CRX"]))


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw the counts, printed and ours."""
    names = {"CRX (Top4)": "CRX", "Adult (Top4)": "Adult", "Adult, sex given, without race": "Adult"}
    series = [(f"{name}, ours", which, results[name]) for name, which in names.items()]
    series += [(f"{name}, printed", names[name], counts) for name, counts in PRINTED.items()]
    rows = [
        {"series": name, "table": which, "above": share, "inferences": count}
        for name, which, counts in series
        for share, count in zip(results["thresholds"], counts, strict=True)
    ]
    x, y = ("above", "confidence above"), ("inferences", "inferences")
    chart = line_plot(rows, x=x, y=y, facet="table", dashed=[f"{name}, printed" for name in PRINTED])
    return [save(chart, folder / "pda_table3.svg")]
