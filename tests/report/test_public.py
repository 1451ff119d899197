"""What may be published holds no value, no small count and nothing of the original, whatever was audited."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.attackers import standard_attackers
from withhold.auditing import Audit, Finding, Homogeneity, Linkage, RiskSpread, SetGuess, Uniques, _examine
from withhold.metrics import classification_utility
from withhold.report import _charts, audit_report, public_audit, report_json, report_page

THRESHOLD = 10
TOKEN = re.compile(r"Q\w+Z|(?<![\d.])71\d{5}(?!\d)")
ABOUT_NO_PERSON = {"asked", "largest_set", "n_rows"}
"""Whole numbers of the policy, of the audit itself, or of the file as a whole."""
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(**settings: Any) -> list[Any]:
        return standard_attackers(learners=False, informed=False)

    def errors(*tables: Any, **settings: Any) -> Any:
        return classification_utility(*tables, **settings, learners=("c4.5",))

    monkeypatch.setattr(_examine, "standard_attackers", few)
    monkeypatch.setattr(_examine, "classification_utility", errors)
    monkeypatch.setattr(_charts, "can_draw", lambda: False)


def people(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Return a table of values that occur nowhere else."""
    frame = {
        name: rng.choice([f"Q{name}{i}Z" for i in range(n)], n_rows)
        for name, n in (("job", 4), ("home", 3), ("ill", 3))
    }
    frame["age"] = rng.choice([7102391, 7107719, 7120113, 7133992], n_rows).astype(str)
    frame["readmitted"] = rng.choice(["QyesZ", "QnoZ"], n_rows)
    frame["name"] = np.array([f"Qname{i}Z" for i in range(n_rows)])
    return pd.DataFrame(frame).astype(object)


def hidden(rng: np.random.Generator, n_rows: int, **more: Any) -> wh.Hidden:
    rows = sorted(rng.choice(n_rows, 4, replace=False).tolist())
    return wh.Hidden(cells=[(row, "ill") for row in rows], against=["naive-bayes"], **more)


KINDS: dict[str, Callable[[np.random.Generator, int], list[Any]]] = {
    "anonymity": lambda rng, n: [wh.Anonymity(columns=["age", "job"], k=int(rng.integers(2, 5)))],
    "template": lambda rng, n: [wh.Template(given=["job"], hide={"ill": ["Qill0Z"]}, at_most=0.7)],
    "hidden": lambda rng, n: [hidden(rng, n)],
    "risk": lambda rng, n: [wh.Risk(known={"job": 0.3, "age": 0.2}, sensitive={"ill": 1.0}, at_most=20)],
    "joint": lambda rng, n: [
        wh.Anonymity(columns=["age", "job"], k=3),
        wh.Template(given=["home"], hide={"ill": ["Qill1Z"]}, at_most=0.9),
    ],
    "groups and cells": lambda rng, n: [wh.Anonymity(columns=["age", "job"], k=3), hidden(rng, n, predictors=["home"])],
    "cells and risk": lambda rng, n: [
        hidden(rng, n, predictors=["home"]),
        wh.Risk(known={"job": 0.3, "age": 0.2}, sensitive={"readmitted": {"QyesZ": 1.0}}, at_most=20),
    ],
}


def spoiled(frame: pd.DataFrame, how: str) -> pd.DataFrame:
    """Return a release that breaks a promise."""
    frame = frame.astype(object)
    if how == "rows":
        return frame.iloc[:-2]
    if how == "cells":
        frame.loc[[0, 1, 2], "job"] = "QwrongZ"
    return frame


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["", "rows", "cells", "original"])
def test_no_value_and_no_small_count_is_in_a_public_report(kind: str, how: str) -> None:
    rng = np.random.default_rng([sorted(KINDS).index(kind), len(how)])
    frame = people(rng, int(rng.integers(24, 60)))
    policy = wh.Policy(
        KINDS[kind](rng, len(frame)),
        target="readmitted",
        drop=["name"],
        columns={"age": wh.ColumnSettings(type="number")},
    )
    release = wh.release(frame, policy, rng=1)
    audit = wh.audit(frame if how == "original" else spoiled(release.to_frame(), how), policy, original=frame, rng=1)
    needs_rows = any(isinstance(requirement, wh.Hidden) for requirement in policy.require)
    assert audit.ok is (how == "" or (how == "rows" and not needs_rows))
    report = audit_report(audit, "out.csv", making=release.record, public=True)
    reported = report_json(report)
    text, page = json.dumps(reported, allow_nan=False), report_page(report)
    assert not TOKEN.findall(text)
    assert not TOKEN.findall(page)
    assert [(key, n) for key, n in whole_numbers(reported) if key not in ABOUT_NO_PERSON and 0 < n < THRESHOLD] == []
    sizes = r'<tr><td class="number">[123]</td>'
    cells = re.findall(r'<td class="number">([\d,]+)</td>', re.sub(sizes, "", page))
    counts = {int(cell.replace(",", "")) for cell in cells}
    assert not [n for n in counts if 0 < n < THRESHOLD]
    for key, share in shares(reported):
        steps = [step for step in STEPS if step * len(frame) >= THRESHOLD]
        assert any(share == pytest.approx(round(share / step) * step) for step in steps), key


