"""Why a cell is what it is: the requirement and the step, from Python and from the files alone."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
from withhold.cli._main import cli
from withhold.errors import InputError
from withhold.releasing._explain import check_cell, explain_file
from withhold.report import read_making


def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": [f"n{i}" for i in range(40)],
            "age": [str(20 + i) for i in range(40)],
            "job": (["nurse"] * 20 + ["clerk"] * 20),
            "ill": ["flu"] * 12 + ["none"] * 10 + ["flu", "none"] * 9,
        }
    )


POLICY = """
target = "ill"
drop = ["name"]
[columns.age]
type = "number"
[[require]]
kind = "anonymity"
columns = ["age", "job"]
k = 6
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    table().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "policy.toml").write_text(POLICY)
    return tmp_path


def explain(folder: Path, row: int, column: str, *more: str) -> str:
    arguments = ["explain", str(folder / "data.csv"), str(folder / "out.csv"), "--row", str(row), "--column", column]
    done = CliRunner().invoke(cli, [*arguments, *more], catch_exceptions=False)
    return done.output


def test_files_and_python_tell_the_same(files: Path) -> None:
    release = wh.release(files / "data.csv", files / "policy.toml")
    release.write(files / "out.csv")
    for column in ("age", "job", "name", "ill"):
        for row in (0, 39):
            assert explain(files, row, column) == f"{release.explain(row, column)}\n"
    reported = json.loads(explain(files, 0, "age", "--json"))
    assert reported["requirements"] == [0]
    assert "was" not in reported


def test_the_requirement_that_stands_in_the_way_is_named_and_true(files: Path) -> None:
    release = wh.release(files / "data.csv", files / "policy.toml")
    found = release.explain(3, "age")
    assert found.was == "23"
    assert found.published != "23"
    assert found.requirements == (0,)
    assert "where 6 are asked for (require[0])" in found.says
    for number in found.steps:
        assert release.steps[number - 1].column == "age"
    assert release.explain(3, "ill").says == "No requirement withheld it: it is published as it was."
    assert release.explain(3, "name").published is None


def test_a_stopped_search_says_so(files: Path) -> None:
    release = wh.release(files / "data.csv", files / "policy.toml", max_steps=0)
    assert "stopped" in release.explain(0, "job").says


def test_templates_name_the_value_that_would_be_implied() -> None:
    rows = [("cook", "yes")] * 6 + [("cook", "no")] * 2 + [("nurse", "no")] * 8
    frame = pd.DataFrame(rows, columns=["job", "ill"])
    policy = wh.Policy([wh.Template(given=["job"], hide={"ill": ["yes"]}, at_most=0.5)], target="ill")
    found = wh.release(frame, policy).explain(0, "job")
    assert found.published == "*"
    assert found.requirements == (0,)
    assert 'a group would imply ill = "yes" with confidence 0.75, above 0.5' in found.says


def changed_cells(release: wh.Release) -> list[tuple[int, str]]:
    """Return the cells that were withheld or coarsened by themselves."""
    return [(row, name) for name, reasons in release.record.cells.items() for each in reasons for row in each.rows]


def test_single_cells_tell_hidden_from_collateral() -> None:
    frame = pd.DataFrame({"drug": ["a", "b"] * 20, "ill": ["flu", "none"] * 20, "sex": ["f", "f", "m", "m"] * 10})
    hidden = wh.Hidden(cells=[(4, "ill")], against=[wh.Against(adversary="naive-bayes")])
    release = wh.release(frame, wh.Policy([hidden]), rng=1)
    assert release.explain(4, "ill").says == "require[0] hides this cell."
    changed = [cell for cell in changed_cells(release) if cell != (4, "ill")]
    assert changed
    for row, column in changed:
        found = release.explain(row, column)
        assert found.requirements == (0,)
        assert "would recover a hidden cell" in found.says or "deleted" in found.says
    untouched = next((row, "sex") for row in range(40) if (row, "sex") not in changed_cells(release))
    assert release.explain(*untouched).requirements == ()


def test_record_risk_is_reported_as_the_reason() -> None:
    frame = pd.DataFrame({"age": ["30"] * 9 + ["77"], "job": ["a"] * 9 + ["z"], "ill": ["no"] * 9 + ["yes"]})
    risk = wh.Risk(known={"age": 0.9, "job": 0.9}, sensitive={"ill": {"yes": 1.0}}, alpha=1, at_most=0.2)
    release = wh.release(frame, wh.Policy([risk]))
    row, column = changed_cells(release)[0]
    assert "risk was above 0.2 (require[0])" in release.explain(row, column).says


def test_mistakes_are_one_sentence(files: Path) -> None:
    release = wh.release(files / "data.csv", files / "policy.toml")
    with pytest.raises(InputError, match="rows are numbered from 0 to 39"):
        release.explain(40, "age")
    with pytest.raises(InputError, match=r'no column "agee".*age'):
        release.explain(0, "agee")
    release.write(files / "out.csv")
    (files / "out.csv.report.json").unlink()
    with pytest.raises(InputError, match=r"out.csv.report.json: the private report is not beside the release"):
        explain(files, 0, "age")


