"""The embedded engine: DuckDB reads, groups, recodes and writes; rows never pass through Python one by one."""

from withhold.engines.duckdb._columns import open_coded, open_columns
from withhold.engines.duckdb._csv import csv_shape
from withhold.engines.duckdb._files import check_names, open_file, open_loaded
from withhold.engines.duckdb._frames import open_frame
from withhold.engines.duckdb._source import DuckSource
from withhold.engines.duckdb._streams import open_stream

__all__ = [
    "DuckSource",
    "check_names",
    "csv_shape",
    "open_coded",
    "open_columns",
    "open_file",
    "open_frame",
    "open_loaded",
    "open_stream",
]
