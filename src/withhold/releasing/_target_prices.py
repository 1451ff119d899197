"""What coarser values lose about the target, as prices for local recoding.

Prices depend on the whole table, never on the labels of a group: a search that looked at labels would write them into
its groups, which pleases a model that is trained on them and misleads it about new rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.releasing._target_moments import Moments

__all__ = ["SHARE", "Lost", "blended", "lost_by_intervals", "lost_by_nodes"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Nodes = Sequence[int] | NDArray[np.integer[Any]]
SHARE = 0.6
"""How much of a price is about the target; the rest is about how coarse a value is."""


class Lost:
    """What the nodes or intervals of one column lose about the target: bits for each row, or a share of its variance.

    Parameters
    ----------
    bits
        What each node, or the interval from each edge to each other one, loses.
    whole
        What withholding the column loses.
    """

    def __init__(self, bits: Floats, whole: float) -> None:
        self.bits = bits
        self.whole = whole


def lost_by_nodes(counts: Counts | Moments, first: Nodes, last: Nodes, parent: Nodes) -> Lost:
    """Return what publishing a node instead of its leaves loses.

    Parameters
    ----------
    counts
        How many rows hold each leaf and label: (leaves, labels). Of a target that is a number, its moments by leaf.
    first, last
        The range of leaves below each node; the root stands first, and every node after its parent.
    parent
        The parent of each node.

    Examples
    --------
    >>> jobs = np.array([[500, 0], [0, 500], [2500, 2500]])
    >>> lost_by_nodes(jobs, [0, 0, 2], [3, 2, 3], [-1, 0, 0]).bits.round(2).tolist()
    [1.0, 1.0, 0.0]
    """
    bits = _lost(counts, np.asarray(first), np.asarray(last))
    # Nobody gains by a coarser value, though on average over more rows it may lose less.
    for node in range(bits.size - 1, 0, -1):
        bits[parent[node]] = max(bits[parent[node]], bits[node])
    return Lost(bits, float(bits[0]))


def _lost(counts: Counts | Moments, first: Counts, last: Counts) -> Floats:
    """Return what publishing ranges of cells loses, for each row of them."""
    if isinstance(counts, Moments):
        return counts.lost(first, last)
    ends = np.concatenate([np.zeros((1, counts.shape[1]), dtype=np.int64), np.cumsum(counts, axis=0)])
    below = np.concatenate([[0.0], np.cumsum(_bits(counts))])
    of_cells = np.concatenate([[0], np.cumsum(counts.sum(axis=1) > 0)])
    together = ends[last] - ends[first]
    lost = _bits(together) - (below[last] - below[first])
    # Entropies of few rows come out too small: by about (labels - 1) / (2 rows) for each cell.
    n_merged = np.maximum(of_cells[last] - of_cells[first] - 1, 0)
    lost -= n_merged * (np.count_nonzero(counts.sum(axis=0)) - 1) / (2 * np.log(2))
    return np.asarray(np.maximum(lost, 0.0) / np.maximum(together.sum(axis=1), 1))


def lost_by_intervals(counts: Counts | Moments, n: int) -> Lost:
    """Return what publishing an interval of cells instead of the cells loses, for each two edges.

    Parameters
    ----------
    counts
        How many rows hold each cell between two edges and each label: (cells, labels), or moments by cell.
    n
        How many cells there are.

    Examples
    --------
    >>> lost_by_intervals(np.array([[500, 0], [0, 500]]), 2).bits.round(2).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    first, last = np.triu_indices(n + 1, k=1)
    bits = np.zeros((n + 1, n + 1))
    bits[first, last] = _lost(counts, first, last)
    for width in range(2, n + 1):
        i = np.arange(n + 1 - width)
        bits[i, i + width] = np.maximum(bits[i, i + width], np.maximum(bits[i, i + width - 1], bits[i + 1, i + width]))
    return Lost(bits, float(bits[0, -1]))


def blended(plain: Floats | float, lost: Lost, every: Sequence[Lost]) -> Any:
    """Return prices that charge both for coarseness and for what is lost about the target.

    Withholding all columns costs as much as without a target.

    Parameters
    ----------
    plain
        Prices by coarseness; a number: that of withholding the column.
    lost
        What is lost about the target.
    every
        The same of all columns.
    """
    total = sum(each.whole for each in every)
    if total <= 0:
        return plain
    bits = lost.whole if isinstance(plain, float) else lost.bits
    return (1 - SHARE) * plain + SHARE * len(every) * bits / total


def _bits(counts: Counts) -> Floats:
    """Return rows times entropy of each line."""
    n = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(counts > 0, counts * np.log2(n[:, None] / np.maximum(counts, 1)), 0.0)
    return np.asarray(each.sum(axis=1), dtype=np.float64)
