"""Many attackers on the same cells: luck is not taken for skill, and a few cells not for safety."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.attackers import (
    ScoringAttacker,
    SmoothedBayes,
    Target,
    View,
    are_too_few,
    attack_cells,
    holm_p_values,
    judge_together,
    standard_attackers,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.floats(0, 1), max_size=12), st.sampled_from([0.001, 0.01, 0.05, 0.3]))
def test_holm_rejects_one_after_the_other(p_values: list[float], level: float) -> None:
    left, rejected = sorted(range(len(p_values)), key=p_values.__getitem__), set()
    while left and p_values[left[0]] * len(left) < level:
        rejected.add(left.pop(0))
    assert {place for place, p in enumerate(holm_p_values(p_values)) if p < level} == rejected


class Cheat(ScoringAttacker):
    """Knows half of the true values, and tosses a coin elsewhere."""

    name, title, story = "cheat", "Cheat", ""

    def __init__(self, truth: Any, seed: int) -> None:
        rng = np.random.default_rng([seed, 1])
        self._says = np.where(rng.random(truth.size) < 0.5, truth, rng.integers(0, 2, truth.size))

    def _learn(self, problem: Any, rng: np.random.Generator) -> None:
        """Learn nothing."""

    def _score(self, rows: Any) -> Any:
        return (self._says[rows][:, np.newaxis] == np.arange(2)).astype(float)


def noise(seed: int, n_rows: int = 300, n_hidden: int = 120) -> tuple[View, Target, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n_rows)
    columns: dict[str, list[str | None]] = {"y": [None] * n_hidden + ["ab"[v] for v in truth[n_hidden:].tolist()]}
    for j in range(4):
        columns[f"x{j}"] = rng.choice(list("pqr"), n_rows).tolist()
    said = tuple("ab"[v] for v in truth[:n_hidden].tolist())
    return View.of(columns), Target(column="y", rows=np.arange(n_hidden), truth=said), truth


def test_on_noise_nobody_wins_and_a_slight_cheat_is_caught() -> None:
    n_single = n_won = n_caught = 0
    for seed in range(200):
        view, target, truth = noise(seed)
        attackers = [*standard_attackers(learners=False, informed=False), Cheat(truth, seed)]
        *honest, cheat = attack_cells(view, None, [target], attackers=attackers, rng=seed)
        n_single += any(attack.p_value < 0.01 for attack in honest)
        n_won += any(attack.beats_majority for attack in judge_together(honest))
        n_caught += cheat.beats_majority
    assert n_single > 3, "each test by itself is passed by luck too often"
    assert n_won <= 2
    assert n_caught > 120


@pytest.mark.parametrize(("n_cells", "is_ahead"), [(1, True), (5, True), (40, True), (120, False)])
def test_few_cells_that_are_all_recovered_are_marked(n_cells: int, is_ahead: bool) -> None:
    view = View.of({"drug": ["a", "b", "b"] * 60 + ["a"] * n_cells, "ill": ["yes", "no", "no"] * 60 + ["*"] * n_cells})
    target = Target(column="ill", rows=np.arange(180, 180 + n_cells), truth=("yes",) * n_cells)
    attackers = [SmoothedBayes() for _ in range(14)]
    found = attack_cells(view, None, [target], attackers=attackers, rng=1)[0]
    assert (found.n_right, found.majority_right) == (n_cells, 0)
    assert (found.is_ahead, found.beats_majority) == (is_ahead, n_cells >= 40)
    assert are_too_few(n_cells, 14) == is_ahead


def test_who_is_no_better_than_the_guess_is_not_ahead() -> None:
    view = View.of({"drug": ["a", "b", "b"] * 60 + ["b"] * 5, "ill": ["yes", "no", "no"] * 60 + ["*"] * 5})
    target = Target(column="ill", rows=np.arange(180, 185), truth=("no",) * 5)
    found = attack_cells(view, None, [target], attackers=[SmoothedBayes()], rng=1)[0]
    assert found.n_right == found.majority_right == 5
    assert not found.is_ahead
