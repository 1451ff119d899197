"""Files that only their owner may read."""

import os
from pathlib import Path
from typing import IO, Any

__all__ = ["open_private"]


def open_private(path: Path, mode: str = "w") -> IO[Any]:
    """Open a new file that only its owner may read, from its creation on."""
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    return os.fdopen(handle, mode, encoding=None if "b" in mode else "utf-8")
