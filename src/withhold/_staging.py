"""Nothing half-written: work beside the destination, then rename."""

import atexit
import glob
import os
import secrets
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from withhold.errors import OutputError

try:
    import fcntl
except ImportError:  # pragma: no cover - only on systems without POSIX locks
    fcntl = None  # type: ignore[assignment]

__all__ = ["Staging", "check_destination", "check_outputs", "remove_all", "write_beside"]

LIVE: "set[Staging]" = set()
"""Folders that exist now; removed at the end whatever happens."""
PUBLISHED: list[Path] = []
"""What this process has renamed into place."""
NEW = ".new"
A_MOMENT = 60.0
"""Seconds after which a folder that is still being made was left behind."""
SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".pq")


def check_outputs(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Refuse outputs that would overwrite an input or each other, or whose folder does not exist."""
    for i, path in enumerate(outputs):
        if not path.parent.is_dir():
            raise OutputError(f"{path}: its folder does not exist. Hint: create the folder first.")
        if path.is_dir():
            raise OutputError(f"{path}: is a folder, not a file to write.")
        if any(other.exists() and path.resolve() == other.resolve() for other in inputs):
            raise OutputError(f"{path}: is an input, which is never changed. Hint: choose another name.")
        if any(path.resolve() == other.resolve() for other in outputs[:i]):
            raise OutputError(f"{path}: would be written twice. Hint: choose another name for one of the outputs.")


def check_destination(path: Path) -> None:
    """Refuse a destination that cannot be written, before any long work."""
    if path.is_dir():
        raise OutputError(f"{path}: is a folder, not a file to write.")
    if path.suffix.lower() not in SUFFIXES:
        raise OutputError(f'{path.name}: cannot write "{path.suffix}". Hint: one of {", ".join(SUFFIXES)}.')
    if not path.parent.is_dir():
        raise OutputError(f"{path}: its folder does not exist. Hint: create the folder first.")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"{path.name}: its folder cannot be written.")


class Staging:
    """A private folder beside the destination, in which everything is made before it is renamed into place.

    It is removed whatever happens. One that a killed run left behind is removed by the next run for the same
    destination: a lock that the system releases with the process tells the dead from the living.
    """

    def __init__(self, destination: Path) -> None:
        self._destination = destination
        self._prefix = f".{destination.name}.withhold-"
        self.folder = destination.parent / f"{self._prefix}{secrets.token_hex(6)}"
        self._new = self.folder.with_name(f"{self.folder.name}{NEW}")
        self._lock: int | None = None

    def __enter__(self) -> "Staging":
        LIVE.add(self)  # an interrupt may land before the body of the `with` begins
        self._remove_left_behind()
        try:
            self._new.mkdir(mode=0o700)
            # Locked under another name first: a folder that carries ours is locked from the start.
            self._lock = os.open(self._new / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            if fcntl is not None:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._new.rename(self.folder)
        except OSError as error:
            self._remove()
            raise OutputError(f"{self._destination.name}: its folder cannot be written ({error.strerror}).") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        LIVE.discard(self)
        for folder in (self._new, self.folder):
            shutil.rmtree(folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def path(self, name: str) -> Path:
        """Return the path of a file in the folder."""
        return self.folder / name

    def publish(self, name: str, destination: Path) -> None:
        """Move a finished file into its place, in one step that a crash cannot split."""
        made = self.path(name)
        try:
            with made.open("rb") as file:
                os.fsync(file.fileno())
            made.replace(destination)
            PUBLISHED.append(destination)
        except OSError as error:
            raise OutputError(f"{destination.name}: cannot be written ({error.strerror}).") from None

    def _remove_left_behind(self) -> None:
        for folder in self._destination.parent.glob(f"{glob.escape(self._prefix)}*"):
            if folder.is_dir() and not _is_in_use(folder):
                shutil.rmtree(folder, ignore_errors=True)


@atexit.register
def remove_all() -> None:
    """Remove every folder that is left."""
    for staging in list(LIVE):
        staging._remove()


def write_beside(path: Path, write: Callable[[Path], object]) -> None:
    """Write a small file in one step: beside its place, then renamed."""
    made = path.with_name(f".{path.name}.withhold-{secrets.token_hex(6)}")
    try:
        write(made)
        made.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror}).") from None
    finally:
        made.unlink(missing_ok=True)


def _is_in_use(folder: Path) -> bool:
    if fcntl is None:  # pragma: no cover
        return True
    with suppress(FileNotFoundError):
        if folder.name.endswith(NEW) and time.time() - folder.stat().st_mtime < A_MOMENT:
            return True
        handle = os.open(folder / "lock", os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(handle)
    return False
