"""A release with columns that analysts can compute with, from its texts and its codebook alone."""

import csv
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from withhold._frame import frame_backend
from withhold.engines import open_columns, open_source
from withhold.errors import InputError
from withhold.table import Decision

__all__ = ["unpack", "unpack_file"]

NEEDED = ("column", "text", "kind", "low", "high", "level")


def unpack(data: object, codebook: str | Path, *, midpoints: bool = False, backend: str | None = None) -> Any:
    """Return a published table with the ends of intervals and the levels of categories as columns of their own.

    A column of numbers such as ``age`` becomes ``age_low`` and ``age_high``, a withheld or open end is missing; a
    column of categories such as ``job`` stays, with ``job_level`` beside it. Nothing is used but what was published.

    Parameters
    ----------
    data
        The release: a path or a frame.
    codebook
        The codebook that was written beside it, ``PATH.codebook.csv``.
    midpoints
        Whether numbers also get ``age_mid``, the number halfway between the ends; of an open interval its one end.
    backend
        ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default that of the frame, else the first that is installed.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> from withhold import Anonymity, Policy, release
    >>> people = pd.DataFrame({"age": [20, 21, 22, 40, 41, 43], "score": 1})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = release(people, Policy([Anonymity(columns=["age"], k=3)], recoding="local"))
    ...     _ = made.write(f"{folder}/out.csv")
    ...     wide = unpack(f"{folder}/out.csv", f"{folder}/out.csv.codebook.csv")
    >>> wide["age_low"].tolist()[3:], wide["age_high"].tolist()[:3]
    ([40.0, 40.0, 40.0], [23.0, 23.0, 23.0])
    """
    source = open_source(data)
    try:
        columns = _unpacked(source, _read(Path(codebook)), midpoints)
        original = getattr(source, "frame", None)
        chosen = backend or (None if original is None else str(original.implementation))
        return nw.from_dict(columns, backend=frame_backend(chosen)).to_native()
    finally:
        source.close()


def unpack_file(data: Path, codebook: Path, out: Path, *, midpoints: bool = False) -> list[str]:
    """Write the unpacked release to a file; return its columns."""
    source = open_source(data)
    try:
        columns = _unpacked(source, _read(codebook), midpoints)
    finally:
        source.close()
    made = open_columns(columns)
    try:
        made.write(Decision(recodings=(), drop=(), rows="keep", cells=()), out, key="")
    finally:
        made.close()
    return list(columns)


def _read(path: Path) -> dict[str, dict[str, dict[str, str]]]:
    """Return the lines of a codebook by column and text."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.DictReader(file)
            if not set(NEEDED) <= set(lines.fieldnames or ()):
                raise InputError(f"{path.name}: is not a codebook: it needs the columns {', '.join(NEEDED)}.")
            for line in lines:
                found.setdefault(line["column"], {})[line["text"]] = line
    except OSError:
        raise InputError(f"{path.name}: there is no such file.") from None
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{path.name}: is not a codebook.") from None
    return found


def _unpacked(source: Any, book: dict[str, dict[str, dict[str, str]]], midpoints: bool) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for name in source.names:
        values, cells = source.values(name), source.cells(name)
        lines = book.get(name, {})
        if any(line["low"] or line["high"] for line in lines.values()):
            for end in ("low", "high"):
                each = [_number(lines.get(_text(value), {}).get(end, "")) for value in values]
                columns[_free(f"{name}_{end}", source.names)] = np.array(each, dtype=object)[cells].tolist()
            if midpoints:
                each = [_middle(lines.get(_text(value), {})) for value in values]
                columns[_free(f"{name}_mid", source.names)] = np.array(each, dtype=object)[cells].tolist()
            continue
        columns[name] = np.array([_text(value) for value in values], dtype=object)[cells].tolist()
        if any(line["level"] for line in lines.values()):
            levels = [_level(lines.get(_text(value), {})) for value in values]
            columns[_free(f"{name}_level", source.names)] = np.array(levels, dtype=object)[cells].tolist()
    return columns


def _free(name: str, taken: tuple[str, ...]) -> str:
    if name in taken:
        raise InputError(f'the release has a column "{name}" already. Hint: rename it before unpacking.')
    return name


def _text(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else str(value)


def _number(end: str) -> float | None:
    return float(end) if end else None


def _middle(line: dict[str, str]) -> float | None:
    """Return the number halfway between the ends of an interval; of an open one its one end."""
    ends = [float(line[end]) for end in ("low", "high") if line.get(end)]
    return sum(ends) / len(ends) if ends else None


def _level(line: dict[str, str]) -> int | None:
    if line.get("kind") == "withheld":
        return 0
    return int(line["level"]) if line.get("level") else None
