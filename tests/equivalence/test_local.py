"""Local recoding against a recount in fractions, and against the best partition of tiny tables."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slow_local import SENSITIVE, best_loss, keeps, meets, meets_sensitive

from withhold.errors import InfeasibleError
from withhold.methods.local import (
    NumberColumn,
    Promise,
    Rule,
    SetColumn,
    SuppressColumn,
    TreeColumn,
    at_least,
    at_most_share,
    distinct_values,
    entropy_of,
    equal_distance,
    is_met,
    ordered_distance,
    recode,
    recursive_values,
    taxonomy_distance,
)
from withhold.table import Taxonomy

TREE = Taxonomy.from_nested({"*": {"a": {"a1": {}, "a2": {}}, "b": {"b1": {}, "b2": {}, "b3": {}}}})
DEEP = Taxonomy.from_nested({"*": {"p": {"q": {"v": {}, "w": {}}, "x": {}}, "y": {}, "z": {}}})
KINDS = {
    "tree": TreeColumn(TREE),
    "deep": TreeColumn(DEEP, weight=2.0),
    "numbers": NumberColumn([1, 2, 5, 9, 20]),
    "snapped": NumberColumn([1, 2, 5, 9, 20], bounds=(0, 25), edges=[5, 10, 15]),
    "with missing": NumberColumn([1, 4, 6, 20], missing=True),
    "sets": SetColumn(["r", "s", "t", None]),
    "small sets": SetColumn(["r", "s", "t", "u", "v"], most=2),
    "suppress": SuppressColumn(["x", "y", "z"]),
}


def rules(whole: np.ndarray) -> list[Rule]:
    n = whole.size
    return [
        at_most_share(n, [0], 0.5),
        at_most_share(n, [1, 2], 0.6),
        distinct_values(n, 2),
        entropy_of(n, "1.5"),
        entropy_of(n, 2),
        recursive_values(n, 2, "1.5"),
        recursive_values(n, 1, 2),
        equal_distance(whole, "0.3"),
        ordered_distance(whole, "0.15"),
        taxonomy_distance(whole, "0.25", SENSITIVE),
    ]


@st.composite
def problems(draw: st.DrawFn) -> tuple[list, np.ndarray, np.ndarray, list[Promise]]:
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(4, 60)), int(rng.integers(1, 5))
    columns = [KINDS[str(rng.choice(list(KINDS)))] for _ in range(n_columns)]
    codes = np.stack([rng.integers(0, column.n_leaves, n_rows) for column in columns], axis=1).astype(np.int32)
    weights = rng.integers(1, 4, n_rows)
    promises = []
    for _ in range(int(rng.integers(1, 4))):
        chosen = tuple(int(c) for c in rng.choice(n_columns, int(rng.integers(1, n_columns + 1)), replace=False))
        lanes = rng.integers(-1, 4, n_rows).astype(np.int32)
        whole = np.bincount(lanes[lanes >= 0], weights=weights[lanes >= 0], minlength=4).astype(np.int64)
        rule = at_least(int(rng.integers(1, 7))) if rng.random() < 0.4 else rules(whole)[int(rng.integers(0, 10))]
        promises.append(Promise(rule=rule, columns=chosen, lanes=None if rule.form == 0 else lanes))
    return columns, codes, weights, promises


@given(problems(), st.sampled_from(["quick", "normal", "thorough"]))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_promise_is_kept_by_the_published_texts(problem: tuple, effort: str) -> None:
    columns, codes, weights, promises = problem
    is_feasible = all(meets(promise, weights, range(len(weights))) for promise in promises)
    if not is_feasible:
        with pytest.raises(InfeasibleError):
            recode(columns, codes, weights, promises)
        return
    made = recode(columns, codes, weights, promises, effort=effort)
    assert all(keeps(made, promise) for promise in promises)
    assert (made.low <= codes).all()
    assert (codes <= made.high).all()


@given(st.lists(st.integers(0, 6), min_size=4, max_size=4), st.integers(0, 9), st.integers(1, 10**6))
@settings(max_examples=300, deadline=None)
def test_rules_are_decided_as_fractions_decide_them(held: list[int], which: int, factor: int) -> None:
    rule = rules(np.array([3, 2, 4, 1]) * factor)[which]
    counts = np.array([sum(held), *held])
    assert is_met(rule, counts) == (sum(held) == 0 or meets_sensitive(rule, held))


@pytest.mark.parametrize("k", [2, 3])
def test_loss_is_near_the_best_of_all_partitions(k: int) -> None:
    rng = np.random.default_rng(k)
    ratios = []
    for _ in range(25):
        columns = [KINDS["tree"], KINDS["numbers"], KINDS["sets"]]
        codes = np.stack([rng.integers(0, column.n_leaves, 8) for column in columns], axis=1).astype(np.int32)
        promises = [Promise(rule=at_least(k), columns=(0, 1, 2))]
        made = recode(columns, codes, None, promises, effort="thorough")
        best = best_loss(made, codes, promises, range(3))
        ratios.append(made.loss * 3 * 8 / best)
    assert min(ratios) >= 1 - 1e-9
    assert np.mean(ratios) < 1.1
    assert max(ratios) < 1.5
