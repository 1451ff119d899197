"""Whether a file that is about to be written will surely fit."""

import shutil
from pathlib import Path

from withhold._process_limits import file_limit

__all__ = ["has_room"]


def has_room(path: Path, n_bytes: int) -> bool:
    """Return whether the disk and the limits of the process leave room for a file of this size, twice over.

    Where they do not, the engine writes with one thread: writing with several can wait for ever when the disk is full.
    """
    if shutil.disk_usage(path.parent).free < 2 * n_bytes:
        return False
    limit = file_limit()
    return limit is None or limit > 2 * n_bytes
