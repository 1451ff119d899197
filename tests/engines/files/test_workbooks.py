"""Excel workbooks: types of columns, sheets, and texts that a program would compute."""

import datetime
from pathlib import Path

import pandas as pd
import pytest

import withhold as wh
from withhold.errors import DataError

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed (withhold[files])")

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
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(wh.errors.MissingExtraError, match=r"openpyxl.*withhold\[files\]"):
        wh.read(path)
