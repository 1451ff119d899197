"""Files as sources."""

from pathlib import Path

import duckdb

from withhold.engines.duckdb._connection import Database, exact_path
from withhold.engines.duckdb._csv import csv_error, csv_shape, csv_sql
from withhold.engines.duckdb._source import DuckSource
from withhold.errors import DataError, looks_like_a_cell

__all__ = ["CSV_SUFFIXES", "PARQUET_SUFFIXES", "open_file"]

CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")


def open_file(path: Path, *, scratch: Path | None = None) -> DuckSource:
    """Open a CSV or Parquet file by its suffix."""
    if path.is_dir():
        raise DataError(f"{path.name}: is a folder, not a data file.")
    if not path.exists():
        raise DataError(f"{path.name}: there is no such file.")
    if path.suffix.lower() in PARQUET_SUFFIXES:
        source = _open_parquet(path, scratch)
    elif path.suffix.lower() in CSV_SUFFIXES:
        source = _open_csv(path, scratch)
    else:
        known = ", ".join((*CSV_SUFFIXES, *PARQUET_SUFFIXES))
        raise DataError(f'{path.name}: "{path.suffix}" is not a known kind of data file. Hint: one of {known}.')
    if source.n_rows == 0:
        source.close()
        raise DataError(f"{path.name}: there is a header but no row.")
    return source


def _open_csv(path: Path, scratch: Path | None) -> DuckSource:
    try:
        shape = csv_shape(path)
    except OSError as error:
        raise DataError(f"{path.name}: cannot be read ({error.strerror}).") from None
    check_names(shape.names, path.name)
    database = Database(scratch)
    try:
        database.try_run(f"CREATE TABLE source AS SELECT * FROM {csv_sql(path, shape)}")
    except duckdb.Error as error:
        database.close()
        raise csv_error(path, str(error)) from None
    return DuckSource(database, shape.names, description=path.name, delimiter=shape.published, path=path)


def _open_parquet(path: Path, scratch: Path | None) -> DuckSource:
    database = Database(scratch)
    file = f"read_parquet({exact_path(path)}, hive_partitioning = false)"
    try:
        names = tuple(str(row[0]) for row in database.try_run(f"DESCRIBE SELECT * FROM {file}"))
        check_names(names, path.name)
        columns = ", ".join(f"c{i}" for i in range(len(names)))
        database.try_run(f"CREATE VIEW source AS SELECT * FROM {file} AS t({columns})")
    except duckdb.Error:
        database.close()
        raise DataError(f"{path.name}: cannot be read as Parquet.") from None
    return DuckSource(database, names, description=path.name, path=path)


def check_names(names: tuple[str, ...], what: str) -> None:
    """Refuse names that cannot be distinguished."""
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        if name.casefold() in seen:
            other = seen[name.casefold()]
            same = "are both called" if names[other] == name else "differ only in case:"
            called = f'{same} "{name}". Hint: rename one of them.'
            if looks_like_a_cell(name):
                called = "have the same name. Hint: does the first line hold the names of the columns?"
            raise DataError(f"{what}: columns {other + 1} and {i + 1} {called}")
        seen[name.casefold()] = i
