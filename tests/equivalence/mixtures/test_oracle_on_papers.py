"""The oracle itself: it agrees with the papers' worked examples."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.equivalence.mixtures.adversaries import View, bayes_scores, share_out, shared_bayes_scores
from tests.equivalence.mixtures.by_hand import Rows, wrong
from tests.equivalence.mixtures.cells import record_risk
from tests.equivalence.mixtures.groups import Tables, distance, is_diverse
from tests.equivalence.mixtures.meaning import Tree
from tests.equivalence.mixtures.oracle import columns_of

GOLDEN = Path(__file__).parents[2] / "golden"


def golden(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def _with_counts(table: Any, label: str) -> Rows:
    """Return the rows of a golden table, each as often as it is counted."""
    found = []
    for row in table["rows"]:
        cells = {name: str(value) for name, value in row.items() if name != "class_counts"}
        for value, n in row["class_counts"].items():
            found += [{**cells, label: value}] * n
    return found


def test_groups_below_k_are_those_of_the_tds_paper():
    source = golden("tds")
    table = _with_counts(source["tables"]["table1"], "Class")
    case = next(case for case in source["cases"] if case["id"] == "ex2")
    taxonomy = source["taxonomies"]["table1"]["Education"]
    found = wrong(
        table,
        table,
        {"kind": "anonymity", "columns": ["Education", "Sex"], "k": 4},
        columns={"Education": {"taxonomy": taxonomy}},
    )
    assert len(found) == 3
    for group in case["expected"]["violating_groups"]:
        said = f"{group['count']} rows share ('{group['Education']}', '{group['Sex']}')"
        assert any(said in sentence for sentence in found)


def test_template_confidence_is_that_of_the_pda_paper():
    table = _with_counts(golden("pda")["tables"]["table1"], "Class")
    template = {"kind": "template", "given": ["Job", "Country"], "hide": {"Bankruptcy": ["Discharged"]}}
    found = wrong(table, table, {**template, "at_most": 0.75})
    assert len(found) == 2
    assert all("('Trader', 'UK') implies Bankruptcy = Discharged" in sentence for sentence in found)
    assert all(sentence.endswith("4 of 5") for sentence in found)
    assert not wrong(table, table, {**template, "at_most": 0.8})


def _thesis_case(number: str) -> tuple[Rows, Rows, dict[str, Any], dict[str, Any], Any]:
    """Return the original, the published table, the requirement, the columns and the example."""
    source = golden("thesis")
    example = source["examples"][number]
    table = source["tables"][example["input"]]
    given = source["tables"][table["same_as"]] if "same_as" in table else table
    cells = [list(row) for row in given["rows"]]
    for tuple_number, name, value in table.get("except", ()):
        cells[tuple_number - 1][given["attributes"].index(name)] = value
    original = [dict(zip(given["attributes"], ["" if c == "?" else c for c in row], strict=True)) for row in cells]
    published = [dict(row) for row in original]
    for tuple_number, name, value in example["changes"]:
        published[tuple_number - 1][name] = "*" if value == "?" else value
    named = given.get("taxonomies", {})
    columns = {name: {"taxonomy": _without_nulls(source["taxonomies"][tree])} for name, tree in named.items()}
    requirement = {
        "kind": "hidden",
        "cells": [[example["tuple"] - 1, example["target"]]],
        "predictors": example["predictors"],
    }
    return original, published, requirement, columns, example


def _without_nulls(nested: Any) -> Any:
    return {name: _without_nulls(below) for name, below in nested.items()} if nested else {}


def _only_blanked(original: Rows, requirement: dict[str, Any], text: str = "*") -> Rows:
    ((row, name),) = requirement["cells"]
    return [{**each, name: text} if i == row else each for i, each in enumerate(original)]


@pytest.mark.parametrize("number", ["2", "3", "4"])
def test_naive_bayes_agrees_with_the_thesis(number: str):
    original, published, requirement, _, example = _thesis_case(number)
    requirement["against"] = ["naive-bayes"]
    bare = wrong(original, _only_blanked(original, requirement), requirement)
    assert [sentence.split(": ")[1] for sentence in bare] == ["naive-bayes recovers hidden cell 1, Diagnosis"]
    assert wrong(original, published, requirement) == []
    scores = bayes_scores(View(published, columns_of(original, {})), 1, "Diagnosis", example["predictors"], but=1)
    last = [step for step in example["steps"] if "p_actual" in step][-1]
    assert scores["Angina Pectoris"] == Fraction(last["p_actual"])
    assert scores["Gastritis"] == Fraction(last["p_rnbg"])


@pytest.mark.parametrize("number", ["7", "8", "9"])
def test_naive_bayes_along_taxonomies_agrees_with_the_thesis(number: str):
    original, published, requirement, columns, example = _thesis_case(number)
    requirement["against"] = [{"adversary": "naive-bayes", "modify": "generalize"}]
    bare = _only_blanked(original, requirement, "Gastric Disease")
    found = wrong(original, bare, requirement, columns=columns)
    assert any("naive-bayes recovers hidden cell 17, Diagnosis" in sentence for sentence in found)
    assert not any("recovers" in sentence for sentence in wrong(original, published, requirement, columns=columns))
    view = View(published, columns_of(original, {"columns": columns}), with_trees=True)
    scores = shared_bayes_scores(view, 17, "Diagnosis", example["predictors"])
    last = [step for step in example["steps"] if "p_actual" in step][-1]
    assert scores["Dyspepsia"] == Fraction(last["p_actual"])
    assert scores["Gastritis"] == Fraction(last.get("p_rnbg", last.get("p_guess")))


def test_counts_are_shared_out_as_in_the_thesis():
    source = golden("thesis")
    tree = Tree(_without_nulls(source["taxonomies"]["symptom"] and {"ANY": source["taxonomies"]["symptom"]["ANY"]}))
    given = source["taxonomy_counts"]
    found = share_out(tree, Counter(given["own"]), "ANY")
    assert found == {node: Fraction(count) for node, count in given["updated"].items()}
    example = source["examples"]["6"]
    shared = share_out(tree, Counter(example["own_counts"]), "Low")
    assert {node: str(shared[node]) for node in example["updated"]} == example["updated"]


def test_id3_agrees_with_the_thesis():
    original, published, requirement, _, _ = _thesis_case("5")
    requirement["against"] = ["id3"]
    (bare,) = wrong(original, _only_blanked(original, requirement), requirement)
    assert bare.endswith("id3 recovers hidden cell 1, Diagnosis")
    assert wrong(original, published, requirement) == []


def test_id3_along_taxonomies_agrees_with_the_thesis():
    original, published, requirement, columns, _ = _thesis_case("10")
    requirement["against"] = [{"adversary": "id3", "modify": "generalize"}]
    bare = wrong(original, _only_blanked(original, requirement, "Gastric Disease"), requirement, columns=columns)
    assert any(sentence.endswith("id3 recovers hidden cell 11, Diagnosis") for sentence in bare)
    found = wrong(original, published, requirement, columns=columns)
    assert not any(sentence.endswith("id3 recovers hidden cell 11, Diagnosis") for sentence in found)


MINING = [
    case for case in golden("adversarial")["mining"] if case["support"] == "public" and case["min_antecedent"] == 1
]


@pytest.mark.parametrize("case", MINING, ids=lambda case: f"{case['table']}-{case['delta']}-{case['gamma']}")
def test_rules_are_those_of_fair(case: Any):
    table = golden("adversarial")["tables"][case["table"]]
    names = table.get("columns") or [f"c{j}" for j in range(len(table["rows"][0]))]
    original = [dict(zip(names, ["" if text is None else text for text in row], strict=True)) for row in table["rows"]]
    published = [dict(row) for row in original]
    for row, j in table["private"]:
        published[row][names[j]] = "*"
    against = {"adversary": "rules", "confidence": case["delta"], "support": case["gamma"]}
    requirement = {"kind": "hidden", "cells": [[row, names[j]] for row, j in table["private"]], "against": [against]}
    found = wrong(original, published, requirement)
    expected = [
        f"{ {names[j]: value for j, value in rule['X']} } → {names[rule['y'][0]]} = {rule['y'][1]}"
        for rule in case["rules"]
    ]
    assert sorted(sentence.split(" left: ")[1] for sentence in found) == sorted(expected)


RISKS = [*golden("risk")["cases"], *golden("risk")["edge_cases"]]


@pytest.mark.parametrize("case", RISKS, ids=lambda case: case["name"])
def test_risks_are_those_of_the_golden_file(case: Any):
    names = [f"c{j}" for j in range(len(case["pk"]))]
    table = [dict(zip(names, row, strict=True)) for row in case["rows"]]
    sensitive = {
        name: {
            text: Fraction(str(weight)) * Fraction(str(values.get(text, 1))) for text in {row[name] for row in table}
        }
        for name, weight, values in zip(names, case["attribute_weight"], case["value_weight"], strict=True)
    }
    requirement = {"known": dict(zip(names, case["pk"], strict=True)), "sensitive": sensitive, "alpha": case["alpha"]}
    tables = Tables(table, table, columns_of(table, {}), set())
    found = [record_risk(tables, requirement, row) for row in range(len(table))]
    assert found == [Fraction(risk["exact"]) for risk in case["D"]]


def test_ordered_distance_is_that_of_the_closeness_paper():
    salaries = [f"{n}000" for n in range(3, 12)]
    everybody = Counter(salaries)
    assert distance(Counter(salaries[:3]), everybody, salaries, "ordered", None) == Fraction(3, 8)
    assert distance(Counter(["6000", "8000", "11000"]), everybody, salaries, "ordered", None) == Fraction(1, 6)


def test_taxonomy_distance_is_the_cheapest_way_to_carry_shares():
    tree = Tree({"Any": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    everybody = Counter(tree.leaves)
    assert distance(Counter(["a1"]), everybody, tree.leaves, "taxonomy", tree) == Fraction(1, 4) / 2 + Fraction(1, 2)
    assert distance(Counter(["a1", "b1"]), everybody, tree.leaves, "taxonomy", tree) == Fraction(1, 4)
    assert distance(Counter(["a1"]), everybody, tree.leaves, "equal", None) == Fraction(3, 4)


@pytest.mark.parametrize(
    ("counts", "requirement", "expected"),
    [
        ([5, 1], {"l": 2}, True),
        ([5], {"l": 2}, False),
        ([2, 2, 2], {"l": 3, "model": "entropy"}, True),
        ([2, 2, 1], {"l": 3, "model": "entropy"}, False),
        ([3, 1, 1, 1], {"l": 3, "model": "entropy"}, True),
        ([3, 2, 2], {"l": 2, "c": 1.0, "model": "recursive"}, True),
        ([4, 2, 2], {"l": 2, "c": 1.0, "model": "recursive"}, False),
        ([4, 2, 2], {"l": 3, "c": 2.0, "model": "recursive"}, False),
        ([4, 2, 2], {"l": 3, "c": 2.5, "model": "recursive"}, True),
        ([], {"l": 3}, True),
    ],
)
def test_diversity_models(counts: list[int], requirement: dict[str, Any], expected: bool):
    assert is_diverse(Counter({str(i): n for i, n in enumerate(counts)}), requirement) == expected
