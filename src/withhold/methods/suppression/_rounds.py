"""Rows that need several blanks by themselves may need fewer where others have blanks: begin with the fewest."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from withhold.methods.suppression._cheapest import bits, cost_of, sets_by_cost
from withhold.methods.suppression._distinct_rows import Masks, Places, Rows
from withhold.methods.suppression._settle_kernel import Plan, Standing, settle

__all__ = ["lighten"]

N_ROUNDS = 5
"""How often rows look for a better column."""
N_BACK = 3
"""How often blanks are given back."""
MOST_SETS = 500
"""How many sets of columns are tried for a row by itself, the cheapest ones."""
MOST_WORK = 600_000_000
"""How much is read for rows one by one; those that are not reached blank what they need by themselves."""


def lighten(rows: Rows, needy: Places, base: Masks, k: int, free: Sequence[int], costs: NDArray[np.float64]) -> None:
    """Blank cells of needy rows, so that all of them have `k` compatible rows.

    Hard rows, which need more by themselves than the cheapest blank, begin with that one and look around first.
    """
    begin = rows.masks[needy]
    singles = bits(free)
    least = np.where(begin == 0, costs[list(free)].min(initial=np.inf), 0.0)
    is_hard = cost_of(base & ~begin, costs) > least
    easy, hard = needy[~is_hard], needy[is_hard]
    rows.masks[easy] = base[~is_hard]
    alternatives = _alternatives(rows, easy, k, singles, costs)
    tops = cost_of(base[is_hard] & ~begin[is_hard], costs)
    # A single column may cost no more than what a row needs by itself.
    options = np.where(begin[is_hard][:, None] == 0, singles, begin[is_hard][:, None])
    is_open = cost_of(options & ~begin[is_hard][:, None], costs) < tops[:, None]
    _begin(rows, hard, options, is_open)
    for number in range(N_ROUNDS):
        reached = rows.count(hard, rows.masks[hard])
        moved = _help(rows, hard[reached <= k], alternatives)
        moved += _move(rows, hard, reached < k, options, is_open, number)
        if not moved:
            break
    _settle(rows, needy, base, k, free, costs)


def _alternatives(rows: Rows, easy: Places, k: int, singles: Masks, costs: NDArray[np.float64]) -> tuple[Places, Masks]:
    """Return rows with one blank, and other columns that would do as well at the same cost, whatever others have."""
    whole = easy[np.isin(rows.masks[easy], singles)]
    masks = rows.masks.copy()
    rows.masks[easy] = 0
    found = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for mask in singles:
        alike = whole[cost_of(masks[whole], costs) == cost_of(np.array([mask]), costs)[0]]
        enough = alike[rows.count(alike, np.full(alike.size, mask)) >= k]
        found[0].append(enough)
        found[1].append(np.full(enough.size, mask))
    rows.masks[:] = masks
    return np.concatenate(found[0]), np.concatenate(found[1])


def _begin(rows: Rows, hard: Places, options: Masks, is_open: NDArray[np.bool_]) -> None:
    """Give every hard row the one blank with which most rows are compatible."""
    reached = rows.count(np.repeat(hard, options.shape[1]), options.reshape(-1)).reshape(options.shape)
    best = np.where(is_open, reached, -1).argmax(axis=1)
    rows.masks[hard] = options[np.arange(hard.size), best]


def _help(rows: Rows, scarce: Places, alternatives: tuple[Places, Masks]) -> int:
    """Move blanks of rows that have a choice to where they help rows that lack some, or would; return how many."""
    others, masks = alternatives
    ones = np.ones(scarce.size, dtype=np.int64)
    helped = rows.count(others, masks, of=scarce, weights=ones)
    now = rows.count(others, rows.masks[others], of=scarce, weights=ones)
    order = np.lexsort((masks, -helped, others))
    first = order[np.flatnonzero(np.diff(others[order], prepend=-1))]
    better = first[helped[first] > now[first]]
    rows.masks[others[better]] = masks[better]
    return int(better.size)


def _move(
    rows: Rows, hard: Places, is_lacking: NDArray[np.bool_], options: Masks, is_open: NDArray[np.bool_], number: int
) -> int:
    """Let rows that lack some change their blank to the column that brings most; return how many did.

    Every other row waits from the second round on, so that two rows do not miss each other by moving both.
    """
    lacking = np.flatnonzero(is_lacking)
    asked = options[lacking]
    reached = rows.count(np.repeat(hard[lacking], asked.shape[1]), asked.reshape(-1)).reshape(asked.shape)
    reached = np.where(is_open[lacking], reached, -1)
    best, each = reached.argmax(axis=1), np.arange(lacking.size)
    now = np.where(asked == rows.masks[hard[lacking]][:, None], reached, -1).max(axis=1)
    moves = reached[each, best] > now
    if number:
        moves &= (each + number) % 2 == 0
    rows.masks[hard[lacking[moves]]] = asked[each, best][moves]
    return int(moves.sum())


def _settle(rows: Rows, needy: Places, base: Masks, k: int, free: Sequence[int], costs: NDArray[np.float64]) -> None:
    """Give rows that lack some more blanks, one row after the other; then take back what is no longer needed."""
    plan = _plan(rows, needy, base, free, costs)
    standing = Standing(rows.masks, rows.weights, np.full(rows.masks.size, np.iinfo(np.int64).max // 2))
    standing.reached[needy] = rows.count(needy, rows.masks[needy])
    lacking = needy[standing.reached[needy] < k]
    settle(rows.cells, plan, standing, lacking, k, MOST_WORK)
    _close(rows, needy, base, k)
    standing.reached[needy] = rows.count(needy, rows.masks[needy])
    for _ in range(N_BACK):
        paid = cost_of(rows.masks[needy] & ~plan.begin[needy], costs) * rows.weights[needy]
        if not settle(rows.cells, plan, standing, needy[np.argsort(-paid, kind="stable")], k, MOST_WORK // N_BACK):
            return


def _plan(rows: Rows, needy: Places, base: Masks, free: Sequence[int], costs: NDArray[np.float64]) -> Plan:
    """Return what rows may blank."""
    sets = [(0.0, 0), *islice(sets_by_cost(free, costs), MOST_SETS)]
    options = np.array([mask for _, mask in sets], dtype=np.int64)
    sizes = np.array([mask.bit_count() for _, mask in sets], dtype=np.int64)
    own_base = np.zeros(rows.masks.size, dtype=np.int64)
    own_base[needy] = base
    return Plan(
        options, np.array([cost for cost, _ in sets]), np.maximum.accumulate(sizes), costs, rows.begin, own_base
    )


def _close(rows: Rows, needy: Places, base: Masks, k: int) -> None:
    """Add what a row needs by itself where it still lacks some. Blanks are only added, so this ends and holds."""
    while True:
        lacking = np.flatnonzero(rows.count(needy, rows.masks[needy]) < k)
        if not lacking.size:
            return
        rows.masks[needy[lacking]] |= base[lacking]
