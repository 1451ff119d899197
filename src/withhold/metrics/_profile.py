"""The distribution of a column before and after, ready to be drawn."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError, did_you_mean
from withhold.table import WITHHELD, Grid, format_number, is_number, parse_interval

__all__ = ["ColumnProfile", "column_profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """The distribution of a column before and after, as shares of the rows."""

    column: str
    """The column."""
    kind: Literal["category", "number"]
    """What it holds."""
    labels: tuple[str, ...]
    """What is on the axis: values, or intervals of equal width; then ``other`` and ``withheld`` where they occur."""
    edges: tuple[float, ...]
    """The bounds of the intervals; none for categories."""
    before: tuple[float, ...]
    """The share of each label before."""
    after: tuple[float, ...]
    """The share of each label after."""


def column_profile(
    before: Grid,
    after: Grid,
    column: str,
    *,
    kind: Literal["category", "number"] | None = None,
    n_most: int = 12,
    n_bins: int = 20,
) -> ColumnProfile:
    """Return the distribution of a column before and after, for a plot.

    Parameters
    ----------
    before, after
        The tables; their rows need not be the same.
    column
        The column.
    kind
        What it holds; by default what its texts look like.
    n_most
        How many values of a category are named: those that are most frequent before or after. The rest is ``other``.
    n_bins
        How many intervals of equal width numbers are counted in.

    Notes
    -----
    A column looks like numbers where all its texts before are numbers, none written with a leading zero. A published
    interval is spread evenly over its width. ``withheld`` are missing and withheld cells. Texts after that are
    neither, such as a note, are ``other``. Linear in the rows.

    Examples
    --------
    >>> from withhold import Table
    >>> before = Grid.of(Table.from_columns({"age": ["20", "30", "40", "60"]}))
    >>> after = Grid.of(Table.from_columns({"age": ["[20, 40)", "[20, 40)", "[40, 60]", "*"]}))
    >>> found = column_profile(before, after, "age", n_bins=2)
    >>> found.labels, found.before, found.after
    (('[20, 40)', '[40, 60]', 'withheld'), (0.5, 0.5, 0.0), (0.5, 0.25, 0.25))
    """
    for grid in (before, after):
        if column not in grid.columns:
            raise InputError(f'column_profile: there is no column "{column}"{did_you_mean(column, grid.columns)}')
    if n_most < 1 or n_bins < 1:
        raise InputError("column_profile: `n_most` and `n_bins` must be at least 1.")
    was, now = _counts(before, column), _counts(after, column)
    numbers = [text for text in was if text != WITHHELD]
    if numbers and kind != "category" and all(is_number(text) and (kind or not _is_code(text)) for text in numbers):
        return _number_profile(column, was, now, n_bins)
    return _category_profile(column, was, now, n_most)


def _is_code(text: str) -> bool:
    """Return whether digits are a code, such as a postcode, rather than a number."""
    return len(text) > 1 and text[0] == "0" and text.isdigit()


def _counts(grid: Grid, column: str) -> dict[str, int]:
    """Return how many rows hold each text that occurs; missing counts as withheld."""
    place = grid.place(column)
    labels = (*grid.labels[place], WITHHELD)
    counts = np.bincount(np.where(grid.codes[:, place] < 0, len(labels) - 1, grid.codes[:, place]))
    found: dict[str, int] = {}
    for code in np.flatnonzero(counts).tolist():
        found[labels[code]] = found.get(labels[code], 0) + int(counts[code])
    return found


def _category_profile(column: str, was: dict[str, int], now: dict[str, int], n_most: int) -> ColumnProfile:
    texts = list(dict.fromkeys(text for text in (*was, *now) if text != WITHHELD))
    most = sorted(texts, key=lambda text: -max(_share(was, text), _share(now, text)))[:n_most]
    counts = []
    for held in (was, now):
        named = [held.get(text, 0) for text in most]
        withheld = held.get(WITHHELD, 0)
        counts.append([*named, sum(held.values()) - sum(named) - withheld, withheld])
    return _profile(column, "category", most, (), counts)


def _number_profile(column: str, was: dict[str, int], now: dict[str, int], n_bins: int) -> ColumnProfile:
    ends = [_ends(text) for text in (*was, *now)]
    inner = [end for pair in ends if pair is not None for end in pair]
    low, high = min(inner), max(inner)
    parts = np.linspace(0, 1, n_bins + 1)
    edges = low * (1 - parts) + (high if high > low else low + 1) * parts  # the width itself may be no number
    counts = [_spread(held, edges) for held in (was, now)]
    texts = [format_number(float(f"{edge:.6g}")) for edge in edges]
    names = [f"[{left}, {right})" for left, right in pairwise(texts)]
    names[-1] = names[-1][:-1] + "]"
    return _profile(column, "number", names, tuple(edges.tolist()), counts)


def _spread(held: dict[str, int], edges: NDArray[np.float64]) -> list[float]:
    """Return the rows in each interval, of other texts, and without a value."""
    counts, other = np.zeros(edges.size - 1), 0
    for text, count in held.items():
        ends = _ends(text)
        if ends is None:
            other += count if text != WITHHELD else 0
        elif ends[0] == ends[1]:
            counts[min(int(np.searchsorted(edges, ends[0], side="right")) - 1, counts.size - 1)] += count
        else:
            covered = np.diff(np.clip(edges, *ends))
            counts += count * covered / covered.sum()
    return [*counts.tolist(), other, held.get(WITHHELD, 0)]


def _ends(text: str) -> tuple[float, float] | None:
    """Return the ends of an interval, or a number twice; None for any other text, also an interval without end."""
    if is_number(text):
        return float(text), float(text)
    found = parse_interval(text)
    return None if found is None or math.isinf(found.low) or math.isinf(found.high) else (found.low, found.high)


def _share(held: dict[str, int], text: str) -> float:
    return held.get(text, 0) / max(sum(held.values()), 1)


def _profile(
    column: str,
    kind: Literal["category", "number"],
    names: list[str],
    edges: tuple[float, ...],
    counts: list[list[float]] | list[list[int]],
) -> ColumnProfile:
    """Return counts as shares; other and withheld are named only where they occur."""
    shares = np.array(counts, dtype=np.float64)
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1)
    kept = np.array([True] * len(names) + [bool(shares[:, place].any()) for place in (-2, -1)])
    labels = [label for label, is_kept in zip((*names, "other", "withheld"), kept, strict=True) if is_kept]
    before, after = (tuple(row[kept].tolist()) for row in shares)
    return ColumnProfile(column=column, kind=kind, labels=tuple(labels), edges=edges, before=before, after=after)
