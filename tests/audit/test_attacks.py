"""Attacks that an audit makes: what they find, against the obvious way to compute it."""

from collections import Counter
from itertools import combinations
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import withhold as wh
from withhold.attackers import Attacker, View, standard_attackers
from withhold.auditing import Homogeneity, Linkage, _examine
from withhold.auditing._count_uniques import count_uniques
from withhold.cli._show import _interval
from withhold.report import audit_report, report_json, report_page

VALUES = st.sampled_from(["a", "b", "c", "*", None])
HIDDEN = [(row, "ill") for row in range(0, 400, 8)]
ROWS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=2, max_size=25)


@given(ROWS)
@settings(max_examples=150, deadline=None)
def test_unique_sets_are_those_of_brute_force(rows: list[tuple[str | None, ...]]) -> None:
    columns = {name: [row[i] for row in rows] for i, name in enumerate("xyz")}
    found = count_uniques(View.of(columns), list("xyz"))
    sets: Counter[int] = Counter()
    by_column: Counter[str] = Counter()
    alone: dict[int, set[int]] = {1: set(), 2: set(), 3: set()}
    for row in rows_of(columns):
        unique = [chosen for chosen in subsets("xyz") if is_alone(columns, row, chosen)]
        minimal = [chosen for chosen in unique if not any(set(other) < set(chosen) for other in unique)]
        for chosen in minimal:
            sets[len(chosen)] += 1
            by_column.update(chosen)
        for chosen in unique:
            alone[len(chosen)].add(row)
    assert found.sets == (sets[1], sets[2], sets[3])
    assert found.by_column == {name: by_column[name] for name in "xyz"}
    assert found.rows == (len(alone[1]), len(alone[1] | alone[2]), len(alone[1] | alone[2] | alone[3]))


def rows_of(columns: dict[str, list[str | None]]) -> range:
    return range(len(columns["x"]))


def subsets(names: str) -> list[tuple[str, ...]]:
    return [chosen for size in (1, 2, 3) for chosen in combinations(names, size)]


def is_alone(columns: dict[str, list[str | None]], row: int, chosen: tuple[str, ...]) -> bool:
    own = [columns[name][row] for name in chosen]
    if any(value is None or value == "*" for value in own):
        return False
    return sum([columns[name][other] for name in chosen] == own for other in rows_of(columns)) == 1


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_linkage_and_homogeneity_are_those_of_counting(rows: list[tuple[str | None, ...]]) -> None:
    frame = pd.DataFrame(rows, columns=["x", "y", "s"], dtype=object)
    policy = wh.Policy([wh.Anonymity(columns=["x", "y"], k=2)], target="s")
    audit = wh.audit(frame, policy)
    groups: dict[tuple[str | None, ...], list[str | None]] = {}
    for x, y, s in rows:
        groups.setdefault((x, y), []).append(s)
    (link,) = [attack for attack in audit.attacks if isinstance(attack, Linkage)]
    assert link.rate == pytest.approx(sum(1 / len(groups[row[:2]]) for row in rows) / len(rows))
    assert link.narrowed_to == pytest.approx(sum(len(groups[row[:2]]) for row in rows) / len(rows))
    assert link.unique_rows == sum(len(held) == 1 for held in groups.values())
    (reported,) = [attack for attack in audit.attacks if isinstance(attack, Homogeneity)]
    known = {group: [s for s in held if s not in (None, "*")] for group, held in groups.items()}
    n_known = sum(len(held) for held in known.values())
    n_right = sum(Counter(held).most_common(1)[0][1] for held in known.values() if held)
    assert reported.n_rows == n_known
    assert reported.rate == pytest.approx(n_right / n_known if n_known else 0)
    assert reported.certain_rows == sum(len(held) for held in known.values() if len(set(held)) == 1)
    assert reported.single_rows == sum(len(held) == 1 for held in known.values())


def dependent(n_rows: int = 400, seed: int = 3) -> pd.DataFrame:
    """Return a table in which `ill` follows from `drug`, and `noise` from nothing."""
    rng = np.random.default_rng(seed)
    drug = rng.choice(list("abcd"), n_rows)
    ill = np.where(rng.random(n_rows) < 0.9, np.char.add("ill-", drug), "ill-a")
    return pd.DataFrame(
        {"drug": drug, "ward": rng.choice(list("xyz"), n_rows), "ill": ill, "noise": rng.choice(list("pqrs"), n_rows)}
    ).astype(object)


