"""Stata, SPSS and SAS files: labels, missing codes, and a release that keeps what columns mean."""

import datetime
from pathlib import Path

import pandas as pd
import pytest

import withhold as wh
from withhold._first_policy import first_policy
from withhold._inspect import inspect_table
from withhold.errors import DataError, OutputError

pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed (withhold[files])")

N = 60
PEOPLE = pd.DataFrame(
    {
        "age": [float(20 + i % 30) for i in range(N)],
        "sex": [float(1 + i % 2) for i in range(N)],
        "answer": [(1.0, 2.0, 9.0)[i % 3] for i in range(N)],
        "income": [1000.5 + i for i in range(N)],
        "city": ["Zürich" if i % 4 else "" for i in range(N)],
        "born": [datetime.date(1970 + i % 3, 1, 2) for i in range(N)],
    }
)
LABELS = {"age": "Age in years", "sex": "Sex at birth", "answer": "Consents"}
VALUES = {
    "age": {97: "97 or older"},
    "sex": {1: "male", 2: "female", 3: "other"},
    "answer": {1: "yes", 2: "no", 9: "refused"},
}
POLICY = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=5)], columns={"age": wh.ColumnSettings(type="number")})


def write(path: Path, people: pd.DataFrame = PEOPLE, values: dict = VALUES) -> Path:
    words = {"column_labels": LABELS, "variable_value_labels": values}
    if path.suffix == ".dta":
        pyreadstat.write_dta(people, path, **words)
    elif path.suffix == ".xpt":
        pyreadstat.write_xport(people, path, column_labels=LABELS)
    elif path.suffix == ".por":
        pyreadstat.write_por(people, path, **words)
    else:
        pyreadstat.write_sav(people, path, missing_ranges={"answer": [9]}, **words)
    return path


def cells(table: wh.Table, name: str) -> list[str | None]:
    return [table.store.values(name)[code] for code in table.store.cells(name)]


@pytest.mark.parametrize("suffix", [".dta", ".sav", ".zsav"])
def test_labels_are_read_instead_of_codes_where_each_value_has_one(tmp_path: Path, suffix: str) -> None:
    table = wh.read(write(tmp_path / f"people{suffix}"))
    assert cells(table, "sex")[:3] == ["male", "female", "male"]
    assert cells(table, "age")[:2] == ["20", "21"]
    assert table.store.kind("age") == table.store.kind("income") == "number"
    assert cells(table, "income")[0] == "1000.5"
    assert cells(table, "city")[:2] == [None, "Zürich"]
    assert cells(table, "born")[0] == "1970-01-02"


def test_codes_that_a_file_declares_as_missing_are_missing(tmp_path: Path) -> None:
    table = wh.read(write(tmp_path / "people.sav"))
    assert cells(table, "answer")[:3] == ["yes", "no", None]
    tagged = PEOPLE.assign(answer=[(1, 2, "a")[i % 3] for i in range(N)])
    pyreadstat.write_dta(tagged, tmp_path / "people.dta", missing_user_values={"answer": ["a"]})
    assert cells(wh.read(tmp_path / "people.dta"), "answer")[:3] == ["1", "2", None]


def test_codes_that_spss_declares_stand_in_the_first_policy_with_the_reason(tmp_path: Path) -> None:
    table = wh.read(write(tmp_path / "people.sav"))
    profiles = {each.name: each for each in inspect_table(table)}
    assert profiles["answer"].declared_codes == ("9",)
    assert "the file declares that 9 stands for a missing answer" in profiles["answer"].note
    text = first_policy(table, list(profiles.values())).text
    assert 'missing_codes = ["9"]  # the file declares it' in text
    wh.release(table, wh.Policy.loads(text))


def test_codes_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    table = wh.read(write(tmp_path / "people.sav"), values="codes")
    assert cells(table, "sex")[:2] == ["1", "2"]


