"""Attacks on releases, which none of the papers has: every method on four tables, before and after."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import withhold as wh
from experiments._judge import claim
from experiments._markdown import save, table
from experiments._registry import Claim, Context, Results, Section, Spec

__all__ = ["SPEC", "draw", "report", "run"]

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

HIDING = {
    "DECP": [{"adversary": "naive-bayes", "method": "decp"}],
    "INCP": [{"adversary": "naive-bayes", "method": "incp"}],
    "DROPP": [{"adversary": "naive-bayes", "method": "dropp"}],
    "HID3": [{"adversary": "id3", "method": "hid3"}],
    "auto, both": [{"adversary": "naive-bayes"}, {"adversary": "id3"}],
    "informed, both": [{"adversary": "naive-bayes"}, {"adversary": "id3"}],
    "rules": [{"adversary": "rules", "confidence": 0.6, "support": 0.005}],
}
"""What keeps cells hidden, and from whom."""
FOR_THE_INFORMED = "informed, both"
"""The one that holds also against who knows the policy: nothing is changed by what stood in the cells."""
SURE = 0.01
ADULT_KNOWN = ["workclass", "education", "marital-status", "sex", "race"]
INFORMED = ("second-guess", "second-guess-where-blanked", "simulate")

SPEC = Spec(
    name="attacks",
    paper="ours",
    title="Attacks on what is released, by method and table",
    data=(
        "adult/adult.data",
        "adult/adult.test",
        "tds/adultRU0.hchy",
        "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
        "car/car.data",
    ),
    seeds=(7,),
    parameters={
        "tables": ["adult", "wisconsin", "car", "clinic"],
        "rows": {"adult": 45_222, "clinic": 5_000},
        "cells": {"adult": 500, "wisconsin": 140, "car": 200, "clinic": 300},
        "hiding": list(HIDING),
    },
    quick={
        "tables": ["clinic"],
        "rows": {"clinic": 400},
        "cells": {"clinic": 20},
        "hiding": ["DROPP", "informed, both"],
    },
)


def run(context: Context) -> Results:
    """Release and attack every table by every method."""
    asked = context.parameters
    os.environ["WITHHOLD_DATA"] = str(context.data)
    found: Results = {"parameters": dict(asked), "hidden": [], "groups": []}
    for name in asked["tables"]:
        frame = _frame(name, asked["rows"].get(name))
        cells = _cells(frame, name, asked["cells"][name], context.seeds[0])
        for method in asked["hiding"]:
            context.say(f"{name}, {method}")
            work = _hidden_work(frame, name, cells, method, context.seeds[0])
            found["hidden"].append(context.part(f"{name} {method}", work))
        for method, policy in _group_policies(name).items():
            context.say(f"{name}, {method}")
            work = _group_work(frame, name, method, policy, context.seeds[0])
            found["groups"].append(context.part(f"{name} {method}", work))
    return found


def report(results: Results) -> Section:
    """Report how often attackers are right, before and after."""
    text = (
        "None of the papers attacks a release with learners that it was not made against. The audit does. Cells are "
        "drawn at random: of `occupation` (Adult), `diagnosis` (clinic), of any column (Wisconsin, Car). *Before*: "
        "only these cells are blank. *After*: the release. Figures are the share of cells recovered, in percent; bold "
        "is significantly better than a guess (exact McNemar test, p < 0.01 after the correction of Holm for all "
        "attackers of the line). A guess is the most frequent value: before, of the table in which only these cells "
        "are blank; after, of that table or of the release, whichever is right more often. The best other has the "
        "most right guesses after, of those that no policy here names; its own figure before stands beside it. The "
        "informed know the policy, which cells were hidden, and that the named adversary fails; of *informed, both* "
        "that is not so, and they strike all the same. Where a policy names no classifier there is nothing to strike. "
        "The attacker by rules takes the best public rule of 1 or 2 cells, also less sure ones than the policy names."
        "\n\n"
    )
    head = (
        "table",
        "method",
        "guess",
        "naive Bayes",
        "ID3",
        "rules",
        "best other",
        "best informed",
        "other cells blanked",
    )
    text += table(head, [_hidden_row(each) for each in results["hidden"]])
    text += (
        "\nFor requirements about groups and records: how often somebody who knows the named columns picks the right "
        "row, how often the most frequent sensitive value of the group is right, and rows alone on up to three "
        "columns. Errors are those of C4.5 for the target on held-out rows, from the original and from the release.\n\n"
    )
    head = ("table", "method", "right row", "sensitive value", "guess", "rows alone", "records at risk", "C4.5 error")
    text += table(head, [_group_row(each) for each in results["groups"]])
    return Section(markdown=text, claims=tuple(_claims(results)))


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw every attacker on every table, before and after, for the last of the methods that were run on it."""
    import altair as alt

    last = {each["table"]: each for each in results["hidden"] if each["method"] in ("auto, both", "DROPP")}
    rows = [
        {"table": f"{name}, {each['method']}", "attacker": attacker, "right": attack[key], "when": when}
        for name, each in last.items()
        for attacker, attack in each["attacks"].items()
        for when, key in (("before", "before"), ("after", "rate"))
        if attack[key] is not None
    ]
    rows += [
        {"table": f"{name}, {each['method']}", "attacker": "a guess", "right": each["majority"], "when": "after"}
        for name, each in last.items()
    ]
    rows += [
        {"table": f"{name}, {each['method']}", "attacker": "a guess", "right": each["guess_before"], "when": "before"}
        for name, each in last.items()
    ]
    chart = (
        alt.Chart(alt.Data(values=rows), width=150)
        .mark_point(filled=True, size=50)
        .encode(
            x=alt.X("right:Q", title="cells recovered", axis=alt.Axis(format="%", tickCount=4)),
            y=alt.Y("attacker:N", sort=None, title=None),
            color=alt.Color("when:N", sort=None, title=None),
            shape=alt.Shape("when:N", sort=None, title=None),
        )
        .facet(column=alt.Column("table:N", sort=None, title=None))
    )
    return [save(chart, folder / "attacks.svg")]


