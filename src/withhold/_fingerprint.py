"""What distinguishes one version of a file from another."""

import hashlib
from pathlib import Path

__all__ = ["fingerprint"]


def fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
