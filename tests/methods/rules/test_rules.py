"""Adversarial rules: what is found, what is blanked, what is refused."""

import sys
import time

import numpy as np
import pytest

from withhold import Table
from withhold.errors import InputError, MissingExtraError
from withhold.methods import fair, grades
from withhold.methods.rules import RuleGuard, _smallest
from withhold.samples import synthetic
from withhold.table import Grid

EMPLOYEES = {
    "title": ["Boss", "Cook", "Boss", "Cook", "Boss", "Clerk", "Boss", "Cook", "Boss", "Clerk"],
    "sex": ["F", "F", "F", "M", "M", "F", "F", "F", "F", "M"],
    "pay": ["5", "3", "5", "3", "5", "5", "5", "3", "7", "4"],
}
PRIVATE = [(7, "pay"), (5, "sex"), (9, "sex")]
THRESHOLDS = {"confidence": 0.6, "support": 2}


def employees() -> Table:
    return Table.from_columns({name: list(map(str, values)) for name, values in EMPLOYEES.items()})


def shown(blanking) -> list[tuple[int, str]]:
    return sorted(blanking.cells)


def test_rules_read_as_sentences_strongest_first() -> None:
    rules = fair(employees(), PRIVATE, **THRESHOLDS)
    assert repr(rules).splitlines()[:2] == [
        "<Rules: 2 rules predict 2 of 3 private cells>",
        "  title = Cook → pay = 3   100% of 2 public, 100% of 1 private",
    ]
    columns = rules.to_columns()
    assert list(columns) == ["if", "then", "support", "public_confidence", "hidden_confidence", "predicts", "rightly"]
    assert {len(values) for values in columns.values()} == {2}
    assert len(rules.strongest(1)) == 1
    assert sum(rules.by_length.values()) == sum(rules.by_column.values()) == len(rules)


def test_the_empty_antecedent_is_the_plain_guess() -> None:
    rules = fair(employees(), PRIVATE[:2], min_antecedent=0, max_antecedent=0, **THRESHOLDS)
    assert rules.to_columns()["if"] == [""]
    assert rules.to_columns()["then"] == ["sex = F"]
    assert "always → sex = F" in repr(rules)


def test_a_mask_and_a_grid_are_as_good_as_pairs_and_a_table() -> None:
    grid = Grid.of(employees())
    mask = np.zeros(grid.codes.shape, dtype=bool)
    for row, column in PRIVATE:
        mask[row, grid.place(column)] = True
    assert repr(fair(grid, mask, **THRESHOLDS)) == repr(fair(employees(), PRIVATE, **THRESHOLDS))
    assert shown(grades(grid, mask, **THRESHOLDS)) == shown(grades(employees(), PRIVATE, **THRESHOLDS))


def test_a_fraction_of_the_rows_is_rounded_up_exactly() -> None:
    exact = fair(employees(), PRIVATE, confidence=0.6, support=0.2)
    assert len(exact) == len(fair(employees(), PRIVATE, confidence=0.6, support=2))
    assert len(fair(employees(), PRIVATE, confidence=0.6, support=0.21)) == len(
        fair(employees(), PRIVATE, confidence=0.6, support=3)
    )
    table, private = synthetic(rows=1_000, seed=3)
    assert len(fair(table, private, confidence=0.6, support=0.003)) == len(
        fair(table, private, confidence=0.6, support=3)
    )


def test_the_order_of_private_cells_and_of_columns_changes_nothing() -> None:
    found = grades(employees(), PRIVATE, **THRESHOLDS)
    assert grades(employees(), PRIVATE[::-1], **THRESHOLDS).cells == found.cells
    turned = Table.from_columns({name: EMPLOYEES[name] for name in reversed(EMPLOYEES)})
    once = {"rounds": None, "give_back": False}
    assert len(grades(turned, PRIVATE, **once, **THRESHOLDS)) == len(grades(employees(), PRIVATE, **once, **THRESHOLDS))


