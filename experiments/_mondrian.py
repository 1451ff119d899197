"""Mondrian, the usual local recoding of libraries: strict, top-down, cut in halves.

LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006. Categories are cut in the order of
their leaves. The cut is the one that halves the rows best; a median that most rows hold would stop the paper's
version early, which loses much more.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from experiments._published import CategoryKey, Key, NumberKey
from withhold.table import format_number

__all__ = ["mondrian"]

Codes = NDArray[np.int64]


def mondrian(
    keys: Sequence[Key],
    original: dict[str, NDArray[Any]],
    k: int,
    categories: Literal["node", "set"],
    edges: dict[str, Sequence[float]] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the published texts; numbers as ``[smallest, largest]`` of the group, or between `edges`."""
    values = {key.name: np.unique(original[key.name].astype(float)) for key in keys if isinstance(key, NumberKey)}
    columns = [
        key.codes(original[key.name])
        if isinstance(key, CategoryKey)
        else np.searchsorted(values[key.name], original[key.name].astype(float))
        for key in keys
    ]
    places = [values[k.name] if isinstance(k, NumberKey) else np.arange(k.tree.n_leaves, dtype=float) for k in keys]
    groups = _cut(np.stack(columns, axis=1), places, k)
    published = {}
    for key, codes in zip(keys, columns, strict=True):
        if isinstance(key, NumberKey):
            published[key.name] = _intervals(key, values[key.name][codes], groups, (edges or {}).get(key.name))
        elif categories == "set" or not key.has_tree:
            published[key.name] = _sets(key, codes, groups)
        else:
            published[key.name] = _nodes(key, codes, groups)
    return published


def _cut(codes: Codes, places: Sequence[NDArray[np.float64]], k: int) -> Codes:
    """Return the group of each row: the widest column that can be cut is cut where that halves the rows best."""
    groups = np.zeros(len(codes), dtype=np.int64)
    ranges = np.array([max(float(np.ptp(place)), 1e-300) for place in places])
    stack, n = [np.arange(len(codes))], 0
    while stack:
        rows = stack.pop()
        here = codes[rows]
        lows, highs = here.min(axis=0), here.max(axis=0)
        widths = [(place[b] - place[a]) / r for place, a, b, r in zip(places, lows, highs, ranges, strict=True)]
        for column in np.argsort(-np.array(widths), kind="stable") if rows.size >= 2 * k else ():
            below = np.cumsum(np.bincount(here[:, column]))
            smaller = np.minimum(below, rows.size - below)
            if smaller.max() >= k:
                left = here[:, column] <= int(np.argmax(smaller))
                stack += [rows[left], rows[~left]]
                break
        else:
            groups[rows], n = n, n + 1
    return groups


def _ends(cells: NDArray[Any], groups: Codes) -> tuple[NDArray[Any], NDArray[Any]]:
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.minimum.reduceat(cells[order], starts), np.maximum.reduceat(cells[order], starts)


def _intervals(
    key: NumberKey, numbers: NDArray[np.float64], groups: Codes, edges: Sequence[float] | None
) -> NDArray[Any]:
    lows, highs = _ends(numbers, groups)
    texts = []
    for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
        if low == high or edges is None:
            texts.append(format_number(low) if low == high else f"[{format_number(low)}, {format_number(high)}]")
            continue
        below = edges[int(np.searchsorted(edges, low, side="right")) - 1]
        above = edges[int(np.searchsorted(edges, high, side="right"))]
        texts.append(f"[{format_number(below)}, {format_number(above)})")
    return np.array(texts, dtype=object)[groups]


def _nodes(key: CategoryKey, codes: Codes, groups: Codes) -> NDArray[Any]:
    tree, known = key.tree, {}
    lows, highs = _ends(codes, groups)
    for low, high in set(zip(lows.tolist(), highs.tolist(), strict=True)):
        covering = np.flatnonzero((tree.first <= low) & (high < tree.last))
        known[low, high] = tree.labels[covering[np.argmax(tree.depth[covering])]] if covering[-1] else "*"
    return np.array([known[pair] for pair in zip(lows.tolist(), highs.tolist(), strict=True)], dtype=object)[groups]


def _sets(key: CategoryKey, codes: Codes, groups: Codes) -> NDArray[Any]:
    pairs = np.unique(np.stack([groups, codes], axis=1), axis=0)
    leaves = np.array(key.tree.leaves, dtype=object)
    members = np.split(leaves[pairs[:, 1]], np.flatnonzero(np.diff(pairs[:, 0])) + 1)
    texts = [each[0] if each.size == 1 else "{" + ", ".join(each) + "}" for each in members]
    return np.array(texts, dtype=object)[groups]
