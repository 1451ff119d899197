"""Hidden cells in whole releases: found, protected, published, attacked."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.command_line import run_here

import withhold as wh
from withhold.errors import PolicyError, UnmetError

SYMPTOMS = ["Indigestion", "Chest Pain", "Palpitation"]


def clinic(n_rows: int = 300, seed: int = 3) -> pd.DataFrame:
    """Return a table in which a diagnosis can be inferred from other columns."""
    rng = np.random.default_rng(seed)
    diagnosis = rng.choice(["flu", "asthma", "stroke", "none"], n_rows, p=[0.3, 0.2, 0.1, 0.4])
    fever = np.where(rng.random(n_rows) < np.where(diagnosis == "flu", 0.9, 0.1), "yes", "no")
    cough = np.where(rng.random(n_rows) < np.where(np.isin(diagnosis, ["flu", "asthma"]), 0.8, 0.15), "yes", "no")
    ward = np.where(diagnosis == "stroke", "neuro", rng.choice(["a", "b", "c"], n_rows))
    return pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(n_rows)],
            "age": rng.integers(18, 90, n_rows),
            "fever": fever,
            "cough": cough,
            "ward": ward,
            "consent": np.where(rng.random(n_rows) < 0.1, "no", "yes"),
            "diagnosis": diagnosis,
        }
    )


POLICY = """
drop = ["name", "consent"]
[columns.age]
type = "number"
bins = 5
[[require]]
kind = "hidden"
column = "diagnosis"
where = "consent = 'no'"
against = ["naive-bayes", "id3", { adversary = "rules", confidence = 0.8, support = 5 }]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    clinic().to_csv(tmp_path / "clinic.csv", index=False)
    (tmp_path / "policy.toml").write_text(POLICY)
    return tmp_path


def run(*arguments: object) -> tuple[int, str]:
    done = run_here(*arguments)
    return done.returncode, done.stdout + done.stderr


def test_from_file_to_file(folder: Path) -> None:
    out = folder / "out.csv"
    code, said = run(
        "release",
        folder / "clinic.csv",
        "--policy",
        folder / "policy.toml",
        "--out",
        out,
        "--report",
        folder / "r.html",
    )
    assert code == 0, said
    assert "cells hidden" in said
    published, original = pd.read_csv(out, dtype=str), clinic().astype(str)
    assert list(published) == ["age", "fever", "cough", "ward", "diagnosis"]
    hidden = original["consent"] == "no"
    assert (published.loc[hidden, "diagnosis"] == "*").all()
    for column in ("fever", "cough", "ward", "diagnosis"):
        changed = published[column] != original[column]
        assert (published.loc[changed, column] == "*").all()
    report = json.loads((folder / "out.csv.report.json").read_text())
    (entry,) = report["requirements"]
    assert entry["proven"] is True
    assert entry["ok"] is True
    assert entry["cells"] == hidden.sum()
    assert set(entry["exposed_before"]) == {"naive-bayes", "id3", "rules"}
    assert sum(each["cells"] for each in entry["classes"]) == hidden.sum()
    assert entry["rows_deleted"] == 0
    code, said = run("audit", out, "--policy", folder / "policy.toml", "--original", folder / "clinic.csv")
    assert code == 0, said
    assert said.count("met") >= 4
    page = (folder / "r.html").read_text()
    assert "hidden cells" in page


def test_a_restored_or_predictable_cell_is_found(folder: Path) -> None:
    out = folder / "out.csv"
    run("release", folder / "clinic.csv", "--policy", folder / "policy.toml", "--out", out)
    published, original = pd.read_csv(out, dtype=str, keep_default_na=False), clinic().astype(str)
    row = int(np.flatnonzero(original["consent"] == "no")[0])
    restored = published.copy()
    restored.loc[row, "diagnosis"] = original.loc[row, "diagnosis"]
    restored.to_csv(out, index=False)
    code, said = run("audit", out, "--policy", folder / "policy.toml", "--original", folder / "clinic.csv")
    assert code == 1
    assert "1 of" in said
    naive = published.copy()
    for column in ("fever", "cough", "ward"):
        naive[column] = original[column]
    naive["diagnosis"] = original["diagnosis"].where(original["consent"] == "yes", "*")
    naive.to_csv(out, index=False)
    code, said = run("audit", out, "--policy", folder / "policy.toml", "--original", folder / "clinic.csv")
    assert code == 1
    assert "NOT MET" in said
    assert "recovers" in said


