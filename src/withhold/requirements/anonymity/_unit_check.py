"""Counting units for a check: how many households share a combination, and how many look alike as a whole."""

import numpy as np
from numpy.typing import NDArray

from withhold.engines import SmallGroups
from withhold.requirements._check import Question
from withhold.requirements.anonymity._requirement import Anonymity

__all__ = ["count_alike_units", "count_units", "units_of_rows"]

Ints = NDArray[np.int64]
SHOWN_SIZES = 10


def units_of_rows(question: Question) -> Ints | None:
    """Return the unit of each row of the file, by the original or by the file itself; None where nobody knows.

    A row whose unit is missing is one of its own.
    """
    unit, sight = question.policy.unit, question.sight
    assert unit is not None
    original = question.original
    if original is not None and unit in original.names and sight.rows is not None:
        values, cells = original.store.values(unit), original.store.cells(unit)[sight.rows]
        marks = {"", *original.missing, *question.policy.missing}
    elif unit in question.source.names:
        values, cells = question.source.values(unit), question.source.cells(unit)
        marks = {"", "*", *question.policy.missing}
    else:
        return None
    is_missing = np.array([value is None or value in marks for value in values], dtype=bool)
    found = cells.astype(np.int64)
    alone = np.flatnonzero(is_missing[found])
    found[alone] = len(values) + np.arange(alone.size)
    return np.unique(found, return_inverse=True)[1].reshape(-1).astype(np.int64)


def count_units(question: Question, requirement: Anonymity, units: Ints) -> SmallGroups:
    """Count the units that share each combination of the file."""
    groups = question.sight.groups(requirement.columns)
    rows = np.bincount(groups)
    order = np.lexsort((units, groups))
    is_new = np.ones(order.size, dtype=bool)
    is_new[1:] = (groups[order][1:] != groups[order][:-1]) | (units[order][1:] != units[order][:-1])
    n_units = np.bincount(groups[order][is_new], minlength=rows.size)
    is_small = n_units < requirement.k
    return SmallGroups(
        n_groups=rows.size,
        smallest=int(n_units.min(initial=units.size)),
        n_small=int(is_small.sum()),
        n_single=int((n_units == 1).sum()),
        n_small_rows=int(rows[is_small].sum()),
        sizes=tuple(sorted(n_units[is_small].tolist())[:SHOWN_SIZES]),
        sum_of_squares=int((rows.astype(np.int64) ** 2).sum()),
    )


def count_alike_units(question: Question, requirement: Anonymity, units: Ints) -> tuple[int, int, int]:
    """Return how many units the rarest unit looks like as a whole, how many are too rare, and how many there are.

    Rows in which every column is withheld show nothing of a unit, so they do not count.
    """
    groups, sight = question.sight.groups(requirement.columns), question.sight
    says = np.zeros(units.size, dtype=bool)
    for name in requirement.columns:
        meaning = sight.meaning(name)
        is_blank = meaning.is_withheld | (meaning.is_missing if question.source.is_typed(name) else False)
        says |= ~is_blank[sight.cells(name)]
    rows = np.flatnonzero(says)
    rows = rows[np.lexsort((groups[rows], units[rows]))]
    _, begin, sizes = np.unique(units[rows], return_index=True, return_counts=True)
    smallest, n_rare = int(units.size), 0
    for size in np.unique(sizes).tolist():
        lines = groups[rows][begin[sizes == size][:, None] + np.arange(size)]
        n_alike = np.unique(lines, axis=0, return_counts=True)[1]
        smallest = min(smallest, int(n_alike.min()))
        assert requirement.unit_k is not None
        n_rare += int(n_alike[n_alike < requirement.unit_k].sum())
    return smallest, n_rare, int(np.unique(units).size)
