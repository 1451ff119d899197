"""The rows behind a table that was read by an engine."""

from typing import cast

from withhold.engines import Engine, Reading, Source, open_source
from withhold.table import MemoryStore, Table

__all__ = ["open_table", "source_of"]


def source_of(table: Table) -> Source:
    """Return the source of a table; the audit opens its tables with an engine, so that each has one."""
    return cast(Source, table.store)


def open_table(data: object, reading: Reading, engine: Engine = "duckdb") -> Source:
    """Open a file or frame; a table that an engine holds already is used as it is."""
    if isinstance(data, Table) and not isinstance(data.store, MemoryStore):
        return source_of(data)
    return open_source(data, engine=engine, reading=reading)
