"""How much was lost: certainty penalty, withheld cells, distinct values, group sizes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.metrics._published import marginal, published_labels
from withhold.table import Domain, NumberRecoding, Numbers, Recoding, Table

__all__ = [
    "Withheld",
    "average_group_size",
    "discernibility",
    "distinct_kept",
    "ncp",
    "ncp_overall",
    "withheld_cells",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """How many cells of a column were changed."""

    blanked: int
    """Cells that are withheld altogether."""
    coarsened: int
    """Cells that are published under a coarser name, or as an interval."""


def ncp(table: Table, recodings: Iterable[Recoding]) -> dict[str, float]:
    """Return the normalised certainty penalty of each recoded column: 0 as it was, 1 withheld altogether.

    Notes
    -----
    A category published as a node with `u` of the `n` leaves below it costs ``u / n`` (a leaf costs 0), a number
    published as an interval costs its width over the width of the whole range. The mean over all rows is returned.

    Examples
    --------
    >>> from withhold import Anonymity, samples
    >>> from withhold.methods import tds
    >>> table = samples.tds_table1()
    >>> result = tds(table, [Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    >>> {column: round(value, 4) for column, value in ncp(table, result.recodings).items()}
    {'Education': 0.1261, 'Sex': 0.0}
    """
    found = {}
    for recoding in recodings:
        counts = marginal(table, recoding.column)
        penalties = _penalties(table.domain(recoding.column), recoding, published_labels(table, recoding))
        found[recoding.column] = float((penalties * counts).sum() / counts.sum())
    return found


def ncp_overall(per_column: dict[str, float]) -> float:
    """Return the mean penalty over all cells of the recoded columns.

    Examples
    --------
    >>> ncp_overall({"age": 0.5, "sex": 0.0})
    0.25
    """
    return sum(per_column.values()) / len(per_column) if per_column else 0.0


def withheld_cells(table: Table, recodings: Iterable[Recoding]) -> dict[str, Withheld]:
    """Return for each recoded column how many cells were blanked and how many coarsened."""
    found = {}
    for recoding in recodings:
        domain = table.domain(recoding.column)
        counts = marginal(table, recoding.column)
        labels = published_labels(table, recoding)
        blank = np.array([label == "*" for label in labels], dtype=bool)
        if isinstance(domain, Numbers):
            kept = np.array([label is None for label in labels], dtype=bool)
        else:
            kept = np.array([label == leaf for label, leaf in zip(labels, domain.leaves, strict=True)], dtype=bool)
        found[recoding.column] = Withheld(blanked=int(counts[blank].sum()), coarsened=int(counts[~blank & ~kept].sum()))
    return found


def distinct_kept(table: Table, recodings: Iterable[Recoding]) -> dict[str, tuple[int, int]]:
    """Return for each recoded column how many distinct values occurred, and how many are published."""
    found = {}
    for recoding in recodings:
        occurs = marginal(table, recoding.column) > 0
        labels = published_labels(table, recoding)
        published = {label for label, here in zip(labels, occurs, strict=True) if here}
        found[recoding.column] = (int(occurs.sum()), len(published))
    return found


def discernibility(group_sizes: Sequence[int] | NDArray[np.int64]) -> int:
    """Return the sum of the squared group sizes: each row costs the size of the group it hides in.

    Examples
    --------
    >>> discernibility([2, 3])
    13
    """
    return sum(int(size) * int(size) for size in group_sizes)


def average_group_size(group_sizes: Sequence[int] | NDArray[np.int64]) -> float:
    """Return the mean number of rows a group.

    Examples
    --------
    >>> average_group_size([2, 3])
    2.5
    """
    sizes = np.asarray(group_sizes)
    return float(sizes.mean()) if sizes.size else 0.0


def _penalties(domain: Domain, recoding: Recoding, labels: Sequence[str | None]) -> NDArray[np.float64]:
    if isinstance(domain, Numbers):
        assert isinstance(recoding, NumberRecoding)
        width = domain.high - domain.low
        ends = [*recoding.starts[1:], recoding.high][: len(recoding.starts)]  # none where all is missing
        each = {
            label: (end - start) / width if width else 0.0
            for start, end, label in zip(recoding.starts, ends, recoding.labels, strict=True)
        }
        each["*"] = 1.0
        return np.array([0.0 if label is None else each[label] for label in labels])
    n_below: dict[str | None, int] = {}
    for label in labels:
        n_below[label] = n_below.get(label, 0) + 1
    leaves = domain.leaves
    shares = [
        0.0 if label == leaf else 1.0 if label == "*" else n_below[label] / len(leaves)
        for label, leaf in zip(labels, leaves, strict=True)
    ]
    return np.array(shares)
