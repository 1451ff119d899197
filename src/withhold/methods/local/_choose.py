"""Choose which groups of a tree to keep, so that the rows put back still keep every rule."""

import numpy as np

from withhold._compiled import Array
from withhold.methods.local._asked import Asked, all_met
from withhold.methods.local._lean import entry, woven

__all__ = ["back_off"]


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
    rest = np.zeros((is_last.size, counts.shape[1]), dtype=np.int64)
    _back_off(dearest, part, counts, is_kept, is_last.copy(), rest, least, asked)


@entry
def _back_off(
    dearest: Array, part: Array, counts: Array, is_kept: Array, is_fine: Array, rest: Array, least: int, asked: Asked
) -> None:
    for g in range(part.size):
        if not is_kept[g]:
            for h in range(counts.shape[1]):
                rest[part[g], h] += counts[g, h]
    for p in range(is_fine.size):
        is_fine[p] = is_fine[p] or _is_fine(rest, p, least, asked)
    for i in range(dearest.size):
        g, p = dearest[i], part[dearest[i]]
        if not is_fine[p]:
            is_kept[g] = False
            for h in range(counts.shape[1]):
                rest[p, h] += counts[g, h]
            is_fine[p] = _is_fine(rest, p, least, asked)


@woven
def _is_fine(rest: Array, p: int, least: int, asked: Asked) -> bool:
    return rest[p, 0] == 0 or (rest[p, 0] >= least and all_met(asked, rest[p]))
