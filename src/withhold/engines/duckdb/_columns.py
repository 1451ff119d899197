"""Columns of text in memory as a source."""

from collections.abc import Mapping, Sequence

from withhold.engines.duckdb._connection import Database
from withhold.engines.duckdb._files import check_names
from withhold.engines.duckdb._source import DuckSource

__all__ = ["open_columns"]


def open_columns(columns: Mapping[str, Sequence[str | None]]) -> DuckSource:
    """Open columns of text, all of the same length."""
    names = tuple(columns)
    check_names(names, "the table")
    database = Database()
    chosen = ", ".join(f"unnest(?::VARCHAR[]) AS c{i}" for i in range(len(names)))
    database.run(f"CREATE TABLE source AS SELECT {chosen}", [list(cells) for cells in columns.values()])
    return DuckSource(database, names, description="the table")
