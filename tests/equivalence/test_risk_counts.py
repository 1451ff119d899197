"""Record risk on distinct rows with counts against the same on the records they stand for, in any order."""

from fractions import Fraction
from itertools import starmap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_risk import slow_risks

from withhold.auditing.record_risk import check_record_risk
from withhold.methods.risk import (
    _suppress,
    high_risk,
    minimal_uniques,
    record_risk,
    risk_by_column,
    suppress_risk,
)
from withhold.table import Grid

CHANCES = [0.0, 0.001, 0.05, 0.3, 0.5, 0.8, 1.0]
WEIGHTS = [0.0, 0.1, 0.25, 0.5, 1.0]
MODES = ["exclude", "category", "ignore", "wildcard"]
LEVELS = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}


@st.composite
def problems(draw, *, columns=(1, 5), rows=(1, 14), most=4, blanks=True):
    """Distinct rows or rows that repeat, each with a count; who may know what; what is sensitive."""
    m, n_values = draw(st.integers(*columns)), draw(st.integers(1, 4))
    n = draw(st.integers(*rows))
    least = -1 if blanks and draw(st.booleans()) else 0
    codes = draw(st.lists(st.integers(least, n_values - 1), min_size=n * m, max_size=n * m))
    counts = draw(st.lists(st.integers(1, most), min_size=n, max_size=n))
    names = tuple(f"c{j}" for j in range(m))
    grid = Grid(names, (tuple("abcd"[:n_values]),) * m, np.array(codes, dtype=np.int32).reshape(n, m))
    chances = [draw(st.sampled_from(CHANCES)) for _ in names]
    weights = [{v: draw(st.sampled_from(WEIGHTS)) for v in "abcd"[:n_values]} for _ in names]
    return grid, np.array(counts), dict(zip(names, chances, strict=True)), dict(zip(names, weights, strict=True))


def expanded(grid, counts, seed):
    """Return the records in some order, and for each the row that stands for it."""
    of_record = np.random.default_rng(seed).permutation(np.repeat(np.arange(counts.size), counts))
    return Grid(grid.columns, grid.labels, grid.codes[of_record]), of_record


