"""CSV files: the delimiter and the header are read here, the rows by the engine, every cell as text."""

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from withhold.engines.duckdb._connection import exact_path, text
from withhold.engines.files import HINT
from withhold.errors import DataError

__all__ = ["CsvShape", "csv_error", "csv_shape", "csv_sql"]

DELIMITERS = (";", "\t", "|", ",")
NO_DELIMITER = "\x1f"
"""For a file of one column: what looks like a delimiter in its cells is none."""
SAMPLE_BYTES = 1 << 18
LONGEST_LINE = 1 << 26


@dataclass(frozen=True, slots=True)
class CsvShape:
    """How a CSV file is laid out."""

    names: tuple[str, ...]
    delimiter: str

    @property
    def published(self) -> str:
        """The delimiter of a release that is made from it."""
        return "," if self.delimiter == NO_DELIMITER else self.delimiter


def csv_shape(path: Path, name: str) -> CsvShape:
    """Return the header and the delimiter of a CSV file, which messages call `name`."""
    with path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
        while b"\n" not in head and len(head) < LONGEST_LINE and (more := file.read(SAMPLE_BYTES)):
            head += more
    if not head.strip():
        raise DataError(f"{name}: the file is empty.")
    if b"\r" in head and b"\n" not in head:
        raise DataError(f"{name}: its lines end in a lone carriage return. Hint: save it with line ends LF or CRLF.")
    sample = _decoded(head, name, complete=len(head) == path.stat().st_size)
    delimiter = max(DELIMITERS, key=lambda candidate: _fit(sample, candidate))
    if _fit(sample, delimiter) == (0.0, 0):
        delimiter = NO_DELIMITER
    try:
        names = next(csv.reader(io.StringIO(sample), delimiter=delimiter))
    except csv.Error as error:
        raise DataError(f"{name}, line 1: the header cannot be read ({error}).") from None
    for i, column in enumerate(names):
        if not column:
            raise DataError(f"{name}: column {i + 1} has no name in the header.")
    return CsvShape(tuple(names), delimiter)


def csv_sql(path: Path, shape: CsvShape) -> str:
    """Return the SQL table function that reads the rows, each cell as text, an empty unquoted cell as missing."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(shape.names)))
    return (
        f"read_csv({exact_path(path)}, hive_partitioning = false, auto_detect = false, header = true, "
        f"delim = {text(shape.delimiter)}, "
        f"quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, "
        f"max_line_size = {LONGEST_LINE}, columns = {{{columns}}})"
    )


def csv_error(name: str, message: str) -> DataError:
    """Return our sentence for the engine's error, without the line's content."""
    message = message.split("Possible")[0].split("file = ")[0]
    line = re.search(r"Line: (\d+)", message)
    where = f"{name}, line {line[1]}" if line else name
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if columns:
        return DataError(f"{where}: has {columns[2]} cells, but the header has {columns[1]}.")
    if "line size" in message.lower() or "buffer size" in message.lower():
        return DataError(f"{where}: is longer than {LONGEST_LINE} bytes.")
    if "unicode" in message.lower() or "utf-8" in message.lower():
        return DataError(f"{where}: is not UTF-8. {HINT}")
    if "quote" in message.lower():
        return DataError(f"{where}: a quoted cell does not end properly.")
    return DataError(f"{where}: cannot be read as CSV.")


def _decoded(head: bytes, name: str, *, complete: bool) -> str:
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not complete and error.start > len(head) - 4:
            return head[: error.start].decode("utf-8-sig")
        line = head[: error.start].count(b"\n") + 1
        raise DataError(f"{name}, line {line}: is not UTF-8. {HINT}") from None


def _fit(sample: str, delimiter: str) -> tuple[float, int]:
    """Rate a delimiter: how many of the first records have as many cells as the header, and how many that is."""
    try:
        widths = [len(record) for record in islice(csv.reader(io.StringIO(sample), delimiter=delimiter), 200) if record]
    except csv.Error:
        return (0.0, 0)
    if not widths or widths[0] == 1:
        return (0.0, 0)
    return (sum(width == widths[0] for width in widths) / len(widths), widths[0])