def test_attackers_win_where_only_the_hidden_cells_are_blank_and_named_ones_fail_on_a_release() -> None:
    frame = dependent()
    policy = wh.Policy(
        [
            wh.Hidden(
                cells=HIDDEN,
                against=[wh.Against(adversary="naive-bayes"), wh.Against(adversary="id3")],
            )
        ],
        target="noise",
    )
    made = wh.release(frame, policy, rng=1)
    audit = wh.audit(made.to_frame(), policy, original=frame, rng=1)
    assert audit.ok
    found = {attack.attacker: attack for attack in audit.cell_attacks if attack.scope == "hidden"}
    assert {name for name, attack in found.items() if attack.is_named} == {"naive-bayes", "id3"}
    for name in ("naive-bayes", "id3", "rules", "logistic-regression", "random-forest", "boosting"):
        assert found[name].before_rate > 0.8, name
        assert found[name].before_p_value < 0.01, name
    for name in ("naive-bayes", "id3"):
        assert not found[name].beats_majority
    assert all(attack.n_cells == len(HIDDEN) for attack in found.values())


def test_the_informed_strike_what_the_policy_promises_and_nothing_more() -> None:
    frame = dependent().assign(hint=lambda each: each["ill"])
    hidden = wh.Hidden(cells=HIDDEN, predictors=["ward"], against=[wh.Against(adversary="naive-bayes")])
    policy = wh.Policy([hidden])
    audit = wh.audit(wh.release(frame, policy, rng=1).to_frame(), policy, original=frame, rng=1)
    assert audit.ok
    found = {attack.attacker: attack for attack in audit.cell_attacks if attack.scope == "hidden"}
    assert found["naive-bayes"].is_named
    assert not found["naive-bayes"].beats_majority, "it predicts from what the policy names"
    assert found["naive-bayes-smoothed"].rate > 0.8, "with a column that the policy does not let the named predict from"
    assert found["second-guess"].rate > 0.8, "naive Bayes fails with `ward`; what it says with `hint` may be true"


def test_a_naive_release_is_caught_by_the_attacks_and_by_the_check() -> None:
    frame = dependent()
    policy = wh.Policy([wh.Hidden(cells=HIDDEN, against=[wh.Against(adversary="naive-bayes")])], target="noise")
    naive = frame.copy()
    naive.loc[[row for row, _ in HIDDEN], "ill"] = "*"
    audit = wh.audit(naive, policy, original=frame, rng=1)
    assert not audit.ok
    boosting = next(attack for attack in audit.cell_attacks if attack.attacker == "boosting")
    assert boosting.beats_majority
    assert boosting.rate == boosting.before_rate > 0.8


def test_a_seed_repeats_an_audit_and_quick_is_a_sample() -> None:
    frame = dependent(3000)
    policy = wh.Policy(
        [wh.Hidden(column="ill", where="noise <> 'q'", against=[wh.Against(adversary="naive-bayes")])], target="noise"
    )
    naive = frame.copy()
    naive.loc[naive["noise"] != "q", "ill"] = "*"
    one, two = (wh.audit(naive, policy, original=frame, quick=True, rng=5) for _ in range(2))
    assert [a.n_right for a in one.cell_attacks] == [a.n_right for a in two.cell_attacks]
    assert one.utility is not None
    assert one.utility.learners[0].base == two.utility.learners[0].base
    assert all(attack.n_tried == 2000 < attack.n_cells for attack in one.cell_attacks if attack.n_tried)


def test_values_that_the_release_never_names_are_not_measured() -> None:
    frame = dependent()
    gone = frame.assign(drug=frame["drug"].replace({"a": "*", "b": "*"}))
    policy = wh.Policy([wh.Anonymity(columns=["noise"], k=2)])
    audit = wh.audit(gone, policy, original=frame, rng=1)
    assert audit.cell_attacks == ()
    reported = (
        "other withheld cells: not measured; these 2 values occur nowhere in the release, so that no learner can "
    )
    assert f"{reported}name them." in audit.notes
    gone.loc[:9, "ill"] = "*"
    some = wh.audit(gone, policy, original=frame, rng=1)
    assert {attack.n_cells for attack in some.cell_attacks} == {10}
    n_lost = int((gone["drug"] == "*").sum())
    assert any(note.startswith(f"other withheld cells: {n_lost} of {n_lost + 10} were") for note in some.notes)


