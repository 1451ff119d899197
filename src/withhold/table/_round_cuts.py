"""Where intervals may begin between the numbers of a column: at round numbers, never at what few people hold."""

from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

__all__ = ["cuts_at", "round_around", "round_cuts"]

_Numbers = NDArray[np.float64]
FINEST = 15
"""The decimals of the finest numbers that are tried."""


def round_cuts(values: _Numbers, counts: NDArray[np.int64], *, least: int) -> _Numbers:
    """Return for each value the roundest number at which an interval may begin that holds it and what is larger.

    The number lies above the value before. It is a value of the column only where at least `least` rows hold that;
    else it lies between two neighbours. Whole numbers are cut at whole ones, and halfway where neighbours that few
    rows hold leave no other place.

    Parameters
    ----------
    values
        The distinct values, ascending.
    counts
        How many rows hold each.
    least
        How many rows must hold a value for it to be shown.

    Returns
    -------
    One number for each value; NaN for the first, which no interval begins between, and where there is no room.

    Examples
    --------
    >>> round_cuts(np.array([17.0, 23, 24, 25, 90]), np.array([1, 9, 1, 9, 1]), least=5).tolist()
    [nan, 20.0, 23.5, 25.0, 50.0]
    """
    found = np.full(values.size, np.nan)
    if values.size < 2:
        return found
    low, high, is_shown = values[:-1], values[1:], counts[1:] >= least
    is_whole = np.array_equal(values, np.round(values))
    cuts = found[1:]
    for step, parts in _steps(float(np.abs(values).max()), is_whole):
        left = np.flatnonzero(np.isnan(cuts))
        if not left.size:
            break
        with np.errstate(over="ignore", invalid="ignore"):
            # Dividing last gives the number that its decimals read as.
            tried = (np.floor(low[left] * parts / step) + 1) * step / parts
        fits = (tried > low[left]) & ((tried < high[left]) | ((tried == high[left]) & is_shown[left]))
        cuts[left[fits]] = tried[fits]
    rest = np.isnan(cuts) & is_shown
    cuts[rest] = high[rest]
    return found


def cuts_at(values: _Numbers, edges: _Numbers) -> _Numbers:
    """Return for each value the largest of some edges above the value before and not above itself; NaN for none.

    Examples
    --------
    >>> cuts_at(np.array([17.0, 23, 70, 90]), np.array([0.0, 18, 20, 65])).tolist()
    [nan, 20.0, 65.0, nan]
    """
    found = np.full(values.size, np.nan)
    if not edges.size:
        return found
    place = np.searchsorted(edges, values, side="right") - 1
    is_there = (place >= 0) & np.concatenate([[False], edges[place[1:]] > values[:-1]])
    found[is_there] = edges[place[is_there]]
    return found


def round_around(low: float, high: float) -> tuple[float, float]:
    """Return round numbers below and above a range of numbers, a fifth of it away at most.

    Examples
    --------
    >>> round_around(17, 93), round_around(0.5, 0.75)
    ((10.0, 100.0), (0.45, 0.8))
    """
    power = floor(log10(high - low)) - 1 if high > low else 0
    for wide in (10, 5, 2, 1):
        step, parts = (wide * 10.0**power, 1.0) if power >= 0 else (float(wide), 10.0**-power)
        if step / parts <= (high - low) / 5:
            break
    below, above = floor(low * parts / step), ceil(high * parts / step)
    below -= below * step / parts >= low
    above += above * step / parts <= high
    return below * step / parts, above * step / parts


def _steps(largest: float, is_whole: bool) -> list[tuple[float, float]]:
    """Return round steps as fractions, the widest first: 100, 50, 10, 5, 1, 1/2, 1/10."""
    top = ceil(log10(largest)) if largest > 0 else 0
    found = []
    for power in range(top, (0 if is_whole else top - FINEST) - 1, -1):
        scale, parts = (10.0**power, 1.0) if power >= 0 else (1.0, 10.0**-power)
        found += [(scale, parts), (scale, parts * 2)] if power > 0 or not is_whole else [(scale, parts)]
    return [*found, (1.0, 2.0)] if is_whole else found
