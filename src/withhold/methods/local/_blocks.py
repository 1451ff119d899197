"""Put groups that lie near each other into blocks."""

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array

__all__ = ["blocks_of"]

FEWEST = 4
"""A block has at least that many groups."""


def blocks_of(
    places: NDArray[np.float64],
    size: NDArray[np.int64],
    part: Array,
    n_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order of groups and where blocks begin: halves of halves, along the column of the largest spread.

    Parameters
    ----------
    places
        Where each group lies on each column, from 0 to 1.
    size
        How many rows each group has.
    part
        The part of each group; a block stays within one.
    n_rows
        The least number of rows of a block.
    """
    scaled = places * rng.random(places.shape[1])
    scaled += rng.random(places.shape) * 1e-3
    order = np.argsort(part, kind="stable")
    begins = [0]
    todo = [(int(a), int(b)) for a, b in _runs(part[order])]
    done: list[tuple[int, int]] = []
    while todo:
        start, stop = todo.pop()
        here = order[start:stop]
        total = int(size[here].sum())
        if total < 2 * n_rows or stop - start < 2 * FEWEST:
            done.append((start, stop))
            continue
        column = int(np.argmax(scaled[here].std(axis=0)))
        here = here[np.argsort(scaled[here, column], kind="stable")]
        order[start:stop] = here
        middle = start + int(np.searchsorted(np.cumsum(size[here]), total / 2)) + 1
        middle = min(max(middle, start + 1), stop - 1)
        todo += [(start, middle), (middle, stop)]
    begins = sorted(start for start, _ in done)
    return order.astype(np.int64), np.array([*begins, order.size], dtype=np.int64)


def _runs(keys: Array) -> list[tuple[int, int]]:
    begin = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return list(zip(begin.tolist(), [*begin[1:].tolist(), keys.size], strict=True)) if keys.size else []
