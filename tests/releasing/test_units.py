"""Households and other units: what is counted, what is protected as a whole, and what joins rows again."""

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import InfeasibleError, PolicyError

COLUMNS = ["age", "sex", "region"]


def _frame(n_homes: int, seed: int) -> pd.DataFrame:
    table = wh.samples.survey(n_homes, seed=seed)
    texts = {name: np.array(table.store.values(name), dtype=object)[table.store.cells(name)] for name in table.names}
    return pd.DataFrame(texts)[["household", *COLUMNS, "condition"]]


def _units_of_groups(frame: pd.DataFrame, homes: list[str]) -> dict[tuple[str, ...], set[str]]:
    found = defaultdict(set)
    for text, home in zip(map(tuple, frame[COLUMNS].astype(str).to_numpy()), homes, strict=True):
        found[text].add(home)
    return found


def _alike(frame: pd.DataFrame, homes: list[str]) -> Counter:
    of = defaultdict(list)
    for text, home in zip(map(tuple, frame[COLUMNS].astype(str).to_numpy()), homes, strict=True):
        if set(text) != {"*"}:
            of[home].append(text)
    return Counter(tuple(sorted(rows)) for rows in of.values())


def _policy(recoding: str = "local", **settings: object) -> wh.Policy:
    unit_k = settings.pop("unit_k", None)
    requirement = wh.Anonymity(columns=COLUMNS, k=settings.pop("k", 4), unit_k=unit_k)
    return wh.Policy([requirement], unit="household", drop=["household"], recoding=recoding, **settings)


@pytest.mark.parametrize("recoding", ["local", "global", "levels"])
def test_every_combination_is_shared_by_k_households(recoding, tmp_path):
    frame = _frame(150, 3)
    release = wh.release(frame, _policy(recoding), rng=1)
    made = release.to_frame()
    assert min(map(len, _units_of_groups(made, frame["household"].tolist()).values())) >= 4
    audit = release.write(tmp_path / "out.csv")
    assert audit.findings[0].details["counted"] == "units"
    assert audit.findings[0].reached >= 4


def test_rows_of_one_household_do_not_help_each_other():
    frame = pd.DataFrame({"home": ["a"] * 5 + ["b"] * 5, "age": ["30"] * 5 + ["60"] * 5})
    policy = wh.Policy([wh.Anonymity(columns=["age"], k=2)], unit="home", drop=["home"], recoding="local")
    assert wh.release(frame, policy).to_frame()["age"].nunique() == 1
    by_rows = wh.Policy([wh.Anonymity(columns=["age"], k=2)], drop=["home"], recoding="local")
    assert wh.release(frame, by_rows).to_frame()["age"].tolist() == frame["age"].tolist()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["local", "global", "levels"]), st.integers(2, 4))
