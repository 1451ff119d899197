"""The URL of a table: which database, and what to read from it or to write into it."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from withhold.engines.files._reading import Reading
from withhold.errors import DataError

__all__ = ["SCHEMES", "Location", "is_url", "location_of"]

System = Literal["sqlite", "postgresql"]
SCHEMES: dict[str, System] = {"sqlite": "sqlite", "postgresql": "postgresql", "postgres": "postgresql"}
"""How the URL of a database begins, and which kind of database that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A table of a database, or the rows of a query."""

    system: System
    """Which kind of database."""
    address: str
    """What a driver connects to; it may hold a password, so it is never shown."""
    database: str
    """What the database is called."""
    path: Path | None = None
    """The file of an SQLite database."""
    table: str | None = None
    """The table, with its schema before a dot where there is one."""
    query: str | None = None
    """The query, where no table is named."""

    @property
    def name(self) -> str:
        """What messages call it, without user, password and host."""
        return f"{self.database}: table {self.table}" if self.table else f"{self.database}: the query"

    @property
    def quoted_table(self) -> str:
        """The table as SQL, each part of its name quoted."""
        assert self.table is not None
        return ".".join('"' + part.replace('"', '""') + '"' for part in self.table.split("."))

    @property
    def rows(self) -> str:
        """The SQL whose rows are read."""
        return self.query.strip().rstrip(";") if self.query else f"SELECT * FROM {self.quoted_table}"


def is_url(data: object) -> bool:
    """Return whether something names a table of a database.

    Examples
    --------
    >>> is_url("sqlite:///people.db?table=people"), is_url("people.csv")
    (True, False)
    """
    return isinstance(data, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", data) is not None


def location_of(url: str, reading: Reading | None = None) -> Location:
    """Return what a URL names; `table` and `query` of `reading` stand before those of the URL.

    Examples
    --------
    >>> found = location_of("postgresql://me:secret@host/clinic?table=public.people&sslmode=require")
    >>> found.name, found.quoted_table
    ('clinic: table public.people', '"public"."people"')
    >>> str(location_of("sqlite:///people.db?table=people").path)
    'people.db'
    """
    parts = urlsplit(url)
    system = SCHEMES.get(parts.scheme.lower())
    if system is None:
        known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise DataError(f'"{parts.scheme}://" is not a known kind of database. Hint: one of {known}.')
    words = dict(parse_qsl(parts.query, keep_blank_values=True))
    asked = {key: words.pop(key, None) for key in ("table", "query")}
    if reading is not None and (reading.table or reading.query):
        asked = {"table": reading.table, "query": reading.query}
    if system == "sqlite":
        # As elsewhere: three slashes before a path from here, four before one from the root.
        path = Path(unquote(parts.path).removeprefix("/"))
        found = Location(system=system, address=str(path.resolve()), database=path.name, path=path)
    else:
        address = parts._replace(scheme="postgresql", query=urlencode(words), fragment="").geturl()
        database = unquote(parts.path).removeprefix("/") or words.get("dbname") or parts.username or "database"
        found = Location(system=system, address=address, database=database)
    if bool(asked["table"]) == bool(asked["query"]):
        hint = "Hint: ?table=NAME at the end of the URL, or --query."
        raise DataError(f"{found.database}: name a table or a query, one of them. {hint}")
    return replace(found, table=asked["table"], query=asked["query"])
