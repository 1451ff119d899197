"""Writing a sheet of a workbook from Arrow columns: cells become XML a column at a time, and stream into the file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from withhold.engines.files._extras import imported
from withhold.errors import OutputError

__all__ = ["write_sheet"]

MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
LONGEST_TEXT = 32_767
LARGEST_WHOLE = 2**53
FIRST_DAY = -25_508
"""The 1st of March 1900, in days since 1970: before it, programs disagree about the numbers of days."""
DAY_ZERO = 25_569
"""The number that a sheet has for the 1st of January 1970."""
DAY_IN_MILLISECONDS = 86_400_000
ROWS_AT_ONCE = 65_536
BYTES_AT_ONCE = 1 << 26
PACKING = 1
FORBIDDEN = "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
MARKUP = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;"))
DATE, MOMENT = 1, 2

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
    '<Override PartName="/xl/styles.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
    '<sheet name="release" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{RELATIONS}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}


def write_sheet(path: Path, batches: Any, *, arrow: Any) -> None:
    """Write record batches as the only sheet of a workbook; texts are texts, whatever they begin with."""
    names = batches.schema.names
    if len(names) > MOST_COLUMNS:
        raise OutputError(f"the release has too many columns for a sheet, which holds {MOST_COLUMNS:,}.")
    maker = _Cells(arrow)
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=PACKING) as book:
        for part, text in PARTS.items():
            book.writestr(_entry(part), HEAD + text)
        with book.open(_entry("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write(f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>'.encode())
            sheet.write(maker.rows([arrow.array([name], arrow.string()) for name in names], 1))
            n_rows, last = 1, list[Any](names)
            for batch in _pieces(batches):
                if n_rows + batch.num_rows > MOST_ROWS:
                    raise OutputError(f"the release has too many rows for a sheet, which holds {MOST_ROWS - 1:,}.")
                sheet.write(maker.rows(batch.columns, n_rows + 1))
                n_rows += batch.num_rows
                last = [column[-1].as_py() for column in batch.columns]
            if all(cell is None or cell == "" for cell in last):
                what = "the last row of the release has no cell, so that a sheet would end before it."
                raise OutputError(f"{what} Hint: another kind of file.")
            sheet.write(b"</sheetData></worksheet>")


def _entry(name: str) -> ZipInfo:
    """Return a part of the file that carries no time of its own."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    return entry


