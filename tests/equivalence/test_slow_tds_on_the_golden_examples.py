"""The slow reference of TDS reproduces the worked examples."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from slow_tds import Range, Requirement, Row, SlowResult, SlowStep, Tree, slow_tds

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "tds.json").read_text(encoding="utf-8"))
TARGET = GOLDEN["class_attribute"]
TOLERANCE = GOLDEN["tolerance"]
FULL_RUN = {"feasible", "trace", "cuts", "anonymity", "rows"}
CASES = {case["id"]: case for case in GOLDEN["cases"]}
FULL_RUNS = [name for name, case in CASES.items() if case["expected"].keys() >= FULL_RUN]


def expand(compressed: list[dict[str, Any]]) -> list[Row]:
    """One record for each count of a compressed row."""
    rows: list[Row] = []
    for entry in compressed:
        values = {column: value for column, value in entry.items() if column != "class_counts"}
        for label, count in entry["class_counts"].items():
            rows.extend({**values, TARGET: label} for _ in range(count))
    return rows


def tree(nested: dict[str, Any]) -> Tree:
    """The taxonomy of a nested object with one root."""
    ((label, below),) = nested.items()
    return Tree(label, tuple(tree({child: deeper}) for child, deeper in below.items()))


def domain(described: dict[str, Any] | list[Any]) -> Tree | Range:
    """The domain of an attribute."""
    return tree(described) if isinstance(described, dict) else Range(described[1], described[2])


def label(golden: str) -> str:
    """A golden label with the interval written our way."""
    return re.sub(r"^\[(.+)-(.+)([)\]])$", r"[\1, \2\3", golden)


def labels(golden: list[str]) -> list[str]:
    """Golden labels written our way."""
    return [label(each) for each in golden]


def rows_of(case: dict[str, Any]) -> list[Row]:
    """The single records of a case."""
    return expand(case["rows"] if "rows" in case else GOLDEN["tables"][case["table"]]["rows"])


def requirements_of(case: dict[str, Any]) -> list[Requirement]:
    """The requirements of a case."""
    return [(tuple(each["qid"]), each["k"]) for each in case["requirement"]]


def run(case: dict[str, Any], max_steps: int | None = None) -> SlowResult:
    """The slow run of a case."""
    described = case["taxonomies"] if "taxonomies" in case else GOLDEN["taxonomies"][case["table"]]
    return slow_tds(
        rows_of(case),
        domains={column: domain(each) for column, each in described.items()},
        requirements=requirements_of(case),
        target=TARGET,
        score="gain" if case.get("rank_by") == "InfoGain" else "ratio",
        max_steps=max_steps,
    )


def released_groups(case: dict[str, Any], result: SlowResult) -> dict[frozenset[tuple[str, str]], Counter[object]]:
    """The classes of the records of each released row."""
    groups: dict[frozenset[tuple[str, str]], Counter[object]] = defaultdict(Counter)
    for row, released in zip(rows_of(case), result.released, strict=True):
        groups[frozenset(released.items())][row[TARGET]] += 1
    return groups


def golden_groups(compressed: list[dict[str, Any]]) -> dict[frozenset[tuple[str, str]], Counter[object]]:
    """The classes of the records of each golden row."""
    groups: dict[frozenset[tuple[str, str]], Counter[object]] = {}
    for entry in compressed:
        values = {column: label(value) for column, value in entry.items() if column not in ("count", "class_counts")}
        groups[frozenset(values.items())] = Counter(entry["class_counts"])
        assert entry["count"] == sum(entry["class_counts"].values())
    return groups


def check_step(step: SlowStep, golden: dict[str, Any], ranked_by: str) -> None:
    """Compare one step with its golden numbers."""
    assert step.column == golden["attribute"]
    assert step.value == label(golden["value"])
    assert step.children == labels(golden["children"])
    assert step.gain == pytest.approx(golden["InfoGain"], rel=0, abs=TOLERANCE)
    assert step.loss == pytest.approx(golden["AnonyLoss"], rel=0, abs=TOLERANCE)
    assert step.score == pytest.approx(golden[ranked_by], rel=0, abs=TOLERANCE)
    assert step.anonymity == golden["anonymity_after"]


def test_the_golden_file_has_ten_full_runs() -> None:
    """No full run is overlooked."""
    assert len(FULL_RUNS) == 10
    assert [name for name, case in CASES.items() if "trace" in case["expected"]] == FULL_RUNS


@pytest.mark.parametrize("name", FULL_RUNS)
def test_steps(name: str) -> None:
    """The steps are those of the example, in order."""
    case = CASES[name]
    result = run(case)
    assert result.feasible == case["expected"]["feasible"]
    assert len(result.steps) == len(case["expected"]["trace"])
    for step, golden in zip(result.steps, case["expected"]["trace"], strict=True):
        check_step(step, golden, case.get("rank_by", "Score"))


@pytest.mark.parametrize("name", FULL_RUNS)
def test_cuts_and_anonymity(name: str) -> None:
    """The run ends at the cuts and the anonymity of the example."""
    expected = CASES[name]["expected"]
    result = run(CASES[name])
    assert result.cuts == {column: labels(cut) for column, cut in expected["cuts"].items()}
    assert result.anonymity == expected["anonymity"]


@pytest.mark.parametrize("name", FULL_RUNS)
def test_released_rows(name: str) -> None:
    """The released rows and their classes are those of the example."""
    case = CASES[name]
    assert released_groups(case, run(case)) == golden_groups(case["expected"]["rows"])


def test_two_steps_give_the_partitions_of_figure_3() -> None:
    """The run can be stopped after two steps."""
    case = CASES["ex7-9"]
    result = run(case, max_steps=2)
    assert len(result.steps) == 2
    assert result.anonymity == case["expected"]["anonymity_after_2"]
    assert released_groups(case, result) == golden_groups(case["expected"]["partitions_after_2"])
