"""Record risk, suppression and minimal uniques against their definitions."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_risk import slow_minimal_uniques, slow_risks

from withhold import Table
from withhold.methods.risk import _packed_rows, high_risk, minimal_uniques, record_risk, suppress_risk

CHANCES = ["0", "0.001", "0.05", "0.3", "0.5", "0.8", "1"]
WEIGHTS = ["0", "0.25", "0.5", "1"]
MODES = ["exclude", "category", "ignore", "wildcard"]


@st.composite
def problems(draw, *, columns=(1, 5), rows=(1, 10), blanks=True):
    m = draw(st.integers(*columns))
    n_values = draw(st.integers(1, 4))
    values = [None, *"abcd"[:n_values]] if blanks and draw(st.booleans()) else list("abcd"[:n_values])
    table = draw(
        st.lists(st.lists(st.sampled_from(values), min_size=m, max_size=m), min_size=rows[0], max_size=rows[1])
    )
    chances = draw(st.lists(st.sampled_from(CHANCES), min_size=m, max_size=m))
    weights = [{v: draw(st.sampled_from(WEIGHTS)) for v in "abcd"[:n_values]} for _ in range(m)]
    return table, chances, weights


def arguments(problem):
    rows, chances, weights = problem
    names = [f"c{j}" for j in range(len(chances))]
    table = Table.from_columns({name: [row[j] for row in rows] for j, name in enumerate(names)})
    known = {name: float(chance) for name, chance in zip(names, chances, strict=True)}
    sensitive = {n: {v: float(w) for v, w in each.items()} for n, each in zip(names, weights, strict=True)}
    return table, known, sensitive


def exact(problem, **options):
    rows, chances, weights = problem
    fractions = [{v: Fraction(w) for v, w in each.items()} for each in weights]
    return slow_risks(rows, [Fraction(chance) for chance in chances], fractions, **options)


def check_inside(risk, expected) -> None:
    for low, high, value in zip(risk.low.tolist(), risk.high.tolist(), expected, strict=True):
        assert Fraction(low) <= value <= Fraction(high)


def check_exact(risk, expected) -> None:
    check_inside(risk, expected)
    np.testing.assert_allclose(risk.high, risk.low, rtol=1e-8, atol=1e-10)


@settings(max_examples=200, deadline=None)
@given(problems(), st.sampled_from(MODES), st.booleans())
def test_the_risk_is_the_sum_over_all_known_sets(problem, blank, complement) -> None:
    risk = record_risk(*arguments(problem), blank=blank, complement=complement)
    check_exact(risk, exact(problem, blank=blank, complement=complement))


@pytest.mark.parametrize("seed", range(24))
def test_the_risk_is_the_sum_over_all_known_sets_of_up_to_ten_columns(seed: int) -> None:
    draw = random.Random(seed)
    m, n_rows = draw.randint(7, 10), draw.randint(6, 16)
    rows = [[draw.choice("aaaab" if j % 2 else "abc") for j in range(m)] for _ in range(n_rows)]
    if seed % 3 == 0:
        rows = [[None if draw.random() < 0.1 else v for v in row] for row in rows]
    chances = [draw.choice(CHANCES[1:]) for _ in range(m)]
    weights = [{v: draw.choice(WEIGHTS) for v in "abc"} for _ in range(m)]
    problem = (rows, chances, weights)
    blank = MODES[seed % 4]
    expected = exact(problem, blank=blank)
    check_exact(record_risk(*arguments(problem), blank=blank), expected)
    check_inside(record_risk(*arguments(problem), blank=blank, tolerance=1.0), expected)


@settings(max_examples=60, deadline=None)
@given(problems(columns=(3, 6), rows=(6, 14)), st.sampled_from(MODES))
def test_rows_that_take_several_words_are_measured_as_those_that_take_one(problem, blank) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_packed_rows, "WORD_BITS", 5)
        check_exact(record_risk(*arguments(problem), blank=blank), exact(problem, blank=blank))
        check_inside(record_risk(*arguments(problem), blank=blank, tolerance=5.0), exact(problem, blank=blank))


@settings(max_examples=60, deadline=None)
@given(problems(columns=(2, 6), rows=(8, 24)), st.sampled_from(MODES))
def test_intervals_hold_the_risk_and_shrink_with_the_tolerance(problem, blank) -> None:
    expected = exact(problem, blank=blank)
    widths = []
    for tolerance in (1000.0, 10.0, 0.1, 0.0):
        risk = record_risk(*arguments(problem), blank=blank, tolerance=tolerance)
        check_inside(risk, expected)
        assert (risk.high - risk.low <= 2 * tolerance + 1e-8 * (1 + risk.high)).all()
        widths.append(float((risk.high - risk.low).max()))
    assert widths[-1] <= widths[0] + 1e-9
    relative = record_risk(*arguments(problem), blank=blank, relative=0.1)
    check_inside(relative, expected)
    assert (relative.high - relative.low <= 0.2 * relative.low + 1e-8 * (1 + relative.high)).all()


@settings(max_examples=100, deadline=None)
@given(problems(rows=(1, 12)), st.sampled_from(MODES), st.data())
def test_records_are_decided_as_exact_arithmetic_does_even_on_the_threshold(problem, blank, data) -> None:
    expected = exact(problem, blank=blank)
    at_most = float(data.draw(st.sampled_from([*expected, Fraction(5)])))
    found = high_risk(*arguments(problem), at_most=at_most, blank=blank)
    assert found.tolist() == [value > Fraction(repr(at_most)) for value in expected]


@settings(max_examples=120, deadline=None)
@given(
    problems(columns=(2, 4), rows=(3, 10), blanks=False),
    st.sampled_from(
        [("exclude", "cell"), ("exclude", "set"), ("ignore", "cell"), ("category", "cell"), ("wildcard", "cell")]
    ),
    st.sampled_from([1.0, 5.0, 20.0, 60.0]),
    st.booleans(),
)
def test_no_record_is_above_the_threshold_after_suppression(problem, mode, at_most, drop_rows) -> None:
    blank, choose = mode
    done = suppress_risk(*arguments(problem), at_most=at_most, blank=blank, choose=choose, drop_rows=drop_rows)
    grid = done.published
    left = [
        [None if code < 0 else grid.labels[j][code] for j, code in enumerate(row)]
        for i, row in enumerate(grid.codes.tolist())
        if i not in set(done.dropped.tolist())
    ]
    _, chances, weights = problem
    if left:
        assert max(exact((left, chances, weights), blank=blank)) <= Fraction(repr(at_most))
    assert done.still_above == 0


@settings(max_examples=100, deadline=None)
@given(problems(columns=(1, 5), rows=(1, 14)), st.integers(1, 5))
def test_minimal_uniques_are_those_of_brute_force(problem, max_size) -> None:
    rows = problem[0]
    found = minimal_uniques(arguments(problem)[0], max_size=max_size)
    sets = [tuple(j for j in range(len(rows[0])) if bits >> j & 1) for bits in found.sets.tolist()]
    assert set(zip(found.rows.tolist(), sets, strict=True)) == slow_minimal_uniques(rows, max_size)
    assert len(sets) == len(set(zip(found.rows.tolist(), sets, strict=True)))
