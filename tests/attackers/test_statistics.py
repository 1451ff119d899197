"""The interval and the test, against scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.attackers import mcnemar_p_value, wilson_interval
from withhold.errors import InputError

stats = pytest.importorskip("scipy.stats")
quickly = settings(max_examples=150, deadline=None, derandomize=True)


@quickly
@given(st.integers(1, 5000), st.floats(0, 1))
def test_the_interval_is_wilsons(n_tried: int, share: float) -> None:
    n_right = round(share * n_tried)
    expected = stats.binomtest(n_right, n_tried).proportion_ci(0.95, method="wilson")
    assert wilson_interval(n_right, n_tried) == pytest.approx((expected.low, expected.high), abs=1e-12)


@quickly
@given(st.integers(0, 3000), st.integers(0, 3000))
def test_the_p_value_is_the_exact_tail(n_first: int, n_second: int) -> None:
    n = n_first + n_second
    expected = stats.binomtest(n_first, n, alternative="greater").pvalue if n else 1.0
    assert mcnemar_p_value(n_first, n_second) == pytest.approx(expected, rel=1e-8, abs=1e-300)


def test_large_and_small_counts() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(7, 7)[1] == 1.0
    assert wilson_interval(0, 7)[0] == 0.0
    assert mcnemar_p_value(0, 5) == mcnemar_p_value(0, 0) == 1.0
    assert mcnemar_p_value(100_000, 0) == 0.0
    assert mcnemar_p_value(500_000, 500_000) == pytest.approx(0.5, abs=1e-3)


def test_the_interval_covers() -> None:
    rng = np.random.default_rng(5)
    for chance in (0.02, 0.3, 0.9):
        ends = [wilson_interval(int(n), 200) for n in rng.binomial(200, chance, 2000)]
        assert 0.92 < np.mean([low <= chance <= high for low, high in ends]) < 0.98


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(InputError, match="`n_right`"):
        wilson_interval(3, 2)
    with pytest.raises(InputError, match="negative"):
        mcnemar_p_value(-1, 2)