def _claims(results: Results) -> Iterator[Claim]:
    hidden = results["hidden"]
    # What is blank before does not depend on the method, so each table counts once.
    tables = {each["table"]: each for each in reversed(hidden)}
    weak = [name for name, each in tables.items() if not any(_is_sure(a["before_p"]) for a in each["attacks"].values())]
    shown = f"{len(tables) - len(weak)} of {len(tables)} tables" + (f"; not {', '.join(weak)}" if weak else "")
    yield claim("Before protection some attacker beats the most frequent value", not weak, shown)
    aware = [each for each in hidden if each["method"] != FOR_THE_INFORMED]
    blind = [each for each in hidden if each["method"] == FOR_THE_INFORMED]
    plain = {name for each in hidden for name in each["attacks"]} - {*INFORMED}
    for text, settings, names in (
        ("After it no classifier that the policy names does", hidden, lambda each: {*each["named"]} - {"rules"}),
        (
            "Nor, where it names rules, the attacker by rules, who takes any rule, also those that it does not cover",
            hidden,
            lambda each: {*each["named"]} & {"rules"},
        ),
        ("Nor does anybody else who takes the release as it stands", hidden, lambda each: plain - {*each["named"]}),
        ("Nor does somebody who knows the policy and which cells it hides", aware, lambda each: {*INFORMED}),
        ("Nor does that person where the policy is made for it (informed)", blind, lambda each: {*INFORMED}),
    ):
        tried = [(each, name) for each in settings for name in sorted(names(each)) if name in each["attacks"]]
        if tried:
            yield _nobody(text, tried)


def _nobody(text: str, tried: Sequence[tuple[Results, str]]) -> Claim:
    winners = [
        f"{each['table']}, {each['method']}: {name}" for each, name in tried if _is_sure(each["attacks"][name]["p"])
    ]
    shown = f"{len(winners)} of {len(tried)} attacks do" + (f": {'; '.join(winners[:12])}" if winners else "")
    return claim(text, not winners, shown + (" …" if len(winners) > 12 else ""))


