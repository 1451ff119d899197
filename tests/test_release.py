"""The whole job from Python."""

import json
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import withhold as wh
from withhold.errors import DataError, InfeasibleError, OutputError, PolicyError, UnmetError
from withhold.table import CategoryRecoding

POLICY = wh.Policy(
    [wh.Anonymity(columns=["age", "sex", "occupation"], k=5)],
    target="readmitted",
    drop=["name"],
    columns={"age": wh.ColumnSettings(type="number")},
)


@pytest.fixture
def patients() -> pd.DataFrame:
    return pd.DataFrame(wh.samples.clinic(600, seed=1))


def test_a_release_meets_its_policy_and_keeps_the_rest(patients: pd.DataFrame, tmp_path: Path) -> None:
    release = wh.release(patients, POLICY)
    audit = release.write(tmp_path / "out.csv")
    assert audit.ok
    back = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    assert list(back.columns) == [name for name in patients.columns if name != "name"]
    assert back["diagnosis"].tolist() == patients["diagnosis"].tolist()
    assert back["postcode"].tolist() == patients["postcode"].tolist()
    assert back.groupby(["age", "sex", "occupation"]).size().min() >= 5
    assert back.groupby(["age", "sex", "occupation"]).size().min() == release.reached[0]


def test_the_report_has_the_promised_keys_and_is_private(patients: pd.DataFrame, tmp_path: Path) -> None:
    wh.release(patients, POLICY).write(tmp_path / "out.csv", report=tmp_path / "out.html")
    path = tmp_path / "out.csv.report.json"
    report = json.loads(path.read_text())
    assert set(report) >= {"requirements", "steps", "withheld", "metrics", "timings"}
    assert report["requirements"][0]["asked"] == {"k": 5}
    assert report["requirements"][0]["ok"] is True
    assert set(report["steps"][0]) >= {"method", "column", "value", "gain", "loss", "score"}
    assert report["withheld"]["columns"]["age"]["blanked"] + report["withheld"]["columns"]["age"]["coarsened"] == 600
    assert report["seeded"] is False
    assert set(report["timings"]) == {"read", "search", "write", "check"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "out.html").stat().st_mode) == 0o600
    assert "Every requirement is met" in (tmp_path / "out.html").read_text()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_files_come_back_as_the_frame_asked_for(patients: pd.DataFrame, tmp_path: Path, backend: str) -> None:
    patients.to_csv(tmp_path / "in.csv", index=False)
    frame = wh.release(tmp_path / "in.csv", POLICY).to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    assert len(frame) == 600


def test_a_frame_comes_back_as_its_own_kind_without_its_index(patients: pd.DataFrame) -> None:
    by_pandas = wh.release(patients.set_index("name", drop=False), POLICY).to_frame()
    assert list(by_pandas.index) == list(range(600))
    assert by_pandas["stay_days"].dtype == patients["stay_days"].dtype
    by_polars = wh.release(pl.from_pandas(patients), POLICY).to_frame()
    assert isinstance(by_polars, pl.DataFrame)
    assert by_polars["stay_days"].dtype == pl.Int64
    assert by_polars["age"].to_list() == by_pandas["age"].tolist()


def test_a_shuffled_release_holds_the_same_rows(patients: pd.DataFrame) -> None:
    policy = wh.Policy(POLICY.require, target="readmitted", drop=["name"], columns=POLICY.columns, rows="shuffle")
    kept = wh.release(patients, POLICY).to_frame()
    shuffled = wh.release(patients, policy).to_frame()
    again = [wh.release(patients, policy, rng=7).to_frame() for _ in range(2)]
    key = list(kept.columns)
    assert not shuffled.equals(kept)
    assert (
        shuffled.astype(str)
        .sort_values(key, ignore_index=True)
        .equals(kept.astype(str).sort_values(key, ignore_index=True))
    )
    assert again[0].equals(again[1])
    assert wh.release(patients, policy, rng=7).report["seeded"] is True


def test_fewer_steps_still_give_a_valid_table(patients: pd.DataFrame) -> None:
    all_steps = wh.release(patients, POLICY).steps
    for n_steps in range(4):
        release = wh.release(patients, POLICY, max_steps=n_steps)
        assert release.steps == all_steps[:n_steps]
        assert wh.audit(release.to_frame(), POLICY).ok


