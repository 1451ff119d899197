"""A target that is a number: the search, the prices of local recoding and the metric against exact slow versions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slow_tds import slow_tds
from test_tds import problems, table_of

from withhold import Anonymity
from withhold.errors import InfeasibleError
from withhold.methods import tds
from withhold.metrics import variance_explained
from withhold.releasing._target_moments import Moments


@st.composite
def problems_of_numbers(draw: st.DrawFn) -> dict:
    problem = draw(problems())
    values = st.sampled_from(draw(st.sampled_from([[0, 1, 2.5, 10, None], [1_000_000.25, 1_000_000.5, -3, 7]])))
    for row in problem["rows"]:
        row["class"] = draw(values)
    return problem | {"target": "class", "target_kind": "number"}


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems_of_numbers())
def test_the_search_for_a_number_makes_the_same_steps_as_the_slow_version(problem: dict) -> None:
    if all(row["class"] is None for row in problem["rows"]):
        return
    slow = slow_tds(**problem)
    requirements = [Anonymity(columns=columns, k=k) for columns, k in problem["requirements"]]
    options = {name: problem[name] for name in ("target", "target_kind", "score", "splits", "max_steps")}
    if not slow.feasible:
        with pytest.raises(InfeasibleError):
            tds(table_of(problem), requirements, **options)
        return
    fast = tds(table_of(problem), requirements, **options)
    assert [(s.column, s.value, list(s.children)) for s in fast.steps] == [
        (s.column, s.value, list(s.children)) for s in slow.steps
    ]
    for ours, theirs in zip(fast.steps, slow.steps, strict=True):
        assert math.isclose(ours.gain, theirs.gain, abs_tol=1e-9)
        assert math.isclose(ours.score, theirs.score, abs_tol=1e-9)


def squares(numbers: list[Fraction]) -> Fraction:
    mean = sum(numbers, Fraction(0)) / max(len(numbers), 1)
    return sum(((number - mean) ** 2 for number in numbers), Fraction(0))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-50, 50)), min_size=2, max_size=40))
def test_what_is_explained_and_what_a_range_loses_are_sums_of_squares(rows: list[tuple[int, int]]) -> None:
    cells, numbers = np.array([cell for cell, _ in rows]), np.array([float(number) for _, number in rows])
    held = [[Fraction(number) for at, number in rows if at == cell] for cell in range(5)]
    whole, within = squares([Fraction(number) for _, number in rows]), sum(map(squares, held), Fraction(0))
    expected = float(1 - within / whole) if whole else 0.0
    assert math.isclose(variance_explained(cells, numbers), expected, abs_tol=1e-9)
    n_used = sum(bool(each) for each in held)
    noise = within / max(len(rows) - n_used, 1)
    ranges = [(first, last) for first in range(5) for last in range(first + 1, 6)]
    lost = Moments(cells, numbers, np.ones(len(rows)), 5).lost(*(np.array(ends) for ends in zip(*ranges, strict=True)))
    for (first, last), found in zip(ranges, lost.tolist(), strict=True):
        inside = [number for each in held[first:last] for number in each]
        n_cells = sum(bool(each) for each in held[first:last])
        gone = squares(inside) - sum(map(squares, held[first:last]), Fraction(0)) - max(n_cells - 1, 0) * noise
        share = max(gone, Fraction(0)) / (max(len(inside), 1) * whole / len(rows)) if whole else Fraction(0)
        assert math.isclose(found, float(share), abs_tol=1e-7)
