"""Withheld cells that no requirement hides: which of them a learner could name at all."""

from collections.abc import Mapping, Sequence

import numpy as np

from withhold.attackers import Target

__all__ = ["nameable"]


def nameable(targets: Sequence[Target], published: Mapping[str, Sequence[str]]) -> tuple[list[Target], str]:
    """Return the cells whose value the release holds elsewhere, and what to report of the others; empty where none.

    Parameters
    ----------
    targets
        The cells, by column.
    published
        For each column the values that the release holds.

    Examples
    --------
    >>> target = Target(column="job", rows=np.array([3, 4]), truth=("cook", "smith"))
    >>> found, note = nameable([target], {"job": ["smith"]})
    >>> found[0].truth
    ('smith',)
    >>> note.partition(";")[0]
    'other withheld cells: 1 of 2 was not tried'
    """
    found, n_lost, n_values = [], 0, 0
    for target in targets:
        truth = np.array(target.truth, dtype=object)
        values, place = np.unique(truth.astype(str), return_inverse=True)
        is_there = np.isin(values, list(published[target.column]))
        n_values += int((~is_there).sum())
        n_lost += int((~is_there[place]).sum())
        kept = np.flatnonzero(is_there[place])
        if kept.size:
            found.append(Target(column=target.column, rows=target.rows[kept], truth=tuple(truth[kept].tolist())))
    return found, _sentence(sum(len(target.rows) for target in targets), n_lost, n_values)


def _sentence(n_cells: int, n_lost: int, n_values: int) -> str:
    if not n_lost:
        return ""
    were = "was" if n_lost == 1 else "were"
    tried = "not measured" if n_lost == n_cells else f"{n_lost:,} of {n_cells:,} {were} not tried"
    values = f"these {n_values:,} values occur" if n_lost == n_cells else f"their {n_values:,} values occur"
    if n_values == 1:
        values = "its value occurs" if n_lost == 1 else "their value occurs"
    it = "it" if n_values == 1 else "them"
    return f"other withheld cells: {tried}; {values} nowhere in the release, so that no learner can name {it}."