@pytest.mark.parametrize("method", ["decp", "incp", "dropp"])
def test_printed_methods_in_a_policy(method: str) -> None:
    against = [wh.Against(adversary="naive-bayes", method=method, degree=2), wh.Against(adversary="id3", method="hid3")]
    cells = [(1, "Diagnosis"), (5, "Diagnosis"), (6, "Palpitation")]
    policy = wh.Policy([wh.Hidden(cells=cells, against=against, predictors=[*SYMPTOMS, "Diagnosis"])])
    made = wh.release(wh.samples.thesis_table1(), policy, rng=4)
    frame = made.to_frame("pandas")
    assert frame.loc[1, "Diagnosis"] == frame.loc[5, "Diagnosis"] == "*"


def test_cells_climb_along_taxonomies() -> None:
    against = [wh.Against(adversary=each, modify="generalize") for each in ("naive-bayes", "id3")]
    policy = wh.Policy([wh.Hidden(cells=[(17, "Diagnosis"), (5, "Burning")], against=against)], missing=["?"])
    made = wh.release(wh.samples.thesis_table4(), policy, rng=2)
    frame = made.to_frame("pandas")
    assert frame.loc[17, "Diagnosis"] in ("Gastric Disease", "*")
    entry = made.report["requirements"][0]
    assert entry["others_blanked"] + entry["others_coarsened"] >= 0
    assert made.checked is not None
    assert made.checked.ok


def test_two_requirements_in_turn() -> None:
    frame = clinic(200, 5).drop(columns=["name", "age"])
    policy = wh.Policy(
        [
            wh.Hidden(column="diagnosis", where="consent = 'no'"),
            wh.Hidden(cells=[(3, "ward"), (9, "cough")], against=[wh.Against(adversary="rules", support=4)]),
        ]
    )
    made = wh.release(frame, policy, rng=1)
    published = made.to_frame()
    assert published.loc[3, "ward"] == published.loc[9, "cough"] == "*"
    assert [entry["cells"] for entry in made.report["requirements"]] == [int((frame["consent"] == "no").sum()), 2]


def test_beside_anonymity_over_other_columns() -> None:
    frame = clinic(300, 6).drop(columns=["name"])
    policy = wh.Policy(
        [
            wh.Anonymity(columns=["age", "ward"], k=20),
            wh.Hidden(
                column="diagnosis",
                where="consent = 'no'",
                predictors=["fever", "cough", "consent"],
                most_withheld=0.6,
            ),
        ]
    )
    made = wh.release(frame, policy, rng=1)
    made.to_frame()
    assert made.reached[0] >= 20


def test_numbers_are_published_in_bins_of_other_rows() -> None:
    frame = clinic(100, 7)[["age", "fever", "diagnosis"]]
    frame.loc[0, "age"] = 500
    settings = {"age": wh.ColumnSettings(type="number", bins=4, publish="midpoint")}
    policy = wh.Policy([wh.Hidden(cells=[(0, "age")])], columns=settings)
    made = wh.release(frame, policy, rng=1)
    published = made.to_frame()
    assert published.loc[0, "age"] == "*"
    assert published["age"].nunique() <= 5
    assert max(float(text) for text in published["age"] if text != "*") < 120