def test_units_hold_on_random_tables(seed, recoding, k):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    frame = pd.DataFrame(
        {
            "household": rng.integers(0, max(n // 2, k), n).astype(str),
            "age": rng.integers(20, 28, n).astype(str),
            "sex": rng.choice(["m", "f"], n),
            "region": rng.choice(["a", "b", "c"], n),
        }
    )
    try:
        release = wh.release(frame, _policy(recoding, k=k), rng=seed)
    except InfeasibleError:
        assert frame["household"].nunique() < k
        return
    made = release.to_frame()
    assert min(map(len, _units_of_groups(made, frame["household"].tolist()).values())) >= k


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_whole_units_look_alike_on_random_tables(seed, k):
    frame = _frame(int(np.random.default_rng(seed).integers(5, 60)), seed)
    made = wh.release(frame, _policy(k=2, unit_k=k), rng=seed).to_frame()
    homes = frame["household"].tolist()
    alike = _alike(made, homes)
    assert not alike or min(alike.values()) >= k
    assert min(map(len, _units_of_groups(made, homes).values())) >= 2


def test_units_are_proven_in_shuffled_rows(tmp_path):
    audit = wh.release(_frame(100, 2), _policy(unit_k=3, rows="shuffle"), rng=1).write(tmp_path / "out.csv")
    assert [finding.ok and finding.is_complete for finding in audit.findings[:2]] == [True, True]


def test_whole_units_hold_beside_another_promise(tmp_path):
    frame = _frame(200, 5)
    policy = wh.Policy(
        [
            wh.Anonymity(columns=COLUMNS, k=3, unit_k=3),
            wh.Template(given=["region"], hide={"condition": ["depression"]}, at_most=0.08),
        ],
        unit="household",
        drop=["household"],
        recoding="local",
    )
    audit = wh.release(frame, policy, rng=2).write(tmp_path / "out.csv")
    assert audit.ok
    assert [finding.details.get("counted") for finding in audit.findings[:2]] == ["units", "whole units"]


def test_the_check_counts_households_of_any_file():
    frame = _frame(120, 7)
    homes = frame["household"].tolist()
    audit = wh.audit(frame.drop(columns="household"), _policy(unit_k=3), original=frame, attack=False)
    counts = sorted(map(len, _units_of_groups(frame, homes).values()))
    assert audit.findings[0].reached == counts[0]
    assert audit.findings[1].reached == min(_alike(frame, homes).values())
    assert audit.findings[1].details["rare_units"] == sum(n for n in _alike(frame, homes).values() if n < 3)
    assert not audit.ok


def test_without_the_original_units_are_not_proven():
    frame = _frame(120, 7)
    audit = wh.audit(frame.drop(columns="household"), _policy(k=2), attack=False)
    assert not audit.findings[0].is_complete
    assert "only the original" in audit.findings[0].says


def test_a_kept_column_that_names_the_household_is_refused():
    frame = _frame(100, 1)
    frame["income"] = frame["household"].map(lambda home: str(int(home) * 3))
    with pytest.raises(PolicyError, match=r'column "income" joins 100% of the rows of units again'):
        wh.release(frame, _policy())
    assert wh.release(frame, _policy(unit_k=4), rng=1).to_frame().shape == (len(frame), 5)


def test_an_audit_names_two_columns_that_join_households_together():
    frame = _frame(100, 1)
    number = frame["household"].astype(int) // 7
    frame["one"], frame["two"] = (number // 120).astype(str), (number % 120).astype(str)
    found = next(
        finding
        for finding in wh.audit(frame.drop(columns="household"), _policy(k=2), original=frame, attack=False).findings
        if finding.kind == "units"
    )
    assert not found.ok
    assert "two" in found.columns


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"unit": "home"}, 'unit: no column "home"'),
        ({"unit": "household", "drop": []}, "would be published"),
        ({"unit": "age"}, "says which rows belong together, nothing else"),
    ],
)
def test_a_unit_that_cannot_be_used_is_refused(settings, says):
    policy = wh.Policy([wh.Anonymity(columns=COLUMNS, k=2)], **{"drop": ["household"], **settings})
    with pytest.raises(PolicyError, match=says):
        wh.release(_frame(20, 1), policy)


@pytest.mark.parametrize(
    ("requirement", "settings", "says"),
    [
        ({"unit_k": 2}, {}, "needs to know which rows belong together"),
        ({"unit_k": 2}, {"unit": "household"}, "is kept by local recoding alone"),
        ({"blanks": "any"}, {"unit": "household"}, "counts rows, not units"),
    ],
)
def test_units_need_what_they_are_counted_by(requirement, settings, says):
    policy = wh.Policy([wh.Anonymity(columns=COLUMNS, k=2, **requirement)], drop=["household"], **settings)
    with pytest.raises(PolicyError, match=says):
        wh.release(_frame(20, 1), policy)


def test_fewer_households_than_asked_for_is_infeasible():
    for unit_k in (None, 9):
        with pytest.raises(InfeasibleError):
            wh.release(_frame(6, 1), _policy(k=9, unit_k=unit_k))
