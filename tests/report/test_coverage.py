"""The verdict claims no more than was promised, and names what no promise covers; public pages too."""

import numpy as np
import pandas as pd

import withhold as wh
from withhold.report import audit_report, public_audit, report_page, verdict


def frame(n_rows: int = 400) -> pd.DataFrame:
    table = {
        "sex": ["f", "m"] * (n_rows // 2),
        "ill": ["flu", "gout", "flu", "flu"] * (n_rows // 4),
        "cost": [str(i) for i in range(n_rows)],
        "ward": np.tile(["a", "b"], n_rows // 2),
    }
    return pd.DataFrame(table).astype(object)


SEXES = wh.Policy([wh.Anonymity(columns=["sex"], k=100)])


def test_the_verdict_tells_which_columns_it_covers_and_which_it_does_not() -> None:
    found = verdict(wh.audit(frame(), SEXES, attack=False))
    assert found[1] == "Who knows no more of a person than sex is left with at least 100 rows."
    assert found[2].startswith("cost has a value of its own in every row")
    assert found[3] == "Not covered: 3 columns are published as they are, and 400 of 400 rows are unique on them."


def test_a_template_is_reported_with_its_columns() -> None:
    template = wh.Template(given=["sex", "ward"], hide={"ill": ["gout"]}, at_most=0.6)
    found = verdict(wh.audit(frame(), wh.Policy([template], drop=["cost"]), attack=False, original=None))
    assert found[0].startswith("A requirement is not met")
    found = verdict(wh.audit(frame().drop(columns="cost"), wh.Policy([template]), attack=False))
    claim = "No combination of sex, ward implies a sensitive value that the policy names more surely than allowed."
    claim += " This holds against an outsider who does not know the method: informed = true is for one who does."
    assert found[1:] == (claim, "Not covered: 1 column is published as it is, and 0 of 400 rows are unique on it.")


def test_a_file_that_is_covered_altogether_has_no_such_line() -> None:
    policy = wh.Policy([wh.Anonymity(columns=["sex", "ward"], k=100)])
    audit = wh.audit(frame()[["sex", "ward"]], policy, attack=False)
    assert audit.uncovered is None
    assert not any("Not covered" in line for line in verdict(audit))


def test_many_sets_of_columns_are_counted_not_listed() -> None:
    many = wh.Policy([wh.Anonymity(columns=["sex"], k=k) for k in (2, 3, 4, 5, 6)])
    claim = verdict(wh.audit(frame(), many, attack=False))[1]
    assert claim.count("left with at least") == 3
    assert claim.endswith("; the same holds for 2 more sets of columns.")


def test_a_public_page_keeps_what_is_not_covered_rounded() -> None:
    audit = wh.audit(frame(), SEXES, attack=False)
    page = report_page(audit_report(audit, "out.csv", public=True))
    assert "because no requirement masks them: ill, cost, ward; about 100% of all rows are unique on them" in page
    assert "Not covered: 3 columns are published as they are, and about 100% of all rows are unique on them." in page
    few = frame()
    few["cost"] = ["1", *(["2"] * 399)]
    reported = public_audit(wh.audit(few, SEXES, attack=False))
    assert reported.uncovered is not None
    assert (reported.uncovered.unique_rows, reported.uncovered.unique_share) == (None, 0.0)
    assert "below 2.5% of all rows are unique on them" in reported.notes[0]


def test_a_public_page_says_that_others_may_do_better() -> None:
    policy = wh.Policy([wh.Hidden(cells=[(0, "ill"), (4, "ill")], against=["id3"], predictors=["ward"])])
    blank = frame()
    blank.loc[[0, 4], "ill"] = None
    reported = public_audit(wh.audit(blank, policy, attack=False))
    assert "Adversaries that the policy does not name may do better; this page does not say how well." in reported.notes
    assert not any("Adversaries" in note for note in public_audit(wh.audit(frame(), SEXES, attack=False)).notes)


def test_the_page_says_which_columns_uniqueness_leaves_out() -> None:
    audit = wh.audit(frame(), SEXES, quick=True)
    page = report_page(audit_report(audit, "out.csv"))
    said = "Left out, because no requirement names them: ill, cost, ward; 400 of 400 rows are unique on all of these."
    assert said in page


def test_a_public_page_has_no_table_of_counts_that_are_not_reported() -> None:
    rare = pd.DataFrame({"a": ["x"] * 98 + ["y", "z"], "b": ["u", "v"] * 50}).astype(object)
    audit = wh.audit(rare, wh.Policy([wh.Anonymity(columns=["a", "b"], k=2)]), quick=True)
    assert "part of this many choices" in report_page(audit_report(audit, "out.csv"))
    assert "part of this many choices" not in report_page(audit_report(audit, "out.csv", public=True))


def test_the_verdict_names_the_outsider_against_whom_it_holds() -> None:
    """Who reads nothing sensitive has no reading; a public page does not say which cells depend on what they hide."""
    fields = {"columns": ["sex"], "sensitive": "ill", "l": 2}
    informed = wh.Diversity(**fields, informed=True, groups_of=100)
    plain = wh.Diversity(**fields | {"columns": ["ward"]})
    table = frame().drop(columns="cost").assign(ill=["flu", "flu", "gout", "gout"] * 100)
    said = {name: verdict(wh.audit(table, wh.Policy(asked), attack=False))[1] for name, asked in (
        ("informed", [informed]), ("plain", [plain]), ("both", [informed, plain]),
        ("none", [wh.Anonymity(columns=["sex"], k=100)]))}  # fmt: skip
    assert said["informed"].endswith("this holds against an outsider who knows the method.")
    assert "against an outsider who does not know the method: informed = true" in said["plain"]
    assert "who does not know the method (require[1])" in said["both"]
    assert "outsider" not in said["none"]
    public = verdict(public_audit(wh.audit(table, wh.Policy([plain]), attack=False)))
    assert not any("the method" in line for line in public)