@pytest.mark.parametrize(
    ("ends", "reported"), [((0.0, 0.004), "below 1 %"), ((0.995, 1.0), "above 99 %"), ((0.1, 0.255), "10–26 %")]
)
def test_an_interval_that_rounds_to_nothing_is_put_in_words(ends: tuple[float, float], reported: str) -> None:
    assert _interval(*ends) == reported


def test_a_quick_audit_does_not_contradict_its_own_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(**options: Any) -> list[Attacker]:
        return [each for each in standard_attackers(**options) if each.name in ("naive-bayes", "second-guess", "rules")]

    monkeypatch.setattr(_examine, "QUICK_ROWS", 150)
    monkeypatch.setattr(_examine, "standard_attackers", few)
    frame = dependent(1500)
    cells = [(row, "ill") for row in range(0, 1500, 15)]
    policy = wh.Policy([wh.Hidden(cells=cells, against=["naive-bayes"])])
    made = wh.release(frame, policy, rng=1)
    quick, full = (wh.audit(made.to_frame(), policy, original=frame, quick=quick, rng=1) for quick in (True, False))
    assert quick.quick
    assert not full.quick
    for name in ("naive-bayes", "second-guess"):
        reported = [next(a.rate for a in audit.cell_attacks if a.attacker == name) for audit in (quick, full)]
        assert reported[0] == reported[1], name
    assert next(a.rate for a in quick.cell_attacks if a.is_named) == 0
    assert next(a for a in quick.cell_attacks if a.attacker == "rules").trained_on == 150
    reported = audit_report(quick, "out.csv")
    assert report_json(reported)["quick"]
    assert "Some learned from a sample" in report_page(reported)
    assert "150 rows (Association rules)" in report_page(reported)


def test_shuffled_rows_are_attacked_by_groups_only() -> None:
    frame = dependent()
    policy = wh.Policy([wh.Anonymity(columns=["drug", "ward"], k=3)], target="ill", rows="shuffle")
    made = wh.release(frame, policy, rng=1).to_frame()
    audit = wh.audit(made, policy, original=frame, rng=1)
    assert audit.ok
    assert audit.cell_attacks == ()
    assert audit.utility is not None
    assert audit.utility.learners[0].released.error < 0.5


def test_named_adversaries_predict_from_what_the_policy_names_and_others_from_everything() -> None:
    frame = dependent()
    frame["copy"] = frame["ill"]  # determines everything, and the policy does not let naive Bayes see it
    hidden = wh.Hidden(cells=HIDDEN, predictors=["drug", "ward"], against=["naive-bayes"])
    policy = wh.Policy([hidden])
    audit = wh.audit(wh.release(frame, policy, rng=1).to_frame(), policy, original=frame, rng=1)
    assert audit.ok
    found = {attack.attacker: attack for attack in audit.cell_attacks if attack.scope == "hidden"}
    assert found["naive-bayes"].rate == 0
    assert found["random-forest"].rate > 0.95
    assert {attack.where for attack in found.values()} == {"require[0]"}


def test_hidden_cells_of_a_generalised_release_are_attacked_along_the_taxonomies() -> None:
    frame = dependent()
    tree = wh.Taxonomy.from_nested({"any": {"ab": {"ill-a": {}, "ill-b": {}}, "cd": {"ill-c": {}, "ill-d": {}}}})
    against = [wh.Against(adversary="naive-bayes", modify="generalize")]
    policy = wh.Policy([wh.Hidden(cells=HIDDEN, against=against)], columns={"ill": wh.ColumnSettings(taxonomy=tree)})
    audit = wh.audit(wh.release(frame, policy, rng=1).to_frame(), policy, original=frame, rng=1)
    assert audit.ok
    recovered = next(finding for finding in audit.findings if "adversary" in finding.details)
    named = next(attack for attack in audit.cell_attacks if attack.is_named)
    assert recovered.reached == 0
    assert named.n_right == recovered.details["deleted"]["most_frequent_value"]  # rows of which nothing is left
