"""Estimators of population risk: other tools' printed figures, brute force, and bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import DataError, InputError
from withhold.population import (
    individual_risks,
    negative_binomial_risk,
    people_of,
    people_who_share,
    poisson_risk,
    population_uniques,
)

# `francdat`, which sdcMicro ships and analyses in the example of its function indivRisk (keys 2, 4, 5, 6; weights 8):
# "example from Capobianchi, Polettini and Lucarelli". Frequencies and risks as its formulas have them.
FRANCDAT = {
    "Key1": [1, 1, 1, 3, 4, 4, 6, 1],
    "Key2": [2, 2, 2, 3, 3, 3, 2, 2],
    "Key3": [5, 1, 1, 1, 1, 1, 1, 5],
    "Key4": [1, 1, 1, 5, 4, 1, 5, 1],
    "w": [18, 45.5, 39, 17, 541, 8, 5, 92],
}
FRANCDAT_RISKS = [0.017, 0.022, 0.022, 0.177, 0.012, 0.297, 0.402, 0.017]

# The table of sdcMicro's own tests (tests/testthat/test_indivRisk.R), with the figures that these expect.
TESTED = {
    "A": [2, 3, 2, 2, 3, 3, 1, 2],
    "B": [3, 3, 3, 3, 3, 3, 4, 3],
    "C": [1, 3, 1, 2, 1, 1, 1, 1],
    "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51],
}
EXACT = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297]
APPROXIMATE = 0.01369863


def test_individual_risk_is_what_other_tools_print() -> None:
    table = wh.Table.from_columns(FRANCDAT)
    found = individual_risks(table, ["Key1", "Key2", "Key3", "Key4"], weight="w")
    assert found.round(3).tolist() == FRANCDAT_RISKS
    assert wh.population_risk(table, ["Key1", "Key2", "Key3", "Key4"], weight="w").smallest == 5


def test_both_forms_are_those_of_the_other_tools_tests() -> None:
    found = individual_risks(wh.Table.from_columns(TESTED), ["A", "B", "C"], weight="w")
    assert found.round(8).tolist() == EXACT
    assert negative_binomial_risk(3, 108, form="approximate").round(8) == APPROXIMATE
    without = individual_risks(wh.Table.from_columns(TESTED), ["A", "B", "C"], sample=1.0)
    assert without.round(5).tolist() == [0.33333, 1, 0.33333, 1, 0.5, 0.5, 1, 0.33333]


def slow_negative_binomial(rows: int, people: float) -> float:
    """Sum P(F = h | f) / h term by term."""
    p = rows / people
    term, total, h = p**rows, 0.0, rows
    while h < 20 * people + 400:
        total += term / h
        term *= (1 - p) * h / (h - rows + 1)
        h += 1
    return total


def slow_poisson(rows: int, others: float) -> float:
    term, total = math.exp(-others), 0.0
    for k in range(int(others + 40 * math.sqrt(others) + 60)):
        total += term / (rows + k)
        term *= others / (k + 1)
    return total


@settings(max_examples=60, deadline=None)
@given(rows=st.integers(1, 60), weight=st.floats(1.0, 60.0))
def test_risks_are_the_mean_of_one_over_the_population_frequency(rows: int, weight: float) -> None:
    people = rows * weight
    assert negative_binomial_risk(rows, people) == pytest.approx(slow_negative_binomial(rows, people), rel=1e-9)
    others = min(people - rows, 600.0)
    assert poisson_risk(rows, others) == pytest.approx(slow_poisson(rows, others), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 50), st.floats(1, 500)), min_size=2, max_size=2),
    st.floats(0.001, 0.9),
)
def test_a_union_of_groups_is_no_riskier_than_the_worse_of_them(
    groups: list[tuple[int, float]], at_most: float
) -> None:
    risks = [float(negative_binomial_risk(rows, rows * weight)) for rows, weight in groups]
    together = negative_binomial_risk(sum(r for r, _ in groups), sum(r * w for r, w in groups))
    assert together <= max(risks) * (1 + 1e-12)


@pytest.mark.parametrize(("share", "model"), [(0.05, "pitman"), (0.3, "snb")])
def test_the_chosen_model_is_near_the_truth_of_a_population_that_fits_it(share: float, model: str) -> None:
    rng = np.random.default_rng(1)
    people = 1 + rng.negative_binomial(0.5, 0.05, size=20_000)
    if model == "pitman":
        people = _pitman_population(rng, theta=200.0, alpha=0.6, n_people=60_000)
    alone = int((people == 1).sum())
    rows = rng.binomial(people, share)
    found = population_uniques(rows[rows > 0], people.sum())
    estimate = next(each for each in found if each.model == model)
    assert estimate.n_people == pytest.approx(alone, rel=0.15)
    assert [each.model for each in found if each.is_chosen] in (["pitman"], ["snb"], ["zayatz"])


def _pitman_population(rng: np.random.Generator, *, theta: float, alpha: float, n_people: int) -> np.ndarray:
    """Seat people at tables one by one, by the Pitman process."""
    seats = np.zeros(n_people, dtype=np.int64)
    n_tables, owner = 0, np.empty(n_people, dtype=np.int64)
    for i, luck in enumerate(rng.random(n_people)):
        if luck * (theta + i) < theta + alpha * n_tables:
            place, n_tables = n_tables, n_tables + 1
        else:
            while True:  # an earlier guest, kept with the chance that a table loses alpha
                place = owner[int(rng.integers(i))]
                if rng.random() < 1 - alpha / seats[place]:
                    break
        owner[i] = place
        seats[place] += 1
    return seats[:n_tables]


def test_without_uniques_in_the_sample_no_model_finds_any() -> None:
    assert [each.n_people for each in population_uniques([2, 3, 7], 1200)] == [0, 0, 0]
    assert [each.n_people for each in population_uniques([1, 3, 7], 11)] == [1, 1, 1]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "2.0", "2", None])), min_size=1, max_size=12),
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["1", "2.0", "2", None])), min_size=1, max_size=20),
)
def test_people_who_share_are_those_that_a_loop_finds(
    sample: list[tuple[str, str | None]], people: list[tuple[str, str | None]]
) -> None:
    table = wh.Table.from_columns({"x": [x for x, _ in sample], "y": [y for _, y in sample]})
    register = wh.Table.from_columns({"x": [x for x, _ in people], "y": [y for _, y in people]})
    expected = [sum(one == other for other in people) for one in sample]
    assert people_who_share(table, register, ["x", "y"]).tolist() == expected
    parts = wh.population.people_in(table, register, ["x", "y"])
    for value in set(sample):
        rows = [i for i, one in enumerate(sample) if one == value]
        assert parts.amounts[rows].sum() == expected[rows[0]]


def test_weights_are_added_up_exactly() -> None:
    table = wh.Table.from_columns({"w": ["0.1"] * 3 + ["0.2"]})
    people = people_of(table, weight="w")
    assert people.sums(np.zeros(4, dtype=np.int64), 1).tolist() == [people.unit // 2]
    assert people_of(table, sample=0.3).n_people == pytest.approx(40 / 3)


def test_counted_people_need_no_estimate() -> None:
    table = wh.Table.from_columns({"sex": ["m", "m", "f"]})
    register = wh.Table.from_columns({"sex": ["m"] * 8 + ["f"]})
    found = wh.population_risk(table, ["sex"], population=register)
    assert (found.smallest, found.estimate("counted").largest, found.estimate("counted").unique_rows) == (1, 1, 1)
    assert found.estimate("counted").average == pytest.approx((1 / 8 + 1 / 8 + 1) / 3)


@pytest.mark.parametrize(
    ("given_as", "says"),
    [
        ({}, "give one of"),
        ({"weight": "w", "sample": 0.1}, "give one of"),
        ({"sample": 0}, "above 0 and at most 1; got 0"),
        ({"sample": 1.5}, "above 0 and at most 1; got 1.5"),
        ({"sample": float("nan")}, "above 0 and at most 1"),
        ({"weight": "weigth"}, 'no column "weigth"'),
        ({"weight": "none"}, "one is missing"),
        ({"weight": "text"}, "one is not a positive number"),
        ({"weight": "zero"}, "one is not a positive number"),
        ({"population": {"x": ["a"]}}, None),
    ],
)
def test_bad_input_is_refused_in_a_sentence(given_as: dict[str, object], says: str | None) -> None:
    columns = {"sex": ["m", "f"], "w": [1, 2], "none": ["1", None], "text": ["1", "x"], "zero": ["0", "1"]}
    table = wh.Table.from_columns(columns)
    if says is None:
        given_as, says = {"population": wh.Table.from_columns({"x": ["a"]})}, 'the population has no column "sex"'
    with pytest.raises((InputError, DataError), match=says):
        wh.population_risk(table, ["sex"], **given_as)  # type: ignore[arg-type]
    with pytest.raises(DataError, match='no column "sax"'):
        wh.population_risk(table, ["sax"], weight="w")
    with pytest.raises(InputError, match="must be a list"):
        wh.population_risk(table, "sex", weight="w")
