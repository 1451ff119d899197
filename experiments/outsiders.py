"""Attacks of every outsider before and after what answers them, on five tables."""

import os
from collections.abc import Iterator
from pathlib import Path

from experiments._judge import claim
from experiments._markdown import table
from experiments._outsider_attacks import ATTACKS, KNOWN, people
from experiments._registry import Claim, Context, Results, Section, Spec

__all__ = ["SPEC", "draw", "report", "run"]

SPEC = Spec(
    name="outsiders",
    paper="ours",
    title="Every outsider, before and after",
    page="attacks-compared.md",
    data=(
        "adult/adult.data",
        "adult/adult.test",
        "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
        "car/car.data",
    ),
    seeds=(7,),
    parameters={
        "tables": list(KNOWN),
        "rows": {"clinic": 400, "wisconsin": 400, "car": 400, "registry": 400, "adult": 400},
        "cells": 60,
        "k": 5,
        "attacks": list(ATTACKS),
    },
    quick={
        "tables": ["clinic"],
        "rows": {"clinic": 240},
        "cells": 30,
        "attacks": ["named", "blanks as marks", "compatible linkage", "earlier release"],
    },
)
MEANINGS = {
    "named": "hidden from naive Bayes and ID3; they attack",
    "family": "hidden from their families; naive Bayes in three forms and ID3 attack",
    "any learner": "hidden from any learner; logistic regression, forest, boosting, neighbours attack",
    "informed": "who knows policy and cells; before: hidden from naive Bayes and ID3; after: `informed = true`",
    "blanks as marks": "record risk; a person with a blank holds the sensitive value. Before: plain; after: `informed`",
    "compatible linkage": "people whom a full register leaves one row; before: the table; after: anonymity",
    "earlier release": "people left one row by two releases; before: each made alone; after: `release --with`",
}
ON_CELLS = ("named", "family", "any learner", "informed")


def run(context: Context) -> Results:
    """Attack every table by every outsider."""
    asked = context.parameters
    os.environ["WITHHOLD_DATA"] = str(context.data)
    found = []
    frames = {name: people(name, asked["rows"].get(name)) for name in asked["tables"]}
    for attack in asked["attacks"]:
        for name, frame in frames.items():
            context.say(f"{name}, {attack}")
            made = context.part(
                f"{name} {attack}",
                lambda f=frame, n=name, a=attack: ATTACKS[a](f, n, dict(asked), context.seeds[0]),
            )
            found.append({"table": name, "rows": len(frame), "attack": attack, **made})
    return {"parameters": dict(asked), "found": found}


def report(results: Results) -> Section:
    """Report each attack beside a guess, with an interval and the price."""
    asked, found = results["parameters"], results["found"]
    sizes = ", ".join(f"{name} {n:,}" for name, n in {each["table"]: each["rows"] for each in found}.items())
    text = (
        f"Rows: {sizes}. {asked['cells']} hidden cells a table, k = {asked['k']}. The best attacker of a line counts. "
        "Intervals are of 95 % (Wilson), those of marks of 99 %. The price is in cells that are withheld or coarsened "
        "besides the hidden ones; where two are shown, before and after. *Beat*: attackers that are right "
        "significantly more often than the most frequent value (exact McNemar test, Holm, 0.01). So few cells show "
        "large leads only: an interval above the guess is a sign, though no proof, that something is left to learn.\n\n"
    )
    for attack in [each for each in asked["attacks"] if each in MEANINGS]:
        lines = [each for each in found if each["attack"] == attack]
        text += f"### {_capital(attack)}\n\n{_capital(MEANINGS[attack])}.\n\n"
        text += _marks(lines) if attack == "blanks as marks" else _counts(lines)
    return Section(markdown=text, claims=tuple(_claims(found)))


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw nothing: the tables say it."""
    return []


def _counts(lines: list[Results]) -> str:
    head = ("table", "guess", "before", "after", "interval", "beat", "price in cells")
    rows = []
    for each in lines:
        if "refused" in each:
            rows.append((each["table"], "–", "–", f"refused ({each['refused']})", "–", "–", "–"))
            continue
        price = f"{each['price before']:,} → {each['price']:,}" if each["price before"] else f"{each['price']:,}"
        price += f", {each['held back']} rows held back" if each.get("held back") else ""
        who = f" ({each['who']})" if each["who"] else ""
        beat = f"{each['beats']} of {each['tried']}" if "beats" in each else "–"
        of = f"{each['n']:,}"
        rows.append(
            (
                each["table"], f"{each['guess']} of {of}", f"{each['before']:,} of {of}",
                f"{each['after']:,} of {of}{who}",
                _interval(each), beat, price,
            )
        )  # fmt: skip
    return table(head, rows)


def _marks(lines: list[Results]) -> str:
    text = (
        "The guess is what people with such values hold, learned from others like them, with its interval "
        "(`expected_share`): rare people are blanked, and may be ill more or less often than all. What the release "
        "adds is what lies outside.\n\n"
    )
    head = ("table", "among all", "before", "expected", "after", "expected after, interval", "price in cells")
    rows = []
    for each in lines:
        if "refused" in each:
            rows.append((each["table"], "–", "–", "–", f"refused ({each['refused']})", "–", "–"))
            continue
        plain, low, high = each["plain expected"]
        before = f"{each['before']:.1%} of {each['n before']:,}" if each["n before"] else "nobody"
        after = f"{each['after']:.1%} of {each['n']:,}" if each["n"] else "nobody"
        rows.append(
            (
                each["table"], f"{each['among all']:.1%}", before,
                f"{plain:.1%} ({low:.1%} to {high:.1%})" if each["n before"] else "–", after,
                f"{each['guess']:.1%} ({_interval(each)})" if each["n"] else "–",
                f"{each['price before']:,} → {each['price']:,}",
            )
        )  # fmt: skip
    return text + table(head, rows)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _interval(each: Results) -> str:
    return f"{each['low']:.1%} to {each['high']:.1%}"


def _claims(found: list[Results]) -> Iterator[Claim]:
    done = [each for each in found if "refused" not in each]
    for attack in ON_CELLS:
        lines = [each for each in done if each["attack"] == attack]
        if lines:
            winners = [each["table"] for each in lines if each["beats"]]
            shown = f"{len(winners)} of {len(lines)} tables" + (f": {', '.join(winners)}" if winners else "")
            yield claim(f"{attack.capitalize()}: nobody beats a guess after", not winners, shown)
            above = [each["table"] for each in lines if each["low"] > each["guess"] / each["n"]]
            shown = f"{len(above)} of {len(lines)} tables" + (f": {', '.join(above)}" if above else "")
            yield claim(f"{attack.capitalize()}: no interval lies above the guess", not above, shown)
    marks = [each for each in done if each["attack"] == "blanks as marks" and each["n"]]
    if marks:
        kept = [each["table"] for each in marks if each["explained"]]
        shown = f"{len(kept)} of {len(marks)} tables"
        text = "Informed risk: people with a blank are sensitive as often as people with such values"
        yield claim(text, len(kept) == len(marks), shown)
        same = [each for each in marks if each["own"][0] <= each["among all"] <= each["own"][1]]
        text = "Informed risk: the share among people with a blank is that among all, within the interval"
        yield claim(text, len(same) == len(marks), f"{len(same)} of {len(marks)} tables")
    for attack in ("compatible linkage", "earlier release"):
        lines = [each for each in done if each["attack"] == attack]
        if lines:
            n_left = sum(each["after"] + each.get("exposed", 0) for each in lines)
            yield claim(f"{attack.capitalize()}: nobody is left one row after", not n_left, f"{n_left:,} people are")
