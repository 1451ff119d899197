"""Attackers: what they find, what they cannot, and what they never see."""

import json
import subprocess
import sys
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.attackers import (
    Attack,
    Attacker,
    DecisionTree,
    PapersBayes,
    ReducedModel,
    Rules,
    ScoringAttacker,
    SecondGuess,
    Simulate,
    SmoothedBayes,
    Target,
    View,
    attack_cells,
    bayes_recovers,
    id3_recovers,
    set_guess,
    standard_attackers,
    with_leaves,
)
from withhold.errors import InputError
from withhold.table import Taxonomy

pytest.importorskip("sklearn")

TREES = [
    Taxonomy.from_nested({"ANY": {"x": {}, "y": {}, "z": {}}}),
    Taxonomy.from_nested({"ANY": {"xy": {"x": {}, "y": {}}, "z": {}}}),
    Taxonomy.from_nested({"ANY": {"only": {"x": {}}, "yzw": {"y": {}, "zw": {"z": {}, "w": {}}}}}),
]
NAMES = [attacker.name for attacker in standard_attackers()]
BLIND = NAMES[:12]
"""The attackers who expect no promise."""


def named(name: str) -> Attacker:
    return next(attacker for attacker in standard_attackers() if attacker.name == name)


def planted(
    n_rows: int = 400, n_hidden: int = 80, *, strength: float = 0.9, gaps: float = 0.05, seed: int = 1
) -> tuple[View, Target]:
    """A column that two others determine in part, one of them a number; the cells of its first rows are hidden."""
    rng = np.random.default_rng(seed)
    ill = rng.choice(["flu", "none", "stroke"], n_rows, p=[0.3, 0.4, 0.3])
    follows = rng.random((2, n_rows)) < strength
    ward = np.where(follows[0], np.char.add("w", ill), rng.choice(["wflu", "wnone", "wstroke"], n_rows))
    age = np.where(follows[1] & (ill == "stroke"), "[60, 90]", np.where(follows[1], "[0, 60)", "[40, 70)"))
    columns: dict[str, list[str | None]] = {
        "ill": [None if i < n_hidden else str(value) for i, value in enumerate(ill)],
        "ward": [str(value) for value in ward],
        "age": [str(value) for value in age],
        "noise": [f"n{value}" for value in rng.integers(0, 12, n_rows)],
    }
    for name in ("ward", "age", "noise"):
        blank = rng.random(n_rows) < gaps
        columns[name] = [None if b else cell for b, cell in zip(blank, columns[name], strict=True)]
    rows = np.arange(n_hidden)
    return View.of(columns), Target(column="ill", rows=rows, truth=tuple(str(value) for value in ill[:n_hidden]))


def attack(name: str, view: View, target: Target, **options: Any) -> Attack:
    return attack_cells(view, None, [target], attackers=[named(name)], rng=7, **options)[0]


@pytest.mark.parametrize("name", BLIND)
def test_an_attacker_beats_the_majority_where_columns_tell_and_not_where_they_do_not(name: str) -> None:
    found = attack(name, *planted())
    assert found.beats_majority, found
    assert found.rate > 0.7
    assert found.low < found.rate < found.high
    noise = attack(name, *planted(strength=0.0))
    assert not noise.beats_majority
    assert noise.rate < 0.6


# The named adversaries are the exact ones


