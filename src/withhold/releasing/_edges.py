"""Where the intervals of local recoding may end: on round numbers, never at one person's value."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from withhold.table import Numbers, format_number

__all__ = ["interval_label", "nested_edges", "round_edges"]

MOST_STEPS = 40
"""About how many steps of one width there are between the smallest and the largest number."""
CROWDED = 0.05
"""A step that holds a larger share of the rows is divided further."""
WIDTHS = (1, 2, 5, 10)


def round_edges(
    values: NDArray[np.float64], bounds: tuple[float, float], counts: NDArray[np.int64] | None = None
) -> tuple[float, ...]:
    """Return round numbers over the range of some values: multiples of 1, 2 or 5 times a power of ten.

    Parameters
    ----------
    values
        The distinct values, ascending.
    bounds
        The range to cover.
    counts
        How many rows hold each value; steps that hold many are divided into finer ones. None: all steps are alike.

    Examples
    --------
    >>> round_edges(np.array([17.0, 90.0]), (17.0, 90.0))[:3]
    (16.0, 18.0, 20.0)
    >>> income = np.array([500, 700, 900, 1200, 40_000.0])
    >>> round_edges(income, (500.0, 40_000.0), np.array([30, 30, 30, 30, 1]))[:4]
    (0.0, 500.0, 600.0, 700.0)
    """
    low, high = (
        float(min(values.min(initial=bounds[0]), bounds[0])),
        float(max(values.max(initial=bounds[1]), bounds[1])),
    )
    if high <= low:
        return (low, low + 1.0)
    least = 1.0 if np.array_equal(values, np.round(values)) else 0.0
    step = max(_round_step((high - low) / MOST_STEPS), least)
    first, last = floor(low / step), ceil(high / step)
    last += last * step <= high
    edges = [round(i * step, 12) for i in range(first, last + 1)]
    if counts is not None:
        edges = _divided(edges, step, least, values, counts)
    return tuple(edges)


def _round_step(rough: float) -> float:
    """Return the next round number."""
    scale = 10.0 ** floor(log10(rough))
    return next(width * scale for width in WIDTHS if width * scale >= rough * (1 - 1e-9))


def _divided(
    edges: list[float], step: float, least: float, values: NDArray[np.float64], counts: NDArray[np.int64]
) -> list[float]:
    """Return more edges where steps hold many rows and several values."""
    held = np.concatenate([[0], np.cumsum(counts)])
    most = CROWDED * held[-1]
    found = []
    for low, high in pairwise(edges):
        found.append(low)
        a, b = np.searchsorted(values, [low, high])
        finer = _finer_step(step)
        if held[b] - held[a] > most and b - a > 1 and finer >= least and finer > 0:
            inner = [round(low + i * finer, 12) for i in range(round(step / finer) + 1)]
            found += _divided(inner, finer, least, values, counts)[1:-1] if most else inner[1:-1]
    return [*found, edges[-1]]


def _finer_step(step: float) -> float:
    """Return the next finer round step that divides this one: 10 → 5 → 1, 2 → 1."""
    scale = 10.0 ** floor(log10(step) + 1e-9)
    width = round(step / scale)
    return {1: 0.5, 2: 1.0, 5: 1.0}[width] * scale


def interval_label(low: float, high: float, numbers: Numbers) -> str:
    """Return how an interval reads; the outermost do not show where the numbers of the table end.

    Examples
    --------
    >>> ages = Numbers([17, 40, 90])
    >>> interval_label(16, 30, ages), interval_label(30, 50, ages), interval_label(80, 92, ages)
    ('< 30', '[30, 50)', '≥ 80')
    """
    if high > numbers.high:
        return f"≥ {format_number(low)}"
    if low <= numbers.low:
        return f"< {format_number(high)}"
    return f"[{format_number(low)}, {format_number(high)})"


def nested_edges(edges: Sequence[float] | NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return edges level by level, every second one left out; of evenly spaced ones the rounder stay.

    Examples
    --------
    >>> [each.tolist() for each in nested_edges([10, 20, 30, 40, 50])]
    [[10.0, 20.0, 30.0, 40.0, 50.0], [20.0, 40.0], [40.0]]
    """
    now = np.asarray(edges, dtype=np.float64)
    found = []
    while now.size:
        found.append(now)
        step = float(np.median(np.diff(now))) if now.size > 1 else 0.0
        places = np.round(now / step) if step > 0 else now
        is_round = step > 0 and np.allclose(places * step, now)
        now = now[places % 2 == 0] if is_round else now[1::2]
    return found
