"""SQLite and PostgreSQL: rows come and go as Arrow, and a table is replaced in one transaction."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import TracebackType
from typing import Any

from withhold.engines.files._extras import imported
from withhold.engines.files._kinds import WHOLE
from withhold.engines.files._locations import Location
from withhold.engines.files._reading import Loaded
from withhold.errors import DataError, OutputError

__all__ = ["HOLDS", "TableWriter", "driver_of", "read_table"]

HOLDS = {
    "sqlite": WHOLE | {"DOUBLE", "VARCHAR"},
    "postgresql": WHOLE | {"DOUBLE", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME"},
}
"""The types of the engine that each kind of database has a place for."""
NO_TABLE, BAD_SQL = "42P01", "42601"
ROWS_SEEN = 1 << 30
"""SQLite types cells, not columns: the driver looks at this many rows before it gives a column its type."""


def driver_of(location: Location) -> Any:
    """Return the driver of a database."""
    extra = "files" if location.system == "sqlite" else "postgres"
    purpose = "SQLite" if location.system == "sqlite" else "PostgreSQL"
    imported("pyarrow", purpose=purpose, extra=extra)
    package = f"adbc-driver-{location.system}"
    return imported(f"adbc_driver_{location.system}.dbapi", purpose=purpose, extra=extra, package=package)


def read_table(location: Location) -> Loaded:
    """Read a table or the rows of a query, in a transaction that cannot write."""
    if location.path is not None and not location.path.exists():
        raise DataError(f"{location.database}: there is no such file.")
    driver = driver_of(location)
    with _connected(driver, location, read_only=True) as connection, connection.cursor() as cursor:
        try:
            if location.system == "postgresql":
                cursor.execute("SET TRANSACTION READ ONLY")
            return Loaded(table=_fetch(cursor, location))
        except driver.Error as error:
            raise DataError(_reason(location, error)) from None


class TableWriter:
    """A new table inside a transaction: filled, read back, and put in the place of the old one, or rolled back.

    Parameters
    ----------
    location
        The table to be replaced or made.
    """

    def __init__(self, location: Location) -> None:
        self._location = location
        self._driver = driver_of(location)
        schema = location.table.rpartition(".")[0] if location.table else ""
        name = f"withhold_{secrets.token_hex(8)}"
        self._made = replace(location, table=f"{schema}.{name}" if schema else name)
        self._is_new = location.path is not None and not location.path.exists()
        self._is_committed = False

    def __enter__(self) -> "TableWriter":
        self._context = _connected(self._driver, self._location)
        self._connection = self._context.__enter__()
        self._cursor = self._connection.cursor()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(self._driver.Error):
            self._connection.rollback()
        self._cursor.close()
        self._context.__exit__(None, None, None)
        if self._is_new and not self._is_committed and self._location.path is not None:
            self._location.path.unlink(missing_ok=True)

    def fill(self, batches: Any) -> None:
        """Make the new table from Arrow batches."""
        schema, _, name = (self._made.table or "").rpartition(".")
        try:
            if self._location.system == "sqlite":
                self._cursor.execute("PRAGMA secure_delete = on")  # what is rolled back does not stay in the file
            self._cursor.adbc_ingest(name, batches, mode="create", db_schema_name=schema or None)
        except self._driver.Error as error:
            raise OutputError(self._failure("cannot be written", error)) from None

    def read_back(self) -> Loaded:
        """Read the new table as it stands in the transaction, in the order in which it was filled."""
        try:
            if self._location.system == "postgresql":
                self._cursor.execute("SET LOCAL max_parallel_workers_per_gather = 0")
                self._cursor.execute("SET LOCAL synchronize_seqscans = off")
            return Loaded(table=_fetch(self._cursor, self._made))
        except self._driver.Error as error:
            raise OutputError(self._failure("cannot be read back", error)) from None

    def commit(self) -> None:
        """Put the new table in the place of the old one, in one step."""
        new = replace(self._location, table=(self._location.table or "").rpartition(".")[2])
        try:
            self._cursor.execute(f"DROP TABLE IF EXISTS {self._location.quoted_table}")
            self._cursor.execute(f"ALTER TABLE {self._made.quoted_table} RENAME TO {new.quoted_table}")
            self._connection.commit()
            self._is_committed = True
        except self._driver.Error as error:
            hint = "Hint: is it a view, or does another table or view depend on it?"
            raise OutputError(f"{self._failure('the old one cannot be replaced', error)} {hint}") from None

    def _failure(self, what: str, error: Exception) -> str:
        return f"{self._location.name}: {what} ({type(error).__name__})."


@contextmanager
def _connected(driver: Any, location: Location, *, read_only: bool = False) -> Iterator[Any]:
    address = location.address
    if location.path is not None:
        escaped = address.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        address = f"file:{escaped}?mode={'ro' if read_only else 'rwc'}"
    try:
        connection = driver.connect(address)
    except driver.Error as error:
        hint = "Hint: is the server running, and are host, user and password right?"
        hint = hint if location.path is None else "Hint: is it an SQLite database?"
        raise DataError(f"{location.database}: cannot be opened ({type(error).__name__}). {hint}") from None
    try:
        yield connection
    finally:
        with suppress(driver.Error):
            connection.rollback()
        connection.close()


def _fetch(cursor: Any, location: Location) -> Any:
    """Return the rows; columns of types that are no plain values come as the text that the database has for them."""
    arrow = imported("pyarrow", purpose=location.system)
    asked = f"({location.rows}) AS asked"
    if location.system == "sqlite":
        cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(ROWS_SEEN)})
        cursor.execute(location.rows)
        found = cursor.fetch_arrow_table()
        odd = _mixed(cursor, found, asked)
    else:
        cursor.execute(f"SELECT * FROM {asked} LIMIT 0")
        found = cursor.fetch_arrow_table()
        odd = [field.name for field in found.schema if not _is_plain(arrow, field.type)]
        if not odd:
            cursor.execute(location.rows)
            found = cursor.fetch_arrow_table()
    if odd:
        columns = [_quoted(name) for name in found.column_names]
        texts = [f"CAST({c} AS TEXT) AS {c}" if c in map(_quoted, odd) else c for c in columns]
        cursor.execute(f"SELECT {', '.join(texts)} FROM {asked}")
        found = cursor.fetch_arrow_table()
    return found.replace_schema_metadata(None)


def _mixed(cursor: Any, found: Any, asked: str) -> list[str]:
    """Return the columns of text in which some cells are numbers: the driver would spell these in its own way."""
    names = [field.name for field in found.schema if str(field.type) == "string"]
    if not names or len(set(found.column_names)) < len(found.column_names):
        return []
    counts = ", ".join(f"sum(typeof({_quoted(name)}) IN ('integer', 'real'))" for name in names)
    cursor.execute(f"SELECT {counts} FROM {asked}")
    row = cursor.fetchone() or ()
    return [name for name, count in zip(names, row, strict=True) if count]


def _is_plain(arrow: Any, kind: Any) -> bool:
    types = arrow.types
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    is_moment = types.is_date(kind) or types.is_timestamp(kind) or types.is_time(kind)
    return bool(is_number or is_moment or types.is_string(kind) or types.is_large_string(kind))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reason(location: Location, error: Any) -> str:
    """Return our sentence for an error of the database, whose own may quote cells."""
    state = getattr(error, "sqlstate", None)
    if state == NO_TABLE or "no such table" in str(error):
        return f"{location.name}: there is no such table."
    if state == BAD_SQL or "syntax error" in str(error):
        return f"{location.name}: is not SQL that the database understands."
    return f"{location.name}: cannot be read ({type(error).__name__})."
