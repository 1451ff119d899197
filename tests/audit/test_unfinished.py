"""A check that stops early proves nothing, and says so."""

from itertools import product

import pandas as pd
import pytest

import withhold as wh
from withhold.report import audit_report, report_json, report_page

KNOWN = [f"c{i}" for i in range(11)]


@pytest.fixture(scope="module")
def rare() -> tuple[pd.DataFrame, wh.Policy]:
    """Every combination of 11 columns once, and three rows that share a rare value: only they are above the limit.

    With chances of a half, a row alone on a set adds 2**-size. A plain row is alone on no set but the largest; the
    three are three on all 1,024 sets with the rare value.
    """
    rows = [[*map(str, row), "yes"] for row in product((0, 1), repeat=11)]
    frame = pd.DataFrame(rows + [["2", *["0"] * 10, "yes"]] * 3, columns=[*KNOWN, "ill"])
    risk = wh.Risk(known=dict.fromkeys(KNOWN, 0.5), sensitive={"ill": {"yes": 1.0}}, alpha=1, at_most=9.0)
    return frame, wh.Policy([risk])


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("withhold.requirements.risk._check.QUICK_SECONDS", 0.001)


def test_an_audit_finishes_the_check_however_long_it_takes(
    rare: tuple[pd.DataFrame, wh.Policy], hurried: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, policy = rare
    monkeypatch.setattr("withhold.auditing.record_risk._risk_check._SHORT", 0.0)
    reported: list[str] = []
    found = wh.audit(frame, policy, attack=False, progress=reported.append)
    assert (found.ok, found.is_complete, found.findings[0].details["above"]) == (False, True, 3)
    assert "checking require[0]: 2,048 of 2,048 sets of columns for all records" in reported


def test_record_by_record_tells_how_many_are_done(
    rare: tuple[pd.DataFrame, wh.Policy], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, policy = rare
    monkeypatch.setattr("withhold.auditing.record_risk._risk_check._SHORT", 0.0)
    monkeypatch.setattr("withhold.auditing.record_risk._risk_check.sum_all_sets", lambda table, **settings: None)
    monkeypatch.setattr("withhold.auditing.record_risk._risk_check._Risks.bound", lambda self, seconds: range_of(self))
    reported: list[str] = []
    found = wh.audit(frame, policy, attack=False, progress=reported.append)
    assert (found.ok, found.findings[0].details["above"]) == (False, 3)
    assert "checking require[0]: 100 of 2,051 records" in reported


def range_of(risks: object) -> object:
    import numpy as np

    return np.arange(risks.table.n_rows)  # type: ignore[attr-defined]


def test_a_quick_check_that_stops_early_is_no_proof(rare: tuple[pd.DataFrame, wh.Policy], hurried: None) -> None:
    frame, policy = rare
    frame = frame.iloc[:2048]
    found = wh.audit(frame, policy, attack=False, quick=True, rng=0)
    finding = found.findings[0]
    assert (found.ok, found.is_complete, finding.is_complete, finding.n_checked) == (True, False, False, 200)
    for public in (False, True):
        report = audit_report(found, "file.csv", public=public)
        assert report.verdict[0] == "Not proven: no promise is broken, but 1 of 1 was not checked to the end."
        assert any("Run without --quick for a proof." in line for line in report.verdict)
        reported = report_json(report)
        assert (reported["is_complete"], reported["findings"][0]["is_complete"]) == (False, False)
        assert '<div class="verdict doubtful">' in report_page(report)
    assert "every requirement is met" not in repr(found)
    assert "Every requirement is met" not in found._repr_html_()


def test_a_seed_repeats_which_records_a_quick_check_tries(rare: tuple[pd.DataFrame, wh.Policy], hurried: None) -> None:
    frame, policy = rare
    once, again = (wh.audit(frame, policy, attack=False, quick=True, rng=3).findings[0] for _ in range(2))
    assert once == again


def test_a_quick_check_that_is_done_in_time_is_a_proof(rare: tuple[pd.DataFrame, wh.Policy]) -> None:
    frame, policy = rare
    found = wh.audit(frame, policy, attack=False, quick=True)
    assert (found.ok, found.is_complete) == (False, True)


def test_a_release_is_refused_where_only_the_whole_check_finds_the_fault(
    rare: tuple[pd.DataFrame, wh.Policy], hurried: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, policy = rare
    monkeypatch.setattr("withhold.requirements.risk._guard.RiskGuard.repair", lambda self, say: False)
    with pytest.raises(wh.errors.UnmetError, match="3 of 2,051 records have a risk above 9"):
        wh.release(frame, policy).to_frame()
