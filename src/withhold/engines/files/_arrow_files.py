"""Arrow IPC files and streams (Feather version 2 is one)."""

from pathlib import Path
from typing import Any

from withhold.engines.files._extras import imported
from withhold.engines.files._reading import Loaded
from withhold.errors import DataError

__all__ = ["read_arrow", "write_arrow"]

MAGIC = b"ARROW1"


def read_arrow(path: Path) -> Loaded:
    """Read an Arrow IPC file, or a stream where it is none."""
    arrow = imported("pyarrow", purpose="reading Arrow files")
    ipc = imported("pyarrow.ipc", purpose="reading Arrow files")
    try:
        with path.open("rb") as file:
            is_file = file.read(len(MAGIC)) == MAGIC
        with arrow.memory_map(str(path)) as mapped:
            reader = ipc.open_file(mapped) if is_file else ipc.open_stream(mapped)
            return Loaded(table=reader.read_all())
    except (arrow.ArrowException, OSError):
        raise DataError(f"{path.name}: cannot be read as Arrow IPC.") from None


def write_arrow(path: Path, batches: Any) -> None:
    """Write batches as an Arrow IPC file; ``.arrows`` is a stream."""
    ipc = imported("pyarrow.ipc", purpose="writing Arrow files")
    make = ipc.new_stream if path.suffix.lower() == ".arrows" else ipc.new_file
    with make(str(path), batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
