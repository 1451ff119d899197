"""The inner loops of microaggregation over several columns."""

import numpy as np

from withhold._compiled import Array, compiled

__all__ = ["group_rows"]


@compiled
def farthest(points: Array, left: Array, n_left: int, middle: Array) -> int:
    """Return the place among the rows that are left of the one farthest from a point; the first of several."""
    best, most = 0, -1.0
    for i in range(n_left):
        distance = 0.0
        for c in range(points.shape[1]):
            apart = points[left[i], c] - middle[c]
            distance += apart * apart
        if distance > most:
            best, most = i, distance
    return best


@compiled
def take_nearest(points: Array, left: Array, n_left: int, middle: Array, k: int, group: int, groups: Array) -> int:
    """Put the k rows nearest to a point into a group, the first of equal ones; return how many are left."""
    nearest, found, n_found = np.empty(k, np.int64), np.full(k, np.inf), 0
    for i in range(n_left):
        distance = 0.0
        for c in range(points.shape[1]):
            apart = points[left[i], c] - middle[c]
            distance += apart * apart
        if n_found == k and distance >= found[k - 1]:
            continue
        at = min(n_found, k - 1)
        while at > 0 and found[at - 1] > distance:
            found[at], nearest[at] = found[at - 1], nearest[at - 1]
            at -= 1
        found[at], nearest[at] = distance, left[i]
        n_found = min(n_found + 1, k)
    for i in range(n_found):
        groups[nearest[i]] = group
    kept = 0
    for i in range(n_left):
        if groups[left[i]] < 0:
            left[kept] = left[i]
            kept += 1
    return kept


@compiled
def group_rows(points: Array, k: int) -> Array:
    """Return a group for each row: around the row farthest from the middle, and around the one farthest from that."""
    n, n_columns = points.shape
    groups, left = np.full(n, -1, np.int64), np.arange(n)
    middle = np.empty(n_columns)
    n_left, group = n, 0
    while n_left >= 2 * k:
        # The middle is added up anew, always in the same order: subtracting rows would leave noise that decides ties.
        for c in range(n_columns):
            total = 0.0
            for i in range(n_left):
                total += points[left[i], c]
            middle[c] = total / n_left
        first = points[left[farthest(points, left, n_left, middle)]].copy()
        has_room = n_left >= 3 * k
        second = points[left[farthest(points, left, n_left, first)]].copy()
        n_left = take_nearest(points, left, n_left, first, k, group, groups)
        group += 1
        if has_room:
            n_left = take_nearest(points, left, n_left, second, k, group, groups)
            group += 1
    for i in range(n_left):
        groups[left[i]] = group
    return groups
