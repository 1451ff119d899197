"""Where a release goes: a file that is renamed into place, or a table that is replaced in one transaction."""

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from withhold._staging import PUBLISHED, Staging, check_destination, refuse_links
from withhold.engines import Cluster, Reading, Source, open_source, open_table
from withhold.engines.files import (
    HOLDS,
    SCHEMES,
    Location,
    TableWriter,
    driver_of,
    full_suffix,
    is_url,
    kind_of,
    location_of,
)
from withhold.errors import OutputError
from withhold.table import Decision

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

    is_folder: bool
    """Whether it is a folder of parts, as a cluster writes it."""

    def write(self, made: Path, origin: Source, decision: Decision, *, key: str) -> None:
        """Let the engine of `origin` write what `decision` publishes, to be offered as `made`."""

    def offer(self, made: Path, staging: Staging, origin: Source) -> Any:
        """Return a context in which the staged file is offered; left without publishing, nothing has changed."""


def destination_of(
    place: str | Path, *, is_folder: bool = False
) -> "FileDestination | FolderDestination | StoreDestination | TableDestination":
    """Return the destination that a path or a URL names; a cluster writes folders."""
    if is_url(place):
        is_table = urlsplit(str(place)).scheme.lower() in SCHEMES
        return StoreDestination(str(place)) if is_folder and not is_table else TableDestination(location_of(str(place)))
    return FolderDestination(Path(place)) if is_folder else FileDestination(Path(place))


class FileDestination:
    """A file."""

    is_folder = False

    def __init__(self, path: Path) -> None:
        self.beside, self.shown = path.resolve(), str(path)
        self.name, self.suffix = self.beside.name, full_suffix(self.beside)

    def check(self) -> None:
        """Refuse a path that cannot be written."""
        refuse_links(Path(self.shown))
        check_destination(self.beside)

    def write(self, made: Path, origin: Source, decision: Decision, *, key: str) -> None:
        """Write the staged file itself."""
        origin.write(decision, made, key=key)

    @contextmanager
    def offer(self, made: Path, staging: Staging, origin: Source) -> Iterator[Offer]:
        """Offer the staged file itself."""
        yield _FileOffer(made, staging, self.beside)


class FolderDestination:
    """A folder of Parquet or CSV parts, which executors write; a new folder takes the place of the old one."""

    is_folder = True

    def __init__(self, path: Path) -> None:
        self.beside, self.shown = path.resolve(), str(path)
        self.name, self.suffix = self.beside.name, full_suffix(self.beside)

    def check(self) -> None:
        """Refuse a path that cannot be written, or at which something else lies."""
        kind = kind_of(self.beside)
        if kind is None or kind.family not in ("csv", "parquet") or self.suffix.count(".") > 1:
            raise OutputError(f'{self.name}: a cluster cannot write "{self.suffix}". Hint: .parquet or .csv.')
        if self.beside.exists() and not _is_of_parts(self.beside):
            raise OutputError(f"{self.name}: is there already and is no folder of parts. Hint: choose another name.")
        if not self.beside.parent.is_dir():
            raise OutputError(f"{self.beside}: its folder does not exist. Hint: create the folder first.")
        if not os.access(self.beside.parent, os.W_OK):
            raise OutputError(f"{self.name}: its folder cannot be written.")

    def write(self, made: Path, origin: Source, decision: Decision, *, key: str) -> None:
        """Write a folder; one part in it where the rows came to the driver."""
        part = made
        if not isinstance(origin, Cluster):
            made.mkdir()
            part = made / f"part-00000{self.suffix}"
        origin.write(decision, part, key=key)

    @contextmanager
    def offer(self, made: Path, staging: Staging, origin: Source) -> Iterator[Offer]:
        """Offer the staged folder."""
        yield _FolderOffer(made, staging, self.beside, origin)


