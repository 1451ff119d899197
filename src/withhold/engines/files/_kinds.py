"""The one list of the kinds of files, by suffix."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["FileKind", "compression_of", "full_suffix", "kind_of", "known_suffixes"]

Family = Literal["csv", "parquet", "arrow", "statistical", "workbook"]
WHOLE = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
PLAIN = WHOLE | {"DOUBLE", "VARCHAR", "DATE", "TIMESTAMP"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """A kind of file."""

    family: Family
    """What reads and writes it."""
    suffixes: tuple[str, ...]
    """How its names end."""
    is_typed: bool = True
    """Whether its columns have types: a withheld number is then an empty cell, otherwise ``*``."""
    is_written: bool = True
    """Whether a release can be written as it."""
    holds: frozenset[str] | None = None
    """The types of the engine that it has a place for; all where None. Other columns are written as text."""


KINDS = (
    FileKind(family="csv", suffixes=(".csv", ".tsv", ".txt"), is_typed=False),
    FileKind(family="parquet", suffixes=(".parquet", ".pq")),
    FileKind(family="arrow", suffixes=(".arrow", ".feather", ".ipc", ".arrows")),
    FileKind(family="statistical", suffixes=(".dta", ".sav", ".zsav"), holds=PLAIN),
    FileKind(family="statistical", suffixes=(".por", ".sas7bdat", ".xpt"), is_written=False),
    FileKind(family="workbook", suffixes=(".xlsx",), holds=PLAIN | {"BOOLEAN"}),
)
BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}
COMPRESSIONS: dict[str, Literal["gzip", "zstd"]] = {".gz": "gzip", ".zst": "zstd"}
"""What a text file may be packed with."""


def compression_of(path: Path) -> Literal["gzip", "zstd"] | None:
    """Return what a file is packed with, by its last suffix."""
    return COMPRESSIONS.get(path.suffix.lower())


def kind_of(path: Path) -> FileKind | None:
    """Return the kind of a file, or None where it is not known; only text may be packed.

    Examples
    --------
    >>> kind_of(Path("people.csv.gz")).family, kind_of(Path("people.sav")).family, kind_of(Path("people.parquet.gz"))
    ('csv', 'statistical', None)
    """
    if compression_of(path) is None:
        return BY_SUFFIX.get(path.suffix.lower())
    inner = BY_SUFFIX.get(Path(path.stem).suffix.lower())
    return inner if inner is not None and inner.family == "csv" else None


def full_suffix(path: Path) -> str:
    """Return how a name ends, with what it is packed with.

    Examples
    --------
    >>> full_suffix(Path("people.v2.csv.gz")), full_suffix(Path("people.v2.csv"))
    ('.csv.gz', '.csv')
    """
    return f"{Path(path.stem).suffix}{path.suffix}" if compression_of(path) else path.suffix


def known_suffixes(*, written: bool = False) -> list[str]:
    """Return the suffixes that can be read, or those that can be written."""
    kinds = [kind for kind in KINDS if kind.is_written or not written]
    found = [suffix for kind in kinds for suffix in kind.suffixes]
    return [*found, *(f".csv{packed}" for packed in COMPRESSIONS)]