def mistakes(policy: wh.Policy, data: object) -> str:
    with pytest.raises(PolicyError) as error:
        wh.release(data, policy)
    return str(error.value)


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ({"cells": [(99, "Diagnosis")]}, "row 99 is outside the table, which has 9 rows"),
        ({"cells": [(1, "Diagnosis"), (1, "Diagnosis")]}, "listed twice"),
        ({"cells": [(1, "Diagnose")]}, 'did you mean "Diagnosis"'),
        ({"column": "Diagnosis", "where": "Years > 3"}, 'the condition asks for a column "Years", which is not there'),
        ({"column": "Diagnosis", "where": "Diagnose = 'x'"}, 'which is not there; did you mean "Diagnosis"?'),
        ({"column": "Diagnosis", "where": "Age >"}, "the condition cannot be evaluated"),
        ({"column": "Diagnosis", "where": "Age = 'old'"}, "no row meets the condition"),
        ({"column": "Diagnosis", "against": [{"adversary": "rules", "support": 50}]}, "more than the 9 rows"),
    ],
)
def test_bad_requirements_say_what_is_wrong(requirement: dict, said: str) -> None:
    assert said in mistakes(wh.Policy([wh.Hidden(**requirement)]), wh.samples.thesis_table1())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"column": "a", "predictors": ["a", "b"]}, "holds the hidden column"),
        ({"column": "a", "cells": [(0, "a")]}, "either `cells`"),
        ({"cells": [(0, "a")], "where": "x"}, "needs a `column`"),
        ({"column": "a", "against": [{"adversary": "rules", "confidence": 1.5}]}, "above 0 and at most 1"),
        ({"column": "a", "against": [{"adversary": "rules", "method": "decp"}]}, "for classifiers"),
        ({"column": "a", "against": [{"adversary": "id3", "method": "decp"}]}, "must be one of auto, hid3"),
        ({"column": "a", "against": ["id3", "id3"]}, "twice"),
        ({"column": "a", "against": [{"adversary": "svm"}]}, "must be one of"),
    ],
)
def test_bad_fields_say_what_is_wrong(fields: dict, said: str) -> None:
    with pytest.raises(PolicyError) as error:
        wh.Hidden(**fields)
    assert said in str(error.value)


def test_columns_that_cannot_be_hidden() -> None:
    frame = pd.DataFrame({"a": ["x", "x", "x"], "b": ["u", "v", None], "n": [1.5, 2.5, 3.5]})
    assert "has only one value" in mistakes(wh.Policy([wh.Hidden(column="a")]), frame)
    assert "missing already" in mistakes(wh.Policy([wh.Hidden(cells=[(2, "b")])]), frame)
    many = pd.DataFrame({"n": np.arange(60) / 7, "b": ["u", "v"] * 30})
    assert "bins = 10" in mistakes(wh.Policy([wh.Hidden(cells=[(2, "b")])]), many)
    starred = pd.DataFrame({"a": ["x", "*", "y"], "b": ["u", "v", "u"]})
    assert 'a value "*"' in mistakes(wh.Policy([wh.Hidden(cells=[(0, "b")])]), starred)


def test_blanks_and_groups_share_columns() -> None:
    for predictors in (None, ["ward", "fever"]):
        hidden = wh.Hidden(cells=[(0, "diagnosis"), (3, "ward")], predictors=predictors)
        columns = {"age": wh.ColumnSettings(type="number", bins=3)}
        policy = wh.Policy([wh.Anonymity(columns=["ward"], k=5), hidden], columns=columns)
        published = wh.release(clinic(50), policy, rng=1).to_frame()
        assert published["ward"].value_counts(dropna=False).min() >= 5
        assert published["diagnosis"][0] == published["ward"][3] == "*"


def test_hidden_cells_and_shuffled_rows_go_together() -> None:
    frame = clinic(200)[["ward", "fever", "diagnosis"]]
    rows = list(range(0, 200, 10))
    policy = wh.Policy([wh.Hidden(cells=[(row, "diagnosis") for row in rows])], rows="shuffle")
    made = wh.release(frame, policy, rng=1)
    published = made.to_frame()
    assert made.checked is not None
    assert made.checked.is_complete
    assert (published["diagnosis"] == "*").sum() >= len(rows)
    outside = wh.audit(published, policy, original=frame, attack=False)
    assert (outside.ok, outside.is_complete) == (True, False), "only the owner knows the order"


