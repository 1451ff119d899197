"""Form groups out of very many rows: halve them along one column after another, all groups of a round at once."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from withhold.methods.groups._regroup import Lanes, Pool, PoolColumn

__all__ = ["can_halve", "halve"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_COUNTS = 1 << 24
"""How many counts are looked at together."""


def can_halve(pool: "Pool") -> bool:
    """Return whether every promise is about counts of rows, which add up."""
    from withhold.methods.groups._regroup import Lanes

    return all(type(each) is Lanes for each in pool.promises) and not any(each.is_fixed for each in pool.columns)


def halve(pool: "Pool") -> NDArray[np.int32]:
    """Return the nodes that rows publish in groups that keep every promise; all rows together must keep them.

    A group is cut at the value nearest to its median, in the column in which it is widest, or in the next one where a
    half would break a promise; groups that cannot be cut stay. The cost is that of sorting the rows for each round,
    and there are about as many rounds as the logarithm of the number of groups.

    Examples
    --------
    >>> from withhold.methods.groups import Lanes, Pool, PoolColumn, Size
    >>> tree = PoolColumn(np.array([-1, 0, 0]), np.array([0, 0, 1]), np.array([2, 1, 2]), np.array([1.0, 0.0, 0.0]))
    >>> size = Lanes(Size(2), np.zeros(5, dtype=np.int64), 1)
    >>> nodes = np.array([[1], [1], [1], [2], [2]], dtype=np.int32)
    >>> halve(Pool([tree], nodes, [size], np.ones(5, dtype=np.int64))).T.tolist()
    [[1, 1, 1, 2, 2]]
    """
    n_rows = len(pool.nodes)
    group, n_groups = np.zeros(n_rows, dtype=np.int64), 1
    is_open = np.ones(1, dtype=np.bool_)
    while is_open.any():
        rows = np.flatnonzero(is_open[group])
        side = _halves(pool, rows, group[rows], n_groups)
        was_cut = np.zeros(n_groups, dtype=np.bool_)
        was_cut[group[rows[side]]] = True
        number = np.cumsum(was_cut) - 1 + n_groups
        moved = rows[side]
        group[moved] = number[group[moved]]
        n_groups += int(was_cut.sum())
        is_open = np.concatenate([was_cut, np.ones(n_groups - was_cut.size, dtype=np.bool_)])
    return np.stack([_common(column, pool.nodes[:, j], group, n_groups) for j, column in enumerate(pool.columns)], 1)


def _halves(pool: "Pool", rows: Ints, group: Ints, n_groups: int) -> NDArray[np.bool_]:
    """Return which rows go to the second half of their group; none of a group that stays."""
    used, place = np.unique(group, return_inverse=True)
    place = place.reshape(-1)
    bounds = [_bounds(column, pool.nodes[rows, j], place, used.size) for j, column in enumerate(pool.columns)]
    widths = np.stack(
        [
            (each.high - each.low) / max(int(column.last[0]), 1)
            for column, each in zip(pool.columns, bounds, strict=True)
        ],
        axis=1,
    )
    order = np.argsort(-widths, axis=1, kind="stable")
    side = np.zeros(rows.size, dtype=np.bool_)
    is_done = np.zeros(used.size, dtype=np.bool_)
    centers = np.stack([(c.first + c.last)[pool.nodes[rows, j]] for j, c in enumerate(pool.columns)], axis=1)
    for turn in range(len(pool.columns)):
        some = np.flatnonzero(~is_done[place])
        if not some.size:
            break
        chosen = centers[some, order[place[some], turn]].astype(np.int64)
        cut = _cut(chosen, place[some], pool.weights[rows[some]], used.size)
        is_second = chosen >= cut[place[some]]
        met = _are_met(pool, rows[some], place[some] * 2 + is_second, used.size * 2).reshape(-1, 2).all(axis=1)
        met &= cut < np.iinfo(np.int64).max
        met &= ~is_done
        side[some] = is_second & met[place[some]]
        is_done |= met
    return side


class _Bounds(NamedTuple):
    """The first code and the one behind the last that the rows of each group cover."""

    low: Ints
    high: Ints


def _bounds(column: "PoolColumn", nodes: NDArray[np.int32], group: Ints, n_groups: int) -> _Bounds:
    low = np.full(n_groups, np.iinfo(np.int64).max)
    high = np.full(n_groups, -1, dtype=np.int64)
    np.minimum.at(low, group, column.first[nodes].astype(np.int64))
    np.maximum.at(high, group, column.last[nodes].astype(np.int64))
    return _Bounds(low, high)


def _cut(values: Ints, group: Ints, weights: Ints, n_groups: int) -> Ints:
    """Return for each group the first value of its second half; the largest integer where it holds one value only."""
    order = np.lexsort((values, group))
    values, group, weights = values[order], group[order], weights[order]
    before = np.cumsum(weights) - weights
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    total = np.bincount(group, weights=weights, minlength=n_groups).astype(np.int64)
    begin = np.zeros(n_groups, dtype=np.int64)
    begin[group[starts]] = before[starts]
    is_new = np.diff(values, prepend=values[:1]) != 0
    is_new[starts] = False
    at = np.flatnonzero(is_new)
    off = np.abs(2 * (before[at] - begin[group[at]]) - total[group[at]])
    best = np.lexsort((off, group[at]))
    first = np.unique(group[at][best], return_index=True)[1]
    found = np.full(n_groups, np.iinfo(np.int64).max)
    found[group[at][best][first]] = values[at][best][first]
    return found


def _are_met(pool: "Pool", rows: Ints, group: Ints, n_groups: int) -> NDArray[np.bool_]:
    """Return which groups hold rows and keep every promise."""
    met = np.bincount(group, minlength=n_groups) > 0
    order = np.argsort(group, kind="stable")
    rows, group = rows[order], group[order]
    for each in pool.promises:
        step = max(1, MOST_COUNTS // max(each.n_lanes, 1))
        for begin in range(0, n_groups, step):
            end = min(begin + step, n_groups)
            part = slice(*np.searchsorted(group, [begin, end]).tolist())
            met[begin:end] &= each.measure.is_met(
                _counts(each, rows[part], group[part] - begin, end - begin, pool.weights)
            )
    return met


def _counts(lanes: "Lanes", rows: Ints, group: Ints, n_groups: int, weights: Ints) -> Ints:
    lane = lanes.lane[rows]
    held = lane >= 0
    key = group[held] * lanes.n_lanes + lane[held]
    counts = np.bincount(key, weights=weights[rows][held], minlength=n_groups * lanes.n_lanes)
    return counts.reshape(n_groups, lanes.n_lanes).astype(np.int64)


def _common(column: "PoolColumn", nodes: NDArray[np.int32], group: Ints, n_groups: int) -> NDArray[np.int32]:
    """Return for each row the lowest node above all of its group."""
    low, high = _bounds(column, nodes, group, n_groups)
    found = np.zeros(n_groups, dtype=np.int32)
    found[group[::-1]] = nodes[::-1]
    is_same = np.ones(n_groups, dtype=np.bool_)
    is_same[group[nodes != found[group]]] = False
    is_set = np.zeros(column.parent.size, dtype=np.bool_)
    is_set[np.array(sorted(column.sets), dtype=np.int64)] = True
    ends = None if column.ends is None else _ends(column.ends, nodes, group, n_groups)
    while True:
        is_narrow = is_set[found] | (column.first[found] > low) | (column.last[found] < high)
        if ends is not None and column.ends is not None:
            is_narrow |= (column.ends[0][found] > ends[0]) | (column.ends[1][found] < ends[1])
        is_narrow &= ~is_same & (column.parent[found] >= 0)
        if not is_narrow.any():
            return np.asarray(found[group])
        found = np.where(is_narrow, column.parent[found], found).astype(np.int32)


def _ends(
    of_node: tuple[Floats, Floats], nodes: NDArray[np.int32], group: Ints, n_groups: int
) -> tuple[Floats, Floats]:
    """Return the smallest and the largest number that some row of each group allows."""
    low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(low, group, of_node[0][nodes])
    np.maximum.at(high, group, of_node[1][nodes])
    return low, high
