"""The audit of files that another tool made: its marks, intervals, sets, types, delimiters and columns."""

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import withhold as wh
from withhold.cli._main import cli
from withhold.errors import DataError, InputError, PolicyError
from withhold.table import parse_interval

ORIGINAL = pd.DataFrame(
    {
        "age": [23, 35, 41, 60, 38, 77],
        "job": ["cook", "cook", "clerk", "clerk", "cook", "clerk"],
        "zip": ["01234", "01299", "02000", "02001", "01250", "02050"],
        "ill": ["flu", "none", "flu", "none", "none", "flu"],
    }
)
JOBS = {"Any": {"Kitchen": ["cook", "baker"], "Office": ["clerk"]}}
PAIRS = wh.Policy([wh.Anonymity(columns=["age"], k=2)], columns={"job": wh.ColumnSettings(taxonomy=JOBS)})


def cells(release: object, policy: wh.Policy = PAIRS, **options: object) -> int:
    """Return how many cells the audit holds for changed."""
    found = wh.audit(release, policy, original=ORIGINAL, **options)
    return next(int(each.reached) for each in found.findings if each.kind == "cells")


@pytest.mark.parametrize(
    ("ages", "n_changed"),
    [
        (["[20, 40)", "[20, 40)", "[40, 80)", "[40, 80)", "[20, 40)", "[40, 80)"], 0),
        (["[20, 40[", "[20, 40[", "[40, 80[", "[40, 80[", "[20, 40[", "[40, 80["], 0),
        (["20-39", "20-39", "40-59", ">=60", "20 - 39", ">=60"], 0),
        (["<40", "<40", "]40, 77]", "(40, 77]", "≤39", "60+"], 0),
        (["{23, 35, 38}"] * 2 + ["*", "*", "{35,38}", "*"], 0),
        (["[23.0, 38.5]"] * 2 + ["*", None, "*", "[60, 77["], 1),
        (["23", "35.0", "4.1e1", "060", "38", "77"], 0),
        (["24", "35", "41", "60", "38", "77"], 1),
        (["20-39"] * 6, 3),
        (["[80, 20]"] * 6, 6),
    ],
)
def test_intervals_and_sets_hold_what_stood_there(ages: list, n_changed: int) -> None:
    assert cells(ORIGINAL.assign(age=pd.Series(ages, dtype=object))) == n_changed


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("[-5, 3.5)", (-5, 3.5, True, False)),
        ("-5--3", (-5, -3, True, True)),
        ("]0, inf[", (0, float("inf"), False, False)),
        ("1e3 - 2e3", (1000, 2000, True, True)),
        ("2024-01", None),
        ("a-b", None),
        ("12", None),
    ],
)
def test_texts_that_name_an_interval(text: str, ends: tuple | None) -> None:
    found = parse_interval(text)
    assert (None if found is None else (found.low, found.high, found.has_low, found.has_high)) == ends


def test_nodes_of_the_taxonomy_hold_what_is_below_them() -> None:
    assert cells(ORIGINAL.assign(job=["Kitchen", "Any", "Office", "*", "cook", "clerk"])) == 0
    assert cells(ORIGINAL.assign(job=["Office", "Kitchen", "Kitchen", "baker", "cook", "clerk"])) == 3


def test_a_coarser_name_that_no_taxonomy_knows_is_a_changed_cell() -> None:
    assert cells(ORIGINAL.assign(job=["Gastronomy", "cook", "clerk", "clerk", "cook", "clerk"])) == 1


def test_stars_for_letters_stand_for_what_matches() -> None:
    assert cells(ORIGINAL.assign(zip=["012**", "012**", "02***", "02***", "012**", "*****"])) == 0
    assert cells(ORIGINAL.assign(zip=["013**", "01***", "0200", "02001", "01250", "02050"])) == 2


def test_a_code_that_lost_its_zeros_is_another_text() -> None:
    assert cells(ORIGINAL.assign(zip=[each.lstrip("0") for each in ORIGINAL["zip"]])) == 6
    numbers = wh.Policy(PAIRS.require, columns={"zip": wh.ColumnSettings(type="number")})
    assert cells(ORIGINAL.assign(zip=[each.lstrip("0") for each in ORIGINAL["zip"]]), numbers) == 0


