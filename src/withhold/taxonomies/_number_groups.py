"""Numbers in groups: intervals of round widths, and groups of about as many rows with round edges."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError
from withhold.table import WITHHELD, format_number

__all__ = ["interval_paths", "quantile_edges", "round_between", "round_widths"]

MOST_GROUPS = 40
WIDEST = 4
"""Widths are added until there are about so few groups."""
_Numbers = NDArray[np.float64]
_Counts = NDArray[np.int64]


def round_widths(numbers: _Numbers) -> tuple[float, ...]:
    """Return widths of intervals for some numbers, each a multiple of the one before: 5, 10, 50.

    Examples
    --------
    >>> round_widths(np.array([17.0, 90.0]))
    (5.0, 10.0, 50.0)
    """
    span = float(numbers.max() - numbers.min())
    if span <= 0:
        return (1.0,)
    is_whole = np.array_equal(numbers, np.round(numbers))
    rough = max(span / MOST_GROUPS, 1.0 if is_whole else 0.0)
    scale = 10.0 ** floor(log10(rough))
    width = next(each for each in (scale, 5 * scale, 10 * scale) if each >= rough * (1 - 1e-9))
    if is_whole and width == 1:
        width = 5.0
    found = [width]
    while span / found[-1] > WIDEST and len(found) < 5:
        leading = round(found[-1] / 10.0 ** floor(log10(found[-1]) + 1e-9))
        found.append(found[-1] * (5 if leading == 1 else 2))
    return tuple(found)


def interval_paths(
    texts: Sequence[str], numbers: _Numbers, counts: _Counts, widths: Sequence[float], *, least: int
) -> list[list[str]]:
    """Return the paths of numbers along intervals of growing widths; the outermost are open and hold enough rows."""
    _check_widths(widths)
    low, high = _enough_beyond(numbers, counts, widths[0], least)
    levels = []
    for width in widths:
        edges = np.arange(ceil(low / width - 1e-9), floor(high / width + 1e-9) + 1) * width
        levels.append([round(float(edge), 12) for edge in edges])
    return paths_of_edges(texts, numbers, levels)


def paths_of_edges(texts: Sequence[str], numbers: _Numbers, levels: Sequence[Sequence[float]]) -> list[list[str]]:
    """Return the paths of numbers along levels of edges; a level without edges is left out."""
    order = np.argsort(numbers, kind="stable").tolist()
    named = [_labels(edges) for edges in levels if len(edges)]
    places = [np.searchsorted(np.asarray(edges), numbers, side="right").tolist() for edges in levels if len(edges)]
    return [[texts[i], *(labels[at[i]] for labels, at in zip(named, places, strict=True)), WITHHELD] for i in order]


def quantile_edges(numbers: _Numbers, counts: _Counts, n_groups: int, *, least: int) -> list[float]:
    """Return edges between groups of about as many rows each.

    An edge is a round number near the quantile. Where the rows around it hold one value, it is that value, but only if
    at least `least` rows hold it: no edge shows a number of fewer. Every group holds at least `least` rows.
    """
    order = np.argsort(numbers, kind="stable")
    values, held = numbers[order], np.cumsum(counts[order])
    n_rows = int(held[-1])
    found: list[float] = []
    for i in range(1, n_groups):
        slack = n_rows / n_groups / 4
        ranks = [i * n_rows / n_groups - slack, i * n_rows / n_groups + slack]
        below, above = (int(np.searchsorted(held, rank, side="right")) for rank in ranks)
        below, above = min(below, values.size - 1), min(above, values.size - 1)
        if below < above:
            found.append(round_between(float(values[below]), float(values[above])))
        elif counts[order[below]] >= least:
            found.append(float(values[below]))
    return _with_enough(sorted(set(found)), values, held, least)


def round_between(low: float, high: float) -> float:
    """Return the roundest number above `low` and up to `high`.

    Examples
    --------
    >>> round_between(17, 23), round_between(1234.5, 1267.1), round_between(-3, 2)
    (20.0, 1250.0, 0.0)
    """
    if low < 0 <= high:
        return 0.0
    scale = 10.0 ** ceil(log10(max(abs(low), abs(high))))
    for _ in range(40):
        for step in (scale, scale / 2):
            found = (floor(low / step) + 1) * step
            if found <= high:
                return round(found, 12)
        scale /= 10
    return high


def _with_enough(edges: list[float], values: _Numbers, held: _Counts, least: int) -> list[float]:
    """Return the edges without those that leave a group with too few rows."""
    below = [0, *(int(held[at - 1]) if at else 0 for at in np.searchsorted(values, edges)), int(held[-1])]
    kept: list[float] = []
    last = 0
    for edge, n_below in zip(edges, below[1:-1], strict=True):
        if n_below - last >= least and below[-1] - n_below >= least:
            kept.append(edge)
            last = n_below
    return kept


def _enough_beyond(numbers: _Numbers, counts: _Counts, width: float, least: int) -> tuple[float, float]:
    """Return the outermost edges beyond which enough rows lie."""
    order = np.argsort(numbers, kind="stable")
    values, held = numbers[order], np.cumsum(counts[order])
    n_rows = int(held[-1])
    if n_rows < 2 * least:
        return 0.0, -width
    lowest = values[int(np.searchsorted(held, least))]
    highest = values[int(np.searchsorted(held, n_rows - least, side="right"))]
    return (floor(lowest / width + 1e-9) + 1) * width, floor(highest / width + 1e-9) * width


def _labels(edges: Sequence[float]) -> list[str]:
    inner = [f"[{format_number(a)}, {format_number(b)})" for a, b in pairwise(edges)]
    return [f"< {format_number(edges[0])}", *inner, f"≥ {format_number(edges[-1])}"]


def _check_widths(widths: Sequence[float]) -> None:
    if not widths or any(width <= 0 for width in widths):
        raise InputError("taxonomy: `widths` must be positive numbers, the smallest first.")
    for narrow, wide in pairwise(widths):
        if wide <= narrow or abs(wide / narrow - round(wide / narrow)) > 1e-9:
            raise InputError(
                f"taxonomy: each width must be a multiple of the one before; {format_number(wide)} is none of "
                f"{format_number(narrow)}."
            )