@st.composite
def published(draw: st.DrawFn, *, generalised: bool) -> tuple[View, list[str], int]:
    n_rows, n_columns = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    gaps = draw(st.sampled_from([0.0, 0.2, 0.6]))
    n_hidden = draw(st.integers(1, n_rows))
    trees, columns, truth = {}, {}, []
    for j in range(n_columns):
        tree = draw(st.sampled_from([*TREES, None])) if generalised else None
        tree = TREES[2] if generalised and j == 0 else tree
        leaves = list("xyzw") if tree is None else [str(leaf) for leaf in tree.leaves]
        cells: list[str | None] = [str(value) for value in rng.choice(leaves, n_rows)]
        truth = [str(cell) for cell in cells] if j == 0 else truth
        for i in range(n_rows):
            if rng.random() < gaps or (j == 0 and i < n_hidden):
                cells[i] = None
            if tree is not None and (rng.random() < 0.3):
                node = tree.node(truth[i] if j == 0 else str(rng.choice(leaves)))
                label = tree.labels[tree.ancestor(node, 1)]
                cells[i] = None if label == "ANY" else label
        columns[f"c{j}"] = cells
        if tree is not None:
            trees[f"c{j}"] = tree
    return View.of(columns, taxonomies=trees), truth, n_hidden


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.booleans().flatmap(lambda generalised: published(generalised=generalised)))
def test_named_adversaries_say_what_the_exact_ones_recover(drawn: tuple[View, list[str], int]) -> None:
    view, _, n_hidden = drawn
    view = with_leaves(view, "c0")
    rows = np.arange(n_hidden)
    rng = np.random.default_rng(0)
    for attacker, recovers in ((PapersBayes(), bayes_recovers), (DecisionTree(), id3_recovers)):
        said = attacker.fit(view, "c0", view.columns, rng=rng).guess(rows)
        for row, code in enumerate(said.tolist()):
            may_be_said = [
                value for value in "xyzw" if recovers(view, "c0", [row], [value], predictors=view.columns).all()
            ]
            is_said = [] if code < 0 else [view.labels[0][code]]
            assert is_said == may_be_said if len(may_be_said) < 2 else set(is_said) <= set(may_be_said)


# Candidates


@pytest.mark.parametrize("name", NAMES)
def test_only_values_below_the_published_node_are_said(name: str) -> None:
    rng = np.random.default_rng(3)
    value = rng.choice(list("xyzw"), 300, p=[0.7, 0.1, 0.1, 0.1])
    coarse = np.where(value == "x", "only", "yzw")
    cells = [str(c) if i < 60 else str(v) for i, (c, v) in enumerate(zip(coarse, value, strict=True))]
    view = View.of({"a": cells, "b": [str(v) for v in rng.integers(0, 4, 300)]}, taxonomies={"a": TREES[2]})
    view = with_leaves(view, "a")
    said = named(name).fit(view, "a", ["b"], rng=rng).guess(np.arange(60))
    for row, code in enumerate(said.tolist()):
        allowed = {"x"} if coarse[row] == "only" else {"y", "z", "w"}
        assert code < 0 or view.labels[0][code] in allowed
    assert (said[coarse[:60] == "only"] >= 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_column_without_labels_gets_no_guess(name: str) -> None:
    view = View.of({"a": [None] * 5, "b": ["x", "y", None, "x", "y"], "c": [None] * 5})
    attacker = named(name).fit(view, "a", ["b", "c"], rng=np.random.default_rng(0))
    assert attacker.guess(np.arange(5)).tolist() == [-1] * 5
    assert attacker.guess(np.arange(0)).tolist() == []


@pytest.mark.parametrize("name", NAMES)
def test_odd_tables_are_no_trouble(name: str) -> None:
    one_label = View.of({"a": [None, "x", "x"], "b": ["u", "u", None]})
    no_predictor = View.of({"a": [None, "x", "y", "x"]})
    all_blank = View.of({"a": [None, "x", "y", "x"], "b": [None] * 4})
    for view in (one_label, no_predictor, all_blank):
        said = named(name).fit(view, "a", view.columns, rng=np.random.default_rng(0)).guess(np.array([0]))
        assert said.shape == (1,)
        assert -1 <= said[0] < len(view.labels[0])


# Repeatable


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_repeats_and_the_order_of_columns_does_not_matter(name: str) -> None:
    view, target = planted(n_rows=200, n_hidden=60, strength=0.5)
    first, again = attack(name, view, target), attack(name, view, target)
    assert (first.n_right, first.columns) == (again.n_right, again.columns)
    if name in ("id3", "second-guess", "second-guess-where-blanked", "simulate"):
        return  # the earlier column wins a tie of ID3
    order = [2, 0, 3, 1]
    turned = View(
        tuple(view.columns[j] for j in order),
        [view.codes[j] for j in order],
        [view.labels[j] for j in order],
        [None] * 4,
    )
    assert attack(name, turned, target).n_right == first.n_right


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("random-forest", "fill-in", "linear-svm")])
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    view, target = planted(n_rows=200, n_hidden=60, strength=0.5)
    turn = np.random.default_rng(4).permutation(view.n_rows)
    turned = View(view.columns, [codes[turn] for codes in view.codes], view.labels, view.trees)
    place = np.argsort(turn)
    moved = Target(column="ill", rows=place[target.rows], truth=target.truth)
    assert attack(name, turned, moved).n_right == attack(name, view, target).n_right


