"""Where the intervals of local recoding may end: on round numbers, never at one person's value."""

from collections.abc import Sequence
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from withhold.table import Numbers, format_number

__all__ = ["interval_label", "nested_edges", "round_edges"]

MOST_STEPS = 40
"""About how many steps of one width there are between the smallest and the largest number."""


def round_edges(values: NDArray[np.float64], bounds: tuple[float, float]) -> tuple[float, ...]:
    """Return round numbers over the range of some values: multiples of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> round_edges(np.array([17.0, 90.0]), (17.0, 90.0))[:3]
    (16.0, 18.0, 20.0)
    """
    low, high = (
        float(min(values.min(initial=bounds[0]), bounds[0])),
        float(max(values.max(initial=bounds[1]), bounds[1])),
    )
    if high <= low:
        return (low, low + 1.0)
    rough = (high - low) / MOST_STEPS
    scale = 10.0 ** floor(log10(rough))
    step = next(width * scale for width in (1, 2, 5, 10) if width * scale >= rough * (1 - 1e-9))
    if np.array_equal(values, np.round(values)):
        step = max(step, 1.0)
    first, last = floor(low / step), ceil(high / step)
    last += last * step <= high
    return tuple(round(i * step, 12) for i in range(first, last + 1))


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
