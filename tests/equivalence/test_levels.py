"""Full-domain recoding against all combinations of levels, counted in dictionaries."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slow_levels import SlowLevels
from slow_local import SENSITIVE, meets

from withhold.errors import InfeasibleError
from withhold.methods.levels import LevelColumn, Levelled, recode_levels
from withhold.methods.local import (
    Promise,
    Rule,
    at_least,
    at_most_share,
    distinct_values,
    entropy_of,
    equal_distance,
    ordered_distance,
    recursive_values,
    taxonomy_distance,
)
from withhold.table import Taxonomy

# trees of 3, 5 and 9 leaves have prices that floats hold exactly, so that ties are ties in both versions
SMALL = Taxonomy.flat(["x", "y", "z"])
TREE = Taxonomy.from_nested({"*": {"a": {"a1": {}, "a2": {}}, "b": {"b1": {}, "b2": {}, "b3": {}}}})
DEEP = Taxonomy.from_nested({"*": {"p": {"q": {"v": {}, "w": {}}, "x": {}}, "y": {}, "z": {}}})
KINDS = [
    LevelColumn.of_taxonomy(SMALL),
    LevelColumn.of_taxonomy(TREE),
    LevelColumn.of_taxonomy(TREE, coarsest=1),
    LevelColumn.of_taxonomy(DEEP, weight=2.0),
    LevelColumn.of_taxonomy(DEEP, finest=1),
    LevelColumn.of_numbers([0, 1, 5, 8], [[2, 4, 6], [4]], missing=True, weight=0.5),
]
SHARES = [0.0, 0.1, 0.2, 0.3, 0.5, 1.0]


def sensitive(whole: np.ndarray) -> list[Rule]:
    n = whole.size
    return [
        at_most_share(n, [0], 0.5),
        at_most_share(n, [1, 2], 0.6),
        distinct_values(n, 2),
        distinct_values(n, 3),
        entropy_of(n, "1.5"),
        entropy_of(n, 2),
        recursive_values(n, 2, "1.5"),
        equal_distance(whole, "0.3"),
        ordered_distance(whole, "0.15"),
        taxonomy_distance(whole, "0.25", SENSITIVE),
    ]


def problem(seed: int, *, only_size: bool, n_most: int = 30) -> tuple[list, np.ndarray, np.ndarray, list[Promise]]:
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(4, n_most)), int(rng.integers(1, 4))
    columns = [KINDS[int(rng.integers(0, len(KINDS)))] for _ in range(n_columns)]
    # a few values are frequent, so that some groups are large and others are not
    codes = np.stack(
        [(rng.random(n_rows) ** 2 * column.n_leaves).astype(np.int32) for column in columns], axis=1
    ).astype(np.int32)
    weights = rng.integers(1, 3, n_rows)
    lanes = [rng.integers(-1, 4, n_rows).astype(np.int32) for _ in range(2)]
    promises = []
    for _ in range(int(rng.integers(1, 4))):
        chosen = tuple(int(c) for c in rng.choice(n_columns, int(rng.integers(1, n_columns + 1)), replace=False))
        held = lanes[int(rng.integers(0, 2))]
        whole = np.bincount(held[held >= 0], weights=weights[held >= 0], minlength=4).astype(np.int64)
        if only_size or rng.random() < 0.5:
            promises.append(Promise(rule=at_least(int(rng.integers(1, 7))), columns=chosen))
        else:
            rule = sensitive(whole)[int(rng.integers(0, 10))]
            promises.append(Promise(rule=rule, columns=chosen, lanes=held))
    return columns, codes, weights, promises


def slow(columns: list, codes: np.ndarray, weights: np.ndarray, promises: list[Promise], share: float) -> SlowLevels:
    return SlowLevels(columns, codes.tolist(), weights.tolist(), promises, meets, Fraction(str(share)))


def order(codes: np.ndarray, promises: list[Promise]) -> list[tuple[int, ...]]:
    read = sorted({c for promise in promises for c in promise.columns})
    answers = {id(promise.lanes): promise.lanes for promise in promises if promise.lanes is not None}
    return [tuple(line) for line in np.column_stack([codes[:, read], *answers.values()]).tolist()]


def agree(made: Levelled, other: SlowLevels, best: Fraction) -> None:
    unit = int(made.weights.sum()) * sum(column.weight for column in made.columns)
    withheld = set(np.flatnonzero(made.withheld).tolist())
    assert other.is_allowed(made.levels, withheld)
    assert float(other.loss(made.levels, withheld)) == pytest.approx(made.loss * unit)
    assert made.is_optimal
    assert made.loss * unit == pytest.approx(float(best))


@given(st.integers(0, 2**31), st.booleans(), st.sampled_from(SHARES))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_loss_is_the_smallest_of_all_combinations(seed: int, only_size: bool, share: float) -> None:
    columns, codes, weights, promises = problem(seed, only_size=only_size)
    other = slow(columns, codes, weights, promises, share)
    best = other.best(order(codes, promises)) if other.keeps(range(len(weights))) else None
    if best is None:
        with pytest.raises(InfeasibleError):
            recode_levels(columns, codes, weights, promises, most_withheld=share)
        return
    made = recode_levels(columns, codes, weights, promises, most_withheld=share)
    agree(made, other, best)
    for each in made.alternatives:
        assert each.loss >= made.loss
        found = other.withheld(each.levels, order(codes, promises))
        assert found is not None
        assert other.records(found) == each.n_withheld


@given(st.integers(0, 2**31), st.sampled_from(SHARES))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_other_choice_of_withheld_groups_loses_less_for_sizes(seed: int, share: float) -> None:
    columns, codes, weights, promises = problem(seed, only_size=True, n_most=9)
    one = [replace(promises[0], columns=tuple(range(len(columns))))]
    other = slow(columns, codes, weights, one, share)
    best = other.best_of_all_choices()
    if best is None:
        with pytest.raises(InfeasibleError):
            recode_levels(columns, codes, weights, one, most_withheld=share)
        return
    agree(recode_levels(columns, codes, weights, one, most_withheld=share), other, best)