def _hidden_row(each: Results) -> tuple[str, ...]:
    attacks = each["attacks"]
    best = max((n for n in attacks if n not in (*INFORMED, "naive-bayes", "id3", "rules")), key=_rate_in(attacks))
    informed = max((n for n in INFORMED if n in attacks), key=_rate_in(attacks), default=None)
    return (
        each["table"],
        each["method"],
        f"{100 * each['guess_before']:.0f} → {100 * each['majority']:.0f}",
        *(_change(attacks[name]) for name in ("naive-bayes", "id3", "rules")),
        f"{best} {_change(attacks[best])}",
        "–" if informed is None else f"{informed} {_bold(attacks[informed]['rate'], attacks[informed]['p'])}",
        f"{each['others']:,}",
    )


def _rate_in(attacks: Results) -> Callable[[str], float]:
    return lambda name: float(attacks[name]["rate"])


def _is_sure(p_value: float | None) -> bool:
    return p_value is not None and p_value < SURE


def _change(attack: Results) -> str:
    return f"{_bold(attack['before'], attack['before_p'])} → {_bold(attack['rate'], attack['p'])}"


def _bold(rate: float | None, p_value: float | None) -> str:
    if rate is None:
        return "–"
    return f"**{100 * rate:.0f}**" if _is_sure(p_value) else f"{100 * rate:.0f}"


def _group_row(each: Results) -> tuple[str, ...]:
    def pair(name: str, shape: str) -> str:
        before, after = each[f"{name}_before"], each[name]
        return "–" if after is None else f"{before:{shape}} → {after:{shape}}"

    return (
        each["table"],
        each["method"],
        pair("right_row", ".1%"),
        pair("sensitive", ".1%"),
        "–" if each["guess"] is None else f"{each['guess']:.1%}",
        pair("alone", ","),
        pair("at_risk", ","),
        pair("error", ".1%"),
    )


def _hidden_work(frame: Any, name: str, cells: list[tuple[int, str]], method: str, seed: int) -> Any:
    def work() -> Results:
        against = [wh.Against(**each) for each in HIDING[method]]
        hidden = wh.Hidden(cells=cells, against=against, informed=method == FOR_THE_INFORMED, most_withheld=1.0)
        policy = wh.Policy([hidden], target=TARGETS[name], columns=_bins(name))
        made = wh.release(frame, policy, rng=seed)
        audit = wh.audit(made.to_frame(), policy, original=frame, quick=True, rng=seed)
        attacks = [attack for attack in audit.cell_attacks if attack.scope == "hidden"]
        return {
            "table": name,
            "method": method,
            "named": [each.adversary for each in against],
            "ok": audit.ok,
            "majority": attacks[0].majority_rate,
            "guess_release": attacks[0].release_majority_right / attacks[0].n_tried,
            "guess_before": (attacks[0].table_majority_right or 0) / attacks[0].n_tried,
            "others": sum(len(each.rows) for reasons in made.record.cells.values() for each in reasons) - len(cells),
            "attacks": {
                a.attacker: {
                    "rate": a.rate,
                    "p": a.adjusted_p_value,
                    "before": a.before_rate,
                    "before_p": a.before_adjusted_p_value,
                    "alone_p": a.p_value,
                    "before_alone_p": a.before_p_value,
                }
                for a in attacks
                if a.n_tried
            },
        }

    return work


