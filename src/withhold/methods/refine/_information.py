"""The information of a move about the target: information gain, the best place to split an interval."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClassCounts", "information_gain", "significant"]

Counts = NDArray[np.int64]

NOISE = 1e-11
"""More than the rough gains of a split can err."""
MOST_LOGS = 1 << 20


def significant(number: float) -> float:
    """Round to 9 significant digits: numbers equal to that many are ties.

    Examples
    --------
    >>> significant(0.1 + 0.2) == significant(0.3)
    True
    """
    return float(f"{number:.8e}")


def information_gain(children: Counts) -> float:
    """Return the entropy that is lost when records are distinguished by the child they belong to.

    Parameters
    ----------
    children
        Class counts, one line a child.

    Notes
    -----
    The gain is set to exactly 0 where all children have the same class shares, which is decided in integers:
    floating-point noise must not rank moves without information.

    Examples
    --------
    >>> round(information_gain(np.array([[5, 11], [16, 2]])), 4)
    0.2716
    >>> information_gain(np.array([[1, 2], [3, 6]]))
    0.0
    """
    from withhold.methods.refine._gain_kernels import gain_of_children

    return gain_of_children(children)


class ClassCounts:
    """Records of one column by code and class, with prefix sums: any range of codes is counted by one subtraction.

    Parameters
    ----------
    counts
        One line a code, one column a class. A single class and ``class_free`` where there is no target.
    class_free
        Rank moves by the number of records they touch, split intervals into the most equal halves.
    """

    def __init__(self, counts: Counts, *, class_free: bool) -> None:
        self.class_free = class_free
        self._prefix = np.zeros((counts.shape[0] + 1, counts.shape[1]), dtype=np.int64)
        np.cumsum(counts, axis=0, out=self._prefix[1:])

    def between(self, first: int, last: int) -> Counts:
        """Return the class counts of the codes ``first … last - 1``."""
        return np.asarray(self._prefix[last] - self._prefix[first])

    def by_code(self) -> Counts:
        """Return the class counts of each code."""
        return np.diff(self._prefix, axis=0)

    def is_mixed(self, chosen: NDArray[np.bool_]) -> bool:
        """Return whether the records of some codes hold two classes, or, class-free, whether there are any."""
        needed = 1 if self.class_free else 2
        return int(np.count_nonzero(self.by_code()[chosen].sum(axis=0))) >= needed

    def disclosure_gains(self, is_withheld: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return for each withheld code the gain of distinguishing it from the rest; class-free, its records."""
        counts = self.by_code()
        if self.class_free:
            return np.where(is_withheld, counts[:, 0], 0).astype(np.float64)
        from withhold.methods.refine._gain_kernels import disclosure_gains

        gains = np.zeros(len(counts), dtype=np.float64)
        disclosure_gains(counts, is_withheld, gains)
        return gains

    def is_beneficial(self, first: int, last: int) -> bool:
        """Return whether refining this range can help: records of two classes, or, class-free, any record."""
        needed = 1 if self.class_free else 2
        return int(np.count_nonzero(self.between(first, last))) >= needed

    def gain(self, ranges: list[tuple[int, int]]) -> float:
        """Return the gain of distinguishing these adjacent ranges."""
        children = np.array([self.between(first, last) for first, last in ranges])
        return float(children.sum()) if self.class_free else information_gain(children)

    def best_split(self, first: int, last: int, allowed: NDArray[np.bool_] | None = None) -> int | None:
        """Return the code `s` that best splits the range into ``< s`` and ``>= s``; the smallest on ties.

        Only codes that occur are split points, and none that leaves a side empty. `allowed` restricts them further,
        ``allowed[s - first]`` for each.
        """
        if last - first < 2:
            return None
        points = self._promising(first, last, np.ones(last - first, dtype=np.bool_) if allowed is None else allowed)
        if points.size == 0:
            return None
        merit = self._merit(first, last, points)
        near = np.flatnonzero(merit >= merit.max() - 1e-7 * abs(merit.max()))
        rounded = [significant(value) for value in merit[near]]
        return int(points[near[rounded.index(max(rounded))]])

    def _promising(self, first: int, last: int, allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the split points among which the best one certainly is."""
        if self.class_free:
            totals = self._prefix[first : last + 1, 0]
            usable = allowed & (np.diff(totals) > 0) & (totals[:-1] > totals[0])
            return np.flatnonzero(usable) + first
        from withhold.methods.refine._gain_kernels import rough_gains

        gains = np.empty(last - first, dtype=np.float64)
        table = _times_log(min(int(self._prefix[-1].sum()), MOST_LOGS))
        rough_gains(self._prefix, first, last, allowed, table, gains)
        best = float(gains.max())
        if best < -NOISE:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero((gains >= best - 1e-6 * abs(best) - NOISE) & (gains > -1.0)) + first

    def _merit(self, first: int, last: int, points: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.class_free:
            below, above = (
                self._prefix[points, 0] - self._prefix[first, 0],
                self._prefix[last, 0] - self._prefix[points, 0],
            )
            return np.asarray(-np.abs(below - above), dtype=np.float64)
        from withhold.methods.refine._gain_kernels import gains_of_splits

        return np.asarray(gains_of_splits(self._prefix, first, last, points))


@lru_cache(maxsize=1)
def _times_log(most: int) -> NDArray[np.float64]:
    """Return ``n * log2(n)`` for the numbers up to `most`."""
    numbers = np.arange(most + 1, dtype=np.float64)
    return numbers * np.log2(numbers, out=np.zeros_like(numbers), where=numbers > 0)
