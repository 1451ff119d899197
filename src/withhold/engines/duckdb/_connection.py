"""A private, in-process database that never reaches out."""

from pathlib import Path
from typing import Any

import duckdb

__all__ = ["Connection", "connect", "quoted", "text"]

Connection = Any


def connect(scratch: Path | None = None) -> Connection:
    """Return a new in-memory database; what does not fit in memory goes to `scratch`."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET preserve_insertion_order = true").fetchall()
    connection.execute("SET autoinstall_known_extensions = false").fetchall()
    connection.execute("SET autoload_known_extensions = false").fetchall()
    if scratch is not None:
        connection.execute(f"SET temp_directory = {text(str(scratch))}").fetchall()
    return connection


def quoted(name: str) -> str:
    """Return a name as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return a string as a SQL literal."""
    return "'" + value.replace("'", "''") + "'"
