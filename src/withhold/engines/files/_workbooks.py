"""Excel workbooks: one sheet is one table, its first row names the columns."""

import datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from withhold.engines.files._extras import imported
from withhold.engines.files._reading import Loaded, Reading
from withhold.errors import DataError, OutputError, did_you_mean

__all__ = ["read_workbook", "write_workbook"]

MOST_ROWS = 1_048_576
LONGEST_TEXT = 32_767
FORMULA = "="


def read_workbook(path: Path, reading: Reading) -> Loaded:
    """Read a sheet, by default the first: a column of numbers, dates or booleans keeps its type, a mixed one is text.

    Of a formula the value is read that the program which saved the workbook computed.
    """
    arrow = imported("pyarrow", purpose="reading .xlsx files")
    openpyxl = imported("openpyxl", purpose="reading .xlsx files")
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, ValueError, OSError, openpyxl.utils.exceptions.InvalidFileException):
        raise DataError(f"{path.name}: cannot be read as an Excel workbook.") from None
    try:
        rows = list(_sheet(book, path, reading.table).iter_rows(values_only=True))
    finally:
        book.close()
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise DataError(f"{path.name}: the sheet is empty.")
    return Loaded(table=_table(arrow, path, rows))


def write_workbook(path: Path, batches: Any) -> None:
    """Write a workbook of one sheet; a text that begins like a formula stays a text."""
    openpyxl = imported("openpyxl", purpose="writing .xlsx files")
    cell_type = imported("openpyxl.cell", purpose="writing .xlsx files").WriteOnlyCell
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("release")
    sheet.append([_cell(cell_type, sheet, name) for name in batches.schema.names])
    n_rows = 1
    for batch in batches:
        n_rows += batch.num_rows
        if n_rows > MOST_ROWS:
            raise OutputError(f"the release has too many rows for a sheet, which holds {MOST_ROWS - 1:,}.")
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            sheet.append([_cell(cell_type, sheet, value) for value in row])
    book.save(path)


def _sheet(book: Any, path: Path, name: str | None) -> Any:
    if name is None:
        return book.worksheets[0]
    if name not in book.sheetnames:
        raise DataError(f'{path.name}: there is no sheet "{name}"{did_you_mean(name, book.sheetnames)}')
    return book[name]


def _table(arrow: Any, path: Path, rows: list[tuple[Any, ...]]) -> Any:
    width = max((i + 1 for row in rows for i, cell in enumerate(row) if cell is not None), default=0)
    names = [None if i >= len(rows[0]) else rows[0][i] for i in range(width)]
    for i, name in enumerate(names):
        if name is None:
            raise DataError(f"{path.name}: column {i + 1} has no name in the first row.")
    columns = [_column(arrow, [row[i] if i < len(row) else None for row in rows[1:]]) for i in range(width)]
    return arrow.Table.from_arrays(columns, names=[_text(name) for name in names])


def _column(arrow: Any, cells: list[Any]) -> Any:
    """Return a column of one type; where cells differ in type, or are neither number nor moment, as text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {int, float}:
        return arrow.array(cells, type=arrow.float64())
    if kinds == {datetime.datetime}:
        is_date = all(cell is None or cell.time() == datetime.time() for cell in cells)
        return arrow.array(cells, type=arrow.timestamp("us")).cast(arrow.date32() if is_date else arrow.timestamp("us"))
    if len(kinds) == 1 and kinds <= {int, float, bool, datetime.date}:
        return arrow.array(cells)
    return arrow.array([None if cell is None else _text(cell) for cell in cells], type=arrow.string())


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _cell(cell_type: Any, sheet: Any, value: Any) -> Any:
    """Return what stands in a cell; a text that a program would compute is marked as a text."""
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_TEXT:
        raise OutputError(f"a text of the release is longer than a cell of a sheet, which holds {LONGEST_TEXT:,}.")
    if not value.startswith(FORMULA):
        return value
    cell = cell_type(sheet, value)
    cell.data_type = "s"
    return cell
