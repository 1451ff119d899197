"""Choose which groups of a tree to keep, so that the rows put back still keep every rule."""

import numpy as np

from withhold._compiled import Array, compiled
from withhold.methods.local._asked import Asked, all_met

__all__ = ["back_off"]


@compiled
def back_off(
    dearest: Array, part: Array, counts: Array, is_kept: Array, is_last: Array, least: int, asked: Asked
) -> None:
    """Put kept groups back, the dearest first, until what is not kept of each part meets all rules, or is nothing.

    Parameters
    ----------
    dearest
        The kept groups, the dearest first.
    part
        The part of each group.
    counts
        The histogram of each group.
    is_kept
        Which groups are kept; changed in place.
    is_last
        Which parts are kept in full.
    """
    rest = np.zeros((is_last.size, counts.shape[1]), np.int64)
    for g in range(part.size):
        if not is_kept[g]:
            rest[part[g]] += counts[g]
    is_fine = is_last.copy()
    for p in range(is_last.size):
        is_fine[p] = is_fine[p] or _is_fine(rest[p], least, asked)
    for i in range(dearest.size):
        p = part[dearest[i]]
        if not is_fine[p]:
            is_kept[dearest[i]] = False
            rest[p] += counts[dearest[i]]
            is_fine[p] = _is_fine(rest[p], least, asked)


@compiled
def _is_fine(counts: Array, least: int, asked: Asked) -> bool:
    return counts[0] == 0 or (counts[0] >= least and all_met(asked, counts))