def test_a_table_in_memory_can_be_released() -> None:
    policy = wh.Policy([wh.Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    frame = wh.release(wh.samples.tds_table1(), policy).to_frame("pandas")
    sizes = frame.groupby(["Education", "Sex"]).size()
    assert sorted(sizes.tolist()) == [4, 4, 4, 5, 7, 10]


def test_release_refuses_to_write_when_the_check_fails(patients: pd.DataFrame, tmp_path: Path) -> None:
    release = wh.release(patients, POLICY)
    leaking = CategoryRecoding(
        column="occupation",
        published={value: value for value in patients["occupation"].dropna().unique()},
        missing=None,
    )
    kept = tuple(r for r in release.decision.recodings if r.column != "occupation")
    object.__setattr__(release.decision, "recodings", (*kept, leaking))
    release.decision._by_column["occupation"] = leaking
    (tmp_path / "out.csv").write_text("as it was")
    with pytest.raises(UnmetError, match=r"nothing was published: require\[0\]"):
        release.write(tmp_path / "out.csv")
    with pytest.raises(UnmetError):
        release.to_frame()
    assert (tmp_path / "out.csv").read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_more_rows_than_there_are_is_infeasible(patients: pd.DataFrame) -> None:
    with pytest.raises(InfeasibleError, match="only 600 rows, 400 too few"):
        wh.release(patients, wh.Policy([wh.Anonymity(columns=["sex"], k=1000)]))


def test_destinations_that_cannot_be_written_are_refused(patients: pd.DataFrame, tmp_path: Path) -> None:
    release = wh.release(patients, POLICY, max_steps=0)
    with pytest.raises(OutputError, match="its folder does not exist"):
        release.write(tmp_path / "gone" / "out.csv")
    (tmp_path / "dir.csv").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        release.write(tmp_path / "dir.csv")
    with pytest.raises(OutputError, match=r'cannot write "\.docx"'):
        release.write(tmp_path / "out.docx")


def test_progress_is_reported_step_by_step(patients: pd.DataFrame, tmp_path: Path) -> None:
    reported: list[str] = []
    release = wh.release(patients, POLICY, progress=lambda what, step: reported.append(what))
    release.write(tmp_path / "out.csv")
    assert list(dict.fromkeys(reported)) == ["reading", "searching", "writing", "checking"]
    assert reported.count("searching") == len(release.steps) + 1


def test_learned_on_one_table_applied_to_another() -> None:
    from withhold.errors import DataError
    from withhold.methods import tds

    train = wh.Table.from_columns({"g": ["a", "a", "b", "b"], "n": [1, 1, 9, 9], "c": ["y", "y", "n", "n"]})
    test = wh.Table.from_columns({"g": ["b", "z"], "n": [5, 12]})
    result = tds(train, [wh.Anonymity(columns=["g", "n"], k=2)], target="c")
    assert result.cuts == {"g": ("a", "b"), "n": ("[1, 9)", "[9, 9]")}
    with pytest.raises(DataError, match='column "g": 1 row holds a value that the decision does not know'):
        result.apply(test)
    published = result.apply(test, unseen="withhold")
    assert {column: cells.tolist() for column, cells in published.items()} == {"g": ["b", "*"], "n": ["[1, 9)", "*"]}


def test_a_column_of_numbers_treated_as_categories_gets_a_note(tmp_path: Path, patients: pd.DataFrame) -> None:
    patients.to_csv(tmp_path / "in.csv", index=False)
    release = wh.release(tmp_path / "in.csv", wh.Policy([wh.Anonymity(columns=["age", "postcode"], k=5)]))
    about = [note for note in release.report["notes"] if "holds numbers" in note]
    assert len(about) == 1
    assert 'column "age" holds numbers' in about[0]


def test_the_input_is_never_overwritten_from_python(tmp_path: Path, patients: pd.DataFrame) -> None:
    patients.to_csv(tmp_path / "in.csv", index=False)
    before = (tmp_path / "in.csv").read_bytes()
    release = wh.release(tmp_path / "in.csv", POLICY)
    with pytest.raises(OutputError, match="is an input, which is never changed"):
        release.write(tmp_path / "in.csv")
    with pytest.raises(OutputError, match="is an input, which is never changed"):
        release.write(tmp_path / "out.csv", report=tmp_path / "in.csv")
    assert (tmp_path / "in.csv").read_bytes() == before


def test_mistakes_in_python_are_sentences(patients: pd.DataFrame) -> None:
    from withhold.errors import DataError, PolicyError
    from withhold.methods import tds

    requirement = wh.Anonymity(columns=["sex"], k=2)
    with pytest.raises(DataError, match=r"a search needs a Table; got DataFrame\. Hint: withhold\.read makes one"):
        tds(patients, [requirement])
    with pytest.raises(PolicyError, match="Policy: `require` must be a list; got one alone"):
        wh.Policy(requirement)
    with pytest.raises(PolicyError, match="Policy: `drop` must be a list"):
        wh.Policy([requirement], drop="name")
    with pytest.raises(PolicyError, match="Policy: `require` must hold at least one entry"):
        wh.Policy([])
    with pytest.raises(PolicyError, match="Policy: `require` must be a list; got NoneType"):
        wh.Policy(None)
    with pytest.raises(PolicyError, match="Policy: `columns` must be a dictionary; got list"):
        wh.Policy([requirement], columns=["sex"])
    table = wh.read(patients)
    table.store.close()
    with pytest.raises(DataError, match=r"the table was closed\. Hint: read it again"):
        wh.release(table, wh.Policy([requirement]))
    result = tds(wh.read(patients), [requirement])
    with pytest.raises(DataError, match="apply needs a Table"):
        result.apply(patients)
    with pytest.raises(DataError, match='there is no column "sex"'):
        result.apply(wh.read(patients[["age"]]))
    with pytest.raises(DataError, match='`unseen` must be "error" or "withhold"'):
        result.apply(wh.read(patients), unseen="drop")


def test_a_few_missing_numbers_do_not_cost_the_column() -> None:
    """To distinguish missing from numbers says little of the target; it must not be put off until it is no longer valid."""
    rng = np.random.default_rng(5)
    age = rng.integers(20, 80, 400)
    ill = np.where(rng.random(400) < (age > 55) * 0.7 + 0.1, "yes", "no")
    city = np.where(rng.random(400) < 0.2, np.where(ill == "yes", "Bern", "Biel"), rng.choice(["Bern", "Biel"], 400))
    frame = pd.DataFrame({"age": age.astype(float), "city": city, "ill": ill})
    frame.loc[rng.choice(400, 8, replace=False), "age"] = None
    policy = wh.Policy([wh.Anonymity(columns=["age", "city"], k=5)], target="ill")
    published = wh.release(frame, policy, rng=1).to_frame()
    assert published["age"].nunique() > 3
    assert (published["age"].isna() == frame["age"].isna()).all()


def test_notes_are_on_the_release_and_in_a_notebook(patients: pd.DataFrame) -> None:
    release = wh.release(patients, POLICY)
    release.to_frame()
    assert release.notes == tuple(release.report["notes"])
    assert any(note.startswith("published as they are") for note in release.notes)
    assert "Published as they are, because no requirement masks them" in release._repr_html_()


@pytest.mark.parametrize("policy", [{"require": []}, None, 3])
def test_what_is_no_policy_is_refused_with_a_hint(patients: pd.DataFrame, policy: object) -> None:
    for job in (wh.release, wh.audit):
        with pytest.raises(PolicyError, match="must be a `Policy` or the path to a policy file"):
            job(patients, policy)  # type: ignore[arg-type]


def test_two_columns_of_one_name_are_refused(patients: pd.DataFrame) -> None:
    twice = patients[[*patients.columns, patients.columns[0]]]
    with pytest.raises(DataError, match="two columns of the same name"):
        wh.release(twice, POLICY)


def test_a_frame_leaves_its_index_behind(patients: pd.DataFrame) -> None:
    labelled = patients.set_axis([f"person {i}" for i in range(len(patients))])
    assert wh.release(labelled, POLICY).to_frame().index.tolist() == list(range(len(patients)))


def test_the_page_of_an_audit_is_written_from_python(patients: pd.DataFrame, tmp_path: Path) -> None:
    wh.release(patients, POLICY).write(tmp_path / "out.csv")
    found = wh.audit(tmp_path / "out.csv", POLICY, attack=False)
    wh.write_audit(found, tmp_path / "audit.html", release=tmp_path / "out.csv", policy="policy.toml")
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "Private to the owner" in page
    assert "What was withheld, and why" in page
    wh.write_audit(found, tmp_path / "public.json", release=tmp_path / "out.csv", public=True)
    assert json.loads((tmp_path / "public.json").read_text(encoding="utf-8"))["public"] is True
    with pytest.raises(OutputError, match=r"a report cannot be .\.csv"):
        wh.write_audit(found, tmp_path / "out.csv", release=tmp_path / "out.csv")
    with pytest.raises(OutputError):
        wh.write_audit(found, tmp_path / "audit.pdf")
