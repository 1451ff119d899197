"""`make bench`: what is worse by half fails, and so does a job that nobody committed to."""

import json

import pytest
from benchmarks.ratios import COMMITTED, WORSE, verdict


@pytest.mark.parametrize(
    ("found", "code", "says"),
    [
        ({"audit": 2.0, "risk": 9.0}, 0, ""),
        ({"audit": 2.0 * WORSE + 0.01, "risk": 9.0}, 1, "audit is 1.5"),
        ({"audit": 2.0}, 1, "risk is committed to, but not measured"),
        ({"audit": 2.0, "risk": 9.0, "hidden": 1.0}, 1, "hidden is new"),
    ],
)
def test_the_verdict_compares_with_what_was_committed_to(
    found: dict[str, float], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdict(found, {"audit": 2.0, "risk": 9.0}, is_whole=True) == code
    assert says in capsys.readouterr().out


def test_a_single_job_can_be_compared_by_itself() -> None:
    assert verdict({"audit": 2.0}, {"audit": 2.0, "risk": 9.0}, is_whole=False) == 0


def test_every_kind_is_committed_to() -> None:
    from withhold.requirements import KINDS

    names = json.loads(COMMITTED.read_text(encoding="utf-8"))
    assert {name.split()[0] for name in names} == {*KINDS, "audit"}
    assert all(ratio > 0 for ratio in names.values())
