"""The worked examples of the PDA paper, step by step."""

import json
from collections import Counter
from pathlib import Path

import pytest

from withhold import Table, Template
from withhold.errors import InfeasibleError
from withhold.methods import pda
from withhold.methods.refine import start_search

GOLDEN = json.loads((Path(__file__).parent / "pda.json").read_text())
CASES = {case["id"]: case for case in GOLDEN["cases"]}
RUNS = [name for name, case in CASES.items() if case["expected"].get("feasible")]
TOLERANCE = GOLDEN["tolerance"]


def table() -> Table:
    rows = GOLDEN["tables"]["table1"]["rows"]
    records = [
        {**{name: value for name, value in row.items() if name != "class_counts"}, "Class": label}
        for row in rows
        for label, count in row["class_counts"].items()
        for _ in range(count)
    ]
    return Table.from_columns({name: [record[name] for record in records] for name in records[0]})


def templates_of(case: dict) -> list[Template]:
    return [Template(given=t["ic"], hide=t["sensitive"], at_most=t["h"]) for t in case["templates"]]


def check(found, expected) -> None:
    assert (found.column, found.value) == (expected["attribute"], expected["value"])
    assert found.gain == pytest.approx(expected["InfoGain"], abs=TOLERANCE)
    assert found.loss == pytest.approx(expected["PrivLoss"], abs=TOLERANCE)
    assert found.score == pytest.approx(expected["Score"], abs=TOLERANCE)
    assert list(found.reached) == pytest.approx(expected["conf_after"], abs=TOLERANCE)


@pytest.mark.parametrize("name", RUNS)
def test_a_full_run_makes_the_steps_of_the_paper(name: str) -> None:
    case = CASES[name]
    expected = case["expected"]
    result = pda(table(), templates_of(case), target="Class")
    assert len(result.steps) == len(expected["trace"])
    for step, trace in zip(result.steps, expected["trace"], strict=True):
        check(step, trace)
        assert step.method == "pda"
    assert {column: list(values) for column, values in result.withheld.items()} == expected["sup"]
    assert list(result.reached) == pytest.approx(expected["conf"], abs=TOLERANCE)


@pytest.mark.parametrize("name", RUNS)
def test_a_full_run_publishes_the_rows_of_the_paper(name: str) -> None:
    case = CASES[name]
    data = table()
    published = pda(data, templates_of(case), target="Class").apply(data)
    columns = {
        column: published.get(column, [data.store.values(column)[code] for code in data.store.cells(column)])
        for column in data.names
    }
    found = Counter(zip(*columns.values(), strict=True))
    wanted: Counter = Counter()
    for row in case["expected"]["rows"]:
        for label, count in row["class_counts"].items():
            cells = [row[column].replace("⊥", "*") for column in data.names if column != "Class"]
            wanted[(*cells, label)] += count
    assert found == +wanted


@pytest.mark.parametrize("name", RUNS)
def test_the_first_candidates_are_those_of_the_paper(name: str) -> None:
    case = CASES[name]
    search = start_search(table(), templates_of(case), target="Class")
    assert list(search.reached) == pytest.approx(case["expected"]["conf_most_suppressed"], abs=TOLERANCE)
    found = {(c.column, c.value): c for c in search.candidates()}
    expected = case["expected"]["candidates_initial"]
    assert set(found) == {(e["attribute"], e["value"]) for e in expected}
    for entry in expected:
        candidate = found[entry["attribute"], entry["value"]]
        check(candidate, entry)
        assert (candidate.is_valid, candidate.is_beneficial) == (entry["valid"], entry["beneficial"])


def test_figures_1_and_2_counts_after_forced_disclosures() -> None:
    case = CASES["figs1-2"]
    search = start_search(table(), templates_of(case), target="Class")
    assert list(search.reached) == pytest.approx(case["expected"]["stages"][0]["conf"])
    for stage, (column, value) in zip(
        case["expected"]["stages"][1:], [("Job", "Clerk"), ("Country", "Canada")], strict=True
    ):
        owner = next(c for c in search.board.columns if c.name == column)
        search._perform(owner.first_move + owner.values.index(value))
        assert list(search.reached) == pytest.approx(stage["conf"])
        for counter, (_, groups) in zip(search.counters, stage["ic_trees"].items(), strict=True):
            sizes = counter._groups.size[: counter._groups.n_groups]
            assert sorted(map(tuple, sizes.tolist())) == sorted((g["s_ic"], g["s_ic_pi"]) for g in groups)


def test_example_1_inferences_of_the_raw_table() -> None:
    case = CASES["ex1"]
    data = table()
    rows = data.distinct(["Job", "Country", "Bankruptcy"])
    leaves = [data.domain(name).leaves for name in rows.columns]
    totals: Counter = Counter()
    held: Counter = Counter()
    for job, country, state, n in zip(*rows.codes, rows.weights, strict=True):
        totals[leaves[0][job], leaves[1][country]] += int(n)
        held[leaves[0][job], leaves[1][country]] += int(n) * (leaves[2][state] == "Discharged")
    for group in case["expected"]["groups"]:
        key = (group["Job"], group["Country"])
        assert (totals[key], held[key]) == (group["s_ic"], group["s_ic_pi"])


def test_a_value_that_is_too_common_everywhere_is_infeasible() -> None:
    case = CASES["infeasible"]
    with pytest.raises(InfeasibleError, match=r"its share is 0\.2083 \(5 of 24 rows\)") as caught:
        pda(table(), templates_of(case), target="Class")
    assert caught.value.requirement == 0
    assert caught.value.reached == pytest.approx(case["expected"]["conf"][0])
