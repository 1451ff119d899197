"""For each row by itself the cheapest columns to blank, so that enough rows agree on the others."""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from withhold.methods.suppression._distinct_rows import Masks, Places, Rows

__all__ = ["bits", "cheapest", "cost_of", "sets_by_cost"]

MOST_SETS = 4_000
"""How many sets of columns are tried before the rest is solved column by column."""
MOST_WORK = 150_000_000
"""How many rows are read for them at most."""


def cheapest(rows: Rows, needy: Places, k: int, free: Sequence[int], costs: NDArray[np.float64]) -> Masks:
    """Return a mask for each row: its blanks, and the cheapest further ones that leave it with `k` compatible rows.

    Every needy row without a blank gets one. All other rows count as they stand.
    """
    begin = rows.masks[needy]
    found, best = begin.copy(), np.zeros(needy.size, dtype=np.int64)
    left = np.arange(needy.size)
    most = min(MOST_SETS, MOST_WORK // rows.masks.size)
    last = -1.0
    for cost, mask in islice(sets_by_cost(free, costs), most):
        if cost > last:  # of equally cheap sets the one that most rows agree outside of
            left = left[best[left] < k]
            last = cost
        if not left.size:
            break
        reached = rows.count(needy[left], begin[left] | mask)
        is_better = (reached >= k) & (reached > best[left])
        chosen = left[is_better]
        found[chosen], best[chosen] = begin[chosen] | mask, reached[is_better]
    left = left[best[left] < k]
    if left.size:
        found[left] = _greedy(rows, needy[left], k, free, costs)
    return found


def sets_by_cost(free: Sequence[int], costs: NDArray[np.float64]) -> Iterator[tuple[float, int]]:
    """Yield the sets of columns but the empty one, as masks, by cost; equally dear ones by size."""
    order = sorted(free, key=lambda j: (costs[j], j))
    heap: list[tuple[float, int, tuple[int, ...]]] = []
    if order:
        heappush(heap, (float(costs[order[0]]), 1, (0,)))
    while heap:
        cost, size, places = heappop(heap)
        yield round(cost, 9), sum(1 << order[p] for p in places)
        nxt = places[-1] + 1
        if nxt < len(order):  # each set is reached in one way: move its last column on, or add the next one
            step = float(costs[order[nxt]])
            heappush(heap, (cost + step, size + 1, (*places, nxt)))
            heappush(heap, (cost + step - float(costs[order[places[-1]]]), size, (*places[:-1], nxt)))


def _greedy(rows: Rows, lacking: Places, k: int, free: Sequence[int], costs: NDArray[np.float64]) -> Masks:
    """Blank column by column the one that brings most rows for its cost."""
    masks = rows.masks[lacking].copy()
    prices = np.maximum(costs[list(free)], 1e-9)
    left = np.arange(lacking.size)
    while left.size:
        options = masks[left][:, None] | bits(free)
        reached = rows.count(np.repeat(lacking[left], len(free)), options.reshape(-1)).reshape(options.shape)
        worth = np.where(options == masks[left][:, None], -1.0, np.minimum(reached, k) / prices)
        best = worth.argmax(axis=1)
        each = np.arange(left.size)
        masks[left] = options[each, best]
        left = left[reached[each, best] < k]
    return masks


def bits(columns: Sequence[int]) -> Masks:
    """Return the mask of each single column."""
    return np.left_shift(1, np.asarray(columns, dtype=np.int64))


def cost_of(masks: Masks, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the blanks of masks cost."""
    found = np.zeros(masks.shape)
    for j, cost in enumerate(costs.tolist()):
        found += cost * (masks >> j & 1)
    return found.round(9)
