"""Products of whole numbers, compared exactly: a tie is a tie."""

import math

import numpy as np

from withhold._compiled import Array, inner

__all__ = ["compare_ratios"]

CLEAR = 1e-9
"""Logarithms that differ by more are told apart by them: their error is below 1e-11 for any row."""
LIMB = 32


@inner
def compare_ratios(
    above: Array, n_above: int, below: Array, n_below: int, other_above: Array, n_other_above: int,
    other_below: Array, n_other_below: int,
) -> int:  # fmt: skip
    """Compare ``above / below`` with ``other_above / other_below``, each a product of whole numbers; -1, 0 or 1.

    Numbers below are positive. A zero above makes the ratio zero.
    """
    is_zero = _has_zero(above, n_above)
    other_is_zero = _has_zero(other_above, n_other_above)
    if is_zero or other_is_zero:
        return int(other_is_zero) - int(is_zero)
    difference = 0.0
    for i in range(n_above):
        difference += math.log(above[i])
    for i in range(n_other_below):
        difference += math.log(other_below[i])
    for i in range(n_below):
        difference -= math.log(below[i])
    for i in range(n_other_above):
        difference -= math.log(other_above[i])
    if abs(difference) > CLEAR:
        return 1 if difference > 0 else -1
    left = _product(above, n_above, other_below, n_other_below)
    right = _product(other_above, n_other_above, below, n_below)
    for k in range(max(left.size, right.size) - 1, -1, -1):
        a = left[k] if k < left.size else np.uint64(0)
        b = right[k] if k < right.size else np.uint64(0)
        if a != b:
            return 1 if a > b else -1
    return 0


@inner
def _has_zero(numbers: Array, n: int) -> bool:
    n_zeros = 0
    for i in range(n):
        n_zeros += int(numbers[i] == 0)
    return n_zeros > 0


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
