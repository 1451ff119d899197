"""What a move keeps of a target that is a number: the reduction of the sum of squares, as in regression trees."""

from dataclasses import dataclass
from math import log2

import numpy as np
from numpy.typing import NDArray

from withhold.methods.refine._information import significant

__all__ = ["TargetNumbers", "TargetSums", "scaled_numbers"]

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_DECIMALS = 6
NOISE = 1e-12
"""What two products of equal size may differ by, as a share of them, and still be equal."""


@dataclass(frozen=True, slots=True, eq=False)
class TargetNumbers:
    """The distinct numbers of a target as whole ones, so that sums over any rows are exact."""

    numbers: Whole
    """One for each code of the target, counted from about its mean; 0 where there is none."""
    is_known: NDArray[np.bool_]
    """Which codes are numbers that some row holds."""
    squares: float
    """The sum of squared distances to the mean, over all rows."""


def scaled_numbers(values: Floats, counts: Whole) -> TargetNumbers:
    """Return numbers as whole ones: their decimals moved before the point, or as many steps as sums can hold.

    Parameters
    ----------
    values
        The distinct numbers; NaN is missing.
    counts
        How many rows hold each.

    Examples
    --------
    >>> found = scaled_numbers(np.array([1.25, 2.5, np.nan]), np.array([1, 1, 5]))
    >>> found.numbers.tolist(), found.squares
    ([-63, 62, 0], 7812.5)
    """
    is_known = np.isfinite(values) & (counts > 0)
    known, held = values[is_known], counts[is_known].astype(np.float64)
    numbers = np.zeros(values.size, dtype=np.int64)
    if held.sum() == 0:
        return TargetNumbers(numbers, is_known, 0.0)
    middle = float(np.average(known, weights=held))
    # Sums of all rows stay within 64 bits.
    most = 2.0 ** (61 - int(log2(max(held.sum(), 1.0)) + 1))
    reach = float(np.abs(known - middle).max())
    decimals = next((n for n in range(MOST_DECIMALS + 1) if np.array_equal(np.round(known, n), known)), None)
    scale = None if decimals is None else 10.0**decimals
    if scale is None or float(np.abs(known).max()) * scale >= min(most, 2.0**53):
        scale = most / max(reach, 1e-300)
        numbers[is_known] = np.round((known - middle) * scale)
    else:
        numbers[is_known] = np.round(known * scale) - np.round(middle * scale)
    whole = numbers[is_known].astype(np.float64)
    mean = float((whole * held).sum() / held.sum())
    return TargetNumbers(numbers, is_known, float((held * (whole - mean) ** 2).sum()))


class TargetSums:
    """Records of one column by code with the sums of their target numbers, in place of counts by class.

    The gain of a move is the share of the target's sum of squares that the move explains: with ``n`` records and the
    sum ``s`` in a node, ``n_i`` and ``s_i`` in its children, ``sum((s_i n - s n_i)^2 / (n_i n^2))`` over that of the
    whole table. Records whose target is missing count nothing.

    Parameters
    ----------
    codes, target
        For each distinct row the code of the column, and that of the target.
    weights
        How many rows each stands for.
    n_codes
        How many codes the column has.
    numbers
        The target's numbers by code.
    """

    class_free = False

    def __init__(
        self,
        codes: NDArray[np.unsignedinteger],
        target: NDArray[np.unsignedinteger],
        weights: Whole,
        n_codes: int,
        numbers: TargetNumbers,
    ) -> None:
        self._rows = np.zeros(n_codes, dtype=np.int64)
        np.add.at(self._rows, codes, weights)
        kept = numbers.is_known[target]
        codes, weights, each = codes[kept], weights[kept], numbers.numbers[target[kept]]
        largest = np.iinfo(np.int64).max
        self._least = np.full(n_codes, largest, dtype=np.int64)
        self._most = np.full(n_codes, -largest, dtype=np.int64)
        np.minimum.at(self._least, codes, each)
        np.maximum.at(self._most, codes, each)
        count, total = np.zeros(n_codes, dtype=np.int64), np.zeros(n_codes, dtype=np.int64)
        np.add.at(count, codes, weights)
        np.add.at(total, codes, weights * each)
        self._count, self._total = (np.concatenate([[0], np.cumsum(each)]) for each in (count, total))
        self._whole = numbers.squares

    def by_code(self) -> Whole:
        """Return how many rows hold each code, also those without a target."""
        return self._rows[:, None]

    def is_mixed(self, chosen: NDArray[np.bool_]) -> bool:
        """Return whether the records of some codes hold two numbers of the target."""
        largest = np.iinfo(np.int64).max
        return bool(self._least[chosen].min(initial=largest) < self._most[chosen].max(initial=-largest))

    def is_beneficial(self, first: int, last: int) -> bool:
        """Return whether the records of a range hold two numbers of the target."""
        chosen = np.zeros(self._least.size, dtype=np.bool_)
        chosen[first:last] = True
        return self.is_mixed(chosen)

    def gain(self, ranges: list[tuple[int, int]]) -> float:
        """Return the gain of distinguishing these adjacent ranges."""
        ends = np.array(ranges, dtype=np.int64).reshape(-1, 2)
        count = self._count[ends[:, 1]] - self._count[ends[:, 0]]
        total = self._total[ends[:, 1]] - self._total[ends[:, 0]]
        return float(self._explained(count[None, :], total[None, :])[0])

    def disclosure_gains(self, is_withheld: NDArray[np.bool_]) -> Floats:
        """Return for each withheld code the gain of distinguishing it from the rest of them."""
        count, total = np.diff(self._count), np.diff(self._total)
        n, s = int(count[is_withheld].sum()), int(total[is_withheld].sum())
        gains = self._explained(np.column_stack([count, n - count]), np.column_stack([total, s - total]))
        return np.where(is_withheld, gains, 0.0)

    def best_split(self, first: int, last: int, allowed: NDArray[np.bool_] | None = None) -> int | None:
        """Return the code `s` that best splits the range into ``< s`` and ``>= s``; the smallest on ties.

        Only codes that occur are split points, and none that leaves a side empty. `allowed` restricts them further.
        """
        count, total = self._count[first : last + 1], self._total[first : last + 1]
        is_usable = (np.diff(count) > 0) & (count[:-1] > count[0])
        points = np.flatnonzero(is_usable if allowed is None else is_usable & allowed)
        if not points.size:
            return None
        below = count[points] - count[0], total[points] - total[0]
        above = count[-1] - count[points], total[-1] - total[points]
        gains = self._explained(np.column_stack([below[0], above[0]]), np.column_stack([below[1], above[1]]))
        near = np.flatnonzero(gains >= gains.max() * (1 - 1e-7))
        rounded = [significant(gain) for gain in gains[near].tolist()]
        return int(points[near[rounded.index(max(rounded))]]) + first

    def _explained(self, count: Whole, total: Whole) -> Floats:
        """Return for each line of children the share of the table's sum of squares that they explain."""
        n, s = count.sum(axis=1, keepdims=True).astype(np.float64), total.sum(axis=1, keepdims=True)
        left, right = total * n, s * count.astype(np.float64)
        apart = left - right
        apart[np.abs(apart) <= NOISE * (np.abs(left) + np.abs(right))] = 0.0
        each = np.divide(apart**2, count * n**2, out=np.zeros_like(apart), where=(count > 0) & (n > 0))
        return np.asarray(each.sum(axis=1) / self._whole if self._whole > 0 else np.zeros(len(count)))
