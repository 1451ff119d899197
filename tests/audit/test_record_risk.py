"""The audit's own record risk, against the definition written out."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from math import prod
from pathlib import Path

import numpy as np
import pytest

from withhold.auditing.record_risk._all_sets import sum_all_sets
from withhold.auditing.record_risk._patterns import Patterns
from withhold.auditing.record_risk._risk_check import RiskCheck, _Risks, check_record_risk
from withhold.errors import InputError

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "risk.json").read_text())
SMALL = [*GOLDEN["cases"], *GOLDEN["edge_cases"]]

Table = tuple[list[np.ndarray], list[float], list[np.ndarray]]


def literal(
    codes: Sequence[np.ndarray], known: Sequence[float], weights: Sequence[np.ndarray], alpha: float
) -> list[Fraction]:
    """The definition, set by set."""
    rows = list(zip(*(column.tolist() for column in codes), strict=True))
    chances = [Fraction(repr(float(chance))) for chance in known]
    risks = []
    for i, row in enumerate(rows):
        worth = [Fraction(repr(float(column[i]))) for column in weights]
        published = [j for j, code in enumerate(row) if code >= 0]
        total = Fraction(0)
        for chosen in chain.from_iterable(combinations(published, size) for size in range(len(published) + 1)):
            product = prod((chances[j] for j in chosen), start=Fraction(1))
            if product:
                n_agree = sum(all(other[j] == row[j] for j in chosen) for other in rows)
                total += product / n_agree * sum(worth[j] for j in range(len(row)) if j not in chosen)
        risks.append(total * Fraction(repr(float(alpha))))
    return risks


def random_table(rng: np.random.Generator, n_rows: int, n_columns: int) -> Table:
    codes = [rng.integers(0, rng.integers(1, 5), n_rows) for _ in range(n_columns)]
    if rng.random() < 0.6:
        for column in codes:
            column[rng.random(n_rows) < 0.2] = -1
    known = rng.choice([0, 0.001, 0.05, 0.3, 0.5, 0.8, 1], n_columns).tolist()
    worth = rng.choice([0, 0.25, 0.1, 1], (n_columns, 5))
    weights = [np.where(column >= 0, worth[j, column], 0.0) for j, column in enumerate(codes)]
    return codes, known, weights


def golden_table(case: dict, rows: list[list[str]]) -> Table:
    codes, weights = [], []
    for j, values in enumerate(zip(*rows, strict=True)):
        names = sorted(set(values) - {"*"})
        codes.append(np.array([names.index(value) if value != "*" else -1 for value in values]))
        worth = case["value_weight"][j]
        column = [case["attribute_weight"][j] * worth.get(value, 1) if value != "*" else 0 for value in values]
        weights.append(np.array(column, dtype=float))
    return codes, case["pk"], weights


def agrees(
    table: Table, alpha: float, risks: list[Fraction], limits: Sequence[float], seconds: float | None = 20.0
) -> None:
    for limit in limits:
        found = check_record_risk(*table, alpha=alpha, at_most=limit, seconds=seconds)
        assert found.is_complete
        assert (found.n_checked, found.n_undecided) == (len(risks), 0)
        assert found.n_above == sum(risk > Fraction(repr(float(limit))) for risk in risks)
        low, high = found.largest
        assert low <= float(max(risks)) <= high
        assert high - low <= 1e-9 * high


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case["name"])
def test_golden_risks_and_no_risk_is_above_itself(case: dict) -> None:
    risks = [Fraction(risk["exact"]) for risk in case["D"]]
    table = golden_table(case, case["rows"])
    assert literal(*table, case["alpha"]) == risks
    agrees(table, case["alpha"], risks, [case["delta"], *{float(risk) for risk in risks}])


def test_golden_risks_after_one_pass_of_suppression() -> None:
    for case in (case for case in SMALL if "suppress_once" in case):
        after = case["suppress_once"]
        found = check_record_risk(*golden_table(case, after["rows"]), alpha=case["alpha"], at_most=case["delta"])
        assert found.n_above == len(after["still_above_delta"])
        assert max(after["D_after"]["exclude"]) == pytest.approx(found.largest[0])
        until = case["suppress_until_safe"]
        safe = check_record_risk(*golden_table(case, until["rows"]), alpha=case["alpha"], at_most=case["delta"])
        assert safe.n_above == safe.n_undecided == 0


@pytest.mark.parametrize("case", GOLDEN["medium"], ids=lambda case: str(case["generator"]["seed"]))
def test_golden_medium_tables(case: dict) -> None:
    rule = case["generator"]
    x, rows = rule["seed"], []
    for _ in range(rule["n"]):
        row = []
        for n_values in rule["cards"]:
            x = (1103515245 * x + 12345) % 2**31
            row.append(n_values * x * x >> 62)
        rows.append(row)
    table = np.array(rows)
    assert table[:3].tolist() == case["first_rows"] or rule["suppress_every"]
    if rule["suppress_every"]:
        table.reshape(-1)[:: rule["suppress_every"]] = -1
    weights = [
        weight * (column > 0).astype(float) for weight, column in zip(case["attribute_weight"], table.T, strict=True)
    ]
    selected = case["D_selected"]
    for row in list(selected)[::6]:
        # Only this record has something to lose, so that the largest risk is its own.
        alone = [np.where(np.arange(len(table)) == int(row), column, 0.0) for column in weights]
        found = check_record_risk(list(table.T), case["pk"], alone, alpha=case["alpha"], at_most=1000)
        assert found.largest == pytest.approx((selected[row], selected[row]), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_random_tables_follow_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(12):
        table = random_table(rng, int(rng.integers(1, 16)), int(rng.integers(1, 6)))
        alpha = float(rng.choice([0.7, 10, 100]))
        risks = literal(*table, alpha)
        limits = rng.choice([float(risk) for risk in risks], 3).tolist()
        agrees(table, alpha, risks, [0, *limits])


@pytest.mark.parametrize("seed", range(10))
def test_record_by_record_follows_the_definition(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    table = random_table(rng, 14, 4)
    risks = literal(*table, 100)
    limits = sorted({float(risk) for risk in risks})
    for limit in limits:
        found = check_record_risk(*table, alpha=100, at_most=limit, seconds=1e-9, sample=14)
        assert found.is_complete
        assert (found.n_undecided, found.n_above) == (0, sum(risk > Fraction(repr(limit)) for risk in risks))
        assert found.largest[0] <= float(max(risks)) <= found.largest[1]


@pytest.mark.parametrize("seed", range(12))
def test_a_walk_over_all_sets_follows_the_definition(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("withhold.auditing.record_risk._risk_check._SHORT", 0.0)
    monkeypatch.setattr(_Risks, "compute_each", None)  # neither of the other ways is open
    monkeypatch.setattr(_Risks, "compute", None)
    rng = np.random.default_rng(200 + seed)
    for n_rows in (1, 3, 12, 60):
        codes, known, weights = random_table(rng, n_rows, int(rng.integers(2, 6)))
        table = codes, [chance or 0.5 for chance in known], weights
        risks = literal(*table, 100)
        limits = rng.choice([float(risk) for risk in risks], 2).tolist()
        agrees(table, 100, risks, [0, *limits], seconds=None)


def test_what_bounds_decide_is_not_walked(planted: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("withhold.auditing.record_risk._risk_check._SHORT", 0.0)
    monkeypatch.setattr("withhold.auditing.record_risk._risk_check._LONG", 1e-3)
    monkeypatch.setattr(_Risks, "walk", None)
    found = check_record_risk(*planted, alpha=100, at_most=1e6)
    assert (found.n_checked, found.n_above, found.is_complete) == (30_000, 0, True)


def test_a_walk_sorts_long_groups_and_wide_columns() -> None:
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, n_values, 400) for n_values in (300, 30, 3, 2, 2)]
    codes[0][:40] = -1
    table = Patterns(codes, [0.9, 0.5, 0.3, 0.2, 0.1], [np.zeros(400)] * 5)
    reported: list[float] = []
    found = sum_all_sets(table, seconds=100, say=reported.append)
    assert found is not None
    for (low, high), (plain, _) in zip(found, table.sums(1 << 5), strict=True):
        assert (low <= plain * (1 + 1e-14)).all()
        assert (plain * (1 - 1e-14) <= high).all()
        assert (high - low <= 1e-10).all()
    assert reported[-1] == 1
    assert sum_all_sets(table, seconds=1e-6) is None


@pytest.mark.parametrize("n_columns", [17, 18, 90])
def test_many_columns_are_bounded(n_columns: int) -> None:
    rng = np.random.default_rng(n_columns)
    codes = [np.where(rng.random(12) < 0.7, 0, np.arange(12)) for _ in range(n_columns)]
    codes[1][3] = -1
    known = [0.5] * 7 + [0.0] * 3 + [1e-6] * (n_columns - 10)
    weights = [rng.choice([0, 0.5], 12) * (column >= 0) for column in codes]
    # Columns that are hardly ever known change the risk by less than 1 in 1000.
    near = [float(risk) for risk in literal(codes[:7], known[:7], weights[:7], 10)]
    outside = [sum(float(column[i]) for column in weights[7:]) for i in range(12)]
    ones = literal([*codes[:7], np.zeros(12, dtype=int)], [*known[:7], 0], [*[np.zeros(12)] * 7, np.array(outside)], 10)
    largest = max(a + float(b) for a, b in zip(near, ones, strict=True))
    found = check_record_risk(codes, known, weights, alpha=10, at_most=0.5 * largest)
    assert (found.is_complete, found.n_undecided) == (True, 0)
    assert found.largest[0] * 0.999 <= largest <= found.largest[1] * 1.001
    assert found.largest[1] <= 1.02 * found.largest[0]


@pytest.mark.parametrize("n_columns", [17, 19])
def test_beyond_sixteen_columns_a_tie_is_decided_exactly(n_columns: int) -> None:
    codes = [np.array([0, 0, 1])] * n_columns
    weights = [np.array([0, 0, 1.0])] * n_columns
    # The third record is unique on every set but the empty one, which three records share.
    tie = 30 * 2 ** (n_columns - 1) * n_columns - 20 * n_columns
    for limit, n_above in ((tie, 0), (np.nextafter(tie, 0), 1)):
        found = check_record_risk(codes, [1.0] * n_columns, weights, alpha=30, at_most=float(limit))
        assert (found.n_above, found.n_undecided) == (n_above, 0)


def test_a_risk_equal_to_the_limit_is_not_above_it() -> None:
    codes = [np.array([0, 1, 1, 1, 1, 1, 1]), np.zeros(7, dtype=int)]
    weights = [np.zeros(7), np.array([0.3] + [0.0] * 6)]
    # 0.3 / 7 + 0.1 * 0.3 over 1, times 7 is 0.51: no float holds any of these numbers.
    for limit, n_above in ((0.51, 0), (np.nextafter(0.51, 0), 1), (np.nextafter(0.51, 1), 0)):
        found = check_record_risk(codes, [0.1, 0.0], weights, alpha=7, at_most=float(limit))
        assert (found.n_above, found.n_undecided) == (n_above, 0)


def test_blanks_agree_with_nothing_and_weigh_nothing() -> None:
    blank = check_record_risk([np.array([-1, -1, 0])], [1.0], [np.array([1.0, 1.0, 0.0])], alpha=1, at_most=0)
    assert replace(blank, histogram=()) == RiskCheck(
        n_checked=3, n_above=0, n_undecided=0, largest=(0.0, 0.0), is_complete=True
    )
    assert sum(n for _, _, n in blank.histogram) == blank.histogram[0][2] == 3
    codes = [np.array([-1, -1, 0, 0]), np.array([0, 0, 0, 0])]
    weights = [np.zeros(4), np.array([1.0, 0.0, 0.0, 0.0])]
    found = check_record_risk(codes, [1.0, 0.0], weights, alpha=4, at_most=1)
    assert (found.n_above, found.largest) == (0, (1.0, 1.0))


@pytest.fixture(scope="module")
def planted() -> Table:
    """A table too large for one second, in which one record alone is unique on the best known column."""
    rng = np.random.default_rng(5)
    codes = [rng.integers(0, 3, 30_000) for _ in range(9)]
    codes[0][777] = 9
    weights = [np.zeros(30_000) for _ in range(8)] + [np.where(codes[8] == 2, 1.0, 0.1)]
    weights[8][777] = 1.0
    return codes, [0.9, 0.5, 0.3, 0.3, 0.2, 0.2, 0.1, 0.1, 0.0], weights


def test_a_planted_record_is_found_among_all(planted: Table) -> None:
    found = check_record_risk(*planted, alpha=100, at_most=95)
    assert found.is_complete
    assert found.n_checked == 30_000
    assert found.n_above >= 1
    assert found.largest[0] > 350


def test_a_planted_record_is_found_by_a_sample(planted: Table) -> None:
    whole = check_record_risk(*planted, alpha=100, at_most=300)
    found = check_record_risk(*planted, alpha=100, at_most=300, sample=60, seconds=0.01, rng=np.random.default_rng(0))
    assert not found.is_complete
    assert 60 <= found.n_checked < 30_000
    assert whole.n_above == 1
    assert found.n_above == 1
    assert found.largest[0] == pytest.approx(whole.largest[0])


def test_the_same_generator_draws_the_same_sample(planted: Table) -> None:
    first, second = (
        check_record_risk(*planted, alpha=100, at_most=30, sample=20, seconds=0.01, rng=np.random.default_rng(3))
        for _ in range(2)
    )
    assert first == second


def test_an_empty_table_has_no_risk() -> None:
    nothing = np.array([], dtype=np.int64)
    found = check_record_risk([nothing], [0.5], [np.array([])], alpha=1, at_most=0)
    assert (found.n_checked, found.is_complete) == (0, True)


@pytest.mark.parametrize(
    "change",
    [
        {"known": [1.5]},
        {"known": [0.5, 0.5]},
        {"weights": [np.array([-1.0, 0])]},
        {"weights": [np.array([np.nan, 0])]},
        {"weights": [np.array([1.0])]},
        {"alpha": 0},
        {"at_most": float("nan")},
        {"sample": 0},
    ],
)
def test_mistakes_are_refused(change: dict) -> None:
    right = {"codes": [np.array([0, 1])], "known": [0.5], "weights": [np.array([1.0, 0])], "alpha": 1, "at_most": 1}
    check_record_risk(**right)
    with pytest.raises(InputError, match="check_record_risk"):
        check_record_risk(**{**right, **change})


def test_the_modules_import_nothing_that_makes_releases() -> None:
    folder = Path(sys.modules[check_record_risk.__module__].__file__).parent
    paths = sorted(folder.glob("_*.py"))
    assert "_risk_check.py" in [path.name for path in paths]
    for path in paths:
        text = path.read_text()
        assert not any(banned in text for banned in ("withhold.methods", "withhold.metrics", "numba"))