# Informed attackers


def protected(n_rows: int = 600, n_hidden: int = 100) -> tuple[View, Target]:
    """A column of two values whose hidden cells were protected from naive Bayes by blanks in their rows."""
    rng = np.random.default_rng(2)
    value = rng.random(n_rows) < 0.5
    hints = [np.where(rng.random(n_rows) < 0.85, value, ~value) for _ in range(3)]
    texts = {"ill": [None if i < n_hidden else "ny"[int(v)] for i, v in enumerate(value)]}
    for j, hint in enumerate(hints):
        # A hidden row keeps only what speaks for the other value.
        blank = (np.arange(n_rows) < n_hidden) & (hint == value)
        texts[f"h{j}"] = [None if b else "ab"[int(h)] for b, h in zip(blank, hint, strict=True)]
    return View.of(texts), Target(
        column="ill", rows=np.arange(n_hidden), truth=tuple("ny"[int(v)] for v in value[:100])
    )


def test_where_two_values_are_protected_the_second_guess_is_right() -> None:
    view, target = protected()
    unsure = bayes_recovers(view, "ill", target.rows, target.truth, predictors=view.columns)
    other = ["n" if value == "y" else "y" for value in target.truth]
    is_wrong = bayes_recovers(view, "ill", target.rows, other, predictors=view.columns)
    by_tree = id3_recovers(view, "ill", target.rows, target.truth, predictors=view.columns)
    rows = target.rows[is_wrong & ~unsure & ~by_tree]
    assert rows.size > 20
    truth = tuple(target.truth[row] for row in rows.tolist())
    chosen = Target(column="ill", rows=rows, truth=truth)
    outcome = {each.attacker: each.rate for each in attack_cells(view, None, [chosen], rng=1)}
    assert outcome["naive-bayes"] == 0.0
    assert outcome["second-guess"] > 0.9
    assert outcome["simulate"] > 0.9
    assert outcome["second-guess"] > outcome["naive-bayes-smoothed"] + 0.5


def test_without_a_named_classifier_nobody_is_informed() -> None:
    blind = [attacker.name for attacker in standard_attackers(informed=False)]
    assert [attacker.name for attacker in standard_attackers(against=())] == blind
    assert "fill-in" in blind, "it knows no promise"
    assert "fill-in" not in [attacker.name for attacker in standard_attackers(learners=False)]


@pytest.mark.parametrize("shape", ["[{}, {}]", "[{}, {}[", "{}-{}", "{} to {}"])
def test_learners_read_intervals_as_other_tools_write_them(shape: str) -> None:
    rng = np.random.default_rng(2)
    low = rng.integers(0, 300, 700)
    truth = np.where(low < 150, "young", "old")
    cells = [shape.format(each, each + 9) for each in low.tolist()]  # hardly any of them occurs twice
    view = View.of({"ill": [None] * 100 + truth[100:].tolist(), "age": cells})
    target = Target(column="ill", rows=np.arange(100), truth=tuple(truth[:100].tolist()))
    assert attack("random-forest", view, target).rate > 0.95


