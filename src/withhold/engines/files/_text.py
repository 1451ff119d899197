"""Text that the engine does not read as it stands: packed, or in another encoding than UTF-8."""

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from withhold.engines.files._extras import imported
from withhold.engines.files._kinds import compression_of
from withhold.errors import DataError

__all__ = ["HINT", "plain_text"]

CHUNK = 1 << 22
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before the mark of UTF-16, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
HINT = "Hint: name its encoding, such as latin-1 (--encoding latin-1), or save the file as UTF-8."


def plain_text(path: Path, folder: Path, *, encoding: str | None = None) -> Path:
    """Return a file that holds the same text unpacked and in UTF-8: `path` itself, or one that is made in `folder`.

    A byte order mark decides. Without one the text is UTF-8, or, where it is not, in the declared `encoding`.
    """
    open_bytes = _opener(path)
    try:
        found = _encoding(path, open_bytes, encoding)
        if compression_of(path) is None and found in ("utf-8", "utf-8-sig"):
            return path
        made = folder / "text.csv"
        _decode(open_bytes, made, found)
    except (UnicodeDecodeError, UnicodeError):
        raise DataError(f"{path.name}: is not {found}. {HINT}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError(f"{path.name}: cannot be unpacked; it is damaged or no gzip file.") from None
    except OSError as error:
        raise DataError(f"{path.name}: cannot be read ({error.strerror}).") from None
    return made


class _Bytes(Protocol):
    def __enter__(self) -> Any: ...

    def __exit__(self, kind: Any, error: Any, trace: Any, /) -> Any: ...


def _opener(path: Path) -> Callable[[], _Bytes]:
    packed = compression_of(path)
    if packed == "gzip":
        return lambda: gzip.open(path, "rb")
    if packed == "zstd":
        zstandard = imported("zstandard", purpose="reading .zst files")
        return lambda: _Unpacked(path, zstandard)
    return lambda: path.open("rb")


class _Unpacked:
    """The bytes of a zstd file; its own errors become ours."""

    def __init__(self, path: Path, zstandard: Any) -> None:
        self._name, self._error = path.name, zstandard.ZstdError
        self._file = path.open("rb")
        self._reader = zstandard.ZstdDecompressor().stream_reader(self._file, read_across_frames=True)

    def __enter__(self) -> "_Unpacked":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, n_bytes: int) -> bytes:
        try:
            return bytes(self._reader.read(n_bytes))
        except self._error:
            raise DataError(f"{self._name}: cannot be unpacked; it is damaged or no zstd file.") from None


def _encoding(path: Path, open_bytes: Callable[[], _Bytes], declared: str | None) -> str:
    """Return the encoding by the byte order mark, else UTF-8 where the text is that, else the declared one."""
    with open_bytes() as file:
        head = file.read(4)
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    if declared is None:
        return "utf-8"
    try:
        codecs.lookup(declared)
        "".encode(declared)
    except LookupError:
        raise DataError(f'{path.name}: there is no encoding "{declared}". Hint: latin-1, cp1252, utf-16 …') from None
    try:
        # An empty byte is valid UTF-8, but no text has one: it is half of a letter in another encoding.
        if not any("\0" in piece for piece in _pieces(open_bytes, "utf-8")):
            return "utf-8"
    except UnicodeDecodeError:
        pass
    return declared


def _pieces(open_bytes: Callable[[], _Bytes], encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    with open_bytes() as file:
        while chunk := file.read(CHUNK):
            yield decoder.decode(chunk)
        yield decoder.decode(b"", final=True)


def _decode(open_bytes: Callable[[], _Bytes], made: Path, encoding: str) -> None:
    with made.open("w", encoding="utf-8", newline="") as out:
        out.writelines(_pieces(open_bytes, encoding))
