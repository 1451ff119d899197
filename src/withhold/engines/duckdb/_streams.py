"""Bytes that come once, such as standard input, as sources."""

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import IO

from withhold.engines.duckdb._files import open_file
from withhold.engines.duckdb._source import DuckSource
from withhold.engines.files import Reading
from withhold.errors import DataError

__all__ = ["open_stream"]

MAGICS = (
    (b"PAR1", ".parquet"),
    (b"ARROW1", ".arrow"),
    (b"\x1f\x8b", ".csv.gz"),
    (b"\x28\xb5\x2f\xfd", ".csv.zst"),
    (b"$FL2", ".sav"),
    (b"$FL3", ".zsav"),
    (b"<stata_dta>", ".dta"),
    (b"PK\x03\x04", ".xlsx"),
)
"""How files of each kind begin; what begins otherwise is text."""


def open_stream(stream: IO[bytes], *, scratch: Path | None, reading: Reading, description: str) -> DuckSource:
    """Open what a stream of bytes holds, by how it begins; it is kept in a private folder as long as it is read."""
    folder = Path(tempfile.mkdtemp(prefix="withhold-", dir=scratch))
    try:
        copied = folder / "data"
        with copied.open("wb") as file:
            shutil.copyfileobj(stream, file)
        with copied.open("rb") as file:
            head = file.read(16)
        suffix = next((suffix for magic, suffix in MAGICS if head.startswith(magic)), ".csv")
        path = copied.rename(folder / f"data{suffix}")
        source = open_file(path, scratch=scratch, reading=reading, description=description)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise DataError(f"{description}: cannot be read ({error.strerror}).") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if suffix == ".parquet":  # the engine reads it again and again
        weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    source.path = None
    return source
