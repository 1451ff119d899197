"""Where a release goes: a file that is renamed into place, or a table that is replaced in one transaction."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from withhold._staging import PUBLISHED, Staging, check_destination
from withhold.engines import Reading, Source, open_source, open_table
from withhold.engines.files import HOLDS, Location, TableWriter, driver_of, full_suffix, is_url, location_of
from withhold.errors import OutputError

__all__ = ["Destination", "Offer", "destination_of"]


class Offer(Protocol):
    """What was written and is not published yet."""

    def open(self, reading: Reading) -> Source:
        """Open what was written, to prove it."""

    def publish(self, files: Mapping[str, Path]) -> None:
        """Put it into its place, in one step, with the staged files that belong to it."""


class Destination(Protocol):
    """Where a release goes."""

    beside: Path
    """What the files that belong to the release are named after."""
    name: str
    """What messages call it."""
    shown: str
    """How it was named, without a password."""
    suffix: str
    """How the name of the staged file ends."""

    def check(self) -> None:
        """Refuse what cannot be written, before any long work."""

    def offer(self, made: Path, staging: Staging) -> Any:
        """Return a context in which the staged file is offered; left without publishing, nothing has changed."""


def destination_of(place: str | Path) -> "FileDestination | TableDestination":
    """Return the destination that a path or a URL names."""
    if is_url(place):
        return TableDestination(location_of(str(place)))
    return FileDestination(Path(place))


class FileDestination:
    """A file."""

    def __init__(self, path: Path) -> None:
        self.beside, self.shown = path.resolve(), str(path)
        self.name, self.suffix = self.beside.name, full_suffix(self.beside)

    def check(self) -> None:
        """Refuse a path that cannot be written."""
        check_destination(self.beside)

    @contextmanager
    def offer(self, made: Path, staging: Staging) -> Iterator[Offer]:
        """Offer the staged file itself."""
        yield _FileOffer(made, staging, self.beside)


class TableDestination:
    """A table of a database; the files that belong to it lie beside an SQLite file, otherwise in the working folder."""

    def __init__(self, location: Location) -> None:
        if location.table is None:
            raise OutputError(f"{location.database}: a release goes into a table, not into a query.")
        folder = Path.cwd() if location.path is None else location.path.resolve().parent
        self.location = location
        self.beside = folder / f"{location.database}.{location.table}".replace(os.sep, "_")
        self.name = self.shown = location.name
        self.suffix = ".parquet"

    def check(self) -> None:
        """Refuse a database whose driver or folder is not there."""
        driver_of(self.location)
        if not self.beside.parent.is_dir():
            raise OutputError(f"{self.location.database}: its folder does not exist. Hint: create the folder first.")

    @contextmanager
    def offer(self, made: Path, staging: Staging) -> Iterator[Offer]:
        """Offer a new table, inside a transaction that is rolled back unless it is published."""
        with TableWriter(self.location) as writer:
            staged: Any = open_source(made, scratch=staging.folder)
            try:
                writer.fill(staged.batches(HOLDS[self.location.system]))
            finally:
                staged.close()
            yield _TableOffer(writer, self.location, staging)


@dataclass(frozen=True, slots=True)
class _FileOffer:
    made: Path
    staging: Staging
    path: Path

    def open(self, reading: Reading) -> Source:
        return open_source(self.made, scratch=self.staging.folder, reading=reading)

    def publish(self, files: Mapping[str, Path]) -> None:
        self.staging.publish({**files, self.made.name: self.path})


@dataclass(frozen=True, slots=True)
class _TableOffer:
    writer: TableWriter
    location: Location
    staging: Staging

    def open(self, reading: Reading) -> Source:
        return open_table(self.writer.read_back(), self.location.name, scratch=self.staging.folder)

    def publish(self, files: Mapping[str, Path]) -> None:
        self.writer.commit()
        PUBLISHED.append(Path(self.location.table or ""))
        self.staging.publish(files)