def test_one_round_of_mining_is_refused_where_rules_are_left() -> None:
    golden = json.loads((Path(__file__).parent / "golden" / "adversarial.json").read_text())
    employee = golden["tables"]["employee"]
    frame = pd.DataFrame(employee["rows"], columns=[f"c{j}" for j in range(len(employee["rows"][0]))])
    cells = [(row, f"c{column}") for row, column in employee["private"]]

    def policy(rounds: int | None) -> wh.Policy:
        against = [wh.Against(adversary="rules", confidence=0.6, support=1, rounds=rounds)]
        return wh.Policy([wh.Hidden(cells=cells, against=against)])

    with pytest.raises(UnmetError, match="adversarial rules are left"):
        wh.release(frame, policy(1)).to_frame()
    wh.release(frame, policy(None)).to_frame()


def test_the_same_seed_gives_the_same_release() -> None:
    policy = wh.Policy(
        [wh.Hidden(column="diagnosis", where="consent = 'no'", against=[wh.Against(adversary="naive-bayes", degree=3)])]
    )
    frame = clinic(150, 8).drop(columns=["name", "age"])
    first, second = (wh.release(frame, policy, rng=11).to_frame() for _ in range(2))
    assert first.equals(second)
    assert wh.release(frame, policy, rng=11).report["seeded"] is True


def test_a_condition_is_one_expression(tmp_path: Path) -> None:
    leak = tmp_path / "leak.csv"
    for where in (
        f"false) ORDER BY 1; COPY (SELECT * FROM source) TO '{leak}'; SELECT 0 WHERE (true",
        "false) UNION ALL SELECT 999 WHERE (true",
        "true -- no more",
        "Age IN (SELECT Age FROM source)",
    ):
        said = mistakes(wh.Policy([wh.Hidden(column="Diagnosis", where=where)]), wh.samples.thesis_table1())
        assert "must be one expression" in said
    assert not leak.exists()


def test_whole_numbers_in_a_condition_are_compared_as_they_are() -> None:
    frame = pd.DataFrame({"id": [2**53, 2**53 + 1, 5, 6], "a": ["x", "y", "x", "y"], "b": ["u", "v", "v", "u"]})
    policy = wh.Policy([wh.Hidden(column="a", where=f"id = {2**53 + 1}", predictors=["b"])])
    assert (wh.release(frame, policy, rng=1).to_frame()["a"] == "*").tolist() == [False, True, False, False]


def test_taxonomies_may_be_deep_but_not_bottomless() -> None:
    def chain(depth: int) -> dict:
        tree: dict = {"v0": {}, "v1": {}}
        for level in range(depth - 1):
            tree = {f"n{level}": tree, f"v{level + 2}": {}}
        return {"Any": tree}

    values = [f"v{i % 24}" for i in range(48)]
    frame = pd.DataFrame({"a": values, "b": values[::-1], "c": ["s", "t"] * 24})
    against = [wh.Against(adversary=each, modify="generalize") for each in ("naive-bayes", "id3")]

    def policy(depth: int) -> wh.Policy:
        settings = {name: wh.ColumnSettings(taxonomy=chain(depth)) for name in ("a", "b")}
        return wh.Policy([wh.Hidden(cells=[(3, "a"), (9, "c")], against=against)], columns=settings)

    wh.release(frame, policy(26), rng=1).to_frame()
    with pytest.raises(wh.errors.TaxonomyError, match="more than 30 levels"):
        wh.release(frame, policy(33), rng=1)


def test_many_columns() -> None:
    rng = np.random.default_rng(1)
    for n_columns in (63, 70, 127):
        frame = pd.DataFrame(rng.integers(0, 2, (40, n_columns)).astype(str)).rename(columns=str)
        wh.release(frame, wh.Policy([wh.Hidden(cells=[(0, "0"), (1, "0")], most_withheld=1.0)]), rng=1).to_frame()