def _pieces(batches: Any) -> Iterator[Any]:
    """Yield rows in pieces whose texts fit in one Arrow array."""
    for batch in batches:
        size = max(1, batch.nbytes // max(batch.num_rows, 1))
        step = max(1, min(ROWS_AT_ONCE, BYTES_AT_ONCE // size))
        for begin in range(0, batch.num_rows, step):
            yield batch.slice(begin, step)


class _Cells:
    """Makes XML of columns."""

    def __init__(self, arrow: Any) -> None:
        self._arrow = arrow
        self._compute = imported("pyarrow.compute", purpose="writing .xlsx files")

    def rows(self, columns: list[Any], first: int) -> memoryview:
        """Return the rows of some columns, of which the first has this number."""
        arrow = self._arrow
        numbers = arrow.array(np.arange(first, first + len(columns[0]))).cast(arrow.large_string())
        cells = [self._cells(column, f'<c r="{_letters(i)}', numbers) for i, column in enumerate(columns)]
        rows = self._joined('<row r="', numbers, '">', *cells, "</row>")
        offsets, data = rows.buffers()[1:]
        begin, end = (
            arrow.Array.from_buffers(arrow.int64(), len(rows) + 1, [None, offsets])[i].as_py() for i in (0, -1)
        )
        return memoryview(data)[begin:end]

    def _joined(self, *parts: Any) -> Any:
        arrow = self._arrow
        texts = [arrow.scalar(part, arrow.large_string()) if isinstance(part, str) else part for part in parts]
        return self._compute.binary_join_element_wise(*texts, arrow.scalar("", arrow.large_string()))

    def _cells(self, column: Any, start: str, numbers: Any) -> Any:
        """Return the cells of a column; a missing one is left out."""
        pc, arrow = self._compute, self._arrow
        kind, body = column.type, None
        if arrow.types.is_boolean(kind):
            body = self._joined('" t="b"><v>', column.cast(arrow.int8()).cast(arrow.large_string()), "</v></c>")
        elif arrow.types.is_integer(kind):
            is_exact = pc.less_equal(column, LARGEST_WHOLE)
            if arrow.types.is_signed_integer(kind):
                is_exact = pc.and_(is_exact, pc.greater_equal(column, -LARGEST_WHOLE))
            body = self._numbers(column, is_exact)
        elif arrow.types.is_floating(kind):
            column = column.cast(arrow.float64())
            column = pc.if_else(pc.is_nan(column), None, column)
            body = self._numbers(column, pc.is_finite(column))
        elif arrow.types.is_date(kind):
            days = column.cast(arrow.date32()).cast(arrow.int32())
            serial = pc.add(days, DAY_ZERO).cast(arrow.large_string())
            body = self._moments(column.cast(arrow.date32()), serial, pc.greater_equal(days, FIRST_DAY), DATE)
        elif arrow.types.is_timestamp(kind) and kind.tz is None:
            body = self._timestamps(column)
        if body is None:
            body = self._texts(self._as_text(column))
        cells = self._joined(start, numbers, body)
        return pc.fill_null(cells, "")

    def _numbers(self, column: Any, is_number: Any) -> Any:
        """Return numbers, and as texts those that a sheet would round or cannot hold."""
        texts = column.cast(self._arrow.large_string())
        return self._either(is_number, self._joined('"><v>', texts, "</v></c>"), texts)

    def _moments(self, column: Any, serial: Any, is_there: Any, style: int) -> Any:
        """Return days or moments as numbers with a style, and as texts those that have none."""
        return self._either(is_there, self._joined(f'" s="{style}"><v>', serial, "</v></c>"), self._as_text(column))

    def _timestamps(self, column: Any) -> Any:
        pc, arrow = self._compute, self._arrow
        rough = pc.floor_temporal(column, unit="millisecond").cast(arrow.timestamp("ms")).cast(arrow.int64())
        is_there = pc.and_(
            pc.equal(column, pc.floor_temporal(column, unit="millisecond")),
            pc.greater_equal(rough, FIRST_DAY * DAY_IN_MILLISECONDS),
        )
        serial = pc.add(pc.divide(rough.cast(arrow.float64()), float(DAY_IN_MILLISECONDS)), float(DAY_ZERO))
        return self._moments(column, serial.cast(arrow.large_string()), is_there, MOMENT)

    def _either(self, chosen: Any, cells: Any, texts: Any) -> Any:
        pc = self._compute
        if pc.all(chosen, min_count=0).as_py():
            return cells
        return pc.if_else(chosen, cells, self._texts(texts))

    def _as_text(self, column: Any) -> Any:
        pc, arrow = self._compute, self._arrow
        texts = column.cast(arrow.large_string())
        if arrow.types.is_timestamp(column.type):
            texts = pc.replace_substring_regex(texts, r"(\.\d*?)0+$", r"\1")
            texts = pc.replace_substring_regex(texts, r"\.$", "")
        return texts

    def _texts(self, texts: Any) -> Any:
        """Return texts as they stand, in markup; what would be read as an escaped letter is escaped."""
        pc = self._compute
        if (pc.max(pc.utf8_length(texts)).as_py() or 0) > LONGEST_TEXT:
            raise OutputError(f"a text of the release is longer than a cell of a sheet, which holds {LONGEST_TEXT:,}.")
        if pc.any(pc.match_substring_regex(texts, FORBIDDEN)).as_py():
            what = "a text of the release holds a control character, for which a sheet has no place."
            raise OutputError(f"{what} Hint: another kind of file.")
        for letter, written in MARKUP:
            texts = pc.replace_substring(texts, letter, written)
        texts = pc.replace_substring_regex(texts, "_(x[0-9A-Fa-f]{4}_)", r"_x005F_\1")
        return self._joined('" t="inlineStr"><is><t xml:space="preserve">', texts, "</t></is></c>")


def _letters(place: int) -> str:
    """Return how a sheet names a column.

    Examples
    --------
    >>> _letters(0), _letters(25), _letters(26), _letters(16_383)
    ('A', 'Z', 'AA', 'XFD')
    """
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
