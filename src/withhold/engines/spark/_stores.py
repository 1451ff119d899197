"""Folders that have a URL: object stores rename nothing, so a manifest says which folder is the release."""

import json
import re
from pathlib import Path
from typing import Any

from withhold.engines.spark._connection import asking, is_remote, writing
from withhold.errors import OutputError

__all__ = ["MANIFEST", "check_store", "folder_of", "local_url", "publish", "remove"]

MANIFEST = "manifest.json"
"""What lies beside the folders of a release and names the one that counts; written last, in one step."""


def check_store(session: Any, url: str) -> None:
    """Refuse a session that cannot write a manifest."""
    if is_remote(session):
        raise OutputError(
            f"{_name(url)}: Spark Connect writes no manifest. Hint: a path that this machine and the cluster share."
        )


def local_url(path: Path, *, read: bool) -> str:
    r"""Return a file of this machine as the cluster names it, whatever its own folder and its usual store are.

    Where it is to be read, letters that would stand for others are marked to be themselves.

    Examples
    --------
    >>> local_url(Path("/data/part[1].csv"), read=True), local_url(Path("/data/part[1]"), read=False)
    ('file:///data/part\\[1\\].csv', 'file:///data/part[1]')
    """
    place = path.absolute().as_posix()
    return "file://" + (re.sub(r"([\\\[\]{}*?])", r"\\\1", place) if read else place)


def folder_of(session: Any, url: str) -> str:
    """Return the folder that a manifest names, or the URL itself where there is none."""
    if is_remote(session):
        return url
    with asking(_name(url)):
        files, path = _files(session, f"{url.rstrip('/')}/{MANIFEST}")
        if not files.exists(path):
            return url
        stream = files.open(path)
        try:
            text = bytes(stream.readAllBytes()).decode("utf-8")
        finally:
            stream.close()
    return f"{url.rstrip('/')}/{json.loads(text)['release']}"


def publish(session: Any, url: str, folder: str) -> None:
    """Write the manifest that makes a folder the release, then remove the folders of earlier ones."""
    text = json.dumps({"withhold": 1, "release": folder.rsplit("/", 1)[-1]}) + "\n"
    before = folder_of(session, url)
    with writing(_name(url)):
        files, path = _files(session, f"{url.rstrip('/')}/{MANIFEST}")
        stream = files.create(path, True)
        try:
            stream.write(bytearray(text.encode("utf-8")))
        finally:
            stream.close()
    if before not in (url, folder):
        remove(session, before)


def remove(session: Any, folder: str) -> None:
    """Remove a folder that is not, or no longer, a release."""
    with writing(_name(folder)):
        files, path = _files(session, folder)
        files.delete(path, True)


def _files(session: Any, place: str) -> tuple[Any, Any]:
    """Return the cluster's own access to files at a place, and the place as it names it."""
    path = session._jvm.org.apache.hadoop.fs.Path(place)
    return path.getFileSystem(session._jsc.hadoopConfiguration()), path


def _name(url: str) -> str:
    return url.rstrip("/").rsplit("/", 1)[-1]