def test_what_a_blanking_reports() -> None:
    found = grades(employees(), PRIVATE, **THRESHOLDS)
    assert found.is_safe
    assert not found.is_exact
    assert len(found) == found.n_before - found.n_given_back == found.n_invalidating + found.n_marginalizing
    assert found.ratio == len(found) / 3
    assert found.rules[0] == len(fair(employees(), PRIVATE, **THRESHOLDS))
    assert np.count_nonzero(fair(employees(), PRIVATE, **THRESHOLDS).sensitive) == found.n_sensitive
    assert set(found.seconds) == {"mine", "blank", "give back"}
    assert repr(found).startswith(f"<Blanking: {len(found)} entries for 3 private cells against 2 rules, ")
    best = grades(employees(), PRIVATE, exact=True, **THRESHOLDS)
    assert best.is_exact
    assert len(best) <= len(found)


def test_a_share_as_blanking_factor_is_a_share_of_the_sensitive_entries() -> None:
    table, private = synthetic(rows=500, seed=5)
    thresholds = {"confidence": 0.8, "support": 5, "rounds": 1, "give_back": False}
    first = grades(table, private, **thresholds)
    number = max(1, round(0.02 * first.n_sensitive))
    assert number > 1
    assert (
        grades(table, private, blanking=0.02, **thresholds).cells
        == grades(table, private, blanking=number, **thresholds).cells
    )


def test_a_run_that_is_cut_short_says_that_it_is_not_safe() -> None:
    table, private = synthetic(rows=2_000, seed=2)
    cut = grades(table, private, confidence=0.8, support=5, rounds=1)
    assert not cut.is_safe
    assert repr(cut).endswith(", not safe>")
    assert len(cut) <= cut.n_one_pass


def test_no_private_cells_no_rules_nothing_blanked() -> None:
    assert repr(fair(employees(), [], **THRESHOLDS)) == "<Rules: 0 rules predict 0 of 0 private cells>"
    found = grades(employees(), [], **THRESHOLDS)
    assert (found.cells, found.rules, found.ratio) == ([], (), 0.0)
    assert grades(employees(), [], exact=True, **THRESHOLDS).cells == []


def test_where_every_entry_is_private_nothing_is_public_to_mine() -> None:
    everything = np.ones((10, 3), dtype=bool)
    assert len(fair(employees(), everything, min_antecedent=0, confidence=0.1, support=1)) == 0
    assert grades(employees(), everything, min_antecedent=0, confidence=0.1, support=1).cells == []


def test_private_cells_that_are_missing_are_left_out_and_counted() -> None:
    holes = Table.from_columns({**EMPLOYEES, "pay": [None if i == 7 else v for i, v in enumerate(EMPLOYEES["pay"])]})
    rules = fair(holes, PRIVATE, **THRESHOLDS)
    assert (rules.n_private, rules.n_missing) == (2, 1)
    assert len(rules) == len(fair(holes, PRIVATE[1:], **THRESHOLDS))
    assert grades(holes, PRIVATE, **THRESHOLDS).n_missing == 1


