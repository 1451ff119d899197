"""Nothing half-written: work beside the destination, then rename."""

import atexit
import errno
import glob
import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from withhold._private import open_private
from withhold.engines.files import full_suffix, kind_of, known_suffixes
from withhold.errors import OutputError

try:
    import fcntl
except ImportError:  # pragma: no cover - only on systems without POSIX locks
    fcntl = None  # type: ignore[assignment]

__all__ = ["Staging", "check_destination", "check_outputs", "refuse_links", "remove_all", "write_beside"]

LIVE: "set[Staging]" = set()
"""Folders that exist now; removed at the end whatever happens."""
PUBLISHED: list[Path] = []
"""What this process has renamed into place."""
LIST = "publishing.json"
"""What is to be moved, and to where; written once everything is ready."""
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""What a network share answers that knows no locks: work goes on, but nothing left behind is removed there."""

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
"""What a disk answers that takes no more."""


def check_outputs(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Refuse outputs that would overwrite an input or each other, or whose folder does not exist."""
    for i, path in enumerate(outputs):
        refuse_links(path)
        if not path.parent.is_dir():
            raise OutputError(f"{path}: its folder does not exist. Hint: create the folder first.")
        if path.is_dir():
            raise OutputError(f"{path}: is a folder, not a file to write.")
        if any(other.exists() and path.resolve() == other.resolve() for other in inputs):
            raise OutputError(f"{path}: is an input, which is never changed. Hint: choose another name.")
        if any(path.resolve() == other.resolve() for other in outputs[:i]):
            raise OutputError(f"{path}: would be written twice. Hint: choose another name for one of the outputs.")


def refuse_links(path: Path) -> None:
    """Refuse an output that is a symbolic link, or that lies behind one which another user has laid.

    Whoever may change a link decides where private files go. Links of the system and of the user's own to folders stay.
    """
    if path.is_symlink():
        raise OutputError(f"{path}: is a symbolic link, which is not written through. Hint: name the file itself.")
    if not hasattr(os, "geteuid"):  # pragma: no cover - links have no owner there
        return
    for folder in path.absolute().parents:
        if folder.is_symlink() and folder.lstat().st_uid not in (0, os.geteuid()):
            raise OutputError(f"{path}: lies behind {folder}, a symbolic link of another user. Hint: choose another.")


def check_destination(path: Path) -> None:
    """Refuse a destination that cannot be written, before any long work."""
    if path.is_dir():
        raise OutputError(f"{path}: is a folder, not a file to write.")
    kind = kind_of(path)
    if kind is None or not kind.is_written:
        known = ", ".join(known_suffixes(written=True))
        raise OutputError(f'{path.name}: cannot write "{full_suffix(path)}". Hint: one of {known}.')
    if not path.parent.is_dir():
        raise OutputError(f"{path}: its folder does not exist. Hint: create the folder first.")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"{path.name}: its folder cannot be written.")


