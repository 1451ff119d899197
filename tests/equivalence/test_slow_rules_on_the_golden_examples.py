"""The slow reference of adversarial rules reproduces the worked examples in golden/adversarial.json.

The reference knows one reading of support, |pub(R)|. Rules, weights, traces and safety under the readings "antecedent"
and "joint" are checked by filtering the rules it finds at support 1.

Not covered:

- `discretization` and `synthetic`, and K of the medium tables, which tests/golden/test_rules.py checks;
- `errata`, which is text; its findings on Examples 1, 2, 3 and 7, on pruning and on one-shot runs are tested;
- the order of K, except in the three traces;
- K of random-101-2, where support is the antecedent's and above 1 and there is no trace (safety is tested);
- that no K is smaller than `exact_minimum_size`, where there are more than `TRIED` subsets of that size or support is
  another one than |pub(R)| and above 1. There the given minimum is checked to have that size and to be safe.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from slow_rules import (
    Cell,
    Cells,
    Itemset,
    Rows,
    SlowRule,
    counted,
    entry_weights,
    exact_minimum,
    heaviest_entries,
    hidden_set,
    is_hidden,
    is_public,
    is_safe,
    predicted_cells,
    public_itemsets,
    public_set,
    publicly_appears,
    slow_grades,
    slow_rules,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "adversarial.json").read_text(encoding="utf-8"))
ONESHOT, NOT_MONOTONE, *LOSSES = GOLDEN["counterexamples"]
TRIED = 1_000
NOTHING: Cells = frozenset()


def cells(golden: list[list[int]]) -> set[Cell]:
    """Golden [row, column] pairs."""
    return {(row, column) for row, column in golden}


def table_of(case: dict[str, Any]) -> tuple[Rows, set[Cell]]:
    """The rows and P of a case, given by name or within it."""
    table = case if "rows" in case else GOLDEN["tables"][case["table"]]
    return table["rows"], cells(table["private"])


def employee() -> tuple[Rows, set[Cell]]:
    """The rows of Table 2 with the values of Table 1, and P."""
    return table_of({"table": "employee"})


def threshold(case: dict[str, Any]) -> Fraction:
    """The confidence threshold as the decimal it is written as."""
    return Fraction(str(case["delta"]))


def support_of(case: dict[str, Any], rows: Rows) -> int:
    """The support threshold as a count."""
    gamma = case["gamma"]
    return gamma if isinstance(gamma, int) else math.ceil(Fraction(str(gamma)) * len(rows))


def settings(case: dict[str, Any], rows: Rows) -> dict[str, Any]:
    """The thresholds as the reference takes them."""
    return {"confidence": threshold(case), "support": support_of(case, rows)}


def itemset(golden: list[list[Any]]) -> Itemset:
    """A golden itemset."""
    return tuple((column, value) for column, value in golden)


def rule(golden: dict[str, Any]) -> SlowRule:
    """A golden rule."""
    counts = (golden[name] for name in ("pub_n", "pub_y", "hid_n", "hid_y"))
    return SlowRule(itemset(golden["X"]), tuple(golden["y"]), *counts)


def rules(golden: list[dict[str, Any]]) -> list[SlowRule]:
    """Golden rules, sorted."""
    return sorted(rule(each) for each in golden)


def appearances(antecedent: Itemset, rows: Rows, private: Cells, blanked: Cells) -> list[int]:
    """The rows where the antecedent publicly appears."""
    return [row for row in range(len(rows)) if publicly_appears(antecedent, row, rows, private, blanked)]


def rules_under_the_reading(case: dict[str, Any], blanked: Cells = NOTHING) -> list[SlowRule]:
    """The adversarial rules of a case under its reading of support."""
    rows, private = table_of(case)
    support = support_of(case, rows)
    shortest = case.get("min_antecedent", 1)
    found = slow_rules(rows, private, blanked, confidence=threshold(case), support=1, min_antecedent=shortest)
    readings = {
        "public": lambda each: each.pub_n,
        "antecedent": lambda each: len(appearances(each.antecedent, rows, private, blanked)),
        "joint": lambda each: each.pub_y,
    }
    return [each for each in found if readings[case["support"]](each) >= support]


def grades_case(golden: dict[str, Any]) -> dict[str, Any]:
    """A run of GraDeS together with its table."""
    rows, private = table_of(golden)
    return {**golden, "rows": rows, "private": private}


def means_public(case: dict[str, Any]) -> bool:
    """The reading of support gives the same rules as |pub(R)|: at 1 all three readings do."""
    return case["support"] == "public" or case["gamma"] == 1


GRADES = [grades_case(case) for case in GOLDEN["grades"]]
GRADES.append({**ONESHOT["result"], "rows": ONESHOT["rows"], "private": ONESHOT["private"]})


def name(case: dict[str, Any]) -> str:
    """A name for a parameter of a test."""
    parts = ["table", "delta", "gamma", "k", "support", "min_antecedent"]
    return " ".join(f"{part}={case[part]}" for part in parts if part in case)


@pytest.mark.parametrize("case", [each for each in GOLDEN["mining"] if each["support"] == "public"], ids=name)
def test_mining_finds_exactly_the_golden_rules(case: dict[str, Any]) -> None:
    rows, private = table_of(case)
    found = slow_rules(rows, private, min_antecedent=case["min_antecedent"], **settings(case, rows))
    assert found == rules(case["rules"])
    assert len(found) == case["n_rules"]


@pytest.mark.parametrize("case", GOLDEN["mining"], ids=name)
def test_mining_under_every_reading_of_support(case: dict[str, Any]) -> None:
    rows, private = table_of(case)
    found = rules_under_the_reading(case)
    assert found == rules(case["rules"])
    assert predicted_cells(found, rows, private, NOTHING) == cells(case["predictable_private_entries"])
    assert len(entry_weights(found, rows, private, NOTHING)) == case["sensitive_entries"]
    for golden in case["rules"]:
        assert len(appearances(itemset(golden["X"]), rows, private, NOTHING)) == golden["supp_X"]


def check_counts(golden: dict[str, Any], blanked: Cells) -> None:
    """A rule of the Employee table has the golden counts."""
    rows, private = employee()
    antecedent, consequent = itemset(golden["X"]), tuple(golden["y"])
    found = counted(antecedent, consequent, rows, private, blanked)
    assert found == rule(golden)
    assert len(appearances(antecedent, rows, private, blanked)) == golden["supp_X"]
    assert golden["public_confidence"] == found.pub_y / found.pub_n
    assert golden["hidden_confidence"] == (found.hid_y / found.hid_n if found.hid_n else None)
    for key, members in (("pub_rows", public_set), ("hid_rows", hidden_set)):
        if key in golden:
            assert members(antecedent, consequent[0], rows, private, blanked) == golden[key]


def example(quantity: str) -> dict[str, Any]:
    """The worked example whose text starts so."""
    (found,) = [each for each in GOLDEN["examples"] if each["quantity"].startswith(quantity)]
    return found


def test_example_1_the_named_rules() -> None:
    assert [each["pub_n"] for each in GOLDEN["named_rules"].values()] == [2, 3, 3]
    for golden in GOLDEN["named_rules"].values():
        check_counts(golden, NOTHING)


@pytest.mark.parametrize(("named", "cell"), [("R1", (7, 4)), ("R2", (4, 3)), ("R3", (8, 2))])
def test_example_1_what_the_named_rules_predict(named: str, cell: Cell) -> None:
    assert predicted_cells([rule(GOLDEN["named_rules"][named])], *employee(), NOTHING) == {cell}


def test_example_1_tuple_10_is_safe_and_tuple_6_is_not() -> None:
    found = slow_rules(*employee(), confidence=Fraction(3, 5), support=2)
    predicted = predicted_cells(found, *employee(), NOTHING)
    assert ((9, 1) not in predicted) is example("tuple 10 cannot")["reproduces"] is True
    assert ((5, 1) not in predicted) is example("tuple 6 cannot")["reproduces"] is False


@pytest.mark.parametrize(
    ("quantity", "cell"),
    [("blanking t1.Education", (0, 3)), ("blanking t1.Title", (0, 0)), ("blanking t8.Title", (7, 0))],
)
def test_examples_2_and_3_the_named_rules_after_blanking(quantity: str, cell: Cell) -> None:
    for golden in example(quantity)["after"].values():
        check_counts(golden, {cell})


def test_example_2_what_stays_adversarial() -> None:
    found = slow_rules(*employee(), {(0, 0)}, confidence=Fraction(3, 5), support=2)
    assert found == rules(example("blanking t1.Title")["still_adversarial"])


def test_example_3_marginalization_protects_the_entry() -> None:
    found = slow_rules(*employee(), {(7, 0)}, confidence=Fraction(3, 5), support=1)
    expected = example("blanking t8.Title")["t8_salary_still_predictable_gamma1_delta0.6"]
    assert ((7, 4) in predicted_cells(found, *employee(), {(7, 0)})) is expected


def private_columns(antecedent: Itemset, rows: Rows, private: Cells) -> list[list[int]]:
    """Columns with a hidden entry in some projected tuple, and those with one in every projected tuple."""
    projected = appearances(antecedent, rows, private, NOTHING)
    columns = range(len(rows[0]))
    return [
        [
            column
            for column in columns
            if quantifier(is_hidden((row, column), rows, private, NOTHING) for row in projected)
        ]
        for quantifier in (any, all)
    ]


def is_contrast(antecedent: Itemset, rows: Rows, private: Cells) -> bool:
    """There is a hidden value in the projected database, and none of them is public there in its column."""
    some, _ = private_columns(antecedent, rows, private)
    for column in some:
        public = {rows[row][column] for row in public_set(antecedent, column, rows, private, NOTHING)}
        hidden = {rows[row][column] for row in hidden_set(antecedent, column, rows, private, NOTHING)}
        if public & hidden:
            return False
    return bool(some)


def category(antecedent: Itemset, rows: Rows, private: Cells, discriminative: set[Itemset]) -> str:
    """The first category that applies."""
    some, every = private_columns(antecedent, rows, private)
    if not some:
        return "privacy-free"
    if some == every:
        return "non-discriminative"
    if is_contrast(antecedent, rows, private):
        return "contrast"
    return "discriminative" if antecedent in discriminative else "undetermined"


@pytest.mark.parametrize("case", GOLDEN["categories"], ids=name)
def test_categories_of_all_itemsets(case: dict[str, Any]) -> None:
    rows, private = table_of(case)
    discriminative = {each.antecedent for each in slow_rules(rows, private, **settings(case, rows))}
    golden = {itemset(each["X"]): each for each in case["itemsets"]}
    assert sorted(golden) == public_itemsets(rows, private, NOTHING, 1)
    for antecedent, expected in golden.items():
        assert category(antecedent, rows, private, discriminative) == expected["category"]
        assert private_columns(antecedent, rows, private)[1] == expected["nondiscriminative_columns"]
        assert is_contrast(antecedent, rows, private) == expected["contrast"]


@pytest.mark.parametrize("case", GOLDEN["projected_databases"].values(), ids=GOLDEN["projected_databases"].keys())
def test_projected_databases(case: dict[str, Any]) -> None:
    rows, private = employee()
    antecedent = itemset(case["X"])
    used = dict(antecedent)
    names = GOLDEN["tables"]["employee"]["columns"]
    projection = []
    for row in appearances(antecedent, rows, private, NOTHING):
        shown = ["#" if (row, column) in private else value for column, value in enumerate(rows[row])]
        values = {names[column]: value for column, value in enumerate(shown) if column not in used}
        projection.append({"row": row, "values": values})
    assert projection == case["projection"]
    assert is_contrast(antecedent, rows, private) == case["contrast"]
    for support in (1, 2):
        found = slow_rules(rows, private, confidence=Fraction(3, 5), support=support)
        discriminative = {each.antecedent for each in found}
        expected = case[f"category_gamma{support}_delta0.6"]
        assert category(antecedent, rows, private, discriminative) == expected


@pytest.mark.parametrize("case", [each for each in GRADES if means_public(each)], ids=name)
def test_grades_blanks_the_golden_entries(case: dict[str, Any]) -> None:
    rows, private = table_of(case)
    thresholds = settings(case, rows)
    assert slow_grades(rows, private, blanking=case["k"], rounds=1, **thresholds) == cells(case["one_shot"]["K"])
    assert slow_grades(rows, private, blanking=case["k"], **thresholds) == cells(case["remine"]["K"])


@pytest.mark.parametrize("case", [each for each in GRADES if means_public(each)], ids=name)
def test_safety_of_what_grades_blanks(case: dict[str, Any]) -> None:
    rows, private = table_of(case)
    for run in ("one_shot", "remine", "remine_then_reverse_delete"):
        blanked = cells(case[run]["K"])
        assert is_safe(rows, private, blanked, **settings(case, rows)) is case[run]["safe"]


@pytest.mark.parametrize("case", GRADES, ids=name)
def test_rules_left_after_grades_under_every_reading(case: dict[str, Any]) -> None:
    left = rules(case["one_shot"]["adversarial_rules_left"])
    assert rules_under_the_reading(case, cells(case["one_shot"]["K"])) == left
    assert (not left) is case["one_shot"]["safe"]
    for run in ("remine", "remine_then_reverse_delete"):
        assert (not rules_under_the_reading(case, cells(case[run]["K"]))) is case[run]["safe"]


@pytest.mark.parametrize("case", GRADES, ids=name)
def test_reverse_delete_gives_back_the_golden_entries(case: dict[str, Any]) -> None:
    kept = [tuple(cell) for cell in case["remine"]["K"]]
    for cell in reversed(kept.copy()):
        without = [each for each in kept if each != cell]
        if not rules_under_the_reading(case, set(without)):
            kept = without
    assert [list(cell) for cell in kept] == case["remine_then_reverse_delete"]["K"]


@pytest.mark.parametrize("case", [each for each in GRADES if "one_shot_trace" in each], ids=name)
def test_trace_of_the_one_shot_run(case: dict[str, Any]) -> None:
    rows, private = table_of(case)
    blanked: set[Cell] = set()
    mined = rules_under_the_reading(case)
    for step in case["one_shot_trace"]:
        assert len(mined) == step["rules"]
        weights = entry_weights(mined, rows, private, blanked)
        heaviest = heaviest_entries(mined, rows, private, blanked, case["k"])
        assert [[list(cell), weights[cell]] for cell in heaviest] == [
            [cell, Fraction(weight["exact"])] for cell, weight in step["blanked"]
        ]
        blanked.update(heaviest)
        names = {(each.antecedent, each.consequent) for each in mined}
        left = rules_under_the_reading(case, blanked)
        mined = [each for each in left if (each.antecedent, each.consequent) in names]
    assert not mined
    assert blanked == cells(case["one_shot"]["K"])


@pytest.mark.parametrize("case", [each for each in GRADES if "first_pass_weights" in each], ids=name)
def test_weights_of_the_first_pass(case: dict[str, Any]) -> None:
    weights = entry_weights(rules_under_the_reading(case), *table_of(case), NOTHING)
    golden = {tuple(cell): Fraction(weight["exact"]) for cell, weight in case["first_pass_weights"]}
    assert weights == golden


@pytest.mark.parametrize("case", GRADES, ids=name)
def test_the_given_minimum_is_safe(case: dict[str, Any]) -> None:
    assert len(case["one_exact_minimum"]) == case["exact_minimum_size"]
    assert not rules_under_the_reading(case, cells(case["one_exact_minimum"]))


def can_be_tried(case: dict[str, Any]) -> bool:
    """Trying all subsets up to the exact minimum is quick enough."""
    rows, private = table_of(case)
    entries = sum(len(values) for values in rows) - len(private)
    return means_public(case) and math.comb(entries, case["exact_minimum_size"]) <= TRIED


@pytest.mark.parametrize("case", [each for each in GRADES if can_be_tried(each)], ids=name)
def test_exact_minimum_by_trying_all_subsets(case: dict[str, Any]) -> None:
    rows, private = table_of(case)
    size = case["exact_minimum_size"]
    assert exact_minimum(rows, private, most=size, **settings(case, rows)) == size
    assert exact_minimum(rows, private, most=size - 1, **settings(case, rows)) is None


def test_safety_is_not_monotone() -> None:
    rows, private = table_of(NOT_MONOTONE)
    thresholds = settings(NOT_MONOTONE, rows)
    assert slow_rules(rows, private, **thresholds) == NOT_MONOTONE["rules_with_K_empty"] == []
    found = slow_rules(rows, private, cells(NOT_MONOTONE["K"]), **thresholds)
    assert found == rules(NOT_MONOTONE["rules_with_K"])


@pytest.mark.parametrize("case", LOSSES, ids=lambda case: case["about"])
def test_rules_that_careless_pruning_loses(case: dict[str, Any]) -> None:
    rows, private = table_of(case)
    found = slow_rules(rows, private, **settings(case, rows))
    assert found == rules(case["all_rules"])
    names = [(each.antecedent, each.consequent) for each in found]
    assert all((itemset(antecedent), tuple(consequent)) in names for antecedent, consequent in case["lost"])


def generated(case: dict[str, Any]) -> tuple[Rows, set[Cell]]:
    """The rows and P of a table that is given by its generator."""
    generator = case["generator"]
    state = generator["seed"]
    rows: Rows = []
    for _ in range(generator["n"]):
        rows.append([])
        for cardinality in generator["cards"]:
            state = (1103515245 * state + 12345) % 2**31
            rows[-1].append(str(cardinality * state**2 // 2**62))
    width = len(generator["cards"])
    numbers = range(case["private_first"], len(rows) * width, case["private_every"])
    return rows, {divmod(number, width) for number in numbers}


@pytest.mark.parametrize("case", GOLDEN["medium"], ids=name)
def test_medium_tables_mining(case: dict[str, Any]) -> None:
    rows, private = generated(case)
    assert rows[:3] == [[str(value) for value in row] for row in case["first_rows"]]
    found = slow_rules(rows, private, **settings(case, rows))
    assert len(found) == case["n_rules"]
    for count in ("pub_n", "pub_y", "hid_n", "hid_y"):
        assert sum(asdict(each)[count] for each in found) == case[f"sum_{count}"]
    assert sum(len(appearances(each.antecedent, rows, private, NOTHING)) for each in found) == case["sum_supp_X"]
    assert Counter(str(len(each.antecedent)) for each in found) == case["rules_by_antecedent_length"]
    assert len(entry_weights(found, rows, private, NOTHING)) == case["sensitive_entries"]
    assert predicted_cells(found, rows, private, NOTHING) == cells(case["predictable_private_entries"])


def test_entries_of_p_missing_and_blanked_entries_are_never_weighted() -> None:
    for case in GRADES:
        rows, private = table_of(case)
        blanked = cells(case["one_shot"]["K"])
        weights = entry_weights(rules_under_the_reading(case, blanked), rows, private, blanked)
        assert all(is_public(cell, rows, private, blanked) and weight > 0 for cell, weight in weights.items())
