"""FAiR and GraDeS against the obvious slow version, on random tables."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slow_rules import Cells, Rows, SlowRule, is_safe, slow_grades, slow_rules

from withhold import Table
from withhold.methods import fair, grades
from withhold.methods.rules import Blanking, RuleGuard, Rules, _miner
from withhold.samples import synthetic
from withhold.table import Grid

PRUNING = ("privacy-free", "non-discriminative", "contrast")
COUNTING = ("public", "antecedent", "joint")
often = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@st.composite
def problems(draw: st.DrawFn, *, max_rows: int = 10, max_columns: int = 4) -> dict:
    n_rows = draw(st.integers(2, max_rows))
    n_columns = draw(st.integers(2, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_values = draw(st.integers(2, 4))
    chances = 1 / np.arange(1, n_values + 1) ** draw(st.sampled_from([0, 1, 2]))
    codes = rng.choice(n_values, size=(n_rows, n_columns), p=chances / chances.sum())
    if draw(st.booleans()):
        codes[:, 0] = np.arange(n_rows)
    missing = rng.random(codes.shape) < draw(st.sampled_from([0, 0, 0.15]))
    private = rng.random(codes.shape) < draw(st.sampled_from([0.05, 0.15, 0.3, 1.0]))
    rows: Rows = [
        [None if missing[i, j] else "abcdefghijkl"[codes[i, j]] for j in range(n_columns)] for i in range(n_rows)
    ]
    confidence = draw(st.sampled_from(["0.3", "0.5", "0.6", "2/3", "0.75", "0.8", "1"]))
    return {
        "rows": rows,
        "private": {(int(i), int(j)) for i, j in np.argwhere(private)},
        "confidence": Fraction(confidence),
        "support": draw(st.integers(1, min(4, n_rows))),
        "min_antecedent": draw(st.sampled_from([0, 1, 1, 2])),
    }


def fast(problem: dict, blanked: Cells = frozenset()) -> dict:
    rows = [
        [None if (i, j) in blanked else value for j, value in enumerate(row)] for i, row in enumerate(problem["rows"])
    ]
    table = Table.from_columns({str(j): [row[j] for row in rows] for j in range(len(rows[0]))})
    private = [(row, str(column)) for row, column in sorted(problem["private"])]
    thresholds = {name: problem[name] for name in ("support", "min_antecedent")}
    return {"table": table, "private": private, "confidence": float(problem["confidence"]), **thresholds}


def slow(problem: dict) -> dict:
    return {name: problem[name] for name in ("rows", "private", "confidence", "support", "min_antecedent")}


def listed(rules: Rules) -> list[SlowRule]:
    found = []
    for i in range(len(rules)):
        items = slice(*rules.antecedent_end[i : i + 2])
        columns, codes = rules.antecedent_column[items].tolist(), rules.antecedent_code[items].tolist()
        antecedent = tuple(sorted((c, rules.labels[c][v]) for c, v in zip(columns, codes, strict=True)))
        consequent = (int(rules.column[i]), rules.labels[rules.column[i]][rules.code[i]])
        counts = (int(each[i]) for each in (rules.pub_n, rules.pub_y, rules.hid_n, rules.hid_y))
        found.append(SlowRule(antecedent, consequent, *counts))
    return sorted(found)


def cells(blanking: Blanking) -> set[tuple[int, int]]:
    return {(int(row), int(column)) for row, column in zip(blanking.rows, blanking.columns, strict=True)}


@often
@given(problems(), st.sets(st.sampled_from(PRUNING)))
def test_fair_equals_brute_force_with_every_pruning_rule_on_and_off(problem: dict, pruning: set) -> None:
    expected = slow_rules(**slow(problem))
    assert listed(fair(**fast(problem))) == expected
    assert listed(fair(**fast(problem), pruning=pruning)) == expected


@settings(often, max_examples=100)
@given(problems(), st.integers(1, 3))
def test_rules_say_where_they_apply(problem: dict, longest: int) -> None:
    rules = fair(**{**fast(problem), "min_antecedent": 1}, max_antecedent=longest)
    assert rules.length.max(initial=1) <= longest
    everything = fair(**{**fast(problem), "min_antecedent": 1})
    assert listed(rules) == [rule for rule in listed(everything) if len(rule.antecedent) <= longest]
    for (ends, rows), counts in ((rules.public_rows, rules.pub_n), (rules.hidden_rows, rules.hid_n)):
        assert np.diff(ends).tolist() == counts.tolist()
        for i in range(len(rules)):
            items = slice(*rules.antecedent_end[i : i + 2])
            for row in rows[ends[i] : ends[i + 1]]:
                for column, code in zip(rules.antecedent_column[items], rules.antecedent_code[items], strict=True):
                    assert problem["rows"][row][column] == rules.labels[column][code]


@settings(often, max_examples=200)
@given(problems(max_rows=8), st.integers(1, 3), st.sampled_from([1, None]))
def test_grades_without_giving_back_equals_the_slow_version(problem: dict, blanking: int, rounds: int | None) -> None:
    found = grades(**fast(problem), blanking=blanking, rounds=rounds, give_back=False)
    assert cells(found) == slow_grades(**slow(problem), blanking=blanking, rounds=rounds)


@often
@given(problems(), st.sampled_from([1, 2, 0.1]))
def test_after_grades_brute_force_finds_no_rule_and_no_entry_can_be_given_back(problem: dict, blanking: float) -> None:
    blanked = cells(grades(**fast(problem), blanking=blanking))
    assert is_safe(blanked=blanked, **slow(problem))
    for entry in blanked:
        assert not is_safe(blanked=blanked - {entry}, **slow(problem))


@settings(often, max_examples=100)
@given(problems(), st.sampled_from(COUNTING))
def test_grades_is_sound_under_every_reading_of_support(problem: dict, counting: str) -> None:
    blanked = cells(grades(**fast(problem), counting=counting))
    assert len(fair(**fast(problem, blanked), counting=counting)) == 0


@settings(often, max_examples=60)
@given(problems(max_rows=7, max_columns=3))
def test_the_exact_minimum_is_one(problem: dict) -> None:
    best = cells(grades(**fast(problem), exact=True))
    assert is_safe(blanked=best, **slow(problem))
    assert len(best) <= len(grades(**fast(problem)))
    public = [(i, j) for i, row in enumerate(problem["rows"]) for j, value in enumerate(row) if value is not None]
    public = [cell for cell in public if cell not in problem["private"]]
    if 1 <= len(best) <= 3:
        smaller = combinations(public, len(best) - 1)
        assert not any(is_safe(blanked=set(fewer), **slow(problem)) for fewer in smaller)


def test_the_heuristic_is_within_five_percent_of_the_minimum_on_average() -> None:
    rng = np.random.default_rng(11)
    ratios = []
    while len(ratios) < 60:
        n_rows, n_columns, n_values = rng.integers(6, 15), rng.integers(3, 6), rng.integers(2, 5)
        chances = 1 / np.arange(1, n_values + 1) ** rng.choice([0.0, 1.0, 2.0])
        codes = rng.choice(n_values, size=(n_rows, n_columns), p=chances / chances.sum())
        table = Table.from_columns({str(j): codes[:, j].astype(str) for j in range(n_columns)})
        private = rng.random(codes.shape) < rng.choice([0.05, 0.1, 0.2])
        thresholds = {"confidence": float(rng.choice([0.6, 0.75, 0.8, 1.0])), "support": int(rng.integers(1, 4))}
        found = grades(table, private, **thresholds)
        if len(found):
            ratios.append(len(found) / len(grades(table, private, exact=True, **thresholds)))
    assert min(ratios) >= 1
    assert np.mean(ratios) <= 1.05


@settings(often, max_examples=200)
@given(problems(), st.integers(0, 2**32))
def test_a_guard_follows_what_others_blank_and_restore(problem: dict, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arguments = fast(problem)
    grid = Grid.of(arguments.pop("table"))
    private = np.zeros(grid.codes.shape, dtype=bool)
    for row, column in arguments.pop("private"):
        private[row, int(column)] = True
    guard = RuleGuard(grid.codes, private, **arguments)
    for _ in range(4):
        where = np.argwhere(rng.random(private.shape) < 0.2).T
        (guard.blank if rng.random() < 0.6 else guard.restore)(*where)
        if rng.random() < 0.5:
            guard.protect()
        blanked = {(int(row), int(column)) for row, column in np.argwhere(guard.blanked)}
        assert guard.is_safe() is is_safe(blanked=blanked, **slow(problem))
        for row, column in sorted(blanked)[:3]:
            without = is_safe(blanked=blanked - {(row, column)}, **slow(problem))
            assert guard.still_safe_without(row, column) is without


def test_threads_change_neither_the_rules_nor_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    table, private = synthetic(rows=3_000, seed=4)
    thresholds = {"confidence": 0.7, "support": 4, "min_antecedent": 0}
    together = fair(table, private, **thresholds)
    monkeypatch.setattr(_miner, "n_cores", lambda: 1)
    alone = fair(table, private, **thresholds)
    assert len(together) > 100
    assert together.to_columns() == alone.to_columns()
