"""Trees made from values: by prefix, by equal or quantile intervals, by date, from a file."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from withhold.errors import TaxonomyError
from withhold.table import Taxonomy, format_number, is_number
from withhold.workbench._tree_editor import ROOT, TreeEditor

__all__ = ["MAKERS", "by_dates", "by_intervals", "by_prefix", "by_quantiles", "from_file"]

DATE = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
OTHER = "other"
"""Where values go that are no number or no date."""


def by_prefix(column: str, values: Sequence[str], *, lengths: Sequence[int] = (3, 2, 1)) -> TreeEditor:
    """Group values by their first letters: postcodes, codes of diseases.

    Examples
    --------
    >>> by_prefix("zip", ["01234", "01267", "02111"], lengths=[3, 2]).paths()[0]
    ('01234', '012**', '01***', '*')
    """
    chosen = sorted({int(n) for n in lengths if int(n) > 0}, reverse=True)
    if not chosen:
        raise TaxonomyError(f"{column}: a prefix needs at least one letter.")
    width = max((len(value) for value in values), default=0)
    paths = []
    for value in values:
        above = [value[:n] + "*" * (width - n) for n in chosen if n < len(value)]
        paths.append((value, *above, ROOT))
    return TreeEditor.of(column, values, paths)


def by_intervals(column: str, values: Sequence[str], *, n: int = 8) -> TreeEditor:
    """Group numbers into intervals of equal width, two of them at a time into coarser ones.

    Examples
    --------
    >>> by_intervals("age", ["0", "19", "20", "39", "80"], n=4).paths()[1]
    ('19', '[0, 20)', '[0, 40)', '*')
    """
    numbers = _numbers(column, values)
    edges = np.linspace(numbers.min(), numbers.max(), max(2, n) + 1)
    return _cut(column, values, edges)


def by_quantiles(column: str, values: Sequence[str], *, n: int = 8, weights: Sequence[int] = ()) -> TreeEditor:
    """Group numbers into intervals that hold about as many rows each, two of them at a time into coarser ones."""
    numbers = _numbers(column, values)
    order = np.argsort(numbers)
    rows = np.asarray(weights if len(weights) == len(values) else [1] * len(values), dtype=np.int64)
    rows = rows[[i for i, value in enumerate(values) if is_number(value)]]
    passed = np.cumsum(rows[order])
    marks = [int(np.searchsorted(passed, passed[-1] * i / max(2, n))) for i in range(1, max(2, n))]
    inner = numbers[order][np.minimum(marks, len(numbers) - 1)]
    return _cut(column, values, np.unique([numbers.min(), *inner, numbers.max()]))


def by_dates(column: str, values: Sequence[str]) -> TreeEditor:
    """Group dates by month, quarter and year; what is no date such as 2024-03-31 stands in a group of its own.

    Examples
    --------
    >>> by_dates("admission", ["2024-03-31", "2024-04-01"]).paths()[0]
    ('2024-03-31', '2024-03', '2024 Q1', '2024', '*')
    """
    paths: list[tuple[str, ...]] = []
    for value in values:
        match = DATE.match(value)
        if match is None:
            paths.append((value, OTHER, ROOT) if value != OTHER else (value, ROOT))
            continue
        year, month = match[1], int(match[2])
        line = (value, f"{year}-{month:02}", f"{year} Q{(month + 2) // 3}", year, ROOT)
        paths.append(tuple(dict.fromkeys(line)))
    if not any(DATE.match(value) for value in values):
        raise TaxonomyError(f"{column}: no value is a date such as 2024-03-31.")
    return TreeEditor.of(column, values, paths)


def from_file(column: str, values: Sequence[str], path: Path) -> TreeEditor:
    """Read a tree from a hierarchy CSV, TOML or JSON."""
    return TreeEditor.from_taxonomy(column, values, Taxonomy.read(path))


MAKERS: dict[str, tuple[str, Callable[..., TreeEditor]]] = {
    "prefix": ("By the first letters (postcodes, codes)", by_prefix),
    "intervals": ("Numbers: intervals of equal width", by_intervals),
    "quantiles": ("Numbers: intervals with as many rows", by_quantiles),
    "dates": ("Dates: month, quarter, year", by_dates),
    "hand": ("By hand", TreeEditor.over),
}
"""What can make a tree, with its name on the page."""


def _numbers(column: str, values: Sequence[str]) -> NDArray[np.float64]:
    found = np.array([float(value) for value in values if is_number(value)])
    if np.unique(found).size < 2:
        raise TaxonomyError(f"{column}: intervals need at least two numbers.")
    return found


def _cut(column: str, values: Sequence[str], edges: NDArray[np.float64]) -> TreeEditor:
    levels = [edges]
    while len(levels[-1]) > 3:
        last = levels[-1]
        levels.append(np.array([*last[:-1:2], last[-1]]))
    paths: list[tuple[str, ...]] = []
    for value in values:
        if not is_number(value):
            paths.append((value, OTHER, ROOT))
            continue
        names = [_interval(level, float(value)) for level in levels]
        paths.append((value, *dict.fromkeys(name for name in names if name != value), ROOT))
    return TreeEditor.of(column, values, paths)


def _interval(edges: NDArray[np.float64], number: float) -> str:
    i = int(np.clip(np.searchsorted(edges, number, side="right") - 1, 0, len(edges) - 2))
    end = "]" if i == len(edges) - 2 else ")"
    return f"[{format_number(float(edges[i]))}, {format_number(float(edges[i + 1]))}{end}"
