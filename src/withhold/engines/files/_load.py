"""Read and write by kind what the engine does not read and write itself; each kind is imported when it is used."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from withhold.engines.files._kinds import FileKind
from withhold.engines.files._reading import Loaded, Reading

__all__ = ["load", "save"]


def load(path: Path, kind: FileKind, reading: Reading) -> Loaded:
    """Read a file as Arrow."""
    if kind.family == "statistical":
        from withhold.engines.files._statistical import read_statistical

        return read_statistical(path, reading)
    if kind.family == "workbook":
        from withhold.engines.files._workbooks import read_workbook

        return read_workbook(path, reading)
    from withhold.engines.files._arrow_files import read_arrow

    return read_arrow(path)


def save(
    path: Path,
    kind: FileKind,
    batches: Any,
    *,
    labels: Mapping[str, str],
    value_labels: Mapping[str, Mapping[Any, str]],
) -> None:
    """Write Arrow batches as a file; what is known of columns is kept where the kind has a place for it."""
    if kind.family == "statistical":
        from withhold.engines.files._statistical import write_statistical

        write_statistical(path, batches.read_all(), labels=labels, value_labels=value_labels)
        return
    if kind.family == "workbook":
        from withhold.engines.files._workbooks import write_workbook

        write_workbook(path, batches)
        return
    from withhold.engines.files._arrow_files import write_arrow

    write_arrow(path, batches)
