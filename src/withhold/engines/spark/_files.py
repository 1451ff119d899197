"""Files, folders and tables of the catalogue as sources."""

import re
from pathlib import Path
from typing import Any

from withhold.engines.duckdb import check_names, csv_shape
from withhold.engines.files import Reading, full_suffix, is_url, kind_of
from withhold.engines.spark._apply import column
from withhold.engines.spark._connection import asking
from withhold.engines.spark._source import SparkSource
from withhold.engines.spark._stores import folder_of, local_url
from withhold.errors import DataError

__all__ = ["TEXT", "open_place"]

DEFAULTS = Reading()
EMPTY = "\x1fempty"
"""What a quoted empty cell is read as first; Spark would read it as missing."""
TEXT = {
    "header": "true",
    "quote": '"',
    "escape": '"',
    "mode": "FAILFAST",
    "columnPruning": "false",
    "maxCharsPerColumn": "-1",
    "multiLine": "false",
    "emptyValue": EMPTY,
}
"""How text is read: every cell as it stands; a line that does not fit is an error."""


def open_place(session: Any, data: str | Path, *, reading: Reading = DEFAULTS) -> SparkSource:
    """Open a file or folder of Parquet or CSV, wherever the cluster can read, or a table: ``catalog.db.table``."""
    place = str(data)
    name = place.rstrip("/").rsplit("/", 1)[-1]
    family = _family(place)
    if family is None:
        return _open_table(session, place)
    path = None if is_url(place) else Path(place)
    place = folder_of(session, place) if path is None else local_url(path, read=True)
    if path is not None and not path.exists():
        raise DataError(f"{name}: there is no such file.")
    delimiter = ","
    with asking(name):
        if family == "parquet":
            frame = session.read.parquet(place)
        else:
            delimiter = _delimiter(path, name)
            encoding = reading.encoding or "UTF-8"
            frame = _with_empty(session.read.options(**TEXT, sep=delimiter, encoding=encoding).csv(place))
        names = tuple(str(each) for each in frame.columns)
    check_names(names, name)
    with asking(name):
        if frame.isEmpty():
            raise DataError(f"{name}: there is no row.")
    return SparkSource(session, frame, description=name, path=path, delimiter=delimiter)


def _with_empty(frame: Any) -> Any:
    """Return the frame with empty texts in place of their mark."""
    from pyspark.sql import functions

    cells = [(column(name), name) for name in frame.columns]
    return frame.select(*[functions.when(cell == EMPTY, "").otherwise(cell).alias(name) for cell, name in cells])


def _family(place: str) -> str | None:
    """Return whether a place holds Parquet or CSV, by its suffix or what a folder holds; None for a table."""
    kind = kind_of(Path(place.rstrip("/")))
    if kind is not None and kind.family in ("csv", "parquet"):
        return kind.family
    folder = None if is_url(place) else Path(place)
    if folder is not None and folder.is_dir():
        parts = (kind_of(part) for part in sorted(folder.rglob("*")) if part.name[0] not in "._" and part.is_file())
        found = next((part.family for part in parts if part is not None and part.family in ("csv", "parquet")), None)
        if found is None:
            raise DataError(f"{folder.name}: the folder holds neither Parquet nor CSV.")
        return found
    if is_url(place):
        return "parquet"
    if (folder is not None and folder.exists()) or not re.fullmatch(r"[^/\s]+(\.[^/\s]+)*", place) or kind is not None:
        suffix = full_suffix(Path(place))
        raise DataError(f'{Path(place).name}: Spark cannot read "{suffix}". Hint: .parquet or .csv.')
    return None


def _open_table(session: Any, name: str) -> SparkSource:
    if not _is_there(session, name):
        raise DataError(f"{name}: there is no such file, and no such table in the catalogue.")
    with asking(name):
        frame = session.table(name)
        if frame.isEmpty():
            raise DataError(f"{name}: there is no row.")
    check_names(tuple(str(each) for each in frame.columns), name)
    return SparkSource(session, frame, description=name)


def _is_there(session: Any, table: str) -> bool:
    try:
        return bool(session.catalog.tableExists(table))
    except Exception:  # a name that no table can have
        return False


def _delimiter(path: Path | None, name: str) -> str:
    """Return what separates the cells of a text file, as the embedded engine finds it."""
    if path is None:
        return ","
    first = path
    if path.is_dir():
        parts = sorted(part for part in path.rglob("*") if part.is_file() and part.name[0] not in "._")
        if not parts:
            raise DataError(f"{name}: the folder is empty.")
        first = parts[0]
    if first.suffix not in (".csv", ".tsv", ".txt"):
        return ","
    return csv_shape(first, name).published
