"""What a decision publishes, written as a file by its suffix."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from withhold.engines.duckdb._connection import Database, quoted, text
from withhold.engines.duckdb._room import has_room
from withhold.engines.files import compression_of, full_suffix, kind_of, save
from withhold.errors import DataError, OutputError
from withhold.table import Decision

if TYPE_CHECKING:
    from withhold.engines.duckdb._source import DuckSource

__all__ = ["held_sql", "is_typed_file", "write_rows"]

BYTES_A_CELL = 16


def write_rows(source: "DuckSource", database: Database, published: str, decision: Decision, path: Path) -> None:
    """Write the rows of a query, which publishes a source as decided, by the suffix of a path."""
    is_tight = not has_room(path, _n_bytes(source))
    try:
        with database.one_thread() if is_tight else contextlib.nullcontext():
            _copy(source, database, published, decision, path)
    except (duckdb.IOException, OSError):
        raise OutputError("the release cannot be written. Hint: is the disk full?") from None
    except duckdb.Error as error:
        raise DataError(f"{source.description}: cannot be read any more ({type(error).__name__}).") from None


def held_sql(database: Database, published: str, holds: frozenset[str] | None) -> str:
    """Return a query whose columns have types that a destination has a place for; others become text."""
    if holds is None:
        return published
    columns = []
    for name, full_type in (row[:2] for row in database.try_run(f"DESCRIBE {published}")):
        column, base = quoted(str(name)), str(full_type).split("(")[0]
        if base in ("FLOAT", "DECIMAL"):  # by way of text: a short number keeps its digits
            columns.append(f"{column}::VARCHAR::DOUBLE AS {column}")
        else:
            columns.append(column if base in holds else f"{column}::VARCHAR AS {column}")
    return f"SELECT {', '.join(columns)} FROM ({published})"


def is_typed_file(path: Path) -> bool:
    """Return whether columns have types in a file with this suffix.

    Examples
    --------
    >>> is_typed_file(Path("release.parquet")), is_typed_file(Path("release.csv"))
    (True, False)
    """
    kind = kind_of(path)
    return kind is not None and kind.is_typed


def _copy(source: "DuckSource", database: Database, published: str, decision: Decision, path: Path) -> None:
    kind = kind_of(path)
    if kind is not None and kind.family not in ("csv", "parquet"):
        kept = [name for name in decision.published(source.names) if name in source.labels]
        coded = [name for name in source.value_labels if _is_kept(decision, name)]
        with database.batches(held_sql(database, published, kind.holds)) as batches:
            save(
                path,
                kind,
                batches,
                labels={name: source.labels[name] for name in kept},
                value_labels={name: source.value_labels[name] for name in coded},
            )
        return
    options = "FORMAT parquet, COMPRESSION zstd" if is_typed_file(path) else _csv_options(source.delimiter, path)
    database.try_run(f"COPY ({published}) TO {text(str(path))} ({options})")


def _csv_options(read: str, path: Path) -> str:
    """Return how text is written: with the delimiter that was read, except for tabs, which a suffix asks for."""
    comma = "," if read == "\t" else read
    delimiter = "\t" if ".tsv" in full_suffix(path).lower() else comma
    packed = compression_of(path) or "none"
    return (
        f"FORMAT csv, HEADER true, DELIMITER {text(delimiter)}, QUOTE '\"', ESCAPE '\"', NULLSTR '', "
        f"COMPRESSION {packed}"
    )


def _n_bytes(source: "DuckSource") -> int:
    """Return about how large a table is as a file."""
    as_cells = source.n_rows * len(source.names) * BYTES_A_CELL
    return as_cells if source.path is None or not source.path.exists() else max(as_cells, source.path.stat().st_size)


def _is_kept(decision: Decision, name: str) -> bool:
    """Return whether a column is published as it is."""
    return name not in decision.drop and decision.recoding(name) is None and decision.cells_of(name) is None