HIDE = wh.Policy(
    [wh.Hidden(cells=[(0, "ill"), (4, "ill")], predictors=["job"], against=["naive-bayes"])],
    columns={"age": wh.ColumnSettings(type="number", bins=2)},
)


@pytest.mark.parametrize("mark", ["*", None, float("nan"), pd.NA])
def test_a_blank_of_a_frame_is_withheld(mark: object) -> None:
    release = ORIGINAL.assign(ill=pd.Series([mark, "none", "flu", "none", mark, "flu"], dtype=object), job="*")
    found = wh.audit(release, HIDE, original=ORIGINAL)
    assert found.findings[0].ok
    assert found.findings[0].details == {"cells": 2, "published": 0}


@pytest.mark.parametrize("mark", ["?", "NA", "", "-"])
def test_a_mark_of_another_tool_counts_once_it_is_named(mark: str) -> None:
    release = ORIGINAL.assign(ill=[mark, "none", "flu", "none", mark, "flu"], job=mark)
    found = wh.audit(release, HIDE, original=ORIGINAL)
    assert found.findings[0].reached == 2
    assert not found.ok
    by_policy = wh.Policy(HIDE.require, columns=HIDE.columns, missing=[mark])
    for found in (
        wh.audit(release, HIDE, original=ORIGINAL, withheld=[mark]),
        wh.audit(release, by_policy, original=ORIGINAL),
    ):
        assert found.findings[0].ok
        assert all(finding.ok for finding in found.findings if finding.kind == "cells")


def test_a_mark_weighs_nothing_in_a_risk() -> None:
    policy = wh.Policy([wh.Risk(known={"job": 0.9, "zip": 0.9}, sensitive={"ill": {"flu": 1.0}}, at_most=20)])
    release = ORIGINAL.assign(ill="?", zip="?")
    assert wh.audit(release, policy, withheld=["?"]).ok
    assert not wh.audit(ORIGINAL, policy, withheld=["?"]).ok


def test_a_coarser_sensitive_value_weighs_as_much_as_the_heaviest_below() -> None:
    ills = {"Any": {"Infection": ["flu", "cold"], "None": ["none"]}}
    risk = wh.Risk(known={"job": 0.9, "zip": 0.9}, sensitive={"ill": {"flu": 1.0}}, at_most=20)
    policy = wh.Policy([risk], columns={"ill": wh.ColumnSettings(taxonomy=ills)})
    release = ORIGINAL.assign(ill=["Infection" if each == "flu" else each for each in ORIGINAL["ill"]])
    assert not wh.audit(release, policy, original=ORIGINAL).ok
    assert not wh.audit(release, policy).ok


def test_withheld_sensitive_values_do_not_lower_a_share() -> None:
    policy = wh.Policy([wh.Template(given=["job"], hide={"ill": ["flu"]}, at_most=0.7)])
    assert wh.audit(ORIGINAL, policy).ok
    release = ORIGINAL.assign(ill=["flu", "*", "flu", "*", "*", "flu"])
    assert wh.audit(release, policy).findings[0].reached == 1.0
    assert wh.audit(ORIGINAL.assign(ill="*"), policy).ok
    marked = release.replace("*", "?")
    assert wh.audit(marked, policy).ok
    assert not wh.audit(marked, policy, withheld=["?"]).ok
    emptied = release.replace("*", None)
    assert not wh.audit(emptied, policy).ok
    assert not wh.audit(emptied, policy, original=ORIGINAL).ok
    assert not wh.audit(emptied, policy, original=emptied).ok, "nobody else answered"


def test_booleans_may_be_spelled_otherwise() -> None:
    original = ORIGINAL.assign(ill=[True, False] * 3)
    policy = wh.Policy([wh.Anonymity(columns=["job"], k=2)])
    assert wh.audit(ORIGINAL.assign(ill=["True", "FALSE"] * 3), policy, original=original).ok
    assert not wh.audit(ORIGINAL.assign(ill=["False", "TRUE"] * 3), policy, original=original).ok


def test_another_order_of_columns_is_no_change() -> None:
    assert cells(ORIGINAL[["ill", "zip", "job", "age"]]) == 0


