"""Plots that somebody has to read a figure off."""

import re

import pytest

import withhold as wh
from withhold.report import _charts, audit_report, report_page

pytestmark = pytest.mark.skipif(not _charts.can_draw(), reason="needs the extra report")


def path(reached: list[float], asked: float) -> list[dict[str, object]]:
    return [
        {"step": i, "information": i / 10, "reached": n, "asked": asked, "promise": "require[0]"}
        for i, n in enumerate(reached)
    ]


def test_sizes_of_groups_have_powers_of_ten_and_a_dashed_line_at_k() -> None:
    drawn = _charts.draw_path(path([8_000, 400, 21], 20), figure="smallest group")
    ticks = re.findall(r">([\d,]+)</text>", drawn)
    assert {"1", "10", "100", "1,000"} <= set(ticks)
    assert drawn.count("stroke-dasharray") == 1
    assert "Dashed: what was asked" in drawn


def test_confidences_have_a_dashed_line_and_percents() -> None:
    drawn = _charts.draw_path(path([0.2, 0.39], 0.4), figure="largest confidence")
    assert ">40%</text>" in drawn
    assert drawn.count("stroke-dasharray") == 1


def test_a_path_at_one_row_can_be_drawn() -> None:
    assert "<svg" in _charts.draw_path(path([1, 1], 1), figure="smallest group")
    assert "<svg" in _charts.draw_path(path([1, 0], 1), figure="smallest group")


def test_the_page_of_a_release_draws_what_was_asked() -> None:
    policy = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=7)], columns={"age": wh.ColumnSettings(type="number")})
    clinic = wh.samples.clinic(200)
    table = wh.Table.from_columns({name: [str(cell) for cell in clinic[name]] for name in ("age", "sex", "diagnosis")})
    release = wh.release(table, policy)
    audit = wh.audit(release.to_frame("pandas"), policy, original=release.to_frame("pandas"), attack=False)
    page = report_page(audit_report(audit, "out.csv", making=release.record))
    assert "require[0], at least 7" in page
    assert "stroke-dasharray" in page
