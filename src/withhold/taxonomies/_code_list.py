"""Taxonomies from a list of codes with labels, as statistical offices publish them."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from withhold.errors import TaxonomyError
from withhold.table import WITHHELD

__all__ = ["Code", "code_paths", "read_code_list"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A line of a code list."""

    label: str
    """What it means; may be empty."""
    parent: str | None
    """The code above it; None: the longest other code that it begins with."""


def read_code_list(path: str | Path) -> dict[str, Code]:
    """Read a CSV with the columns ``code,label`` and, where it has one, ``parent``; commas or semicolons.

    Raises
    ------
    TaxonomyError
        Where the file is not there, is no such list, or names a parent that it does not list.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise TaxonomyError(f"{path.name}: cannot be read as a code list in UTF-8.") from None
    delimiter = ";" if ";" in text.split("\n", 1)[0] else ","
    lines = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    names = {str(name).strip().casefold(): name for name in lines.fieldnames or ()}
    if "code" not in names or "label" not in names:
        raise TaxonomyError(
            f"{path.name}: is no code list. Hint: its first line reads code,label or code,label,parent."
        )
    found: dict[str, Code] = {}
    for number, line in enumerate(lines, start=2):
        cells = {key: (line.get(name) or "").strip() for key, name in names.items()}
        if not cells["code"]:
            raise TaxonomyError(f"{path.name}, line {number}: has no code.")
        if cells["code"] in found:
            raise TaxonomyError(f'{path.name}, line {number}: the code "{cells["code"]}" stands twice.')
        found[cells["code"]] = Code(label=cells["label"], parent=cells.get("parent") or None)
    _check_parents(found, path.name)
    return found


def code_paths(texts: Sequence[str], codes: Mapping[str, Code], source: str) -> list[list[str]]:
    """Return the paths of values along their codes; a group reads ``E11 Type 2 diabetes``.

    A value that the list does not hold is put below the longest code that it begins with.
    """
    unknown = [text for text in texts if text not in codes and _above(text, codes) is None]
    if unknown:
        raise TaxonomyError(
            f"{source}: {len(unknown)} distinct values of the column are not in it, nor begin with one of its codes. "
            "Hint: add them, with their parents."
        )
    found = []
    inner = {above for text in texts for above in _ancestors(text, codes)}
    for text in sorted(texts):
        above = [*([text] if text in inner else []), *_ancestors(text, codes)]
        found.append([text, *(_named(code, codes) for code in above), WITHHELD])
    return found


def _ancestors(text: str, codes: Mapping[str, Code]) -> list[str]:
    found: list[str] = []
    above = codes[text].parent if text in codes and codes[text].parent else _above(text, codes)
    while above is not None and above not in found:
        found.append(above)
        above = codes[above].parent or _above(above, codes)
    return found


def _above(text: str, codes: Mapping[str, Code]) -> str | None:
    return next((text[:n] for n in range(len(text) - 1, 0, -1) if text[:n] in codes), None)


def _named(code: str, codes: Mapping[str, Code]) -> str:
    return f"{code} {codes[code].label}".strip() if codes[code].label else f"{code}*"


def _check_parents(codes: Mapping[str, Code], source: str) -> None:
    for code, line in codes.items():
        if line.parent is not None and line.parent not in codes:
            raise TaxonomyError(f'{source}: the parent "{line.parent}" of "{code}" has no line of its own.')
        if line.parent is not None and code in _ancestors(code, codes):
            raise TaxonomyError(f'{source}: "{code}" stands above itself (a cycle).')
