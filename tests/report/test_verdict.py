"""What the verdict says of attacks, and when somebody must decide."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.auditing import Audit, CellAttack
from withhold.report import audit_report, report_page

pytest.importorskip("sklearn")


def revealing(n_rows: int = 400) -> pd.DataFrame:
    """Return a table in which `ward` determines `ill`, and `rare` is nearly always the same."""
    rng = np.random.default_rng(3)
    ill = rng.choice(list("abcd"), n_rows)
    ward = np.where(rng.random(n_rows) < 0.95, np.char.add("w", ill), "w")
    rare = np.where(rng.random(n_rows) < 0.97, "no", "yes")
    return pd.DataFrame({"ward": ward, "ill": ill, "rare": rare, "noise": rng.choice(list("xyz"), n_rows)})


def audited(frame: pd.DataFrame, *cells: list[tuple[int, str]]) -> Audit:
    """Blank cells, and promise only what blanks keep."""
    blanked = frame.copy()
    for row, column in (cell for each in cells for cell in each):
        blanked.loc[row, column] = "*"
    none = [wh.Against(adversary="rules", support=0.9)]
    policy = wh.Policy([wh.Hidden(cells=each, against=none) for each in cells])
    found = wh.audit(blanked, policy, original=frame, rng=1)
    assert found.ok
    return found


def test_a_few_recovered_cells_leave_the_decision_to_somebody() -> None:
    frame = revealing()
    rows = frame.index[(frame["ill"] != frame["ill"].mode()[0]) & (frame["ward"] != "w")][:5]
    report = audit_report(audited(frame, [(int(row), "ill") for row in rows]), "out.csv")
    assert not any(attack.beats_majority for attack in report.audit.cell_attacks), "five cells pass no test"
    assert 'class="verdict doubtful"' in report_page(report)
    assert report.verdict[-1].startswith("Only 5 cells were hidden: too few for a test. ")
    assert "attackers are right on all 5; the most frequent value on none. Decide" in report.verdict[-1]


def test_a_few_cells_that_nobody_guesses_are_no_doubt() -> None:
    frame = revealing().assign(ward="w", ill="a")
    frame.loc[:4, "ill"] = list("bcdbc")
    report = audit_report(audited(frame, [(row, "ill") for row in range(5)]), "out.csv")
    assert 'class="verdict"' in report_page(report)
    assert "none is far ahead of guessing" in report.verdict[-1]


def test_each_requirement_is_reported_by_its_own_best_attacker() -> None:
    frame = revealing(800)
    rows = range(0, 800, 8)
    found = audited(frame, [(row, "ill") for row in rows], [(row, "rare") for row in rows])
    reported = audit_report(found, "out.csv").verdict
    ill, rare = (line for line in reported if "attackers" in line)
    winners = [attack for attack in found.cell_attacks if attack.where == "require[0]" and attack.beats_majority]
    best = max(winners, key=lambda attack: attack.rate)
    n_all = len({attack.attacker for attack in found.cell_attacks})
    assert ill.startswith(f"require[0]: {len(winners)} of {n_all} attackers recover")
    assert f"is right on {best.rate:.0%}" in ill
    assert f"the most frequent value on {best.majority_rate:.0%}" in ill
    assert rare.startswith(f"require[1]: {n_all} attackers tried the hidden cells; none is significantly better")


def test_the_best_is_one_of_the_winners_by_its_lead() -> None:
    found = audited(revealing(), [(row, "ill") for row in range(0, 400, 4)])
    first, second, *rest = (replace(each, beats_majority=False, is_ahead=False) for each in found.cell_attacks)
    loud: CellAttack = replace(first, title="Loud", rate=0.97, majority_rate=0.96)
    sure = [replace(second, title=f"Sure {lead}", beats_majority=True, rate=0.2 + lead, majority_rate=0.2)
            for lead in (0.1, 0.5)]  # fmt: skip
    reported = audit_report(replace(found, attacks=(loud, *sure, *rest)), "out.csv").verdict[-1]
    assert reported.startswith(f"2 of {len(rest) + 3} attackers")
    assert "The best, “Sure 0.5”, is right on 70%" in reported


def test_a_single_cell() -> None:
    frame = revealing()
    row = int(frame.index[(frame["ill"] != frame["ill"].mode()[0]) & (frame["ward"] != "w")][0])
    reported = audit_report(audited(frame, [(row, "ill")]), "out.csv").verdict[-1]
    assert reported.startswith("Only 1 cell was hidden: too few for a test. ")
    assert "attackers are right on it; the most frequent value on none." in reported