def test_a_model_of_the_columns_that_a_row_shows_finds_what_a_model_of_all_columns_overlooks() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 900)
    near = np.where(rng.random(900) < 0.9, truth, 1 - truth)
    # Beside `near` a value of `far` speaks against what it speaks for by itself, where `near` is blank.
    far = np.where((near == truth) & (rng.random(900) < 0.2), 1 - near, near)
    texts = {name: ["pq"[v] for v in codes.tolist()] for name, codes in (("y", truth), ("near", near), ("far", far))}
    target = Target(column="y", rows=np.arange(150), truth=tuple(texts["y"][:150]))
    blank = [None] * 150
    view = View.of({"y": blank + texts["y"][150:], "near": blank + texts["near"][150:], "far": texts["far"]})
    assert attack("logistic-regression", view, target).rate < 0.5
    assert attack("reduced-model", view, target).rate > 0.6


def test_rare_patterns_of_blanks_are_left_to_one_model() -> None:
    class Few(ReducedModel):
        most_patterns = 1

    asked: list[list[str]] = []

    class Asked(SmoothedBayes):
        def fit(self, view: View, column: str, predictors: Any, *, rng: np.random.Generator) -> Any:
            asked.append(list(predictors))
            return super().fit(view, column, predictors, rng=rng)

    cells = {"a": ["u", None, "u", *"uv" * 9], "b": ["x", "x", None, *"xy" * 9], "ill": [*[None] * 3, *"pq" * 9]}
    attacker = Few(Asked).fit(View.of(cells), "ill", ["b", "a", "ill"], rng=np.random.default_rng(1))
    said = attacker.guess(np.array([1, 0, 1, 2, 1]))
    assert asked == [["b"], ["a", "b"]]
    assert said.tolist() == [0] * 5
    assert attacker.guess(np.array([], dtype=np.int64)).tolist() == []


def test_boosting_learns_from_small_tables() -> None:
    rng = np.random.default_rng(5)
    truth = rng.choice(["a", "b"], 60)
    hint = np.where(rng.random(60) < 0.95, truth, "c")
    view = View.of({"y": [None] * 30 + truth[30:].tolist(), "x": hint.tolist()})
    target = Target(column="y", rows=np.arange(30), truth=tuple(truth[:30].tolist()))
    assert attack("boosting", view, target).rate > 0.85


def test_only_the_adversaries_of_the_policy_are_struck() -> None:
    view = View.of({"a": ["u"] * 3 + [None], "ill": ["x", "y", "y", None]})
    rng = np.random.default_rng(1)
    said = {
        against: SecondGuess(against=against).fit(view, "ill", ["a"], rng=rng).guess(np.array([3])).tolist()
        for against in ((), ("naive-bayes",), ("id3",))
    }
    assert said == {(): [1], ("naive-bayes",): [0], ("id3",): [0]}


def test_the_informed_never_say_what_a_named_adversary_says() -> None:
    view, target = planted(strength=0.6)
    rng = np.random.default_rng(1)
    bayes = PapersBayes().fit(view, "ill", view.columns, rng=rng).guess(target.rows)
    tree = DecisionTree().fit(view, "ill", view.columns, rng=rng).guess(target.rows)
    for attacker in (SecondGuess(), Simulate()):
        said = attacker.fit(view, "ill", view.columns, rng=rng).guess(target.rows)
        assert not ((said >= 0) & ((said == bayes) | (said == tree))).any()


# The run


class Spy(ScoringAttacker):
    """Keeps what it is shown."""

    name, title, story = "spy", "Spy", ""
    most_rows = 1000

    def __init__(self) -> None:
        self.seen: list[View] = []

    def _learn(self, problem: Any, rng: np.random.Generator) -> None:
        self.seen.append(problem.view)

    def _score(self, rows: Any) -> Any:
        return np.zeros((len(rows), self._problem.classes.size))


@pytest.mark.parametrize("max_train", [None, 50])
def test_the_truth_never_reaches_an_attacker(max_train: int | None) -> None:
    columns = {"ill": [f"secret{i}" for i in range(100)], "a": ["u", "v"] * 50}
    original = View.of(columns)
    release = View.of({**columns, "ill": [None] * 40 + columns["ill"][40:]})
    target = Target(column="ill", rows=np.arange(40), truth=tuple(columns["ill"][:40]))
    spy = Spy()
    attack_cells(release, original, [target], attackers=[spy], max_train=max_train, rng=1)
    assert len(spy.seen) == 2
    for view in spy.seen:
        position = view.position("ill")
        held = {view.labels[position][code] for code in view.codes[position].tolist() if code >= 0}
        assert not held & set(target.truth)


