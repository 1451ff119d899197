"""What a file does not say about itself, and what is known of a file beside its cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Loaded", "Reading"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How to read a file or database, where that cannot be seen from it."""

    encoding: str | None = None
    """The encoding of a text file that is not UTF-8 and has no byte order mark, such as ``"latin-1"``."""
    decimal: Literal[".", ","] | None = None
    """What stands before the decimals in a text file: with ``","`` columns of such numbers are read as numbers, with
    ``"."`` never; by default where every value of a column in a file that is cut at semicolons is such a number."""
    values: Literal["labels", "codes"] = "labels"
    """Whether a coded value of a statistical file is read as its label or as its code."""
    table: str | None = None
    """The table of a database, or the sheet of a workbook."""
    query: str | None = None
    """The query whose rows are read from a database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A table as Arrow, with what was known of its columns beside their cells."""

    table: Any
    labels: Mapping[str, str] = field(default_factory=dict)
    """What each column means, in words."""
    value_labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    """What the codes of a column mean, where the column holds codes."""
    missing_codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The codes of a column that the file declares as missing; no cell holds them any more."""
