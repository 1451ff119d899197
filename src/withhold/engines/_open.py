"""Choose the engine, and open a file or frame with it."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast, get_args
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from withhold.engines._protocol import Source
from withhold.engines.files import SCHEMES, Loaded, Reading, is_url, location_of, read_table
from withhold.errors import DataError

if TYPE_CHECKING:
    from withhold.engines.duckdb import DuckSource

__all__ = ["Engine", "name_of", "open_coded", "open_columns", "open_source", "open_table"]

Engine = Literal["duckdb", "spark"]
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
        ``"duckdb"`` is embedded and the default. ``"spark"`` reads files, folders and tables of the catalogue with the
        session that is there, or a new one on this machine; a frame of Spark always stays with its session.
    scratch
        A folder for what does not fit in memory.
    reading
        What a file does not say about itself.
    """
    if engine not in get_args(Engine):
        raise DataError(f'there is no engine "{engine}"; there are: {", ".join(get_args(Engine))}.')
    if engine == "spark" or type(data).__module__.startswith("pyspark.sql"):
        return _open_on_cluster(data, reading)
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


def _open_on_cluster(data: object, reading: Reading) -> Source:
    from withhold.engines import spark

    if spark.is_frame(data):
        return spark.open_frame(data)
    if not isinstance(data, str | Path):
        raise DataError(
            f"Spark cannot read a table from {type(data).__name__}. Hint: a path, a table, or a frame of it."
        )
    return spark.open_place(spark.open_session(), data, reading=reading)


def name_of(data: object) -> str:
    """Return what messages call the place that a table is read from.

    Examples
    --------
    >>> name_of(Path("folder/people.csv"))
    'people.csv'
    """
    if is_url(data):
        is_table = urlsplit(str(data)).scheme.lower() in SCHEMES
        return location_of(str(data), WHATEVER).database if is_table else str(data).rstrip("/").rsplit("/", 1)[-1]
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