def test_before_and_after_are_distinguished() -> None:
    view, target = planted()
    blank = np.full(view.n_rows, -1)
    release = View(view.columns, [view.codes[0], blank, blank, view.codes[3]], view.labels, view.trees)
    for found in attack_cells(release, view, [target], attackers=[SmoothedBayes(), Rules()], rng=1):
        assert found.before_right is not None
        assert found.before_right > found.n_right
        assert found.before_p_value is not None
        assert found.before_p_value < 0.01 < found.p_value
        assert json.loads(json.dumps(asdict(found)))["columns"][0]["before_right"] == found.before_right


def test_samples_of_cells_and_rows_are_noted() -> None:
    view, target = planted(n_rows=2000, n_hidden=500)
    said: list[str] = []
    found = attack_cells(
        view, None, [target], attackers=[Rules()], max_train=300, max_cells=90, rng=2, progress=said.append
    )[0]
    assert (found.n_cells, found.n_tried) == (500, 90)
    assert (found.trained_on, found.note) == (300, "trained on a sample of 300 rows")
    assert said == ["Association rules: ill"]
    full = attack_cells(view, None, [target], attackers=[Rules()], rng=2)[0]
    assert abs(found.rate - full.rate) < 0.15
    assert (full.trained_on, full.note) == (None, "")


def test_who_counts_sees_all_rows_and_learners_a_sample() -> None:
    view, target = planted(n_rows=2000, n_hidden=100)
    few, full = (
        {each.attacker: each for each in attack_cells(view, None, [target], max_train=cap, rng=2)} for cap in (60, None)
    )
    counting = ["naive-bayes", "naive-bayes-smoothed", "naive-bayes-known", "id3"]
    counting += ["second-guess", "second-guess-where-blanked", "simulate"]
    assert {name for name, each in few.items() if each.trained_on is None} == set(counting)
    assert all(few[name].n_right == full[name].n_right for name in counting)


def test_columns_add_up_and_a_published_cell_is_read_off() -> None:
    view, target = planted(n_hidden=50)
    other = Target(column="noise", rows=np.array([300, 301]), truth=tuple(
        view.labels[3][code] if code >= 0 else "?" for code in view.codes[3][[300, 301]].tolist()
    ))  # fmt: skip
    found = attack_cells(view, None, [target, other], attackers=[SmoothedBayes()], rng=1)[0]
    assert sum(each.n_right for each in found.columns) == found.n_right
    assert found.columns[1].n_right == found.columns[1].majority_right == 2
    assert "2 cells of noise are published" in found.note


def test_a_release_does_not_lower_its_own_yardstick() -> None:
    rng = np.random.default_rng(3)
    truth = rng.choice(["a", "b", "c"], 2000, p=[0.55, 0.3, 0.15])
    is_lost = (np.arange(2000) < 300) | ((truth == "a") & (rng.random(2000) < 0.85))
    noise = rng.choice(list("pq"), 2000).tolist()
    release = View.of({"y": np.where(is_lost, "*", truth).tolist(), "x": noise})
    before = View.of({"y": truth.tolist(), "x": noise})
    target = Target(column="y", rows=np.arange(300), truth=tuple(truth[:300].tolist()))
    found = attack_cells(release, before, [target], attackers=[SmoothedBayes()], rng=1)[0]
    assert found.release_majority_right == (truth[:300] == "b").sum()
    assert found.table_majority_right == (truth[:300] == "a").sum() == found.majority_right
    assert found.columns[0].majority_right == found.majority_right
    alone = attack_cells(release, None, [target], attackers=[SmoothedBayes()], rng=1)[0]
    assert (alone.majority_right, alone.table_majority_right) == (found.release_majority_right, None)


