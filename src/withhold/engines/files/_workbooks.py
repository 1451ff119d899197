"""Excel workbooks: one sheet is one table, its first row names the columns."""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.engines.files._extras import imported
from withhold.engines.files._reading import Loaded, Reading
from withhold.engines.files._sheet_xml import write_sheet
from withhold.errors import DataError, did_you_mean

__all__ = ["read_workbook", "write_workbook"]

LARGEST_WHOLE = 2.0**53


def read_workbook(path: Path, reading: Reading) -> Loaded:
    """Read a sheet, by default the first: a column of numbers, dates or booleans keeps its type, a mixed one is text.

    Of a formula the value is read that the program which saved the workbook computed; one that is an error is missing,
    as an empty text is.
    """
    arrow = imported("pyarrow", purpose="reading .xlsx files")
    calamine = imported("python_calamine", purpose="reading .xlsx files", package="python-calamine")
    try:
        with calamine.load_workbook(str(path)) as book:
            sheet = _sheet(book, calamine, path, reading.table)
            columns = _trimmed(sheet.to_python(skip_empty_area=False))
    except calamine.CalamineError:
        raise DataError(f"{path.name}: cannot be read as an Excel workbook.") from None
    if not columns:
        raise DataError(f"{path.name}: the sheet is empty.")
    return Loaded(table=_table(arrow, path, columns))


def write_workbook(path: Path, batches: Any) -> None:
    """Write a workbook of one sheet; a text that begins like a formula stays a text."""
    write_sheet(path, batches, arrow=imported("pyarrow", purpose="writing .xlsx files"))


def _sheet(book: Any, calamine: Any, path: Path, name: str | None) -> Any:
    sheets = [sheet.name for sheet in book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
    if name is None and sheets:
        return book.get_sheet_by_name(sheets[0])
    if name not in sheets:
        raise DataError(f'{path.name}: there is no sheet "{name}"{did_you_mean(str(name), sheets)}')
    return book.get_sheet_by_name(name)


def _trimmed(rows: list[list[Any]]) -> list[NDArray[np.object_]]:
    """Return the columns of a sheet, without empty ones and rows at its end."""
    columns = [np.array(column, dtype=object) for column in zip(*rows, strict=True)]
    rows.clear()
    lengths = [int(np.flatnonzero(column != "").max(initial=-1)) + 1 for column in columns]
    while lengths and not lengths[-1]:
        lengths.pop()
    return [column[: max(lengths)] for column in columns[: len(lengths)]]


def _table(arrow: Any, path: Path, columns: Sequence[NDArray[np.object_]]) -> Any:
    for i, column in enumerate(columns):
        if column[0] == "":
            raise DataError(f"{path.name}: column {i + 1} has no name in the first row.")
    found = [_column(arrow, column[1:]) for column in columns]
    return arrow.Table.from_arrays(found, names=[_text(column[0]) for column in columns])


def _column(arrow: Any, cells: NDArray[np.object_]) -> Any:
    """Return a column of one type; where cells differ in type, or are neither number nor moment, as text."""
    empty = np.asarray(cells == "", dtype=np.bool_)
    kinds = {*map(type, cells[~empty])}
    if kinds == {float}:
        numbers = np.where(empty, 0.0, cells).astype(np.float64)
        is_whole = bool((np.abs(numbers) <= LARGEST_WHOLE).all() and np.array_equal(numbers, np.floor(numbers)))
        return arrow.array(numbers.astype(np.int64) if is_whole else numbers, mask=empty)
    if kinds == {bool}:
        return arrow.array(cells, type=arrow.bool_(), mask=empty)
    if kinds == {datetime.date}:
        return arrow.array(cells, type=arrow.date32(), mask=empty)
    if kinds and kinds <= {datetime.date, datetime.datetime}:
        moments = np.full(cells.size, np.datetime64("NaT"), dtype="datetime64[us]")
        moments[~empty] = cells[~empty].astype("datetime64[us]")
        return arrow.array(moments, mask=empty)
    if kinds - {str}:
        cells = np.array([*map(_text, cells)], dtype=object)
    return arrow.array(cells, type=arrow.string(), mask=empty)


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
