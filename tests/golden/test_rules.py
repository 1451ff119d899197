"""The worked examples of the FAiR / GraDeS paper, and the numbers worked out beside them."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from withhold import Table
from withhold.methods import fair, grades
from withhold.methods.rules import RuleGuard, Rules
from withhold.samples import synthetic
from withhold.table import Bins, Grid

GOLDEN = json.loads((Path(__file__).parent / "adversarial.json").read_text(encoding="utf-8"))
ONESHOT, NOT_MONOTONE, *LOSSES = GOLDEN["counterexamples"]
GRADES = [*GOLDEN["grades"], {**ONESHOT["result"], "rows": ONESHOT["rows"], "private": ONESHOT["private"]}]


def name(case: dict) -> str:
    parts = ["table", "delta", "gamma", "k", "support", "min_antecedent"]
    return " ".join(f"{part}={case[part]}" for part in parts if part in case)


def table_of(case: dict, blanked=()) -> tuple[Table, list[tuple[int, str]]]:
    given = case if "rows" in case else GOLDEN["tables"][case["table"]]
    rows = [list(row) for row in given["rows"]]
    for row, column in blanked:
        rows[row][column] = None
    columns = {str(j): [row[j] for row in rows] for j in range(len(rows[0]))}
    return Table.from_columns(columns), [(row, str(column)) for row, column in given["private"]]


def settings(case: dict) -> dict:
    return {
        "confidence": case["delta"],
        "support": case["gamma"],
        "counting": case.get("support", "public"),
        "min_antecedent": case.get("min_antecedent", 1),
    }


def plain(rules: Rules) -> list[dict]:
    """The rules in the golden form, without confidences and rows, in the golden order."""
    found = []
    for i in range(len(rules)):
        items = slice(*rules.antecedent_end[i : i + 2])
        x = [
            [int(c), rules.labels[c][v]]
            for c, v in zip(rules.antecedent_column[items], rules.antecedent_code[items], strict=True)
        ]
        counts = {key: int(getattr(rules, key)[i]) for key in ("pub_n", "pub_y", "hid_n", "hid_y")}
        y = [int(rules.column[i]), rules.labels[rules.column[i]][rules.code[i]]]
        found.append({"X": sorted(x), "y": y, **counts, "supp_X": int(rules.cover_n[i])})
    return in_order(found)


def in_order(rules: list[dict]) -> list[dict]:
    keys = ("X", "y", "pub_n", "pub_y", "hid_n", "hid_y", "supp_X")
    return sorted(({key: rule[key] for key in keys} for rule in rules), key=lambda rule: (rule["X"], rule["y"]))


def cells(found) -> list[list[int]]:
    return [[int(row), int(column)] for row, column in zip(*found, strict=True)]


@pytest.mark.parametrize("case", GOLDEN["mining"], ids=name)
def test_fair_finds_exactly_the_golden_rules(case: dict) -> None:
    rules = fair(*table_of(case), **settings(case))
    assert plain(rules) == in_order(case["rules"])
    assert cells(rules.predictable) == sorted(case["predictable_private_entries"])
    assert np.count_nonzero(rules.sensitive) == case["sensitive_entries"]


def test_the_rules_that_the_paper_names_and_where_they_apply() -> None:
    case = {"table": "employee", "delta": 0.6, "gamma": 2}
    rules = fair(*table_of(case), **settings(case))
    order = [(rule["X"], rule["y"]) for rule in plain(rules)]
    unsorted = {}
    for i in range(len(rules)):
        items = slice(*rules.antecedent_end[i : i + 2])
        x = [
            [int(c), rules.labels[c][v]]
            for c, v in zip(rules.antecedent_column[items], rules.antecedent_code[items], strict=True)
        ]
        unsorted[str((sorted(x), [int(rules.column[i]), rules.labels[rules.column[i]][rules.code[i]]]))] = i
    for golden in GOLDEN["named_rules"].values():
        assert (golden["X"], golden["y"]) in order
        i = unsorted[str((golden["X"], golden["y"]))]
        for key, (ends, rows) in (("pub_rows", rules.public_rows), ("hid_rows", rules.hidden_rows)):
            assert rows[ends[i] : ends[i + 1]].tolist() == golden[key]


@pytest.mark.parametrize("case", GRADES, ids=name)
def test_grades_blanks_the_golden_entries_in_one_pass_and_until_nothing_is_left(case: dict) -> None:
    table, private = table_of(case)
    once = grades(table, private, blanking=case["k"], rounds=1, give_back=False, **settings(case))
    assert cells((once.rows, once.columns)) == case["one_shot"]["K"]
    assert once.is_safe is case["one_shot"]["safe"]
    left = fair(table_of(case, case["one_shot"]["K"])[0], private, **settings(case))
    assert plain(left) == in_order(case["one_shot"]["adversarial_rules_left"])
    sound = grades(table, private, blanking=case["k"], give_back=False, **settings(case))
    assert cells((sound.rows, sound.columns)) == case["remine"]["K"]
    assert sound.is_safe


@pytest.mark.parametrize("case", GRADES, ids=name)
def test_giving_back_keeps_the_golden_entries_and_exchanging_never_more(case: dict) -> None:
    table, private = table_of(case)
    golden = case["remine_then_reverse_delete"]["K"]
    grid = Grid.of(table)
    hidden = np.zeros(grid.codes.shape, dtype=bool)
    for row, column in private:
        hidden[row, int(column)] = True
    guard = RuleGuard(grid.codes, hidden, **settings(case))
    guard.protect(blanking=case["k"])
    for row, column in reversed(case["remine"]["K"]):
        if guard.still_safe_without(row, column):
            guard.restore(row, column)
    assert np.argwhere(guard.blanked).tolist() == sorted(golden)
    # Safety is not monotone: going through the entries again can give another one back.
    back = grades(table, private, blanking=case["k"], exchanges=0, **settings(case))
    assert cells((back.rows, back.columns)) == [cell for cell in golden if (cell[0], str(cell[1])) in back.cells]
    smaller = grades(table, private, blanking=case["k"], **settings(case))
    assert case["exact_minimum_size"] <= len(smaller) <= len(back)
    assert len(fair(table_of(case, cells((smaller.rows, smaller.columns)))[0], private, **settings(case))) == 0


@pytest.mark.parametrize("case", [case for case in GRADES if "one_shot_trace" in case], ids=name)
def test_weights_along_the_trace(case: dict) -> None:
    once = grades(*table_of(case), blanking=case["k"], rounds=1, give_back=False, **settings(case))
    golden = [float(Fraction(weight["exact"])) for step in case["one_shot_trace"] for _, weight in step["blanked"]]
    assert (once.invalidation + once.marginalization).tolist() == pytest.approx(golden, abs=1e-12)
    assert once.rules[0] == case["one_shot_trace"][0]["rules"]
    assert once.passes == (len(case["one_shot_trace"]),)


@pytest.mark.parametrize("case", GRADES, ids=name)
def test_the_exact_minimum(case: dict) -> None:
    pytest.importorskip("scipy", reason="scipy is not installed (extra `audit`)")
    best = grades(*table_of(case), exact=True, **settings(case))
    assert len(best) == case["exact_minimum_size"]
    private = table_of(case)[1]
    assert len(fair(table_of(case, cells((best.rows, best.columns)))[0], private, **settings(case))) == 0


def test_blanking_can_make_a_rule() -> None:
    table, private = table_of(NOT_MONOTONE)
    assert len(fair(table, private, **settings(NOT_MONOTONE))) == 0
    blanked = table_of(NOT_MONOTONE, NOT_MONOTONE["K"])[0]
    assert plain(fair(blanked, private, **settings(NOT_MONOTONE))) == in_order(NOT_MONOTONE["rules_with_K"])


@pytest.mark.parametrize("case", LOSSES, ids=lambda case: case["about"])
def test_rules_that_careless_pruning_loses_are_found(case: dict) -> None:
    assert plain(fair(*table_of(case), **settings(case))) == in_order(case["all_rules"])


def generated(case: dict) -> dict:
    generator, rows = case["generator"], []
    state = generator["seed"]
    for _ in range(generator["n"]):
        rows.append([])
        for cardinality in generator["cards"]:
            state = (1103515245 * state + 12345) % 2**31
            rows[-1].append(str(cardinality * state**2 // 2**62))
    width = len(generator["cards"])
    numbers = range(case["private_first"], len(rows) * width, case["private_every"])
    return {**case, "rows": rows, "private": [divmod(number, width) for number in numbers]}


@pytest.mark.parametrize("case", GOLDEN["medium"], ids=name)
def test_medium_tables(case: dict) -> None:
    table, private = table_of(generated(case))
    rules = fair(table, private, **settings(case))
    assert len(rules) == case["n_rules"]
    for key in ("pub_n", "pub_y", "hid_n", "hid_y"):
        assert getattr(rules, key).sum() == case[f"sum_{key}"]
    assert rules.cover_n.sum() == case["sum_supp_X"]
    assert {str(length): n for length, n in rules.by_length.items()} == case["rules_by_antecedent_length"]
    assert np.count_nonzero(rules.sensitive) == case["sensitive_entries"]
    assert cells(rules.predictable) == sorted(case["predictable_private_entries"])
    for k in (1, 5):
        golden = case[f"k{k}"]
        once = grades(table, private, blanking=k, rounds=1, give_back=False, **settings(case))
        assert cells((once.rows, once.columns)) == golden["one_shot_K"]
        left = fair(table_of(generated(case), golden["one_shot_K"])[0], private, **settings(case))
        assert len(left) == golden["one_shot_rules_left"]
        sound = grades(table, private, blanking=k, give_back=False, **settings(case))
        assert cells((sound.rows, sound.columns)) == golden["remine_K"]


def test_discretization() -> None:
    golden = GOLDEN["discretization"]
    bins = Bins(edges=tuple(golden["edges"]))
    values = np.array([np.nan if value is None else value for value in golden["values"]])
    codes = bins.codes(values)
    assert codes.tolist() == [-1 if code is None else code for code in golden["bins"]]
    labels = bins.labels("midpoint")
    published = [None if code < 0 else float(labels[code]) for code in codes]
    assert published == golden["published"]


def test_the_synthetic_default() -> None:
    golden = GOLDEN["synthetic"]
    ranges = golden["ten_random_tables_min_mean_max"]["public"]
    table, private = synthetic(seed=1)
    assert (table.n_rows, len(table.names), len(private)) == (10_000, 10, 1_000)
    thresholds = {"confidence": golden["parameters"]["delta"], "support": 0.001}
    rules = fair(table, private, **thresholds)
    once = grades(table, private, rounds=1, give_back=False, **thresholds)
    sound = grades(table, private, **thresholds)
    # One random table: a little outside the ranges of ten others is no error.
    for found, key in (
        (len(rules), "adversarial_rules"),
        (np.count_nonzero(rules.sensitive), "sensitive_entries"),
        (len(once), "K_at_k1_one_shot"),
        (sound.n_before, "K_at_k1_remine"),
    ):
        low, _, high = ranges[key]
        assert 0.9 * low <= found <= 1.1 * high, key
    assert not once.is_safe
    assert sound.is_safe
    assert len(sound) < 1.02 * len(once)
