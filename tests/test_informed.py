"""`informed = true`: policies, messages, reports and what attackers reach."""

from pathlib import Path

import pandas as pd
import pytest
from tests.command_line import run_here

import withhold as wh
from withhold.errors import DataError, PolicyError
from withhold.methods import inference
from withhold.report import public_audit


def clinic(n_rows: int = 400) -> pd.DataFrame:
    return pd.DataFrame(wh.samples.clinic(n_rows))[["sex", "insurance", "admission", "diagnosis", "readmitted"]]


def mistakes(policy: wh.Policy, data: object) -> str:
    with pytest.raises(PolicyError) as error:
        wh.release(data, policy)
    return str(error.value)


def run(*arguments: object) -> tuple[int, str]:
    done = run_here(*arguments)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_from_file_to_file(tmp_path: Path) -> None:
    clinic().to_csv(tmp_path / "patients.csv", index=False)
    (tmp_path / "policy.toml").write_text(
        '[[require]]\nkind = "hidden"\ncolumn = "diagnosis"\nwhere = "insurance = \'private\'"\ninformed = true\n'
    )
    data, policy, out = tmp_path / "patients.csv", tmp_path / "policy.toml", tmp_path / "out.csv"
    code, said = run("release", data, "--policy", policy, "--out", out, "--seed", 1)
    assert code == 0, said
    assert "who knows which cells are protected" not in said
    audit = ("audit", out, "--policy", policy, "--original", data, "--checks-only")
    code, said = run(*audit)
    assert code == 0, said
    assert "naive Bayes, trained on the file: of 0 of" in said
    published, original = pd.read_csv(out, dtype=str), pd.read_csv(data, dtype=str)
    hidden = original["insurance"] == "private"
    blanks = published == "*"
    assert (blanks["diagnosis"] == hidden).all()
    assert not blanks[~hidden].any(axis=None)
    assert blanks["admission"].any()
    others = ["sex", "insurance", "admission", "readmitted"]
    published.loc[hidden, others] = original.loc[hidden, others]
    published.to_csv(out, index=False)
    code, said = run(*audit)
    assert code == 1
    assert "says more than of a row without values" in said


def test_what_withheld_a_cell_is_explained() -> None:
    frame = clinic()
    cells = [(row, "diagnosis") for row in range(20)]
    made = wh.release(frame, wh.Policy([wh.Hidden(cells=cells, informed=True)]), rng=1)
    published = made.to_frame()
    row = next(row for row in range(20) if published.loc[row, "admission"] == "*")
    assert "would infer something of a hidden cell" in made.explain(row, "admission").says
    entry = made.report["requirements"][0]
    assert (entry["informed"], entry["asked"], entry["rows_deleted"]) == (True, {"inferred": 0}, 0)
    assert sum(each["cells"] for each in entry["classes"]) == 20
    assert {each["value"] for each in entry["classes"]} == set(frame["diagnosis"][:20])


def test_public_reports_say_what_is_promised() -> None:
    frame = clinic()
    cells = [(row, "diagnosis") for row in range(40)]
    policy = wh.Policy([wh.Hidden(cells=cells, informed=True)])
    audit = wh.audit(wh.release(frame, policy, rng=1).to_frame(), policy, original=frame, attack=False)
    assert any("says of hidden cells in diagnosis no more" in f.says for f in public_audit(audit).findings)