def _group_work(frame: Any, name: str, method: str, policy: wh.Policy, seed: int) -> Any:
    def work() -> Results:
        made = wh.release(frame, policy, rng=seed)
        audit = wh.audit(made.to_frame(), policy, original=frame, quick=True, rng=seed)
        link = next((each for each in audit.attacks if each.kind == "linkage"), None)
        read_off = next((each for each in audit.attacks if each.kind == "homogeneity"), None)
        risk = audit.risks[0] if audit.risks else None
        after, before = audit.uniques
        errors = audit.utility.learners[0] if audit.utility else None
        return {
            "table": name,
            "method": method,
            "ok": audit.ok,
            "right_row": link and link.rate,
            "right_row_before": link and link.before_rate,
            "sensitive": read_off and read_off.rate,
            "sensitive_before": read_off and read_off.before_rate,
            "guess": read_off and read_off.majority_rate,
            "alone": after.rows[-1],
            "alone_before": before.rows[-1],
            "at_risk": None if risk is None else sum(n for low, _, n in risk.after if low >= risk.at_most),
            "at_risk_before": None if risk is None else risk.above_before,
            "error": errors and errors.released.error,
            "error_before": errors and errors.base.error,
        }

    return work


TARGETS = {"adult": "income", "wisconsin": "class", "car": "class", "clinic": "readmitted"}


def _frame(name: str, n_rows: int | None) -> Any:
    import pandas as pd

    import real_data

    if name == "clinic":
        frame = pd.DataFrame(wh.samples.clinic(n_rows)).drop(columns="name")
        return frame.drop(columns=["postcode", "occupation"])
    if name == "adult":
        names = [column for column in real_data.ADULT_COLUMNS if column not in real_data.ADULT_NUMBERS]
        return real_data.adult()[names].head(n_rows)
    return real_data.wisconsin() if name == "wisconsin" else real_data.car()


def _cells(frame: Any, name: str, n_cells: int, seed: int) -> list[tuple[int, str]]:
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(frame), n_cells, replace=False)
    columns = {"adult": ["occupation"], "clinic": ["diagnosis"]}.get(name, list(frame.columns))
    drawn = [(int(row), columns[int(rng.integers(len(columns)))]) for row in rows]
    return [(row, column) for row, column in drawn if frame[column].iloc[row] is not None]


def _bins(name: str) -> dict[str, wh.ColumnSettings]:
    if name != "clinic":
        return {}
    return {column: wh.ColumnSettings(type="number", bins=6) for column in ("age", "stay_days")}


def _group_policies(name: str) -> dict[str, wh.Policy]:
    """Return a policy of each other kind for a table."""
    known, sensitive, value, k, at_most, risk = {
        "adult": (
            ["workclass", "education", "marital-status", "sex", "race"],
            "occupation",
            "Exec-managerial",
            50,
            0.2,
            0.5,
        ),
        "wisconsin": (["clump_thickness", "cell_size", "mitoses"], "class", "4", 5, 0.9, 2.0),
        "car": (["buying", "maint", "doors", "persons", "lug_boot", "safety"], "class", "vgood", 5, 0.1, 0.5),
        "clinic": (["age", "sex", "insurance", "admission"], "diagnosis", "depression", 10, 0.2, 1.0),
    }[name]
    target = TARGETS[name]
    numbers = {"age": wh.ColumnSettings(type="number")} if name == "clinic" else {}
    given = [column for column in known if column != "age"]
    chances = dict.fromkeys(known, 0.2)
    return {
        "TDS": wh.Policy([wh.Anonymity(columns=known, k=k)], target=target, columns=_trees(name) | numbers),
        "PDA": wh.Policy(
            [wh.Template(given=given, hide={sensitive: [value]}, at_most=at_most)],
            target=target if target != sensitive else None,
        ),
        "record risk": wh.Policy(
            [wh.Risk(known=chances, sensitive={sensitive: {value: 1.0}}, alpha=100, at_most=risk, most_withheld=1.0)],
            target=target,
            columns=_bins(name),
        ),
    }


def _trees(name: str) -> dict[str, wh.ColumnSettings]:
    if name != "adult":
        return {}
    import real_data

    trees = real_data.adult_trees()
    return {column: wh.ColumnSettings(taxonomy=wh.Taxonomy.from_nested(trees[column])) for column in ADULT_KNOWN}
