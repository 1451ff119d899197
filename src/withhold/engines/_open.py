"""Choose the engine, and open a file or frame with it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from withhold.engines._protocol import Source
from withhold.errors import DataError

__all__ = ["Engine", "open_columns", "open_source"]

Engine = Literal["duckdb"]


def open_source(data: object, *, engine: Engine = "duckdb", scratch: Path | None = None) -> Source:
    """Open a CSV or Parquet file, or a frame.

    Parameters
    ----------
    data
        A path, or a pandas, polars or Arrow frame, or anything else that narwhals understands.
    engine
        ``"duckdb"`` is embedded and the default.
    scratch
        A folder for what does not fit in memory.
    """
    if engine != "duckdb":
        raise DataError(f'there is no engine "{engine}" yet; there is: "duckdb"')
    from withhold.engines.duckdb import DuckSource, open_file, open_frame

    source: DuckSource
    if isinstance(data, str | Path):
        source = open_file(Path(data), scratch=scratch)
    else:
        source = open_frame(data, scratch=scratch)
    return source


def open_columns(columns: Mapping[str, Sequence[Any]]) -> Source:
    """Open columns of plain values with the embedded engine."""
    from withhold.engines import duckdb

    return duckdb.open_columns(columns)