def test_a_number_column_that_is_withheld_altogether_names_the_requirement() -> None:
    frame = pd.DataFrame({"zip": [10, 20, 30, 40] * 5, "s": ["x", "y"] * 10})
    policy = wh.Policy([wh.Anonymity(columns=["zip"], k=12)], target="s")
    found = wh.release(frame, policy).explain(0, "zip")
    assert found.published == "*"
    assert found.requirements == (0,)
    assert "where 12 are asked for" in found.says


def test_dropped_columns_and_empty_cells_are_distinguished(files: Path) -> None:
    release = wh.release(files / "data.csv", files / "policy.toml")
    assert str(release.explain(3, "name")).startswith("row 3, column name: not published. The policy drops")
    frame = pd.DataFrame({"age": ["30", "30"], "lab": ["1", None]})
    empty = wh.release(frame, wh.Policy([wh.Anonymity(columns=["age"], k=2)])).explain(1, "lab")
    assert str(empty).startswith("row 1, column lab: published as an empty cell. No requirement")


def test_a_release_that_is_not_there_is_reported(files: Path) -> None:
    with pytest.raises(InputError, match=r"^out.csv: there is no such file"):
        explain(files, 0, "age")


def test_a_report_of_another_version_of_the_file_explains_nothing(files: Path) -> None:
    wh.release(files / "data.csv", files / "policy.toml").write(files / "out.csv")
    (files / "out.csv").write_text((files / "out.csv").read_text() + "\n")
    with pytest.raises(InputError, match=r"out.csv.report.json: was made for another version of out.csv"):
        explain(files, 0, "age")
    assert read_making(files / "out.csv") is None


def four() -> pd.DataFrame:
    """Return a table of which nothing about `age` and `job` can be given back where four rows must be alike."""
    return pd.DataFrame({"age": [21, 35, 48, 62], "job": ["cook", "nurse", "clerk", "guard"], "ill": list("abab")})


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_column_that_is_withheld_altogether_names_its_requirement(tmp_path: Path, suffix: str) -> None:
    settings = {
        "age": wh.ColumnSettings(type="number"),
        "job": wh.ColumnSettings(
            taxonomy={"any": {"care": {"nurse": {}, "cook": {}}, "rest": {"clerk": {}, "guard": {}}}}
        ),
    }
    policy = wh.Policy([wh.Anonymity(columns=["age", "job"], k=4)], target="ill", columns=settings)
    path = tmp_path / f"data{suffix}"
    four().to_csv(path, index=False) if suffix == ".csv" else four().to_parquet(path)
    release = wh.release(path, policy)
    release.write(tmp_path / f"out{suffix}")
    for column, size in (("age", "1 row"), ("job", "2 rows")):
        for row in range(4):
            found = release.explain(row, column)
            assert found.requirements == (0,)
            assert f"a group of {size} would appear where 4 are asked for (require[0])" in found.says
            again = explain_file(path, tmp_path / f"out{suffix}", row=row, column=column)
            assert (again.requirements, again.says) == (found.requirements, found.says)


def test_a_typed_cell_that_nothing_changes_is_published_as_it_was() -> None:
    policy = wh.Policy([wh.Anonymity(columns=["job"], k=2)])
    found = wh.release(four(), policy).explain(0, "age")
    assert found.published == found.was == "21"
    assert found.says == "No requirement withheld it: it is published as it was."


def test_a_text_that_means_missing_is_explained_as_missing() -> None:
    rows = [("cook", "yes")] * 4 + [("cook", "no")] * 6 + [("?", "yes")] * 4 + [("guard", "no")] * 4
    frame = pd.DataFrame(rows, columns=["job", "ill"])
    template = wh.Template(given=["job"], hide={"ill": ["yes"]}, at_most=0.5)
    release = wh.release(frame, wh.Policy([template], target="ill", missing=["?"]))
    found = release.explain(10, "job")
    assert (found.was, found.published) == ("?", "*")
    assert found.requirements == (0,)
    assert "with confidence 1, above 0.5" in found.says


def test_a_column_that_is_like_no_other_is_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r'no column "Foo"; there are: "c0", "c1", .*"c19", …'):
        check_cell(tuple(f"c{i}" for i in range(30)), 5, 0, "Foo")


def test_shuffled_rows_are_refused_with_a_hint_for_the_command_line(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "data.csv", index=False)
    policy = wh.Policy([wh.Anonymity(columns=["job"], k=5)], drop=["name"], rows="shuffle")
    wh.release(tmp_path / "data.csv", policy).write(tmp_path / "out.csv")
    with pytest.raises(InputError, match='release once more with rows = "keep", and explain that'):
        explain_file(tmp_path / "data.csv", tmp_path / "out.csv", row=0, column="job")
