"""What a move tells about the target: entropy, information gain, the best place to split an interval."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClassCounts", "entropy", "information_gain", "significant"]

Counts = NDArray[np.int64]


def significant(number: float) -> float:
    """Round to 9 significant digits: numbers equal to that many are ties.

    Examples
    --------
    >>> significant(0.1 + 0.2) == significant(0.3)
    True
    """
    return float(f"{number:.8e}")


def entropy(counts: Counts) -> NDArray[np.float64]:
    """Return the entropy in bits of class counts along the last axis; of no records it is 0."""
    totals = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.maximum(totals, 1)
    logs = np.log2(shares, out=np.zeros_like(shares), where=counts > 0)
    return np.asarray(-(shares * logs).sum(axis=-1) + 0.0)


def information_gain(children: Counts) -> float:
    """Return the entropy that is lost when records are told apart by the child they belong to.

    Parameters
    ----------
    children
        Class counts, one line a child.

    Notes
    -----
    The gain is set to exactly 0 where all children have the same class shares, which is decided in integers:
    floating-point noise must not rank moves that tell nothing.

    Examples
    --------
    >>> round(information_gain(np.array([[5, 11], [16, 2]])), 4)
    0.2716
    >>> information_gain(np.array([[1, 2], [3, 6]]))
    0.0
    """
    whole = children.sum(axis=0)
    n_each = children.sum(axis=1)
    n_all = int(whole.sum())
    if n_all == 0 or np.array_equal(children * n_all, n_each[:, None] * whole[None, :]):
        return 0.0
    return float(entropy(whole) - (n_each / n_all * entropy(children)).sum())


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

    def is_beneficial(self, first: int, last: int) -> bool:
        """Tell whether refining this range can help: records of two classes, or, class-free, any record."""
        needed = 1 if self.class_free else 2
        return int(np.count_nonzero(self.between(first, last))) >= needed

    def gain(self, ranges: list[tuple[int, int]]) -> float:
        """Return the gain of telling these adjacent ranges apart."""
        children = np.array([self.between(first, last) for first, last in ranges])
        return float(children.sum()) if self.class_free else information_gain(children)

    def best_split(self, first: int, last: int, allowed: NDArray[np.bool_] | None = None) -> int | None:
        """Return the code `s` that best splits the range into ``< s`` and ``>= s``; the smallest on ties.

        Only codes that occur are split points, and none that leaves a side empty. `allowed` restricts them further,
        ``allowed[s - first]`` for each.
        """
        below = self._prefix[first:last] - self._prefix[first]
        whole = self.between(first, last)
        n_below = below.sum(axis=1)
        occurs = np.diff(self._prefix[first : last + 1].sum(axis=1)) > 0
        usable = occurs & (n_below > 0)
        if allowed is not None:
            usable &= allowed
        points = np.flatnonzero(usable)
        if points.size == 0:
            return None
        merit = self._merit(below[points], n_below[points], whole)
        near = np.flatnonzero(merit >= merit.max() - 1e-7 * abs(merit.max()))
        rounded = [significant(value) for value in merit[near]]
        return first + int(points[near[rounded.index(max(rounded))]])

    def _merit(self, below: Counts, n_below: Counts, whole: Counts) -> NDArray[np.float64]:
        n_all = int(whole.sum())
        if self.class_free:
            return -np.abs(2 * n_below - n_all).astype(np.float64)
        above = whole - below
        n_above = n_all - n_below
        gains = entropy(whole) - (n_below * entropy(below) + n_above * entropy(above)) / n_all
        tells_nothing = (below * n_all == n_below[:, None] * whole).all(axis=1)
        gains[tells_nothing] = 0.0
        return np.asarray(gains)
