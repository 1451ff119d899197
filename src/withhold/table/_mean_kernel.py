"""The inner loop of microaggregation."""

import numpy as np

from withhold._compiled import Array, compiled

__all__ = ["best_starts"]


@compiled
def best_starts(values: Array, counts: Array, k: int) -> Array:
    """Return the first place of each group of the grouping with the smallest sum of squares."""
    n = len(values)
    held = np.zeros(n + 1, dtype=np.int64)
    total, squares = np.zeros(n + 1), np.zeros(n + 1)
    for i in range(n):
        held[i + 1] = held[i] + counts[i]
        total[i + 1] = total[i] + counts[i] * values[i]
        squares[i + 1] = squares[i] + counts[i] * values[i] * values[i]
    best, last = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    best[0] = 0.0
    nearest = 0  # the latest start of a group that ends before j and holds enough rows
    for j in range(1, n + 1):
        while nearest + 1 < j and held[j] - held[nearest + 1] >= k:
            nearest += 1
        if held[j] - held[nearest] < k:
            continue
        for i in range(nearest, -1, -1):
            if best[i] < np.inf:
                size, mass = held[j] - held[i], total[j] - total[i]
                cost = best[i] + squares[j] - squares[i] - mass * mass / size
                if cost < best[j]:
                    best[j], last[j] = cost, i
            if held[nearest] - held[i] >= k:
                break  # what begins earlier can be cut in two
    starts = [n]
    if best[n] == np.inf:
        starts.append(0)
    else:
        while starts[-1] > 0:
            starts.append(last[starts[-1]])
    return np.array(starts[:0:-1])
