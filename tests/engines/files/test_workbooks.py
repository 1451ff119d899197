"""Excel workbooks: types of columns, sheets, and texts that a program would compute."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.engines.files import kind_of, save
from withhold.errors import DataError, OutputError

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
pytest.importorskip("python_calamine", reason="python-calamine is not installed (withhold[files])")

POLICY = wh.Policy([wh.Anonymity(columns=["age"], k=5)], columns={"age": wh.ColumnSettings(type="number")})


def write(path: Path, *rows: list, more: dict[str, list[list]] | None = None) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title, others in (more or {}).items():
        sheet = book.create_sheet(title)
        for row in others:
            sheet.append(row)
    book.save(path)
    return path


def cells(table: wh.Table, name: str) -> list[str | None]:
    return [table.store.values(name)[code] for code in table.store.cells(name)]


def test_columns_of_one_type_keep_it_and_mixed_ones_are_text(tmp_path: Path) -> None:
    day = datetime.datetime(2020, 1, 2)
    path = write(
        tmp_path / "people.xlsx",
        ["age", "name", "mixed", "day", "truth", "share", 2020],
        [30, "Zoé", 1, day, True, 1.5, "a"],
        [None, None, "x", None, False, 2, None],
        [None] * 7,
    )
    table = wh.read(path)
    assert table.names == ("age", "name", "mixed", "day", "truth", "share", "2020")
    found = {name: cells(table, name) for name in table.names}
    assert found["age"] == ["30", None]
    assert found["mixed"] == ["1", "x"]
    assert found["day"] == ["2020-01-02", None]
    assert found["truth"] == ["true", "false"]
    assert (table.store.kind("age"), table.store.kind("share"), table.store.kind("name")) == (
        "number", "number", "category",
    )  # fmt: skip


def test_a_sheet_is_chosen_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "people.xlsx", ["a"], [1], more={"Second": [["b"], [2]]})
    assert wh.read(path).names == ("a",)
    assert wh.read(path, table="Second").names == ("b",)
    with pytest.raises(DataError, match='no sheet "Secnd"; did you mean "Second"'):
        wh.read(path, table="Secnd")


def test_workbooks_that_are_no_tables_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "no.xlsx").write_bytes(b"PK no workbook")
    with pytest.raises(DataError, match=r"no\.xlsx: cannot be read as an Excel workbook"):
        wh.read(tmp_path / "no.xlsx")
    with pytest.raises(DataError, match="the sheet is empty"):
        wh.read(write(tmp_path / "empty.xlsx"))
    with pytest.raises(DataError, match="column 2 has no name in the first row"):
        wh.read(write(tmp_path / "unnamed.xlsx", ["a"], [1, 2]))
    with pytest.raises(DataError, match="no row"):
        wh.read(write(tmp_path / "header.xlsx", ["a"]))


def test_a_release_is_written_and_proven_as_a_workbook(tmp_path: Path) -> None:
    people = pd.DataFrame(
        {
            "age": [20 + i % 30 for i in range(60)],
            "note": ["=1+1" if i % 2 else "+x" for i in range(60)],
            "income": [1000.5 + i for i in range(60)],
            "day": pd.Timestamp("2020-01-02"),
            "truth": [i % 3 == 0 for i in range(60)],
        }
    )
    assert wh.release(people, POLICY).write(tmp_path / "out.xlsx").ok
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    kinds = {cell.data_type for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds
    assert [row[1] for row in sheet.iter_rows(values_only=True)][1:3] == ["+x", "=1+1"]
    assert wh.audit(tmp_path / "out.xlsx", POLICY, original=people, attack=False).ok


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "people.xlsx", ["a"], [1])
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(wh.errors.MissingExtraError, match=r"python-calamine.*withhold\[files\]"):
        wh.read(path)


def saved(path: Path, table: pa.Table) -> Path:
    kind = kind_of(path)
    assert kind is not None
    save(path, kind, table.to_reader(max_chunksize=7), labels={}, value_labels={})
    return path


def test_cells_of_every_type_are_read_again_by_another_program_too(tmp_path: Path) -> None:
    moment = datetime.datetime(2020, 1, 2, 3, 4, 5, 678000)
    table = pa.table(
        {
            "whole": pa.array([1, None, -3], pa.int8()),
            "part": [0.1, None, 1e300],
            "truth": [True, None, False],
            "text": ["<a & 'b'> \r\n\t ", None, "=1+1"],
            "escaped": ["_x0041_", "_x005F_", "_xZ_"],
            "day": pa.array([datetime.date(1900, 3, 1), None, datetime.date(2020, 1, 2)]),
            "moment": pa.array([moment, None, datetime.datetime(1999, 12, 31, 23, 59, 59, 999000)], pa.timestamp("us")),
            "name": pa.array(["a", None, "b"]).dictionary_encode(),
        }
    )
    path = saved(tmp_path / "out.xlsx", table)
    found = wh.read(path)
    for name in table.column_names:
        expected = [None if each is None else str(each) for each in table[name].to_pylist()]
        if name in ("truth", "moment"):
            continue
        assert cells(found, name) == expected, name
    assert cells(found, "truth") == ["true", None, "false"]
    assert [text and text[:23] for text in cells(found, "moment")] == [
        "2020-01-02 03:04:05.678", None, "1999-12-31 23:59:59.999",
    ]  # fmt: skip
    sheet = openpyxl.load_workbook(path).active
    rows = [*sheet.iter_rows(values_only=True)]
    assert rows[0] == tuple(table.column_names)
    assert rows[1][0:3] == (1, 0.1, True)
    assert rows[1][5:7] == (datetime.datetime(1900, 3, 1), moment)
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "b", "d", "inlineStr"}


def test_what_a_sheet_would_round_or_cannot_hold_is_a_text(tmp_path: Path) -> None:
    large = [2**53 + 1, -(2**63), 5]
    days = [datetime.date(1850, 1, 1), datetime.date(2020, 1, 2), None]
    moment = pa.array([0, 1_600_000_000_000_001, None], pa.timestamp("us"))
    table = pa.table({"large": large, "day": days, "moment": moment, "infinite": [np.inf, 1.5, np.nan]})
    found = wh.read(saved(tmp_path / "out.xlsx", table))
    assert cells(found, "large") == [str(each) for each in large]
    assert cells(found, "day") == ["1850-01-01", "2020-01-02", None]
    assert cells(found, "moment") == ["1970-01-01", "2020-09-13 12:26:40.000001", None]
    assert cells(found, "infinite") == ["inf", "1.5", None]


def test_what_has_no_place_in_a_sheet_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="control character"):
        saved(tmp_path / "out.xlsx", pa.table({"a": ["\x07"]}))
    with pytest.raises(OutputError, match="longer than a cell of a sheet, which holds 32,767"):
        saved(tmp_path / "out.xlsx", pa.table({"a": ["x" * 32_768]}))
    with pytest.raises(OutputError, match="too many columns for a sheet, which holds 16,384"):
        saved(tmp_path / "out.xlsx", pa.table({f"c{i}": [1] for i in range(16_385)}))
    rows = pa.table({"a": pa.array(np.zeros(1_048_576, dtype=np.int8))})
    kind = kind_of(tmp_path / "out.xlsx")
    assert kind is not None
    with pytest.raises(OutputError, match="too many rows for a sheet, which holds 1,048,575"):
        save(tmp_path / "out.xlsx", kind, rows.to_reader(), labels={}, value_labels={})


@pytest.mark.parametrize(
    ("cells_", "why"),
    [
        (["x" * 100_000] * 10, "longer than a cell of a sheet"),
        (["\x07"] * 10, "control character"),
    ],
)
def test_a_release_that_a_sheet_cannot_hold_says_why_and_leaves_nothing(
    tmp_path: Path, cells_: list[str], why: str
) -> None:
    people = pd.DataFrame({"sex": ["f", "m"] * 5, "note": cells_})
    with pytest.raises(OutputError, match=why):
        wh.release(people, wh.Policy([wh.Anonymity(columns=["sex"], k=2)])).write(tmp_path / "out.xlsx")
    assert [*tmp_path.iterdir()] == []


def test_a_last_row_without_cells_is_refused_in_a_sentence(tmp_path: Path) -> None:
    people = pd.DataFrame({"sex": ["f", "m"] * 5 + [None] * 2, "note": [*"abcdefghij", None, None]})
    with pytest.raises(OutputError, match="the last row of the release has no cell"):
        wh.release(people, wh.Policy([wh.Anonymity(columns=["sex"], k=2)])).write(tmp_path / "out.xlsx")


def test_days_and_moments_in_one_column_are_moments(tmp_path: Path) -> None:
    day, moment = datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 2, 10, 30)
    found = wh.read(write(tmp_path / "days.xlsx", ["day"], [day], [moment], [None], [day]))
    assert cells(found, "day") == ["2020-01-02 00:00:00", "2020-01-02 10:30:00", None, "2020-01-02 00:00:00"]


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn")), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.none() | TEXTS, st.none() | st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_whatever_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    texts, numbers = [text for text, _ in rows], [number for _, number in rows]
    table = pa.table(
        {"text": pa.array(texts, pa.string()), "number": pa.array(numbers, pa.float64()), "row": [*range(len(rows))]}
    )
    found = wh.read(saved(tmp_path_factory.mktemp("made") / "out.xlsx", table))
    assert cells(found, "text") == texts
    assert [None if each is None else float(each) for each in cells(found, "number")] == numbers
