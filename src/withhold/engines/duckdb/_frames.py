"""Frames as sources: pandas, polars, Arrow and whatever else narwhals understands."""

from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw

from withhold.engines.duckdb._connection import connect, quoted
from withhold.engines.duckdb._files import check_names
from withhold.engines.duckdb._source import DuckSource
from withhold.errors import DataError

__all__ = ["open_frame"]


def open_frame(data: object, *, scratch: Path | None = None) -> DuckSource:
    """Open a frame; rows are positions, its index does not matter."""
    try:
        frame = nw.from_native(data)  # type: ignore[call-overload]
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
    connection = connect(scratch)
    native = _without_objects(frame)
    try:
        connection.register("frame", native)
        columns = ", ".join(f"{quoted(name)} AS c{i}" for i, name in enumerate(names))
        connection.execute(f"CREATE VIEW source AS SELECT {columns} FROM frame").fetchall()
    except (duckdb.Error, ImportError) as error:
        connection.close()
        raise DataError(f"cannot read the frame: {str(error).splitlines()[0]}") from None
    return DuckSource(connection, names, description="the frame", frame=frame)


def _without_objects(frame: "nw.DataFrame[Any]") -> Any:
    """Return the native frame; columns of Python objects become text, which an engine cannot mistake."""
    objects = [name for name, dtype in frame.schema.items() if dtype == nw.Object]
    native = nw.to_native(frame)
    if frame.implementation.is_pandas():
        mixed = [name for name in native.columns if native[name].dtype == object]
        return native.astype(dict.fromkeys(mixed, "string")) if mixed else native
    if objects:
        raise DataError(f'column "{objects[0]}" holds Python objects. Hint: cast it to text.')
    return native
