"""Intervals of numbers, as tools write them."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "parse_interval"]

_NUMBER = r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:inf(?:inity)?|∞))"
_BRACKETS = re.compile(rf"([\[\](])\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*([\[\])])")
_RANGE = re.compile(rf"{_NUMBER}\s*(?:-|–|\.\.|to)\s*{_NUMBER}")
_BOUND = re.compile(rf"(>=|>|≥|<=|<|≤)\s*{_NUMBER}")
_FROM = re.compile(rf"{_NUMBER}\s*\+")


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of numbers, and whether its ends belong to it.

    Examples
    --------
    >>> Interval(20, 40, has_high=False).holds(np.array([20.0, 40.0])).tolist()
    [True, False]
    """

    low: float
    """The lower end."""
    high: float
    """The upper end."""
    has_low: bool = True
    """Whether the lower end belongs to it."""
    has_high: bool = True
    """Whether the upper end belongs to it."""

    @property
    def middle(self) -> float:
        """The number halfway; the finite end where the other is not, and NaN where neither is."""
        if math.isinf(self.low):
            return math.nan if math.isinf(self.high) else self.high
        return self.low if math.isinf(self.high) else self.low / 2 + self.high / 2

    def holds(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which numbers lie in it; NaN never does."""
        above = numbers >= self.low if self.has_low else numbers > self.low
        below = numbers <= self.high if self.has_high else numbers < self.high
        return np.asarray(above & below, dtype=np.bool_)


@lru_cache(maxsize=4096)
def parse_interval(text: str) -> Interval | None:
    """Return the interval that a text names, as tools write them; None where it names none.

    Examples
    --------
    >>> parse_interval("[20, 40[") == parse_interval("[20, 40)") == Interval(20, 40, has_high=False)
    True
    >>> parse_interval("20-39"), parse_interval(">=60").high, parse_interval("teacher")
    (Interval(low=20.0, high=39.0, has_low=True, has_high=True), inf, None)
    """
    text = text.strip()
    found = _BRACKETS.fullmatch(text)
    if found:
        interval = Interval(_float(found[2]), _float(found[3]), found[1] == "[", found[4] == "]")
    elif found := _RANGE.fullmatch(text):
        interval = Interval(_float(found[1]), _float(found[2]))
    elif found := _FROM.fullmatch(text):
        interval = Interval(_float(found[1]), math.inf)
    elif found := _BOUND.fullmatch(text):
        edge, is_closed = _float(found[2]), found[1] not in "<>"
        is_lower = found[1][0] in ">≥"
        interval = Interval(edge, math.inf, is_closed) if is_lower else Interval(-math.inf, edge, True, is_closed)
    else:
        return None
    return interval if interval.low <= interval.high else None


def _float(text: str) -> float:
    return float(text.replace("∞", "inf"))
