"""What a first-year student would find in a file can never stand under green."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.auditing import Audit, Candidates
from withhold.report import audit_report, level_of, report_json, report_page


def survey(n_rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, n_rows).astype(str),
            "zip": rng.integers(0, 6, n_rows).astype(str),
            "dropout": np.where(rng.random(n_rows) < 0.08, "Yes", "No"),
        }
    )


RISK = wh.Policy([wh.Risk(known={"age": 0.5, "zip": 0.5}, sensitive={"dropout": {"Yes": 1.0}}, at_most=1e9)])


def audited(release: pd.DataFrame, original: pd.DataFrame, policy: wh.Policy = RISK, *, attack: bool = False) -> Audit:
    found = wh.audit(release, policy, original=original, attack=attack, quick=attack, rng=1)
    assert found.ok
    return found


def kinds(found: Audit) -> list[tuple[str, str]]:
    return [(each.kind, each.level) for each in found.disclosures]


def test_blanks_that_mark_the_sensitive_are_red() -> None:
    frame = survey()
    blanked = frame.copy()
    blanked.loc[(frame["dropout"] == "Yes") & (frame.index % 10 != 0), "zip"] = "*"
    found = audited(blanked, frame)
    assert ("marks", "red") in kinds(found)
    assert level_of(found) == "red"
    (says,) = [each.says for each in found.disclosures if each.kind == "marks"]
    n_blank = int((blanked["zip"] == "*").sum())
    assert says.startswith(f"{n_blank} of the {n_blank} people with a withheld cell of zip hold one value of dropout")


def test_blanks_that_do_not_depend_on_the_sensitive_mark_nobody() -> None:
    frame = survey()
    blanked = frame.copy()
    blanked.loc[frame.index % 9 == 0, "zip"] = "*"
    assert "marks" not in {each.kind for each in audited(blanked, frame).disclosures}


def test_a_star_that_is_the_secret_is_red() -> None:
    frame = survey()
    blanked = frame.assign(dropout=frame["dropout"].replace("Yes", "*"))
    found = audited(blanked, frame)
    assert found.disclosures[0].kind == "constant"
    assert found.disclosures[0].n_people == int((frame["dropout"] == "Yes").sum())
    page = report_page(audit_report(found, "out.csv"))
    assert 'class="verdict broken"' in page
    assert "do not publish" in audit_report(found, "out.csv").verdict[0]


def test_hidden_cells_that_are_all_in_one_bin_are_red() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"income": rng.integers(0, 6000, 400), "sex": rng.choice(["f", "m"], 400)})
    policy = wh.Policy(
        [wh.Hidden(column="income", where="income > 5000", against=["naive-bayes"])],
        columns={"income": {"type": "number", "bins": 6}},
    )
    made = wh.release(frame, policy, rng=1)
    found = wh.audit(made.to_frame(), policy, original=frame, attack=False)
    says = [each.says for each in found.disclosures if each.kind == "constant"]
    assert level_of(found) != "green"
    assert says, "all stars stand for the top bins"
    assert says[0] in made.notes, "the release and the audit say the same"


def test_few_cells_of_one_value_may_be_luck_but_are_not_green() -> None:
    frame = survey().assign(dropout="No")
    frame.loc[:3, "dropout"] = "Yes"
    blanked = frame.copy()
    blanked.loc[[10, 11], "dropout"] = "*"
    found = audited(blanked, frame)
    assert ("constant", "amber") in kinds(found)
    assert level_of(found) == "amber"


def test_an_identifier_that_is_left_in_is_not_green() -> None:
    frame = survey().assign(number=lambda t: (1000 + t.index).astype(str))
    found = audited(frame, frame)
    assert kinds(found) == [("identifier", "amber")]
    assert level_of(found) == "amber"
    assert kinds(wh.audit(frame, RISK, attack=False)) == [("identifier", "amber")], "the file alone shows it"


def test_withheld_cells_that_leave_one_row_are_not_green() -> None:
    frame = survey(60).assign(age=lambda t: (20 + t.index // 2).astype(str))
    blanked = frame.copy()
    blanked.loc[frame.index % 2 == 0, "zip"] = "*"
    found = audited(blanked, frame, attack=True)
    (rows,) = [attack for attack in found.attacks if isinstance(attack, Candidates)]
    zips = frame["zip"].to_numpy()
    alone = sum(zips[i] != zips[i + 1] for i in range(0, 60, 2))
    assert rows.n_withheld == 30
    assert rows.withheld_single == alone
    assert rows.register_single == 60 - 2 * (30 - alone)
    assert ("candidates", "amber") in kinds(found)


def test_a_clean_file_is_green_in_words() -> None:
    frame = survey()[["zip", "dropout"]]
    policy = wh.Policy([wh.Anonymity(columns=["zip"], k=5)], target="dropout")
    report = audit_report(audited(frame, frame, policy), "out.csv")
    assert (report.level, report.audit.disclosures) == ("green", ())
    assert "Green: every promise holds" in report_page(report)


@pytest.mark.parametrize("is_leaking", [True, False])
def test_a_public_page_does_not_say_whether_something_was_found(is_leaking: bool) -> None:
    frame = survey()
    blanked = frame.copy()
    if is_leaking:
        blanked["dropout"] = frame["dropout"].replace("Yes", "*")
    found = audited(blanked, frame)
    assert (level_of(found) == "red") is is_leaking
    report = audit_report(found, "out.csv", public=True)
    assert (report.level, report_json(report)["disclosures"]) == ("none", [])
    page = report_page(report)
    assert 'class="verdict plain"' in page
    assert "the file gives away" not in page
    assert "one value" not in page


def test_the_most_serious_comes_first() -> None:
    frame = survey().assign(number=lambda t: (1000 + t.index).astype(str))
    found = audited(frame.assign(dropout=frame["dropout"].replace("Yes", "*")), frame)
    assert [each.level for each in found.disclosures] == sorted((e.level for e in found.disclosures), reverse=True)
    assert found.disclosures[0].kind == "constant"
    assert audit_report(found, "out.csv").verdict[2] == found.disclosures[0].says
