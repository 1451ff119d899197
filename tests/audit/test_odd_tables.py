"""Audits of tables that are odd: an answer, or one clear sentence, and never a crash."""

import json

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.metrics import classification_utility
from withhold.report import audit_report, report_json, report_page

GROUPS = wh.Policy([wh.Anonymity(columns=["a"], k=2)])


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    def errors(*tables: object, **settings: object) -> object:
        return classification_utility(*tables, **settings, learners=("c4.5",))  # type: ignore[arg-type]

    monkeypatch.setattr("withhold.auditing._examine.classification_utility", errors)
    monkeypatch.setattr("withhold.report._charts.can_draw", lambda: False)


def audited(release: pd.DataFrame, policy: wh.Policy, original: pd.DataFrame) -> wh.Audit:
    """Return an audit of which every report can be made."""
    found = wh.audit(release, policy, original=original, rng=1)
    for public in (False, True):
        report = audit_report(found, "out.csv", public=public)
        json.dumps(report_json(report), allow_nan=False)
        assert report_page(report)
    return found


def test_a_column_that_the_original_does_not_have_is_reported() -> None:
    release = pd.DataFrame({"a": ["x"] * 4, "b": ["1", "1", "2", "2"]})
    policy = wh.Policy(
        [
            wh.Anonymity(columns=["a", "b"], k=2),
            wh.Risk(known={"a": 0.5}, sensitive={"b": 1.0}, at_most=100),
        ]
    )
    found = audited(release, policy, release[["a"]])
    assert [finding.kind for finding in found.findings if not finding.ok] == ["columns"]
    assert found.attacks[0].before_rate is None
    assert found.risks[0].before == ()


def test_tables_without_a_common_column_are_audited() -> None:
    found = audited(pd.DataFrame({"a": ["x"] * 4}), GROUPS, pd.DataFrame({"A": ["x"] * 4}))
    assert [finding.kind for finding in found.findings if not finding.ok] == ["columns"]
    assert found.columns == ()


@pytest.mark.parametrize("target", ["*", None, "any"])
def test_a_target_that_is_not_published_leaves_the_loss_unmeasured(target: str | None) -> None:
    frame = pd.DataFrame({"a": ["x"] * 10 + ["y"] * 10, "t": ["p", "q"] * 10})
    settings = wh.ColumnSettings(taxonomy={"any": {"p": {}, "q": {}}})
    policy = wh.Policy([wh.Anonymity(columns=["a"], k=2)], target="t", columns={"t": settings})
    found = audited(frame.assign(t=target), policy, frame)
    assert found.ok
    assert found.utility is None
    assert "too few rows have a known t" in found.notes[-1]


def test_columns_that_the_file_lost_are_reported_beside_the_errors() -> None:
    frame = pd.DataFrame({"a": ["x"] * 20, "t": ["p", "q"] * 10, "copy": ["p", "q"] * 10, "name": ["n"] * 20})
    policy = wh.Policy([wh.Anonymity(columns=["a"], k=2)], target="t", drop=["name"])
    found = audited(frame[["a", "t"]], policy, frame)
    assert found.utility is not None
    assert found.utility.notes == ("The file does not hold copy: the error of the original is without them.",)


def test_numbers_of_any_size_have_a_profile() -> None:
    frame = pd.DataFrame({"n": [1e308, -1e308, 5.0, 6.0], "a": ["x"] * 4})
    found = audited(frame.assign(n=[np.nan, -1e308, 5.0, 6.0]), GROUPS, frame)
    assert found.columns[0].edges[0] == -1e308
    assert np.isfinite(found.columns[0].edges).all()


def test_infinities_in_a_column_that_no_requirement_names_are_values() -> None:
    frame = pd.DataFrame({"n": [np.inf, -np.inf, 5.0, 6.0], "a": ["x"] * 4})
    assert audited(frame, GROUPS, frame).ok


@pytest.mark.parametrize("modify", ["delete", "generalize"])
def test_the_empty_text_is_a_value_like_any_other(modify: str) -> None:
    trees = {
        "s": wh.ColumnSettings(taxonomy={"any": {"low": {"": {}, "p": {}}, "high": {"q": {}, "r": {}}}}),
        "x": wh.ColumnSettings(taxonomy={"all": {"some": {"": {}, "a": {}}, "b": {}}}),
    }
    for seed in range(12):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {name: rng.choice(values, 14) for name, values in (("x", ["", "a", "b"]), ("s", ["", "p", "q", "r"]))}
        ).astype(object)
        against = [wh.Against(adversary=name, modify=modify) for name in ("naive-bayes", "id3")]
        hidden = wh.Hidden(cells=[(row, "s") for row in (1, 5, 9)], against=against)
        policy = wh.Policy([hidden], columns=trees if seed % 2 else {})
        released = wh.release(frame, policy, rng=1).to_frame()
        assert wh.audit(released, policy, original=frame, attack=False).ok


def test_ties_with_the_empty_text_fall_as_the_policy_promises() -> None:
    ill = ["b", "", "a", "a", "a", "a", "", "c", "c", "", "", "a", "b", "a", "a"]
    ward = ["x", "x", "y", "", "y", "x", "y", "y", "y", "x", "x", "y", "x", "x", "x"]
    frame = pd.DataFrame({"ill": ill, "ward": ward}).replace({"ward": {"": None}})
    policy = wh.Policy([wh.Hidden(cells=[(row, "ill") for row in (4, 5, 6)])])
    released = wh.release(frame, policy, rng=5).to_frame()
    assert wh.audit(released, policy, original=frame, attack=False).ok