class Staging:
    """A private folder beside the destination, in which everything is made before it is renamed into place.

    It is removed whatever happens. One that a killed run left behind is removed by the next run for the same
    destination: a lock that the system releases with the process distinguishes the dead from the living. Whoever uses
    or removes a folder holds its lock, so a run that is killed or raced at any moment leaves nothing that is spared.
    """

    def __init__(self, destination: Path) -> None:
        self._destination = destination
        self._prefix = f".{destination.name}.withhold-"
        self.folder = self._another_name()
        self._lock: int | None = None
        self._copies: list[Path] = []

    def __enter__(self) -> "Staging":
        LIVE.add(self)  # an interrupt may land before the body of the `with` begins
        self._remove_left_behind()
        try:
            while self._lock is None:
                self.folder = self._another_name()
                self.folder.mkdir(mode=0o700)
                self._lock = _hold(self.folder)  # None where another run took the folder for a dead one's
        except OSError as error:
            if error.errno in NO_LOCKS:
                return self
            self._remove()
            raise OutputError(f"{self._destination.name}: its folder cannot be written ({error.strerror}).") from None
        return self

    def _another_name(self) -> Path:
        return self._destination.parent / f"{self._prefix}{secrets.token_hex(6)}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()
        if isinstance(error, OSError) and error.errno in FULL:
            what = f"{self._destination.name}: cannot be written ({error.strerror}), so nothing was published."
            raise OutputError(f"{what} Hint: is the disk full?") from None

    def _remove(self) -> None:
        LIVE.discard(self)
        shutil.rmtree(self.folder, ignore_errors=True)
        for copy in self._copies:
            with suppress(OSError):
                copy.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def path(self, name: str) -> Path:
        """Return the path of a file in the folder."""
        return self.folder / name

    def publish(self, files: Mapping[str, Path]) -> None:
        """Move finished files into their places; the last of them is what the others belong to.

        Everything that may fail is done first: files for other folders are copied beside their places. A list of what
        is to be moved is on the disk before the first move, so that the next run for the same destination ends what a
        crash in between has left undone.
        """
        place, ready = self._destination, []
        try:
            for name, place in files.items():
                ready.append((self._beside(self.path(name), place), place))
            _write_durably(self.path(LIST), json.dumps([[made.name, place.name] for made, place in ready]))
            for made, place in ready:
                made.replace(place)
                PUBLISHED.append(place)
        except OSError as error:
            raise OutputError(f"{place.name}: cannot be written ({error.strerror}).") from None

    def _beside(self, made: Path, place: Path) -> Path:
        """Return a file, safe on the disk, that can be renamed to its place."""
        with made.open("rb") as file:
            os.fsync(file.fileno())
        if place.parent == self._destination.parent:
            return made
        copy = place.with_name(f".{place.name}.withhold-{secrets.token_hex(6)}")
        self._copies.append(copy)
        with made.open("rb") as file, open_private(copy, "wb") as other:
            shutil.copyfileobj(file, other)
            os.fsync(other.fileno())
        shutil.copymode(made, copy)
        return copy

    def _remove_left_behind(self) -> None:
        if fcntl is None:  # pragma: no cover - nothing distinguishes the dead from the living
            return
        for folder in self._destination.parent.glob(f"{glob.escape(self._prefix)}*"):
            with suppress(OSError):
                lock = None if folder.is_symlink() else _hold(folder)
                if lock is not None:
                    self._finish(folder)
                    shutil.rmtree(folder, ignore_errors=True)
                    os.close(lock)

    def _finish(self, folder: Path) -> None:
        """Move what a run that died while it published has left: its own files, to places beside the destination."""
        with suppress(OSError, ValueError, TypeError):
            is_own = not hasattr(os, "geteuid") or folder.stat().st_uid == os.geteuid()
            if not is_own or folder.stat().st_mode & 0o077:
                return
            for made, place in json.loads((folder / LIST).read_text(encoding="utf-8")):
                is_plain = Path(made).name == made and Path(place).name == place
                if is_plain and place.startswith(self._destination.name) and (folder / made).is_file():
                    (folder / made).replace(self._destination.with_name(place))


@atexit.register
def remove_all() -> None:
    """Remove every folder that is left."""
    for staging in list(LIVE):
        staging._remove()


def write_beside(path: Path, write: Callable[[Path], object]) -> None:
    """Write a small file in one step: in a private folder beside its place, then renamed."""
    refuse_links(path)
    place = path.resolve()
    try:
        with Staging(place) as staging:
            write(staging.path(place.name))
            staging.publish({place.name: place})
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror}).") from None


def _write_durably(path: Path, text: str) -> None:
    with open_private(path) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _hold(folder: Path) -> int | None:
    """Return the lock of a folder, taken; None where another process has it or has just removed it."""
    path = folder / "lock"
    try:
        lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if fcntl is None:  # pragma: no cover
        return lock
    held = False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = os.path.samestat(os.fstat(lock), path.stat())  # else its holder removed it before it let go
    except (BlockingIOError, FileNotFoundError):
        pass
    finally:
        if not held:
            os.close(lock)
    return lock if held else None