def test_two_codes_with_one_label_stay_two_values(tmp_path: Path) -> None:
    path = write(tmp_path / "people.dta", values={"sex": {1: "unknown", 2: "unknown"}})
    assert cells(wh.read(path), "sex")[:2] == ["unknown (1)", "unknown (2)"]


@pytest.mark.parametrize("suffix", [".xpt", ".por"])
def test_other_kinds_are_read(tmp_path: Path, suffix: str) -> None:
    people = PEOPLE[["age", "sex", "income"]]
    people.columns = [name.upper() for name in people.columns]
    if suffix == ".xpt":
        pyreadstat.write_xport(people, tmp_path / "people.xpt")
    else:
        pyreadstat.write_por(people, tmp_path / "people.por")
    table = wh.read(tmp_path / f"people{suffix}")
    assert [name.lower() for name in table.names] == ["age", "sex", "income"]
    assert cells(table, table.names[0])[:2] == ["20", "21"]


@pytest.mark.parametrize("suffix", [".dta", ".sav", ".zsav"])
def test_a_release_keeps_what_columns_mean_and_is_proven_on_the_file(tmp_path: Path, suffix: str) -> None:
    source = write(tmp_path / f"people{suffix}")
    out = tmp_path / f"out{suffix}"
    assert wh.release(source, POLICY).write(out).ok
    read = pyreadstat.read_dta if suffix == ".dta" else pyreadstat.read_sav
    frame, about = read(out)
    assert about.column_names_to_labels["age"] == "Age in years"
    assert all(isinstance(value, str) for value in frame["age"])
    assert frame["income"].tolist() == PEOPLE["income"].tolist()
    assert frame["born"].tolist() == PEOPLE["born"].tolist()
    assert wh.audit(out, POLICY, original=source, attack=False).ok


def test_labels_of_published_codes_are_kept_and_no_others(tmp_path: Path) -> None:
    source = wh.read(write(tmp_path / "people.sav"), values="codes")
    policy = wh.Policy([wh.Anonymity(columns=["age"], k=5)])
    wh.release(source, policy).write(tmp_path / "out.sav")
    about = pyreadstat.read_sav(tmp_path / "out.sav")[1]
    assert about.variable_value_labels == {"sex": {1: "male", 2: "female"}, "answer": {1: "yes", 2: "no"}}


def test_any_table_can_be_released_as_a_statistical_file(tmp_path: Path) -> None:
    frame = PEOPLE.assign(big=2**60, truth=True, born=pd.Timestamp("2020-01-02 03:04:05"))
    for suffix in (".dta", ".sav"):
        assert wh.release(frame, POLICY).write(tmp_path / f"out{suffix}").ok


def test_files_that_cannot_be_read_or_written_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "people.dta").write_bytes(b"no such file")
    with pytest.raises(DataError, match=r"people\.dta: cannot be read as \.dta"):
        wh.read(tmp_path / "people.dta")
    release = wh.release(PEOPLE.rename(columns={"city": "city of birth"}), POLICY)
    with pytest.raises(OutputError, match='no place for a column called "city of birth"'):
        release.write(tmp_path / "out.dta")
    with pytest.raises(OutputError, match=r'cannot write "\.sas7bdat"'):
        release.write(tmp_path / "out.sas7bdat")
    assert [path.name for path in tmp_path.iterdir()] == ["people.dta"]


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "people.sav")
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(wh.errors.MissingExtraError, match=r"reading \.sav files needs pyreadstat.*withhold\[files\]"):
        wh.read(path)


def test_a_text_longer_than_spss_holds_is_refused_and_stata_holds_it(tmp_path: Path) -> None:
    people = pd.DataFrame({"sex": ["f", "m"] * 5, "note": ["ü" * 20_000] * 10})
    made = wh.release(people, wh.Policy([wh.Anonymity(columns=["sex"], k=2)]))
    with pytest.raises(OutputError, match='column "note" has a text of more than 32,767 bytes'):
        made.write(tmp_path / "out.sav")
    assert made.write(tmp_path / "out.dta").ok
