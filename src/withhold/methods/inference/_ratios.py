"""Products of whole numbers, compared exactly: a tie is a tie."""

import math
from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, inner

__all__ = ["CLEAR", "Ratio", "compare_ratios", "log_of", "new_ratio", "turned"]

CLEAR = 1e-9
"""Logarithms that differ by more decide which number is larger: their error is below 1e-11 for any row."""
LIMB = 32


class Ratio(NamedTuple):
    """A product of whole numbers over another one, factor by factor; those below are positive."""

    above: Array
    n_above: int
    """How many factors stand above."""
    below: Array
    n_below: int
    """How many factors stand below."""


@inner
def new_ratio(size: int) -> Ratio:
    """Return room for a ratio, which is one."""
    return Ratio(np.empty(size, dtype=np.int64), 0, np.empty(size, dtype=np.int64), 0)


@inner
def turned(ratio: Ratio) -> Ratio:
    """Return one over a ratio, in the same room."""
    return Ratio(ratio.below, ratio.n_below, ratio.above, ratio.n_above)


@inner
def log_of(ratio: Ratio) -> float:
    """Return the logarithm of a ratio."""
    total = 0.0
    for i in range(ratio.n_above):
        if ratio.above[i] == 0:
            return -math.inf
        total += math.log(ratio.above[i])
    for i in range(ratio.n_below):
        total -= math.log(ratio.below[i])
    return total


@inner
def compare_ratios(ratio: Ratio, other: Ratio) -> int:
    """Compare two ratios, exactly; -1, 0 or 1."""
    difference = log_of(ratio) - log_of(other)
    if math.isnan(difference):
        return 0  # both are zero
    if abs(difference) > CLEAR:
        return 1 if difference > 0 else -1
    left = _product(ratio.above, ratio.n_above, other.below, other.n_below)
    right = _product(other.above, other.n_above, ratio.below, ratio.n_below)
    for k in range(max(left.size, right.size) - 1, -1, -1):
        a = left[k] if k < left.size else np.uint64(0)
        b = right[k] if k < right.size else np.uint64(0)
        if a != b:
            return 1 if a > b else -1
    return 0


@inner
def _product(first: Array, n_first: int, second: Array, n_second: int) -> Array:
    """Return the product of positive numbers below 2**31 in limbs of 32 bits, the lowest first."""
    limbs = np.zeros(n_first + n_second + 1, dtype=np.uint64)
    limbs[0] = 1
    used = 1
    for i in range(n_first + n_second):
        factor = np.uint64(first[i] if i < n_first else second[i - n_first])
        carry = np.uint64(0)
        for k in range(used):
            value = limbs[k] * factor + carry
            limbs[k] = value & np.uint64(0xFFFFFFFF)
            carry = value >> np.uint64(LIMB)
        if carry:
            limbs[used] = carry
            used += 1
    return limbs
