"""Withhold rows that cost their groups more than ``*`` costs them."""

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled
from withhold.methods.local._asked import Asked, all_met
from withhold.methods.local._buckets import both
from withhold.methods.local._prices import Prices, price_of_line
from withhold.methods.local._rows import join
from withhold.methods.local._search import Search

__all__ = ["outliers"]

WORTH = 1e-9
TURNS = 100


def outliers(search: Search, most: int) -> NDArray[np.int64]:
    """Return rows of the problem to withhold, at most that many records, so that the loss falls and all rules hold.

    The rows withheld must be a group that meets all rules; otherwise there are none.
    """
    problem = search.problem
    star = float(problem.prices.whole.sum())
    group = search.group.copy()
    taken: list[NDArray[np.int64]] = []
    for _ in range(TURNS):
        rows, saved = _candidates(search, group, star)
        order = np.argsort(-saved, kind="stable")
        rows = rows[order][np.cumsum(problem.weight[rows[order]]) <= most]
        if not rows.size:
            break
        most -= int(problem.weight[rows].sum())
        group[rows] = -1
        taken.append(rows)
    found = np.concatenate([*taken, np.zeros(0, dtype=np.int64)])
    return found if found.size and problem.is_valid(problem.histogram(found)) else found[:0]


def _candidates(search: Search, group: Array, star: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the row of each group that is dearest to keep, and what withholding it saves for each record."""
    problem = search.problem
    by_group = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[by_group], np.arange(search.n_groups + 1))
    found = np.full(search.n_groups, -1, dtype=np.int64)
    saved = np.zeros(search.n_groups)
    _dearest(
        problem.lines,
        problem.weight,
        problem.lanes,
        by_group,
        starts,
        problem.prices,
        problem.asked,
        problem.least,
        problem.n_lanes,
        star,
        found,
        saved,
    )
    return found[found >= 0], saved[found >= 0]


@compiled
def _dearest(
    rows: Array,
    weight: Array,
    lanes: Array,
    members: Array,
    starts: Array,
    prices: Prices,
    asked: Asked,
    least: int,
    n_lanes: int,
    star: float,
    found: Array,
    saved: Array,
) -> None:
    spec, floats, nodes, node_price = prices.spec, prices.floats, prices.nodes, prices.node_price
    columns = np.arange(spec.shape[0])
    for g in range(found.size):
        begin, size = starts[g], starts[g + 1] - starts[g]
        n = 0
        for i in range(size):
            n += weight[members[begin + i]]
        if n <= least or size < 2:
            continue
        # lines 0 … size - 1 are rows, then what lies before each, then what lies at it and behind it
        lines = np.zeros((3 * size + 3, rows.shape[1]), rows.dtype)
        words = np.zeros((3 * size + 3, prices.n_words), np.uint64)
        counts = np.zeros(n_lanes, np.int64)
        for i in range(size):
            lines[i] = rows[members[begin + i]]
            if prices.n_words:
                join(spec, rows, members[begin + i], words, i)
            _count(weight, lanes, members[begin + i], 1, counts)
        before, after = size, 2 * size + 1
        both(lines, words, 0, 0, before + 1)
        both(lines, words, size - 1, size - 1, after + size - 1)
        for i in range(1, size):
            both(lines, words, before + i, i, before + i + 1)
            both(lines, words, after + size - i, size - 1 - i, after + size - 1 - i)
        price = price_of_line(spec, floats, nodes, node_price, lines, words, before + size, columns)
        for i in range(size):
            row = members[begin + i]
            if n - weight[row] < least:
                continue
            a = before + i if i else after + 1
            b = after + i + 1 if i < size - 1 else before + i
            both(lines, words, a, b, 3 * size + 2)
            rest = price_of_line(spec, floats, nodes, node_price, lines, words, 3 * size + 2, columns)
            gain = (n * price - (n - weight[row]) * rest) / weight[row] - star
            if gain > max(saved[g], WORTH):
                _count(weight, lanes, row, -1, counts)
                if all_met(asked, counts):
                    found[g], saved[g] = row, gain
                _count(weight, lanes, row, 1, counts)


@compiled
def _count(weight: Array, lanes: Array, row: int, sign: int, counts: Array) -> None:
    """Add a row to a histogram, or take it off."""
    counts[0] += sign * weight[row]
    for s in range(lanes.shape[1]):
        if lanes[row, s] >= 0:
            counts[lanes[row, s]] += sign * weight[row]
