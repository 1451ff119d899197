"""Compiled loops over class counts: entropy and the gains of moves."""

import numpy as np

from withhold._compiled import Array, compiled

__all__ = ["class_counts", "disclosure_gains", "entropy", "gain_of_children", "gains_of_splits", "rough_gains"]


@compiled
def class_counts(codes: Array, classes: Array, weights: Array, counts: Array) -> None:
    """Add each row's weight to ``counts[code, class]``."""
    for i in range(codes.size):
        counts[codes[i], classes[i]] += weights[i]


@compiled
def entropy(counts: Array) -> float:
    """Return the entropy in bits of class counts; of no records it is 0."""
    n_all = 0
    for c in range(counts.size):
        n_all += counts[c]
    bits = 0.0
    for c in range(counts.size):
        if counts[c] > 0:
            share = counts[c] / n_all
            bits -= share * np.log2(share)
    return bits


@compiled
def gain_of_children(children: Array) -> float:
    """Return the entropy that is lost when records are distinguished by child; class counts, one line a child.

    It is exactly 0 where all children have the same class shares, which is decided in integers.
    """
    n_children, n_classes = children.shape
    whole = np.zeros(n_classes, np.int64)
    for i in range(n_children):
        for c in range(n_classes):
            whole[c] += children[i, c]
    n_all = whole.sum()
    if n_all == 0:
        return 0.0
    gain = entropy(whole)
    tells_nothing = True
    for i in range(n_children):
        n_here = 0
        for c in range(n_classes):
            n_here += children[i, c]
        for c in range(n_classes):
            if children[i, c] * n_all != n_here * whole[c]:
                tells_nothing = False
        gain -= n_here / n_all * entropy(children[i])
    return 0.0 if tells_nothing else gain


@compiled
def gains_of_splits(prefix: Array, first: int, last: int, points: Array) -> Array:
    """Return the exact gain of splitting the codes ``first … last - 1`` at each of `points`."""
    gains = np.empty(points.size, np.float64)
    children = np.empty((2, prefix.shape[1]), np.int64)
    for i in range(points.size):
        for c in range(prefix.shape[1]):
            children[0, c] = prefix[points[i], c] - prefix[first, c]
            children[1, c] = prefix[last, c] - prefix[points[i], c]
        gains[i] = gain_of_children(children)
    return gains


@compiled
def rough_gains(prefix: Array, first: int, last: int, allowed: Array, times_log: Array, gains: Array) -> None:
    """Fill ``gains[s - first]`` with the gain of a split at each code, in a fast but slightly noisy way; -1 for none.

    Parameters
    ----------
    prefix
        Class counts of all codes below each code.
    allowed
        For each code of the range whether a split may begin there.
    times_log
        A table of ``n * log2(n)``.
    """
    n_classes = prefix.shape[1]
    n_all = 0
    for c in range(n_classes):
        n_all += prefix[last, c] - prefix[first, c]
    whole = _times_log(n_all, times_log)
    for c in range(n_classes):
        whole -= _times_log(prefix[last, c] - prefix[first, c], times_log)
    for s in range(first, last):
        n_below = 0
        n_here = 0
        parts = whole
        for c in range(n_classes):
            below = prefix[s, c] - prefix[first, c]
            n_below += below
            n_here += prefix[s + 1, c] - prefix[s, c]
            parts += _times_log(below, times_log) + _times_log(prefix[last, c] - prefix[s, c], times_log)
        if n_below == 0 or n_here == 0 or not allowed[s - first]:
            gains[s - first] = -1.0
        else:
            parts -= _times_log(n_below, times_log) + _times_log(n_all - n_below, times_log)
            gains[s - first] = parts / n_all


@compiled
def disclosure_gains(counts: Array, is_withheld: Array, gains: Array) -> None:
    """Fill ``gains[code]`` with the gain of distinguishing one withheld code from the rest of them."""
    n_codes, n_classes = counts.shape
    rest = np.zeros(n_classes, np.int64)
    for code in range(n_codes):
        if is_withheld[code]:
            for c in range(n_classes):
                rest[c] += counts[code, c]
    children = np.empty((2, n_classes), np.int64)
    for code in range(n_codes):
        gains[code] = 0.0
        if is_withheld[code]:
            for c in range(n_classes):
                children[0, c] = counts[code, c]
                children[1, c] = rest[c] - counts[code, c]
            gains[code] = gain_of_children(children)


@compiled
def _times_log(number: int, table: Array) -> float:
    """Return ``number * log2(number)``, from the table where it reaches."""
    if number < table.size:
        return table[number]  # type: ignore[no-any-return]
    return number * np.log2(number)  # type: ignore[no-any-return]