def test_a_column_that_the_original_does_not_have_is_found() -> None:
    found = wh.audit(ORIGINAL.assign(index=range(6)), PAIRS, original=ORIGINAL)
    assert [each.says for each in found.findings if each.kind == "columns"] == [
        "the original has no column index, so nothing is known about what it holds"
    ]
    found = wh.audit(ORIGINAL.assign(index=range(6), job="*"), HIDE, original=ORIGINAL)
    assert {each.kind for each in found.findings if not each.ok} >= {"columns"}


def test_a_lost_column_is_reported_or_refused() -> None:
    found = wh.audit(ORIGINAL.drop(columns="zip"), PAIRS, original=ORIGINAL)
    assert "not published, though the policy does not drop them: zip." in found.notes
    with pytest.raises(PolicyError, match='no column "age"'):
        wh.audit(ORIGINAL.drop(columns="age"), PAIRS, original=ORIGINAL)


def test_hidden_cells_of_a_lost_column_are_refused(tmp_path: Path) -> None:
    (tmp_path / "cells.csv").write_text("row,column\n0,ill\n")
    policy = wh.Policy([wh.Hidden(cells="cells.csv", predictors=["job"])], folder=tmp_path)
    with pytest.raises(PolicyError, match='no column "ill"'):
        wh.audit(ORIGINAL.drop(columns="ill"), policy, original=ORIGINAL)


