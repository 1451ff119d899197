"""What the texts of a release mean, for publication beside it: one line for each text of a column."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from withhold.policy import ColumnSettings
from withhold.table import WITHHELD, DraftColumn, Numbers, Taxonomy

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["FEW_ROWS", "CodebookLine", "codebook_of", "is_codebook", "remove_codebook", "write_codebook"]

FEW_ROWS = 10
"""Fewer rows than that are not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodebookLine:
    """What a text of a column means; nothing that the published file does not show."""

    column: str
    """The column."""
    text: str
    """What stands in the file."""
    kind: Literal["value", "interval", "mean", "rounded", "node", "set", "withheld"]
    """A value as it was, an interval, the mean of a group of rows, a rounded number, a node of the taxonomy, a set of
    values, or nothing."""
    low: float | None = None
    """The lower end of a number's interval, which belongs to it; None: open, or no number."""
    high: float | None = None
    """The upper end, which does not belong to it; equal to the lower end for a single value or a mean."""
    level: int | None = None
    """How far below the root of its taxonomy a category stands."""
    leaves: int | None = None
    """How many values it may stand for, as far as the taxonomy or the set says so."""
    rows: int | None = None
    """How many rows have it; None: fewer than ten."""


def codebook_of(run: "Run") -> list[CodebookLine]:
    """Return a line for each text of each column that groups are counted over or whose numbers are changed."""
    changed = [name for name in run.draft.names if _changes(run, name) is not None]
    return [
        line for name in dict.fromkeys([*run.policy.counted, *changed]) for line in _lines(run, run.draft.column(name))
    ]


def _changes(run: "Run", name: str) -> ColumnSettings | None:
    """Return the settings of a column whose numbers are published as others, or only up to a bound."""
    settings = run.policy.columns.get(name)
    return settings if settings is not None and settings.changes_numbers else None


def write_codebook(lines: Sequence[CodebookLine], path: Path) -> None:
    """Write a codebook as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(each.name for each in fields(CodebookLine))
        writer.writerows(["" if cell is None else cell for cell in astuple(line)] for line in lines)


def is_codebook(path: Path) -> bool:
    """Return whether a file is the codebook of a release."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return next(csv.reader(file), []) == [each.name for each in fields(CodebookLine)]
    except (OSError, ValueError, csv.Error):
        return False


def remove_codebook(path: Path) -> None:
    """Remove the codebook of an earlier release; a file that is not one is left alone."""
    if is_codebook(path):
        with suppress(OSError):
            path.unlink()


def _lines(run: "Run", column: DraftColumn) -> Iterator[CodebookLine]:
    every = run.draft.count(column.nodes) if not column.is_by_value else _by_value(run, column)
    nodes = np.flatnonzero(every)
    counts = every[nodes]
    rows: dict[str, int] = {}
    node_of: dict[str, int] = {}
    for node, count in zip(nodes.tolist(), counts.tolist(), strict=True):
        label = column.labels[node]
        if label is not None:
            rows[label] = rows.get(label, 0) + count
            node_of.setdefault(label, node)
    for text, node in sorted(node_of.items(), key=lambda pair: (int(column.first[pair[1]]), pair[1])):
        n_rows = rows[text] if rows[text] >= FEW_ROWS else None
        yield _line(run, column, node, text, n_rows)


def _by_value(run: "Run", column: DraftColumn) -> NDArray[np.int64]:
    """Return how many rows publish each node, where every value publishes one."""
    rows = run.table.distinct([column.name])
    return np.bincount(column.cut[rows.codes[0]], weights=rows.weights).astype(np.int64)


def _line(run: "Run", column: DraftColumn, node: int, text: str, n_rows: int | None) -> CodebookLine:
    name, domain = column.name, run.table.domain(column.name)
    if text == WITHHELD:
        return CodebookLine(column=name, text=text, kind="withheld", rows=n_rows)
    settings = _changes(run, name)
    if settings is not None:
        return _changed_line(settings, name, text, n_rows)
    if name in run.table.bins:
        edges = run.table.bins[name].edges
        first, last = column.range(node)
        low = None if first == 0 else float(edges[first])
        high = None if last >= len(edges) - 1 else float(edges[last])
        return CodebookLine(column=name, text=text, kind="interval", low=low, high=high, rows=n_rows)
    if isinstance(domain, Numbers):
        if node in column.leaves:
            value = float(domain.values[column.range(node)[0]])
            return CodebookLine(column=name, text=text, kind="value", low=value, high=value, leaves=1, rows=n_rows)
        low, high = _ends(text)
        return CodebookLine(column=name, text=text, kind="interval", low=low, high=high, rows=n_rows)
    if node in column.members:
        return CodebookLine(column=name, text=text, kind="set", leaves=int(column.members[node].size), rows=n_rows)
    first, last = column.range(node)
    is_leaf = node in column.leaves
    return CodebookLine(
        column=name,
        text=text,
        kind="value" if is_leaf else "node",
        level=_depth(domain, node),
        leaves=1 if is_leaf else last - first,
        rows=n_rows,
    )


def _changed_line(settings: ColumnSettings, column: str, text: str, n_rows: int | None) -> CodebookLine:
    """Return what a mean, a rounded number, or one up to a bound stands for."""
    if text[0] in "<≥":
        low, high = _ends(text)
        return CodebookLine(column=column, text=text, kind="interval", low=low, high=high, rows=n_rows)
    number, half = float(text), (settings.round or 0.0) / 2
    kind: Literal["mean", "rounded", "value"] = "mean" if settings.publish == "mean" else "rounded" if half else "value"
    low, high = round(number - half, 10), round(number + half, 10)
    return CodebookLine(column=column, text=text, kind=kind, low=low, high=high, rows=n_rows)


def _depth(domain: Taxonomy, node: int) -> int:
    return int(domain.depth[node])


def _ends(text: str) -> tuple[float | None, float | None]:
    """Return the ends of an interval as it reads: ``[20, 30)``, ``< 20``, ``≥ 85``."""
    if text.startswith("<"):
        return None, float(text[1:])
    if text.startswith("≥"):
        return float(text[1:]), None
    low, high = text[1:-1].split(",")
    return float(low), float(high)