class StoreDestination:
    """A folder that has a URL, such as ``s3a://bucket/people.parquet``: a store renames nothing, a manifest does that.

    Executors write a new folder below the URL; the manifest, a small file that names it, is written last. Files that
    belong to the release lie in the working folder.
    """

    is_folder = True

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self.name = self.url.rsplit("/", 1)[-1]
        self.shown = self.url
        self.beside, self.suffix = Path.cwd() / self.name, full_suffix(Path(self.name))
        self.folder = f"{self.url}/release-{secrets.token_hex(6)}{self.suffix}"

    def check(self) -> None:
        """Refuse a kind that a cluster cannot write."""
        kind = kind_of(Path(self.name))
        if kind is None or kind.family not in ("csv", "parquet") or self.suffix.count(".") > 1:
            raise OutputError(f'{self.name}: a cluster cannot write "{self.suffix}". Hint: .parquet or .csv.')

    def write(self, made: Path, origin: Source, decision: Decision, *, key: str) -> None:
        """Write a new folder below the URL."""
        if not isinstance(origin, Cluster):
            raise OutputError(f"{self.name}: its rows came to the driver, which writes no URL. Hint: write a path.")
        kind = kind_of(Path(self.name))
        try:
            origin.write_to(decision, self.folder, key=key, typed=kind is not None and kind.is_typed)
        except BaseException:
            with suppress(OutputError):
                origin.remove(self.folder)
            raise

    @contextmanager
    def offer(self, made: Path, staging: Staging, origin: Source) -> Iterator[Offer]:
        """Offer the new folder; it is removed unless it is published."""
        assert isinstance(origin, Cluster)
        offer = _StoreOffer(self, staging, origin)
        try:
            yield offer
        finally:
            if not offer.is_published:
                origin.remove(self.folder)


def _is_of_parts(folder: Path) -> bool:
    """Return whether a folder holds nothing but parts, as a release left them."""
    return folder.is_dir() and all(each.name.startswith(("part-", "_", ".")) for each in folder.iterdir())


class TableDestination:
    """A table of a database; the files that belong to it lie beside an SQLite file, otherwise in the working folder."""

    is_folder = False

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

    def write(self, made: Path, origin: Source, decision: Decision, *, key: str) -> None:
        """Write the staged file, from which the table is filled."""
        origin.write(decision, made, key=key)

    @contextmanager
    def offer(self, made: Path, staging: Staging, origin: Source) -> Iterator[Offer]:
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
class _FolderOffer:
    made: Path
    staging: Staging
    path: Path
    origin: Source

    def open(self, reading: Reading) -> Source:
        if isinstance(self.origin, Cluster):
            return self.origin.read_back(self.made)
        part = next(self.made.glob("part-*"))
        return open_source(part, scratch=self.staging.folder, reading=reading)

    def publish(self, files: Mapping[str, Path]) -> None:
        """Put the new folder in the place of the old one, which comes back where anything fails."""
        old = self.staging.path("old")
        try:
            _open_to_readers(self.made)
            if self.path.exists():
                self.path.rename(old)
            self.made.rename(self.path)
            self.staging.publish(files)
        except BaseException as error:
            if old.exists():
                shutil.rmtree(self.path, ignore_errors=True)
                old.rename(self.path)
            elif not self.made.exists():
                shutil.rmtree(self.path, ignore_errors=True)
            if isinstance(error, OSError):
                raise OutputError(f"{self.path.name}: cannot be written ({error.strerror}).") from None
            raise
        PUBLISHED.append(self.path)


class _StoreOffer:
    is_published = False

    def __init__(self, destination: StoreDestination, staging: Staging, origin: Cluster) -> None:
        self._destination, self._staging, self._origin = destination, staging, origin

    def open(self, reading: Reading) -> Source:
        return self._origin.read_back(self._destination.folder)

    def publish(self, files: Mapping[str, Path]) -> None:
        self._origin.publish(self._destination.url, self._destination.folder)
        self.is_published = True
        self._staging.publish(files)
        PUBLISHED.append(Path(self._destination.name))


def _open_to_readers(folder: Path) -> None:
    """Give a folder of parts the permissions that a new folder has here."""
    mask = os.umask(0)
    os.umask(mask)
    folder.chmod(0o777 & ~mask)


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
