"""The inner loops of microaggregation."""

import numpy as np

from withhold._compiled import Array, compiled

__all__ = ["best_starts", "latest_starts"]


@compiled
def latest_starts(begin: Array, units: Array, n_units: int, k: int) -> Array:
    """Return for each end the latest start of a group of numbers that k units hold, -1 where there is none.

    The units that hold number i are those from `begin[i]` up to `begin[i + 1]`, each once.
    """
    n = len(begin) - 1
    found, held = np.full(n + 1, -1, np.int64), np.zeros(n_units, np.int64)
    start, n_held = 0, 0
    for j in range(n):
        for at in range(begin[j], begin[j + 1]):
            n_held += held[units[at]] == 0
            held[units[at]] += 1
        while n_held >= k:
            n_lost = 0
            for at in range(begin[start], begin[start + 1]):
                n_lost += held[units[at]] == 1
            if n_held - n_lost < k:
                break
            for at in range(begin[start], begin[start + 1]):
                held[units[at]] -= 1
            n_held -= n_lost
            start += 1
        if n_held >= k:
            found[j + 1] = start
    return found


@compiled
def best_starts(values: Array, counts: Array, latest: Array, most: int) -> Array:
    """Return the first place of each group of the grouping with the smallest sum of squares.

    A group ends before j and begins at `latest[j]` or at one of `most` places before.
    """
    n = len(values)
    held = np.zeros(n + 1, dtype=np.int64)
    total, squares = np.zeros(n + 1), np.zeros(n + 1)
    for i in range(n):
        held[i + 1] = held[i] + counts[i]
        total[i + 1] = total[i] + counts[i] * values[i]
        squares[i + 1] = squares[i] + counts[i] * values[i] * values[i]
    best, last = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    best[0] = 0.0
    for j in range(1, n + 1):
        if latest[j] < 0:
            continue
        # No group ends at a place that none can end at: then all before are one group.
        first = latest[j] if latest[latest[j]] >= 0 else 0
        for i in range(first, max(first - most, 0) - 1, -1):
            if best[i] < np.inf:
                size, mass = held[j] - held[i], total[j] - total[i]
                cost = best[i] + squares[j] - squares[i] - mass * mass / size
                if cost < best[j]:
                    best[j], last[j] = cost, i
            if i <= latest[first]:
                break  # what begins earlier can be cut in two
    starts = [n]
    if best[n] == np.inf:
        starts.append(0)
    else:
        while starts[-1] > 0:
            starts.append(last[starts[-1]])
    return np.array(starts[:0:-1])
