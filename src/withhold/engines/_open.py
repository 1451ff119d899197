"""Choose the engine, and open a file or frame with it."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from withhold.engines._protocol import Source
from withhold.engines.files import Loaded, Reading, is_url, location_of, read_table
from withhold.errors import DataError

if TYPE_CHECKING:
    from withhold.engines.duckdb import DuckSource

__all__ = ["Engine", "name_of", "open_coded", "open_columns", "open_source", "open_table"]

Engine = Literal["duckdb"]
DEFAULTS = Reading()
WHATEVER = Reading(query="SELECT 1")
STREAM = "standard input"


def open_source(
    data: object, *, engine: Engine = "duckdb", scratch: Path | None = None, reading: Reading = DEFAULTS
) -> Source:
    """Open a file of any kind that is known, a table of a database, a stream of bytes, or a frame.

    Parameters
    ----------
    data
        A path, the URL of a database, an open binary file, or a pandas, polars or Arrow frame, or anything else that
        narwhals understands.
    engine
        ``"duckdb"`` is embedded and the default.
    scratch
        A folder for what does not fit in memory.
    reading
        What a file does not say about itself.
    """
    if engine != "duckdb":
        raise DataError(f'there is no engine "{engine}" yet; there is: "duckdb"')
    from withhold.engines import duckdb

    if is_url(data):
        location = location_of(str(data), reading)
        read = open_table(read_table(location), location.name, scratch=scratch)
        read.location = location
        return read
    if isinstance(data, str | Path):
        return duckdb.open_file(Path(data), scratch=scratch, reading=reading)
    if isinstance(data, io.IOBase):
        if isinstance(data, io.TextIOBase):
            raise DataError("cannot read a table from a text stream. Hint: open it in binary mode.")
        return duckdb.open_stream(cast(IO[bytes], data), scratch=scratch, reading=reading, description=name_of(data))
    return duckdb.open_frame(data, scratch=scratch)


def name_of(data: object) -> str:
    """Return what messages call the place that a table is read from.

    Examples
    --------
    >>> name_of(Path("folder/people.csv"))
    'people.csv'
    """
    if is_url(data):
        return location_of(str(data), WHATEVER).database
    if isinstance(data, str | Path):
        return Path(data).name
    return STREAM if isinstance(data, io.IOBase) else "the frame"


def open_table(loaded: Loaded, name: str, *, scratch: Path | None = None) -> "DuckSource":
    """Open a table that was read as Arrow, which messages call `name`."""
    from withhold.engines import duckdb

    if loaded.table.num_rows == 0:
        raise DataError(f"{name}: there is no row.")
    return duckdb.open_loaded(loaded, name, scratch=scratch)


def open_columns(columns: Mapping[str, Sequence[Any]]) -> Source:
    """Open columns of plain values with the embedded engine."""
    from withhold.engines import duckdb

    return duckdb.open_columns(columns)


def open_coded(texts: Mapping[str, Sequence[str | None]], codes: Mapping[str, NDArray[np.int64]]) -> Source:
    """Open columns that are given as distinct texts and, for each row, the place among these, with the embedded engine.

    Examples
    --------
    >>> open_coded({"sex": ["f", None]}, {"sex": np.array([0, 1, 0])}).n_rows
    3
    """
    from withhold.engines import duckdb

    return duckdb.open_coded(texts, codes)