def test_a_column_with_a_different_value_in_every_row_stays_quick() -> None:
    n_rows = 20_000
    rng = np.random.default_rng(0)
    columns = {"id": np.arange(n_rows).astype(str), "twin": (np.arange(n_rows) // 2).astype(str)}
    columns |= {name: rng.choice(["x", "y", "z"], n_rows, p=[0.7, 0.2, 0.1]) for name in "abcd"}
    table = Table.from_columns(columns)
    private = np.zeros((n_rows, 6), dtype=bool)
    private[rng.integers(n_rows, size=500), rng.integers(6, size=500)] = True
    fair(table, private, confidence=0.9, support=1)
    begin = time.perf_counter()
    rules = fair(table, private, confidence=0.9, support=1)
    assert time.perf_counter() - begin < 5
    assert "id" not in rules.by_column
    assert len(rules) > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence": 0}, "fair: `confidence` must be above 0 and at most 1; got 0."),
        ({"confidence": 1.5}, "fair: `confidence` must be above 0 and at most 1; got 1.5."),
        ({"confidence": float("nan")}, "fair: `confidence` must be above 0 and at most 1; got nan."),
        ({"confidence": "high"}, "fair: `confidence` must be above 0 and at most 1; got 'high'."),
        ({"support": 11}, "fair: `support` must be at most the number of rows, 10; got 11."),
        ({"support": 0}, "fair: `support` must be a fraction between 0 and 1, or a count of at least 1; got 0."),
        ({"support": 1.5}, "fair: `support` must be a fraction between 0 and 1, or a count of at least 1; got 1.5."),
        ({"min_antecedent": -1}, "fair: `min_antecedent` must be an integer of at least 0; got -1."),
        (
            {"max_antecedent": 0},
            "fair: `max_antecedent` must be an integer of at least `min_antecedent`, 1; got 0.",
        ),
        ({"counting": "publc"}, 'fair: `counting` is "publc"; did you mean "public"?.'),
        ({"pruning": ["contrasts"]}, 'fair: `pruning` names "contrasts"; did you mean "contrast"?.'),
        ({"private": [(10, "pay")]}, "fair: 1 private cells lie outside the 10 rows of the table."),
        ({"private": [(-1, "pay")]}, "fair: 1 private cells lie outside the 10 rows of the table."),
        ({"private": [(1, "pay"), (1, "pay")]}, "fair: 1 private cells are listed twice."),
        ({"private": [(1, "pya")]}, 'fair: `private` names the column "pya"; did you mean "pay"?.'),
        ({"private": [("one", "pay")]}, "fair: the rows of `private` must be integers, counted from 0."),
        ({"private": [7]}, "fair: `private` must hold pairs of a row and the name of a column."),
        (
            {"private": np.ones((2, 3), dtype=bool)},
            "fair: `private` must have 10 rows and 3 columns as the table has; got 2 by 3.",
        ),
    ],
)
def test_bad_input_gets_one_clear_sentence(change: dict, message: str) -> None:
    arguments = {"private": PRIVATE, **THRESHOLDS, **change}
    with pytest.raises(InputError) as caught:
        fair(employees(), **arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blanking": 0}, "grades: `blanking` must be a count of at least 1, or a share between 0 and 1; got 0."),
        ({"blanking": 1.5}, "grades: `blanking` must be a count of at least 1, or a share between 0 and 1; got 1.5."),
        ({"rounds": 0}, "grades: `rounds` must be an integer of at least 1, or None; got 0."),
        ({"exchanges": -1}, "grades: `exchanges` must be an integer of at least 0, or None; got -1."),
    ],
)
def test_bad_settings_of_grades_get_one_clear_sentence(change: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        grades(employees(), PRIVATE, **{**THRESHOLDS, **change})
    assert str(caught.value) == message


def test_exact_refuses_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_smallest, "MOST_TERMS", 10)
    with pytest.raises(InputError, match="more than 10 terms, which is too large"):
        grades(employees(), PRIVATE, exact=True, **THRESHOLDS)


def test_exact_names_the_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match=r"withhold\[audit\]"):
        grades(employees(), PRIVATE, exact=True, **THRESHOLDS)


def test_a_guard_refuses_tables_of_different_shape_and_cells_that_are_not_blanked() -> None:
    with pytest.raises(InputError, match="same rows and columns"):
        RuleGuard(np.zeros((2, 2), dtype=int), np.zeros((2, 3), dtype=bool), **THRESHOLDS)
    guard = RuleGuard(np.zeros((3, 2), dtype=int), np.zeros((3, 2), dtype=bool), **THRESHOLDS)
    with pytest.raises(InputError, match="only a cell that is blanked"):
        guard.still_safe_without(0, 0)


def test_a_guard_leaves_private_and_missing_cells_alone() -> None:
    codes = np.array([[0, 0], [0, -1], [0, 0], [0, 0]])
    private = np.zeros((4, 2), dtype=bool)
    private[0, 1] = True
    guard = RuleGuard(codes, private, confidence=0.5, support=1)
    guard.blank([0, 1, 2], [1, 1, 0])
    assert np.argwhere(guard.blanked).tolist() == [[2, 0]]
    guard.restore([0, 1, 2, 3], [1, 1, 0, 0])
    assert not guard.blanked.any()