def whole_numbers(part: Any, key: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(part, dict):
        for name, value in part.items():
            yield from whole_numbers(value, name)
    elif isinstance(part, list):
        for each in part:
            yield from whole_numbers(each, key)
    elif isinstance(part, int) and not isinstance(part, bool):
        yield key, part


def shares(reported: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for attack in reported["attacks"]:
        yield from ((key, attack[key]) for key in ("rate", "majority_rate") if key in attack)


def test_nothing_that_needs_the_original_is_published() -> None:
    rng = np.random.default_rng(8)
    frame = people(rng, 60)
    policy = wh.Policy([wh.Hidden(column="readmitted", where="home = 'Qhome0Z'")], target="readmitted", drop=["name"])
    blank = frame.drop(columns="name")
    blank.loc[blank["home"] == "Qhome0Z", "readmitted"] = None
    reported = report_json(audit_report(wh.audit(blank, policy, original=frame, rng=1), "o.csv", public=True))
    for learner in reported["utility"]["learners"]:
        assert learner["base"] is learner["upper"] is learner["removed"] is None
        assert learner["released"]["n_test"] is learner["released"]["n_wrong"] is None
    for key in ("n_train", "n_test", "majority"):
        assert reported["utility"][key] is None, "the cells that were hidden could be counted"


def test_how_much_a_broken_promise_misses_is_not_published_where_the_original_decides() -> None:
    def broken(kind: str, asked: float, reached: float) -> Finding:
        return Finding(kind=kind, where="", columns=("a",), asked=asked, reached=reached, ok=False, says="reported")

    audit = Audit(findings=(broken("rows", 1003, 1000), broken("cells", 0, 40), broken("hidden", 0, 40)), n_rows=1000)
    rows, cells, recovered = public_audit(audit).findings
    assert (rows.asked, rows.reached) == (None, 1000)
    assert (cells.reached, cells.columns) == (None, ())
    assert recovered.reached is None
    assert "1003" not in report_page(audit_report(audit, "o.csv", public=True)).replace(",", "")


def test_shares_and_risks_are_rounded_on_the_side_of_the_verdict() -> None:
    def found(kind: str, asked: float, reached: float) -> float | None:
        finding = Finding(kind=kind, where="", columns=(), asked=asked, reached=reached, ok=reached <= asked, says="")
        return public_audit(Audit(findings=(finding,), n_rows=100)).findings[0].reached

    assert found("template", 0.5, 1 / 3) == 0.33
    assert found("template", 0.125, 0.125) == 0.12
    assert found("template", 0.126, 0.1259) == 0.126
    assert found("template", 0.33, 1 / 3) is None
    assert found("risk", 1.0, 0.123456) == 0.12
    assert found("risk", 0.1234, 0.1279) == 0.13


def test_small_counts_cannot_be_made_from_the_others() -> None:
    risk = RiskSpread(where="", at_most=1, after=((0.0, 0.0, 0), (0.0, 1.0, 3), (1.0, 2.0, 60), (2.0, None, 37)))
    alone = Uniques(
        columns=("a", "b"), largest_set=2, n_rows=100, sets=(4, 40), rows=(4, 40), by_column={"a": 42, "b": 42}
    )
    shown = public_audit(Audit(findings=(), n_rows=100, risks=(risk,), uniques=(alone,)))
    assert [n for _, _, n in shown.risks[0].after] == [0, None, 60, None], "the rows add up to 100"
    assert shown.uniques[0].sets == (None, 40)
    assert set(shown.uniques[0].by_column.values()) == {None}, "4 + 2 * 40 = 42 + 42"
    nearly = Uniques(columns=("a", "b"), largest_set=2, n_rows=100, sets=(40, 20), rows=(40, 43), by_column={"a": 80})
    assert public_audit(Audit(findings=(), n_rows=100, uniques=(nearly,))).uniques[0].rows == (40, None)


def test_counts_of_a_public_risk_report_are_not_closer_than_their_threshold() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n_rows = int(rng.integers(20, 300))
        spreads = []
        for _ in range(int(rng.integers(1, 4))):
            sizes = rng.multinomial(n_rows, rng.dirichlet(np.full(int(rng.integers(1, 7)), 0.7))).tolist()
            spreads.append(tuple((float(i), float(i + 1), n) for i, n in enumerate(sizes)))
        alone = int(rng.integers(0, n_rows + 1))
        link = Linkage(
            where="",
            columns=("a",),
            n_rows=n_rows,
            n_groups=20,
            smallest=20,
            unique_rows=alone,
            rate=0.5,
            narrowed_to=2,
        )
        risks = tuple(RiskSpread(where="", at_most=1, after=each) for each in spreads)
        shown = public_audit(Audit(findings=(), n_rows=n_rows, risks=risks, attacks=(link,)))
        counts = {0, n_rows, shown.attacks[0].unique_rows or 0}
        for risk in shown.risks:
            bars = [n for _, _, n in risk.after if n is not None]
            counts |= {*bars, *({n_rows - sum(bars)} if any(bars) else ())}
            assert sum(n is None for _, _, n in risk.after) != 1 or not any(bars), "the others reveal a single one"
        assert [(a, b) for a in counts for b in counts if 0 < b - a < THRESHOLD] == [], seed


def test_small_figures_of_attacks_are_not_published() -> None:
    link = Linkage(
        where="", columns=("a",), n_rows=100, n_groups=3, smallest=12, unique_rows=0, rate=0.03, narrowed_to=4.2
    )
    reported = Homogeneity(
        where="", columns=("a",), column="b", n_rows=6, rate=0.5, majority_rate=1 / 3, certain_rows=20
    )
    guess = SetGuess(column="a", n_cells=3, n_values=7, rate=1 / 7, best_rate=0.4)
    shown = public_audit(Audit(findings=(), n_rows=100, attacks=(link, reported, guess))).attacks
    assert (shown[0].n_groups, shown[0].rate, shown[0].narrowed_to) == (None, 0.0, None)
    assert (shown[1].n_rows, shown[1].majority_rate) == (None, 0.0)
    assert (shown[2].n_cells, shown[2].n_values, shown[2].rate, shown[2].best_rate) == (None, None, 0.14, None)


def test_a_share_that_rounds_to_nothing_is_below_half_a_step() -> None:
    link = Linkage(
        where="require[0]", columns=("a",), n_rows=400, n_groups=12, smallest=12, unique_rows=0, rate=0.018,
        narrowed_to=40.0, before_unique_rows=None, before_rate=None,
    )  # fmt: skip
    audit = Audit(findings=(), n_rows=400, attacks=(link,))
    page = report_page(audit_report(audit, "o.csv", public=True))
    assert '<td class="number">below 2.5%</td>' in page
    assert "on average and at least. Shares are rounded to steps of 5%." in page
    assert '<td class="number">1.8%</td>' in report_page(audit_report(audit, "o.csv"))


def test_errors_stand_beside_the_most_frequent_value_and_their_step() -> None:
    rng = np.random.default_rng(8)
    frame = people(rng, 300)
    policy = wh.Policy([wh.Anonymity(columns=["home"], k=2)], target="readmitted", drop=["name"])
    found = wh.audit(frame.drop(columns="name"), policy, original=frame, rng=1)
    page = report_page(audit_report(found, "o.csv", public=True))
    assert "The table shows how often they are wrong. Shares are rounded to steps of 10%." in page
    assert re.search(r"always the most frequent value</td><td class=.number.>\d0%</td>", page)
    assert "changed columns at their coarsest" not in page


def test_no_small_count_is_left_between_two_counts_that_are_published() -> None:
    frame = pd.DataFrame(
        {
            "zip": [*(str(i) for i in range(995)), *["x"] * 5],
            "age": [*(str(i) for i in range(900)), *["y"] * 100],
            "ill": ["flu"] * 500 + ["no"] * 497 + [None] * 3,
        }
    )
    kinds = [wh.Anonymity(columns=["zip"], k=2), wh.Anonymity(columns=["age", "zip"], k=2)]
    shown = public_audit(wh.audit(frame, wh.Policy(kinds, target="ill"), rng=1))
    reported = {n for each in shown.attacks for key, n in whole_numbers(counts_of(each)) if "rows" in key} | {0}
    every = {n for each in shown.attacks for _, n in whole_numbers(counts_of(each))}
    assert [n for n in every if 0 < shown.n_rows - n < THRESHOLD or 0 < n < THRESHOLD] == []
    reported |= {n for each in shown.uniques for n in (*each.rows, *each.sets) if n is not None}
    assert [(a, b) for a in reported for b in reported if 0 < b - a < THRESHOLD] == []
    assert next(each for each in shown.attacks if isinstance(each, Linkage)).unique_rows is None, "5 rows are not alone"
    assert next(each for each in shown.attacks if isinstance(each, Homogeneity)).n_rows is None, "3 are blank"
    assert shown.uniques[0].rows[0] is None


def counts_of(attack: object) -> dict[str, Any]:
    """Return the counts of an attack."""
    return {field.name: getattr(attack, field.name) for field in fields(attack)}