def test_a_hidden_extreme_lies_in_the_outer_bin() -> None:
    frame = pd.DataFrame({"age": [*range(20, 60), 97], "b": ["u", "v"] * 20 + ["u"]})
    settings = {"age": wh.ColumnSettings(type="number", bins=4)}
    made = wh.release(frame, wh.Policy([wh.Hidden(cells=[(40, "age")])], columns=settings), rng=1)
    assert "97" not in "".join(made.to_frame()["age"])
    assert made.report["withheld"]["columns"]["age"]["blanked"] >= 1
    edges = {"age": wh.ColumnSettings(type="number", bins=(0, 30, 50))}
    assert "outside the edges" in mistakes(wh.Policy([wh.Hidden(cells=[(0, "b")])], columns=edges), frame)


def test_hidden_cells_of_a_column_in_which_groups_are_counted() -> None:
    policy = wh.Policy([wh.Anonymity(columns=["ward"], k=5), wh.Hidden(cells=[(0, "ward")], predictors=["fever"])])
    published = wh.release(clinic(50), policy, rng=1).to_frame()
    assert published["ward"][0] == "*"
    assert published["ward"].value_counts().min() >= 5


def test_generalising_without_a_taxonomy() -> None:
    rng = np.random.default_rng(4)
    against = [wh.Against(adversary=each, modify="generalize") for each in ("naive-bayes", "id3")]
    for seed in range(8):
        frame = pd.DataFrame(rng.choice(list("zyx"), (17, 4)), columns=list("abcd"))
        wh.release(frame, wh.Policy([wh.Hidden(cells=[(0, "a"), (5, "b")], against=against)]), rng=seed).to_frame()


def test_deleted_rows_are_reported(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.choice(list("ab"), 200), "y": np.where(rng.random(200) < 0.8, "maj", "min")})
    against = [wh.Against(adversary="naive-bayes", delete_above=0), wh.Against(adversary="id3", delete_above=0)]
    made = wh.release(frame, wh.Policy([wh.Hidden(cells=[(i, "y") for i in range(20)], against=against)]), rng=1)
    audit = made.write(tmp_path / "out.csv")
    assert "the most frequent value is right on" in audit.findings[1].says
    unknown = pd.DataFrame({"x": [None, *frame["x"][1:]], "y": frame["y"]})
    wh.release(unknown, wh.Policy([wh.Hidden(cells=[(0, "y")])]), rng=1).to_frame()  # attacked, not taken for deleted


def test_the_owner_is_warned_where_the_choice_tells_the_value() -> None:
    made = wh.release(
        clinic(120).drop(columns=["name", "age"]), wh.Policy([wh.Hidden(column="ward", where="ward = 'neuro'")]), rng=1
    )
    assert any("hold the same value" in note for note in made.report["notes"])


def test_a_list_of_cells_with_odd_numbers_is_refused(tmp_path: Path) -> None:
    for text in ("²", "9" * 5000, "-1"):
        (tmp_path / "cells.csv").write_text(f"row,column\n{text},Diagnosis\n", encoding="utf-8")
        policy = wh.Policy([wh.Hidden(cells="cells.csv")], folder=tmp_path)
        assert "line 2" in mistakes(policy, wh.samples.thesis_table1())


def test_a_column_of_two_values_is_warned_of() -> None:
    frame = pd.DataFrame({"drug": ["a", "b"] * 20, "ill": ["flu", "none"] * 20, "sex": ["f", "f", "m", "m"] * 10})
    hidden = wh.Hidden(cells=[(4, "ill")], against=["naive-bayes"])
    notes = wh.release(frame, wh.Policy([hidden]), rng=1).report["notes"]
    assert any('column "ill": it has two values' in note for note in notes)
    rules = wh.Hidden(cells=[(4, "ill")], against=[wh.Against(adversary="rules", support=2)])
    assert not any("two values" in note for note in wh.release(frame, wh.Policy([rules]), rng=1).report["notes"])
