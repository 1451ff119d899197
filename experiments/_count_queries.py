"""Random COUNT queries with three predicates, answered from a published table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments._published import Key, NumberKey, Reading

__all__ = ["Query", "draw_queries", "query_error"]

Query = dict[str, Any]
"""For each of its columns a leaf, or the two ends of a range of numbers."""
N_PREDICATES = 3


def draw_queries(keys: Sequence[Key], original: Mapping[str, NDArray[Any]], n: int, seed: int) -> list[Query]:
    """Draw queries that at least one row answers: the values of a row on three columns.

    A number is asked for by a range, from the number of the row to that of another row.
    """
    rng = np.random.default_rng(seed)
    cells = {
        k.name: original[k.name].astype(float) if isinstance(k, NumberKey) else k.codes(original[k.name]) for k in keys
    }
    n_rows = len(next(iter(cells.values())))
    found = []
    for _ in range(n):
        chosen = rng.choice(len(keys), N_PREDICATES, replace=False)
        row, other = rng.integers(n_rows, size=2)
        query: Query = {}
        for key in (keys[place] for place in chosen):
            value, second = cells[key.name][row], cells[key.name][other]
            query[key.name] = (min(value, second), max(value, second)) if isinstance(key, NumberKey) else int(value)
        found.append(query)
    return found


def query_error(reading: Reading, truth: Reading, queries: Sequence[Query]) -> float:
    """Return the median relative error of the answers; `truth` is the table as it was."""
    wrong = []
    for query in queries:
        expected, counted = _count(reading, query), _count(truth, query)
        wrong.append(abs(expected - counted) / counted)
    return float(np.median(wrong))


def _count(reading: Reading, query: Query) -> float:
    """Return how many rows answer a query, where every cell is spread evenly over what it covers."""
    shares = 1.0
    for key in (key for key in reading.keys if key.name in query):
        cover, asked = reading.covers[key.name], query[key.name]
        is_number = isinstance(key, NumberKey)
        share = _overlap(cover, asked, key.step) if is_number else cover[:, asked] / cover.sum(axis=1)
        shares = shares * share[reading.codes[key.name]]
    return float(np.sum(shares))


def _overlap(cover: NDArray[np.float64], asked: tuple[float, float], step: float) -> NDArray[np.float64]:
    """Return which share of each interval lies in the range that is asked for."""
    low, high = cover.T
    common = np.minimum(high, asked[1]) - np.maximum(low, asked[0]) + step
    width = high - low + step
    inside = (asked[0] <= low) & (high <= asked[1])
    return np.where(inside, 1.0, np.clip(common, 0, None) / np.where(width > 0, width, 1))
