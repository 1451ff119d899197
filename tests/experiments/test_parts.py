"""What experiments compute by themselves is right: sensitive entries, privacy models, curves."""

import numpy as np
import pytest
from experiments._judge import agreed, claim, falls, fold, growth, never_judged, rises, straightness
from experiments._mining import drawn, sensitive_entries
from experiments._models import Model, closeness, diversity, k_anonymity, local, whole

from experiments import risk_registry
from withhold.methods import fair
from withhold.samples import school_registry
from withhold.table import Grid


@pytest.mark.parametrize("seed", range(3))
def test_sensitive_entries_are_those_of_the_rules(seed: int) -> None:
    grid, mask = drawn(seed=seed, rows=500, columns=6, zipf=1.5, private=0.05)
    rules = fair(grid, mask, confidence=0.6, support=4)
    assert len(rules) > 50
    found = sensitive_entries(grid, mask, rules)
    np.testing.assert_array_equal(found, rules.sensitive)
    assert 0 < found.sum() < found.size


def models() -> list[Model]:
    registry = school_registry(3_000)
    facts = np.stack([registry.codes[name] for name in ("dropout", "retained", "suspended", "truant")], axis=1)
    return [k_anonymity(3_000, 7), diversity(facts, 4), closeness(facts, 0.1)]


@pytest.mark.parametrize("way", [local, whole])
@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
def test_every_published_group_is_allowed(model: Model, way: object) -> None:
    registry = school_registry(3_000)
    names = [name for name, chance in registry.known.items() if chance > 0.01]
    codes = np.stack([registry.codes[name] for name in names], axis=1).astype(int)
    withheld = way(codes, model)  # type: ignore[operator]
    assert 0 < withheld.mean() < 0.95
    seen = {}
    for row, published in enumerate(np.where(withheld, -1, codes).tolist()):
        seen.setdefault(tuple(published), []).append(row)
    # Records that are withheld whole are published nowhere.
    seen.pop((-1,) * len(names), None)
    for rows in seen.values():
        counts = model.facts[rows].sum(axis=0, dtype=float)
        assert model.allows(np.array([float(len(rows))]), counts[None, :]).all()


def test_a_group_that_is_too_small_is_not_allowed() -> None:
    facts = np.array([[1], [0], [0], [0]], dtype=np.uint8)
    sizes, counts = np.array([2.0, 2.0]), np.array([[1.0], [0.0]])
    assert k_anonymity(4, 3).allows(sizes, counts).tolist() == [False, False]
    assert diversity(facts, 1).allows(sizes, counts).tolist() == [True, False]
    assert closeness(facts, 0.24).allows(sizes, counts).tolist() == [False, False]
    assert closeness(facts, 0.25).allows(sizes, counts).tolist() == [True, True]


def test_curves_are_judged_by_their_shape() -> None:
    assert rises([1, 2, 2, 3])
    assert not rises([1, 2, 1.5])
    assert falls([3, 2, 2.01])
    assert growth([1, 2, 4], [3, 12, 48]) == pytest.approx(2)
    assert straightness([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert straightness([1, 2], [2, 4]) is None
    assert [claim("It is so", holds, "").verdict for holds in (True, False, None)] == [
        "holds",
        "does not hold",
        "cannot be judged",
    ]


def test_draws_that_differ_and_times_in_seconds_tell_nothing() -> None:
    assert [agreed(each) for each in ([True, True], [False], [True, False])] == [True, False, None]
    assert fold([2, 1, 3]) == 3
    assert never_judged("It takes 10 seconds", "1 s").verdict == "cannot be judged"


def test_a_risk_is_counted_with_the_fewest_and_the_most_there_can_be() -> None:
    registry = school_registry(300)
    asked = {**risk_registry.SPEC.parameters, "relative width": 0.5}
    found = risk_registry._histogram(Grid.of(registry.table()), registry, asked)
    assert sum(n for _, _, n, _, _ in found["classes"]) == 300
    assert all(least <= n <= most for _, _, n, least, most in found["classes"])
    assert any(least < most for *_, least, most in found["classes"])
