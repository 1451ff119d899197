"""The worked examples of record risk, in exact fractions."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from withhold import Table
from withhold.methods.risk import high_risk, record_risk, suppress_risk
from withhold.methods.risk._risk_problem import problem_of
from withhold.methods.risk._worst_sets import contributions, worst_sets
from withhold.metrics import record_ncp
from withhold.table import Grid

GOLDEN = json.loads((Path(__file__).parent / "risk.json").read_text())
CASES = {case["name"]: case for case in GOLDEN["cases"] + GOLDEN["edge_cases"]}
SUPPRESSED = [name for name, case in CASES.items() if "suppress_once" in case]


def table_of(rows: list[list]) -> Table:
    cells = [[None if cell == "*" else str(cell) for cell in row] for row in rows]
    return Table.from_columns({f"c{j}": [row[j] for row in cells] for j in range(len(rows[0]))})


def arguments(case: dict, rows: list[list] | None = None):
    names = [f"c{j}" for j in range(len(case["pk"]))]
    weights = zip(names, case["attribute_weight"], case["value_weight"], strict=True)
    sensitive = {n: {value: w * weight for value, w in each.items()} if each else weight for n, weight, each in weights}
    return table_of(rows or case["rows"]), dict(zip(names, case["pk"], strict=True)), sensitive


def rows_of(grid: Grid) -> list[list[str]]:
    return [["*" if c < 0 else grid.labels[j][c] for j, c in enumerate(row)] for row in grid.codes.tolist()]


@pytest.mark.parametrize("name", CASES)
def test_risks(name: str) -> None:
    case = CASES[name]
    table, known, sensitive = arguments(case)
    risk = record_risk(table, known, sensitive, alpha=case["alpha"])
    exact = [Fraction(value["exact"]) for value in case["D"]]
    for low, high, value in zip(risk.low.tolist(), risk.high.tolist(), exact, strict=True):
        assert Fraction(low) <= value <= Fraction(high)
        assert high - low <= 1e-10 * float(value)
    complement = record_risk(table, known, sensitive, alpha=case["alpha"], complement=True)
    np.testing.assert_allclose(complement.value, case["D_complement_variant"], rtol=1e-9)
    for blank, expected in case.get("D_by_mode", {}).items():
        found = record_risk(table, known, sensitive, alpha=case["alpha"], blank=blank)
        np.testing.assert_allclose(found.value, expected, rtol=1e-9)
    above = high_risk(table, known, sensitive, alpha=case["alpha"], at_most=case["delta"])
    assert above.tolist() == [value > Fraction(repr(float(case["delta"]))) for value in exact]


@pytest.mark.parametrize("name", SUPPRESSED)
def test_worst_splits(name: str) -> None:
    case = CASES[name]
    table, known, sensitive = arguments(case)
    problem = problem_of(table, known, sensitive, alpha=case["alpha"])
    columns, inside = worst_sets(problem, np.arange(len(case["rows"])), empty=True)
    assert [columns[row].tolist() for row in inside] == [s["first_by_tie_rule"] for s in case["worst_split"]]


@pytest.mark.parametrize("name", SUPPRESSED)
def test_one_pass_as_printed(name: str) -> None:
    case = CASES[name]
    expected = case["suppress_once"]
    table, known, sensitive = arguments(case)
    done = suppress_risk(
        table, known, sensitive, alpha=case["alpha"], at_most=case["delta"], until_safe=False, give_back=False
    )
    assert rows_of(done.published) == expected["rows"]
    assert done.rounds[0].above == len(expected["high_risk_rows"])
    assert done.still_above == len(expected["still_above_delta"])
    assert done.blanked[0].size == expected["suppressed_values"]
    assert record_ncp(done.published) == pytest.approx(float(Fraction(expected["ncp_all_columns"]["exact"])))
    quasi = [f"c{j}" for j in expected["qids"]]
    assert record_ncp(done.published, columns=quasi) == pytest.approx(float(Fraction(expected["ncp_qids"]["exact"])))
    for blank, risks in expected["D_after"].items():
        after = record_risk(table_of(expected["rows"]), known, sensitive, alpha=case["alpha"], blank=blank)
        np.testing.assert_allclose(after.value, risks, rtol=1e-9)


@pytest.mark.parametrize("name", SUPPRESSED)
def test_rounds_of_the_printed_pass_until_safe(name: str) -> None:
    case = CASES[name]
    expected = case["suppress_until_safe"]
    table, known, sensitive = arguments(case)
    options = {"alpha": case["alpha"], "at_most": case["delta"]}
    done = suppress_risk(table, known, sensitive, choose="set", give_back=False, **options)
    assert rows_of(done.published) == expected["rows"]
    assert [r.above for r in done.rounds] == [len(r) for r in expected["rounds"]]
    assert record_ncp(done.published) == pytest.approx(float(Fraction(expected["ncp_all_columns"]["exact"])))
    risk = record_risk(done.published, known, sensitive, alpha=case["alpha"])
    np.testing.assert_allclose(risk.value, expected["D_after"], rtol=1e-9)
    best = suppress_risk(table, known, sensitive, **options)
    assert best.still_above == 0
    assert best.blanked[0].size <= done.blanked[0].size


def test_contributions_of_a_row() -> None:
    case = next(case for case in GOLDEN["cases"] if "contributions_of_row_4" in case)
    table, known, sensitive = arguments(case)
    problem = problem_of(table, known, sensitive, alpha=case["alpha"])
    listed = contributions(problem, np.array([4]), np.array([1e-12]))
    found = {
        tuple(j for j in range(4) if s >> j & 1): v for s, v in zip(listed.sets.tolist(), listed.values, strict=True)
    }
    expected = {tuple(c["known"]): c["value"]["value"] for c in case["contributions_of_row_4"]}
    for known_set, value in found.items():
        assert value == pytest.approx(expected[known_set])


def test_a_bystander_becomes_riskier() -> None:
    case = GOLDEN["bystander"]
    table, known, sensitive = arguments(case)
    options = {"alpha": case["alpha"], "at_most": case["delta"]}
    done = suppress_risk(table, known, sensitive, until_safe=False, **options)
    before = record_risk(table, known, sensitive, alpha=case["alpha"])
    after = record_risk(done.published, known, sensitive, alpha=case["alpha"])
    np.testing.assert_allclose(before.value, [value["value"] for value in case["D_before"]], rtol=1e-12)
    np.testing.assert_allclose(after.value, [value["value"] for value in case["D_after_exclude"]], rtol=1e-12)


@pytest.mark.parametrize("position", range(len(GOLDEN["medium"])))
def test_generated_tables(position: int) -> None:
    case = GOLDEN["medium"][position]
    maker = case["generator"]
    x, rows = maker["seed"], []
    for _ in range(maker["n"]):
        row: list = []
        for card in maker["cards"]:
            x = (1103515245 * x + 12345) % 2**31
            row.append(card * x * x // 2**62)
        rows.append(row)
    assert sum(map(sum, rows)) >= case["sum_of_all_codes"]
    every, m = maker["suppress_every"], len(maker["cards"])
    for cell in range(0, maker["n"] * m, every) if every else []:
        rows[cell // m][cell % m] = "*"
    assert rows[:3] == case["first_rows"]
    names = [f"c{j}" for j in range(m)]
    weights = zip(names, maker["cards"], case["attribute_weight"], strict=True)
    sensitive = {n: {str(v): float(w) for v in range(1, card)} for n, card, w in weights}
    known = dict(zip(names, case["pk"], strict=True))
    risk = record_risk(table_of(rows), known, sensitive, alpha=case["alpha"])
    for i, value in case["D_selected"].items():
        assert risk.value[int(i)] == pytest.approx(value, rel=1e-9)
    assert risk.value.sum() == pytest.approx(case["D_sum"], rel=1e-9)
    assert risk.value.max() == pytest.approx(case["D_max"], rel=1e-9)
    for at_most, count in case["count_above"].items():
        above = high_risk(table_of(rows), known, sensitive, alpha=case["alpha"], at_most=float(at_most))
        assert int(above.sum()) == count


@pytest.mark.parametrize("case", GOLDEN["ncp_cases"])
def test_certainty_penalties(case: dict) -> None:
    grid = Grid.of(table_of(case["rows"]))
    quasi = [f"c{j}" for j in case["qids"]]
    weights = dict(zip(quasi, case["weights"], strict=True)) if case.get("weights") else None
    assert record_ncp(grid, columns=quasi, weights=weights) == pytest.approx(case["ncp"])