def test_the_guess_says_what_the_published_node_leaves() -> None:
    tree = Taxonomy.from_nested({"ANY": {"xy": {"x": {}, "y": {}}, "zw": {"z": {}, "w": {}}}})
    cells = ["xy", "zw", "*", *["x"] * 3, *["y"] * 4, *["z"] * 9, *["w"] * 2]
    release = View.of({"a": cells}, taxonomies={"a": tree})
    before = View.of({"a": ["x", "w", "w", *["x"] * 20, *cells[6:]]}, taxonomies={"a": tree})
    before = View(before.columns, [before.codes[0][: release.n_rows]], before.labels, before.trees)
    target = Target(column="a", rows=np.arange(3), truth=("x", "z", "z"))
    found = attack_cells(release, before, [target], attackers=[SmoothedBayes()], rng=1)[0]
    assert found.release_majority_right == 2, "y below xy, z below zw, z of all"
    assert found.table_majority_right == 1, "x below xy; of z and w neither occurs; x of all"


def test_nothing_to_attack() -> None:
    view, _ = planted(n_rows=50, n_hidden=5)
    found = attack_cells(view, None, [], attackers=[SmoothedBayes()], rng=1)[0]
    assert (found.n_tried, found.rate, found.low, found.high, found.p_value) == (0, 0.0, 0.0, 1.0, 1.0)
    with pytest.raises(InputError, match="Target: 2 rows"):
        Target(column="a", rows=np.array([1, 2]), truth=("x",))
    with pytest.raises(InputError, match='no column "il"; did you mean "ill"'):
        attack_cells(view, None, [Target(column="il", rows=np.array([1]), truth=("x",))], rng=1)


def test_columns_of_many_values_stay_small() -> None:
    rng = np.random.default_rng(6)
    n_rows = 3000
    texts = {"id": [f"p{i}" for i in range(n_rows)], "zip": [str(z) for z in rng.integers(0, 1500, n_rows)]}
    city = [None if i < 50 else f"c{int(z) % 90}" for i, z in enumerate(texts["zip"])]
    view = View.of({**texts, "city": city})
    target = Target(column="city", rows=np.arange(50), truth=tuple(f"c{int(z) % 90}" for z in texts["zip"][:50]))
    for found in attack_cells(view, None, [target], max_train=1000, rng=1):
        assert found.n_tried == 50
        assert found.seconds < 20


def test_without_the_extra_the_learners_are_left_out_with_a_note() -> None:
    code = """
import sys
sys.modules["sklearn"] = None
import numpy as np
from withhold.attackers import Target, View, attack_cells
view = View.of({"a": ["u", "v"] * 9, "b": ["x", "y"] * 8 + [None, None]})
target = Target(column="b", rows=np.array([16, 17]), truth=("x", "y"))
for found in attack_cells(view, view, [target], rng=1):
    print(found.attacker, found.n_tried, found.note)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    lines = out.strip().splitlines()
    assert "naive-bayes 2 " in lines
    assert [line.split()[0] for line in lines if line.endswith(" 0 left out: needs the extra audit")] == [
        "logistic-regression",
        "linear-svm",
        "random-forest",
        "boosting",
        "fill-in",
        "reduced-model",
    ]


def test_a_blind_guess_from_published_sets() -> None:
    assert set_guess([{"a", "b"}, ["c"], 4]) == pytest.approx((0.5 + 1 + 0.25) / 3)
    assert set_guess([]) == 0.0
    with pytest.raises(InputError, match="at least one value"):
        set_guess([2, set()])


def test_a_number_column_that_is_blank_in_every_row_that_trains_stops_nobody() -> None:
    rng = np.random.default_rng(0)
    ill = rng.choice(["flu", "none"], 80)
    age = [None] * 60 + [str(20 + row) for row in range(20)]
    columns = {"age": age, "ill": [*ill[:60].tolist(), *([None] * 20)], "sex": rng.choice(["f", "m"], 80).tolist()}
    target = Target(column="ill", rows=np.arange(60, 80), truth=tuple(ill[60:].tolist()))
    found = attack_cells(View.of(columns), None, [target], rng=1)
    assert all(attack.n_tried == 20 for attack in found)