def test_a_column_of_two_values_can_be_hidden() -> None:
    """An outsider who knows all of it gets what a guess gets: the promise says nothing about the value."""
    frame = pd.DataFrame({"drug": ["a", "b"] * 40, "ill": ["flu", "none"] * 40, "sex": ["f", "f", "m", "m"] * 20})
    cells = [(row, "ill") for row in range(10)]
    made = wh.release(frame, wh.Policy([wh.Hidden(cells=cells, informed=True)]), rng=1)
    assert not any("two values" in note or "who knows" in note for note in made.report["notes"])
    published = made.to_frame()
    assert (published["drug"][:10] == "*").all()
    assert (published["drug"][10:] != "*").all()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"against": [{"adversary": "rules", "rounds": 2}]}, "stops before the promise holds"),
        ({"against": [{"adversary": "naive-bayes", "method": "decp"}]}, "look at the hidden values"),
        ({"against": [{"adversary": "naive-bayes", "degree": 3}]}, "look at the hidden values"),
        ({"against": [{"adversary": "id3", "delete_above": 3}]}, "look at the hidden values"),
        ({"against": [{"adversary": "id3", "modify": "generalize"}]}, "look at the hidden values"),
    ],
)
def test_what_looks_at_hidden_values_is_refused(fields: dict, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        wh.Hidden(column="a", informed=True, **fields)


@pytest.mark.parametrize(
    "where", ["diagnosis = 'asthma'", "\"Diagnosis\" <> 'asthma'", "insurance = 'x' OR diagnosis > 'b'"]
)
def test_a_condition_cannot_ask_for_the_hidden_column(where: str) -> None:
    said = mistakes(wh.Policy([wh.Hidden(column="diagnosis", where=where, informed=True)]), clinic(50))
    assert "may not" in said
    assert "who knows the policy would learn the hidden values" in said


def test_a_condition_over_all_columns_is_refused() -> None:
    """Engines have conditions over columns that are not named one by one, the hidden one among them."""
    for where in ("COLUMNS('s.*') = 'yes'", "COLUMNS(*) = 'yes'", "* = 'yes'"):
        said = mistakes(wh.Policy([wh.Hidden(column="diagnosis", where=where, informed=True)]), clinic(50))
        assert "the condition cannot be evaluated: at character 1" in said


def test_nothing_else_depends_on_the_hidden_column() -> None:
    """The same release whatever stood in the hidden cells: steps, groups and risks do not read them."""
    hidden = wh.Hidden(column="diagnosis", where="insurance = 'private'", predictors=["admission"], informed=True)
    other = wh.Hidden(cells=[(0, "admission")], predictors=["readmitted"])
    assert "the same for all" in mistakes(wh.Policy([hidden, other]), clinic(50))
    group = wh.Anonymity(columns=["sex"], k=5)
    risk = wh.Risk(known={"sex": 0.5}, sensitive={"diagnosis": 1.0}, at_most=30)
    policy = wh.Policy([hidden, group, risk], target="diagnosis")
    frame = clinic(200)
    private = frame["insurance"] == "private"
    values = frame["diagnosis"][~private].unique()
    changed = frame.assign(diagnosis=frame["diagnosis"].where(~private, values[0]))
    first, second = (wh.release(each, policy, rng=1).to_frame() for each in (frame, changed))
    assert first.equals(second)


def test_beside_record_risk_over_other_columns() -> None:
    frame = clinic(200)
    hidden = wh.Hidden(cells=[(row, "diagnosis") for row in range(30)], informed=True)
    risk = wh.Risk(known={"sex": 0.5, "admission": 0.5}, sensitive={"readmitted": {"yes": 1.0}}, at_most=1, alpha=100)
    policy = wh.Policy([hidden, risk])
    audit = wh.audit(wh.release(frame, policy, rng=1).to_frame(), policy, original=frame, attack=False)
    assert audit.ok


def test_a_sheet_knows_too_much() -> None:
    sheet = inference.Sheet(wh.samples.thesis_table1())
    with pytest.raises(DataError, match="needs the table"):
        inference.protect(sheet, [(1, "Diagnosis")], informed=True)
    defence = inference.Defence("naive-bayes", method="decp")
    with pytest.raises(DataError, match="leave them out"):
        inference.protect(wh.samples.thesis_table1(), [(1, "Diagnosis")], against=[defence], informed=True)


def test_bins_do_not_hang_on_hidden_numbers() -> None:
    frame = clinic(200).assign(cost=[float(i * 37 % 101) for i in range(200)])
    other = frame.copy()
    cells = [(row, "cost") for row in range(25)]
    other.loc[:24, "cost"] = [1e6, -1e6, 17.0, 50.0, 99.0] * 5
    policy = wh.Policy(
        [wh.Hidden(cells=cells, informed=True)], columns={"cost": wh.ColumnSettings(type="number", bins=5)}
    )
    made = [wh.release(each, policy, rng=1).to_frame() for each in (frame, other)]
    pd.testing.assert_frame_equal(*made)


def test_long_rows() -> None:
    """Rows with more columns than sets can be tried of keep what can be kept."""
    frame = pd.DataFrame({f"c{j}": ["u", "v"] * 30 for j in range(70)} | {"ill": ["flu", "none"] * 30})
    published = wh.release(frame, wh.Policy([wh.Hidden(cells=[(1, "ill")], informed=True)]), rng=1).to_frame()
    blanks = (published == "*").sum(axis=1)
    assert blanks[1] >= 2
    assert blanks.drop(1).sum() == 0
