"""Row by row: the cheapest blanks that are enough for the row and that no other row would miss."""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled, inlined
from withhold.methods.suppression._kernels import Cells

__all__ = ["Plan", "Standing", "settle"]


class Plan(NamedTuple):
    """What rows may do."""

    options: Array
    """Sets of columns as masks, the cheapest first; the empty one is the first of all."""
    costs: Array
    """What each of them costs."""
    sizes: Array
    """How many columns the largest of each option and all before it has."""
    prices: Array
    """What a blank costs in each column."""
    begin: Array
    """The blanks of each row that stay whatever happens."""
    base: Array
    """The blanks with which each row is safe by itself."""


class Standing(NamedTuple):
    """Where the rows stand; a kernel changes it."""

    masks: Array
    """The blanks of each row."""
    weights: Array
    reached: Array
    """The weight of its compatible rows; of rows that need none, something large."""


class _Others(NamedTuple):
    """Rows that are compatible with a row, or would be with a few blanks of its own."""

    rows: Array
    apart: Array
    """The columns that it would have to blank."""
    is_needed: Array
    """Whether the other is compatible now and could not do without."""


@compiled
def settle(cells: Cells, plan: Plan, standing: Standing, order: Array, k: int, most_work: int) -> int:
    """Give rows in some order the cheapest blanks that are enough; return how many changed.

    A row that lacks others may pay as much as its base costs. One that has enough changes to something cheaper only.
    No change leaves a row short that was not. Stops where all that was read exceeds `most_work`.
    """
    n_rows = standing.masks.size
    others = _Others(np.empty(n_rows, np.int64), np.empty(n_rows, np.int64), np.empty(n_rows, np.bool_))
    work = n_changed = 0
    for row in order:
        if work > most_work:
            break
        begin, now = plan.begin[row], standing.masks[row] & ~plan.begin[row]
        lacks = standing.reached[row] < k
        limit = _cost(plan, plan.base[row] & ~begin if lacks else now)
        if not lacks and limit <= plan.costs[1 if begin == 0 else 0]:
            continue
        n_options = int(np.searchsorted(plan.costs, limit + 1e-9 if lacks else limit - 1e-9))
        if n_options == 0:
            continue
        most = max(plan.sizes[n_options - 1], _size(now | (plan.base[row] & ~begin)))
        sure, n_others = _find(cells, plan, standing, row, most, k, others)
        chosen, n_read = _choose(plan, standing, others, n_others, n_options, begin, k, sure)
        work += n_rows + n_others * n_read
        new = plan.options[chosen] if chosen >= 0 else (now | (plan.base[row] & ~begin)) if lacks else now
        if new != now:
            _apply(standing, others, n_others, row, begin, now, new, sure)
            n_changed += 1
    return n_changed


@inlined
def _find(
    cells: Cells, plan: Plan, standing: Standing, row: int, most: int, k: int, others: _Others
) -> tuple[int, int]:
    """List the rows within reach; return the weight of those that are compatible whatever the row blanks."""
    n_columns = cells.codes.shape[1]
    begin, weight = plan.begin[row], standing.weights[row]
    now = standing.masks[row]
    sure = weight
    n_others = 0
    for other in range(standing.masks.size):
        open_columns = ~(begin | standing.masks[other])
        apart = 0
        n_apart = 0
        for j in range(n_columns):
            if cells.codes[row, j] != cells.codes[other, j] and open_columns >> j & 1:
                apart |= 1 << j
                n_apart += 1
                if n_apart > most:
                    break
        if n_apart > most or other == row:
            continue
        if n_apart == 0:
            sure += standing.weights[other]
            continue
        others.rows[n_others] = other
        others.apart[n_others] = apart
        reached = standing.reached[other]
        others.is_needed[n_others] = apart & ~now == 0 and reached >= k and reached - weight < k
        n_others += 1
    return sure, n_others


@inlined
def _choose(
    plan: Plan, standing: Standing, others: _Others, n_others: int, n_options: int, begin: int, k: int, sure: int
) -> tuple[int, int]:
    """Return the cheapest option that is enough and leaves nobody short, else -1; and how many were read.

    Of equally cheap ones it is the one that helps most rows that lack some.
    """
    best, best_helped = -1, -1
    n_read = 0
    for i in range(n_options):
        option = plan.options[i]
        if best >= 0 and plan.costs[i] > plan.costs[best]:
            break
        if option & begin or (option == 0 and begin == 0):
            continue
        n_read += 1
        reached, helped = sure, 0
        fits = True
        for o in range(n_others):
            if others.apart[o] & ~option == 0:
                reached += standing.weights[others.rows[o]]
                helped += standing.reached[others.rows[o]] < k
            elif others.is_needed[o]:
                fits = False
                break
        if fits and reached >= k and helped > best_helped:
            best, best_helped = i, helped
    return best, n_read


@inlined
def _apply(
    standing: Standing, others: _Others, n_others: int, row: int, begin: int, now: int, new: int, sure: int
) -> None:
    """Blank the cells of a row, and count anew what that changes."""
    reached = sure
    for o in range(n_others):
        other, apart = others.rows[o], others.apart[o]
        was, will = apart & ~now == 0, apart & ~new == 0
        if will:
            reached += standing.weights[other]
        if will and not was:
            standing.reached[other] += standing.weights[row]
        elif was and not will:
            standing.reached[other] -= standing.weights[row]
    standing.masks[row] = begin | new
    standing.reached[row] = reached


@inlined
def _size(mask: int) -> int:
    n_bits = 0
    while mask:
        mask &= mask - 1
        n_bits += 1
    return n_bits


@inlined
def _cost(plan: Plan, mask: int) -> float:
    cost = 0.0
    for j in range(plan.prices.size):
        if mask >> j & 1:
            cost += plan.prices[j]
    return round(cost, 9)
