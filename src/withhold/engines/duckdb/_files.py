"""Files as sources."""

import tempfile
from pathlib import Path

import duckdb

from withhold.engines.duckdb._connection import Database, exact_path, quoted
from withhold.engines.duckdb._csv import csv_error, csv_shape, csv_sql
from withhold.engines.duckdb._decimals import read_decimal_commas
from withhold.engines.duckdb._instance import is_small
from withhold.engines.duckdb._source import DuckSource
from withhold.engines.files import (
    Loaded,
    Reading,
    compression_of,
    full_suffix,
    kind_of,
    known_suffixes,
    load,
    plain_text,
)
from withhold.errors import DataError, looks_like_a_cell

__all__ = ["check_names", "open_file", "open_loaded"]

DEFAULTS = Reading()
BYTES_A_CELL = 8
"""Of a file, at most about; small tables are told by it."""


def open_file(
    path: Path, *, scratch: Path | None = None, reading: Reading = DEFAULTS, description: str = ""
) -> DuckSource:
    """Open a file by its suffix; `description` is what messages call it, by default its name."""
    name = description or path.name
    if path.is_dir():
        raise DataError(f"{name}: is a folder, not a data file.")
    if not path.exists():
        raise DataError(f"{name}: there is no such file.")
    kind = kind_of(path)
    if kind is None:
        known = ", ".join(known_suffixes())
        raise DataError(f'{name}: "{full_suffix(path)}" is not a known kind of data file. Hint: one of {known}.')
    if kind.family == "parquet":
        source = _open_parquet(path, name, scratch)
    elif kind.family == "csv":
        source = _open_csv(path, name, scratch, reading)
    else:
        source = open_loaded(load(path, kind, reading), name, scratch=scratch, path=path)
    source.reading = reading
    if source.n_rows == 0:
        source.close()
        raise DataError(f"{name}: there is a header but no row.")
    return source


def open_loaded(loaded: Loaded, name: str, *, scratch: Path | None = None, path: Path | None = None) -> DuckSource:
    """Open a table that was read as Arrow; its rows are kept by the engine, so that they need not fit in memory."""
    names = tuple(str(column) for column in loaded.table.column_names)
    check_names(names, name)
    database = Database(scratch, is_small=is_small(loaded.table.num_rows * len(names)))
    try:
        database.register("loaded", loaded.table.rename_columns([f"c{i}" for i in range(len(names))]))
        described = database.try_run("DESCRIBE SELECT * FROM loaded")
        columns = ", ".join(_column_sql(str(row[0]), str(row[1])) for row in described)
        database.try_run(f"CREATE TABLE source AS SELECT {columns} FROM loaded")
        database.unregister("loaded")
    except duckdb.Error as error:
        database.close()
        raise DataError(f"{name}: holds a column that the engine cannot read ({type(error).__name__}).") from None
    source = DuckSource(database, names, description=name, path=path)
    source.labels, source.value_labels = loaded.labels, loaded.value_labels
    source.missing_codes = loaded.missing_codes
    return source


def _column_sql(name: str, column_type: str) -> str:
    """Return a column; categories become text, for their type would list unused ones."""
    return f"{quoted(name)}::VARCHAR AS {quoted(name)}" if column_type.startswith("ENUM") else quoted(name)


def _open_csv(path: Path, name: str, scratch: Path | None, reading: Reading) -> DuckSource:
    database = Database(scratch, is_small=_is_small_text(path))
    try:
        with tempfile.TemporaryDirectory(dir=database.folder, prefix="text-") as folder:
            text = plain_text(path, Path(folder), encoding=reading.encoding)
            shape = csv_shape(text, name)
            check_names(shape.names, name)
            database.try_run(f"CREATE TABLE source AS SELECT * FROM {csv_sql(text, shape)}")
        if reading.decimal == "," or (reading.decimal is None and shape.delimiter == ";"):
            read_decimal_commas(database, [f"c{i}" for i in range(len(shape.names))], reading.decimal)
    except BaseException as error:
        database.close()
        raise _csv_failure(error, name) from None
    return DuckSource(database, shape.names, description=name, delimiter=shape.published, path=path)


def _is_small_text(path: Path) -> bool:
    """Return whether a text file is surely small; the size of a packed one is not known before it is read."""
    return compression_of(path) is None and is_small(path.stat().st_size // BYTES_A_CELL)


def _csv_failure(error: BaseException, name: str) -> BaseException:
    if isinstance(error, duckdb.Error):
        return csv_error(name, str(error))
    if isinstance(error, OSError):
        return DataError(f"{name}: cannot be read ({error.strerror}).")
    return error


def _open_parquet(path: Path, name: str, scratch: Path | None) -> DuckSource:
    may_be_small = is_small(path.stat().st_size // BYTES_A_CELL)
    database = Database(scratch, is_small=may_be_small)
    file = f"read_parquet({exact_path(path)}, hive_partitioning = false)"
    try:
        names = tuple(str(row[0]) for row in database.try_run(f"DESCRIBE SELECT * FROM {file}"))
        check_names(names, name)
        # A small file may hold many rows, if they are alike; how many there are stands in it.
        if may_be_small and not is_small(int(database.try_run(f"SELECT count(*) FROM {file}")[0][0]) * len(names)):
            database.close()
            database = Database(scratch)
        columns = ", ".join(f"c{i}" for i in range(len(names)))
        database.try_run(f"CREATE VIEW source AS SELECT * FROM {file} AS t({columns})")
    except duckdb.Error:
        database.close()
        raise DataError(f"{name}: cannot be read as Parquet.") from None
    return DuckSource(database, names, description=name, path=path)


def check_names(names: tuple[str, ...], what: str) -> None:
    """Refuse names that cannot be distinguished, and empty ones."""
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        if not name:
            raise DataError(f"{what}: column {i + 1} has no name. Hint: name it.")
        if name.casefold() in seen:
            other = seen[name.casefold()]
            same = "are both called" if names[other] == name else "differ only in case:"
            called = f'{same} "{name}". Hint: rename one of them.'
            if looks_like_a_cell(name):
                called = "have the same name. Hint: does the first line hold the names of the columns?"
            raise DataError(f"{what}: columns {other + 1} and {i + 1} {called}")
        seen[name.casefold()] = i
