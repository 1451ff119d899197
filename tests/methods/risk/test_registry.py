"""The synthetic school registry has the shape that the paper describes."""

import numpy as np
import pytest

from withhold import samples


def test_the_registry_has_the_columns_of_the_paper() -> None:
    registry = samples.school_registry(5_000, seed=1)
    assert len(registry.codes) == len(registry.known) == 27
    assert sum(chance > 0.01 for chance in registry.known.values()) == 10
    assert len(registry.sensitive) == 19
    assert (registry.known["gender"], registry.known["age"], registry.known["dropout"]) == (0.8, 0.05, 0.005)
    assert registry.alpha == 100
    assert registry.table().n_rows == 5_000
    for name, weights in registry.sensitive.items():
        assert set(weights) <= set(registry.dictionaries[name])


def test_the_registry_is_skewed_and_repeatable() -> None:
    one, other = samples.school_registry(3_000, seed=5), samples.school_registry(3_000, seed=5)
    assert all(np.array_equal(one.codes[name], other.codes[name]) for name in one.codes)
    shares = [float((one.codes[name] == 1).mean()) for name in list(one.codes)[10:]]
    assert 0 < min(shares) < 0.01 < 0.05 < max(shares) < 0.1


@pytest.mark.parametrize("rows", [0, -1, 2.5, True])
def test_a_registry_needs_a_row(rows: object) -> None:
    with pytest.raises(ValueError, match="`rows` must be an integer of at least 1"):
        samples.school_registry(rows)  # type: ignore[arg-type]


def test_a_registry_of_one_pupil() -> None:
    assert samples.school_registry(1).table().n_rows == 1
