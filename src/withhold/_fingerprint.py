"""What distinguishes one version of a file from another."""

import hashlib
from pathlib import Path

__all__ = ["fingerprint"]


def fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of the names and sizes of its parts, which are written once."""
    if not path.exists():
        return ""  # a store holds it
    if path.is_dir():
        parts = sorted((str(part.relative_to(path)), part.stat().st_size) for part in path.rglob("*") if part.is_file())
        return hashlib.sha256(repr([each for each in parts if each[0][0] not in "._"]).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