@settings(max_examples=250, deadline=None)
@given(
    problems(),
    st.sampled_from([1.0, 5.0, 20.0, 60.0]),
    st.sampled_from([{}, {"choose": "set"}, {"until_safe": False}, {"drop_rows": True}, {"give_back": False}]),
    st.sampled_from(MODES),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_the_same_cells_are_withheld(problem, at_most, options, blank, climbs, seed) -> None:
    grid, counts, known, sensitive = problem
    records, of_record = expanded(grid, counts, seed)
    parents = {name: {v: up for v, up in LEVELS.items() if v in grid.labels[0]} for name in grid.columns}
    asked = {"at_most": at_most, "blank": blank, "generalize": parents if climbs else False, **options}
    by_rows = suppress_risk(records, known, sensitive, **asked)
    by_counts = suppress_risk(grid, known, sensitive, counts=counts, **asked)
    assert by_counts.published.labels == by_rows.published.labels
    assert np.array_equal(by_counts.published.codes[of_record], by_rows.published.codes)
    assert by_counts.rounds == by_rows.rounds
    assert by_counts.given_back == by_rows.given_back
    assert by_counts.sensitive == by_rows.sensitive
    assert by_counts.still_above == by_rows.still_above
    assert np.array_equal(np.isin(of_record, by_counts.dropped), np.isin(np.arange(of_record.size), by_rows.dropped))
    for mine, theirs in ((by_counts.before, by_rows.before), (by_counts.after, by_rows.after)):
        assert np.array_equal(mine.low[of_record], theirs.low)
        assert np.array_equal(mine.high[of_record], theirs.high)
        assert mine.histogram() == theirs.histogram()
        assert mine.above(at_most) == theirs.above(at_most)
    assert repr(by_counts) == repr(by_rows)


@settings(max_examples=60, deadline=None)
@given(problems(rows=(8, 20), columns=(2, 4)), st.sampled_from([2.0, 10.0]), st.integers(0, 2**32))
def test_the_quick_look_at_a_large_table_counts_records(problem, at_most, seed) -> None:
    grid, counts, known, sensitive = problem
    records, of_record = expanded(grid, counts, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_suppress, "LARGE", 30)  # about as many records as there are, and more than there are rows
        patch.setattr(_suppress, "FEW", 8)
        by_rows = suppress_risk(records, known, sensitive, at_most=at_most)
        by_counts = suppress_risk(grid, known, sensitive, at_most=at_most, counts=counts)
    assert np.array_equal(by_counts.published.codes[of_record], by_rows.published.codes)
    assert by_counts.rounds == by_rows.rounds


@settings(max_examples=200, deadline=None)
@given(problems(), st.sampled_from(MODES), st.booleans(), st.sampled_from([0.0, 0.1]), st.integers(0, 2**32))
def test_the_same_risks_are_measured(problem, blank, complement, relative, seed) -> None:
    grid, counts, known, sensitive = problem
    records, of_record = expanded(grid, counts, seed)
    options = {"blank": blank, "complement": complement}
    by_rows = record_risk(records, known, sensitive, relative=relative, **options)
    by_counts = record_risk(grid, known, sensitive, relative=relative, counts=counts, **options)
    assert np.array_equal(by_counts.low[of_record], by_rows.low)
    assert np.array_equal(by_counts.high[of_record], by_rows.high)
    assert repr(by_counts) == repr(by_rows)
    at_most = float(np.median(by_rows.value))  # some record lies on the threshold
    found = high_risk(grid, known, sensitive, at_most=at_most, counts=counts, **options)
    assert np.array_equal(found[of_record], high_risk(records, known, sensitive, at_most=at_most, **options))


@settings(max_examples=100, deadline=None)
@given(problems(columns=(2, 4), rows=(4, 14)), st.integers(1, 12), st.integers(0, 2**32))
def test_the_same_records_are_drawn_whatever_their_order(problem, sample, seed) -> None:
    grid, counts, known, sensitive = problem
    records, _ = expanded(grid, counts, seed)
    by_rows = risk_by_column(records, known, sensitive, sample=sample)
    assert risk_by_column(grid, known, sensitive, sample=sample, counts=counts) == pytest.approx(by_rows)


@settings(max_examples=100, deadline=None)
@given(problems(columns=(1, 4), most=2), st.integers(0, 2**32))
def test_the_same_records_are_alone(problem, seed) -> None:
    grid, counts, _, _ = problem
    records, of_record = expanded(grid, counts, seed)
    by_rows, by_counts = minimal_uniques(records), minimal_uniques(grid, counts=counts)
    assert sorted(starmap(_pair, zip(by_counts.rows, by_counts.sets, strict=True))) == sorted(
        starmap(_pair, zip(of_record[by_rows.rows], by_rows.sets, strict=True))
    )
    assert by_counts.by_column() == pytest.approx(by_rows.by_column())


def _pair(row, columns):
    return int(row), int(columns)


@settings(max_examples=150, deadline=None)
@given(problems(rows=(1, 10), most=3), st.data())
def test_the_check_counts_records_as_exact_arithmetic_does(problem, data) -> None:
    grid, counts, known, sensitive = problem
    cells = [[None if c < 0 else grid.labels[j][c] for j, c in enumerate(row)] for row in grid.codes.tolist()]
    records = [row for row, n in zip(cells, counts.tolist(), strict=True) for _ in range(n)]
    exact_weights = [{v: Fraction(repr(w)) for v, w in sensitive[name].items()} for name in grid.columns]
    expected = slow_risks(records, [Fraction(repr(known[name])) for name in grid.columns], exact_weights)
    at_most = float(data.draw(st.sampled_from([*expected, Fraction(5)])))
    weights = [
        np.append([sensitive[name][v] for v in grid.labels[j]], 0.0)[grid.codes[:, j]]
        for j, name in enumerate(grid.columns)
    ]
    codes, chances = list(grid.codes.T.astype(np.int64)), [known[name] for name in grid.columns]
    found = check_record_risk(codes, chances, weights, alpha=100, at_most=at_most, counts=counts)
    assert found.n_checked == len(records)
    assert found.n_above == sum(value > Fraction(repr(at_most)) for value in expected)
    assert found.n_undecided == 0
    assert found.is_complete
    assert sum(bar[2] for bar in found.histogram) == len(records)
    each = [np.repeat(column, counts) for column in codes], chances, [np.repeat(w, counts) for w in weights]
    assert found == check_record_risk(*each, alpha=100, at_most=at_most)


@settings(max_examples=60, deadline=None)
@given(problems(columns=(3, 5), rows=(4, 14)), st.integers(0, 100))
def test_a_check_that_stops_early_counts_the_records_it_tried(problem, seed) -> None:
    grid, counts, known, sensitive = problem
    weights = [
        np.append([sensitive[name][v] for v in grid.labels[j]], 0.0)[grid.codes[:, j]]
        for j, name in enumerate(grid.columns)
    ]
    found = check_record_risk(
        list(grid.codes.T.astype(np.int64)), [known[name] for name in grid.columns], weights,
        alpha=100, at_most=5.0, counts=counts, seconds=0.0, sample=2, rng=np.random.default_rng(seed),
    )  # fmt: skip
    assert sum(bar[2] for bar in found.histogram) == found.n_checked <= counts.sum()
    assert found.is_complete == (found.n_checked == counts.sum())


def test_more_records_than_a_short_number_holds() -> None:
    grid = Grid(("sex", "ill"), (("f", "m"), ("no", "yes")), np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int32))
    counts = np.array([2**33, 1, 2**32])
    asked = {"sex": 0.8}, {"ill": {"yes": 1.0}}
    risk = record_risk(grid, *asked, counts=counts)
    exact = 100 * (Fraction(1, int(counts.sum())) + Fraction(4, 5) / (2**33 + 1))
    assert Fraction(risk.low[1]) <= exact <= Fraction(risk.high[1])
    assert risk.high[1] - risk.low[1] < 1e-18
    assert risk.histogram()[0][2] == 3 * 2**32


@pytest.mark.parametrize("counts", [[1, 2], [1, 0, 1], [1.0, 1.0, 1.0]])
def test_counts_that_count_nothing_are_refused(counts) -> None:
    grid = Grid(("sex",), (("f", "m"),), np.array([[0], [0], [1]], dtype=np.int32))
    with pytest.raises(ValueError, match="integer of at least 1 for each of 3 rows"):
        record_risk(grid, {"sex": 0.5}, {"sex": 1.0}, counts=np.array(counts))