def test_cells_that_climbed_to_a_name_of_their_own_are_published() -> None:
    against = [wh.Against(adversary=each, modify="generalize") for each in ("naive-bayes", "id3")]
    policy = wh.Policy([wh.Hidden(cells=[(0, "job")], predictors=["ill"], against=against)], columns=PAIRS.columns)
    found = wh.audit(ORIGINAL.assign(job=["Gastronomy", *ORIGINAL["job"][1:]]), policy, original=ORIGINAL)
    assert not found.findings[0].ok


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_delimiters_and_marks_of_byte_order(tmp_path: Path, delimiter: str, mark: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(mark + ORIGINAL.assign(age="20, 80; all").to_csv(index=False, sep=delimiter), encoding="utf-8")
    ORIGINAL.to_csv(tmp_path / "o.csv", index=False)
    found = wh.audit(path, PAIRS, original=tmp_path / "o.csv")
    assert [each.kind for each in found.findings if not each.ok] == ["cells"]


def test_typed_nulls_of_parquet_are_withheld(tmp_path: Path) -> None:
    table = pa.table({**ORIGINAL.to_dict("list"), "age": pa.array([None] * 6, pa.int64())})
    pq.write_table(table, tmp_path / "r.parquet")
    ORIGINAL.to_csv(tmp_path / "o.csv", index=False)
    assert wh.audit(tmp_path / "r.parquet", PAIRS, original=tmp_path / "o.csv").ok


def test_types_do_not_make_a_change(tmp_path: Path) -> None:
    ORIGINAL.to_csv(tmp_path / "o.csv", index=False)
    release = ORIGINAL.astype({"age": float, "job": "category", "ill": "category"})
    found = wh.audit(release, wh.Policy([wh.Anonymity(columns=["job"], k=2)]), original=tmp_path / "o.csv")
    assert found.ok, found.findings
    assert cells(pl.from_pandas(release)) == 0


def test_not_a_number_is_a_mark_that_must_be_named() -> None:
    release = pl.from_pandas(ORIGINAL).with_columns(age=pl.lit(float("nan")))
    assert cells(release) == 6
    assert cells(release, withheld=["nan"]) == 0


def test_shuffled_rows_are_compared_column_by_column() -> None:
    policy = wh.Policy(PAIRS.require, columns=PAIRS.columns, rows="shuffle")
    assert cells(ORIGINAL.iloc[::-1], policy) == 0
    assert cells(ORIGINAL.iloc[::-1]) > 0
    assert cells(ORIGINAL.assign(job=["Kitchen", "*", "*", "clerk", "clerk", "clerk"]), policy) == 0
    assert cells(ORIGINAL.assign(job=["Kitchen", "cook", "Kitchen", "cook", "*", "*"]), policy) == 1
    assert cells(ORIGINAL.assign(ill="flu"), policy) == 3
    assert cells(ORIGINAL.assign(age=["20-39"] * 4 + ["*", "*"]), policy) == 1


def test_names_that_differ_in_case_and_empty_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text("age,Age\n1,2\n")
    (tmp_path / "empty.csv").write_text("age\n")
    with pytest.raises(DataError, match="differ only in case"):
        wh.audit(tmp_path / "twice.csv", PAIRS)
    with pytest.raises(DataError, match="no row"):
        wh.audit(tmp_path / "empty.csv", PAIRS)


def test_the_command_takes_marks(tmp_path: Path) -> None:
    ORIGINAL.to_csv(tmp_path / "o.csv", index=False)
    ORIGINAL.assign(age="?").to_csv(tmp_path / "r.csv", index=False)
    (tmp_path / "p.toml").write_text('[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 2\n')
    words = [str(tmp_path / "r.csv"), "--policy", str(tmp_path / "p.toml"), "--original", str(tmp_path / "o.csv")]
    assert CliRunner().invoke(cli, ["audit", *words]).exit_code == 1
    assert CliRunner().invoke(cli, ["audit", *words, "--withheld", "?", "--withheld", "NA"]).exit_code == 0
    with pytest.raises(InputError, match="must be a list"):
        wh.audit(ORIGINAL, PAIRS, withheld="?")


@pytest.mark.parametrize(
    "condition",
    [
        "random() < 0.3",
        '"random" () < 0.3',
        "main.RANDOM() < 0.3",
        "uuid() > 'a'",
        "CURRENT_DATE > DATE '2020-01-01'",
        "now() IS NOT NULL",
        "age(TIMESTAMP '2001-01-01') > INTERVAL 1 DAY",
        """"job's" = 'x' OR random() < 0.3 OR "job's" = 'y'""",
        r"E'\'' = job OR random() < 0.3 OR E'\'' = job",
        "$a$'$a$ = job OR random() < 0.3 OR job = $a$'$a$",
        "job IN (FROM range(3))",
    ],
)
def test_a_condition_that_may_change_its_mind_is_refused(condition: str) -> None:
    policy = wh.Policy([wh.Hidden(column="ill", where=condition, predictors=["job"])])
    with pytest.raises(PolicyError, match=r"require\[0\].where: the condition (must|cannot)"):
        wh.release(ORIGINAL.assign(**{"job's": "x"}), policy)


def test_a_column_may_be_called_like_a_function() -> None:
    policy = wh.Policy(
        [wh.Hidden(column="ill", where="user = 'a' AND \"random\" = 'x (y)'", predictors=["job"], most_withheld=1.0)]
    )
    frame = ORIGINAL.assign(user=list("aabbab"), random="x (y)")
    assert list(wh.release(frame, policy).to_frame()["ill"])[:2] == ["*", "*"]


def test_the_first_wrong_cell_is_reported_by_its_row_and_a_mark_gets_a_hint() -> None:
    marked = ORIGINAL.assign(job=["cook", "cook", "?", "?", "cook", "?"])
    (finding,) = [each for each in wh.audit(marked, PAIRS, original=ORIGINAL).findings if each.kind == "cells"]
    assert finding.details["first_row"] == 2
    assert "in job; the first in row 2 (from 0). Hint: --withheld" in finding.says
    assert cells(marked, withheld=["?"]) == 0
    shuffled = wh.Policy([wh.Anonymity(columns=["age"], k=2)], rows="shuffle")
    (finding,) = [each for each in wh.audit(marked, shuffled, original=ORIGINAL).findings if each.kind == "cells"]
    assert finding.details["first_row"] is None
    assert "in row" not in finding.says


def test_columns_that_hidden_cells_or_bins_change_are_not_called_published_as_they_are() -> None:
    plain = wh.audit(ORIGINAL, PAIRS, attack=False).notes
    assert any(note.startswith("published as they are, because no requirement masks them: job") for note in plain)
    hidden = wh.Policy([wh.Hidden(cells=[(0, "ill")], predictors=["job"])])
    notes = wh.audit(ORIGINAL, hidden, original=ORIGINAL, attack=False).notes
    assert any(note.startswith("no requirement keeps people from being recognised by age, job") for note in notes)
