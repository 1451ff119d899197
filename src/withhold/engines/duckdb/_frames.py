"""Frames as sources: pandas, polars, Arrow and whatever else narwhals understands."""

from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np

from withhold.engines.duckdb._connection import Database, quoted
from withhold.engines.duckdb._files import check_names
from withhold.engines.duckdb._instance import is_small
from withhold.engines.duckdb._source import DuckSource
from withhold.errors import DataError

__all__ = ["open_frame"]

MOST_COPIED = 2_000_000
"""The most cells of a frame that the engine copies; larger ones it reads where they are, for each question."""


def open_frame(data: object, *, scratch: Path | None = None) -> DuckSource:
    """Open a frame; rows are positions, its index does not matter."""
    try:
        frame = nw.from_native(data)  # type: ignore[call-overload]
    except nw.exceptions.DuplicateError:
        raise DataError("the frame has two columns of the same name.") from None
    except TypeError:
        raise DataError(
            f"cannot read a table from {type(data).__name__}. Hint: a path, or a pandas, polars or Arrow frame."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if len(frame) == 0:
        raise DataError("the frame has no row.")
    names = tuple(str(name) for name in frame.columns)
    check_names(names, "the frame")
    native = _without_objects(frame)
    database = Database(scratch, is_small=is_small(len(frame) * len(names)))
    is_copied = len(frame) * len(names) <= MOST_COPIED
    try:
        database.register("frame", native)
        described = database.try_run("DESCRIBE SELECT * FROM frame")
        columns = ", ".join(_column_sql(str(row[0]), str(row[1]), i) for i, row in enumerate(described))
        database.try_run(f"CREATE {'TABLE' if is_copied else 'VIEW'} source AS SELECT {columns} FROM frame")
        if is_copied:
            database.unregister("frame")
    except (duckdb.Error, ImportError) as error:
        database.close()
        raise DataError(f"cannot read the frame ({type(error).__name__}). Hint: is pyarrow installed?") from None
    return DuckSource(database, names, description="the frame", frame=frame)


def _column_sql(name: str, column_type: str, number: int) -> str:
    """Return a column under its inner name; categories become text, for their type would list unused ones."""
    cast = "::VARCHAR" if column_type.startswith("ENUM") else ""
    return f"{quoted(name)}{cast} AS c{number}"


def _without_objects(frame: "nw.DataFrame[Any]") -> Any:
    """Return the native frame; columns of Python objects become text, which an engine cannot mistake."""
    objects = [name for name, dtype in frame.schema.items() if dtype == nw.Object]
    native = nw.to_native(frame)
    if frame.implementation.is_pandas():
        plain = [native[name].array for name in native.columns if isinstance(native[name].dtype, np.dtype)]
        # The engine cannot read columns that run backwards in memory, as those of frame.iloc[::-1] do.
        if any(np.asarray(array).strides[0] < 0 for array in plain):
            native = native.copy()
        mixed = [name for name in native.columns if native[name].dtype == object]
        try:
            return native.astype(dict.fromkeys(mixed, "string")) if mixed else native
        except UnicodeDecodeError:
            raise DataError(_says_bytes(native, mixed)) from None
    if objects:
        raise DataError(f'column "{objects[0]}" holds Python objects. Hint: cast it to text.')
    return native


def _says_bytes(native: Any, names: list[str]) -> str:
    """Return the sentence about the first column that holds bytes."""
    held = next((name for name in names if any(isinstance(each, bytes) for each in native[name])), "")
    return f'column "{held}" holds bytes that are no text. Hint: leave it out, or turn it into text.'
