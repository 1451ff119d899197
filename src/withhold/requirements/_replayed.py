"""How much is given away by groups that were made larger because smaller ones broke a promise.

Smaller groups are tried first. That larger ones are published shows that each of the smaller broke the promise. Let `q`
be the chance of that when the sensitive values of each published group are dealt out anew among its people. Then no
chance that anybody infers is above the share in the group divided by `q`: of all deals that fit what is published, a
share of `q` at least leads to it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups import Lanes

__all__ = ["chance_of_failing"]

DEALS = 500
"""How often values are dealt out anew."""
DOUBT = 0.001
"""How seldom the chance is overstated."""


def chance_of_failing(groups: NDArray[np.int64], failed: Sequence[NDArray[np.int64]], asked: Sequence[Lanes]) -> float:
    """Return a lower bound of the chance that all smaller groups would have broken a promise, whoever holds what.

    Parameters
    ----------
    groups
        For each row the group that is published.
    failed
        The same for each smaller grouping that was tried.
    asked
        What is promised of the groups.

    Notes
    -----
    It depends on how often each value stands in each published group and on nothing else: values are put in order
    before they are dealt out, by a generator that starts anew. The bound is that of Clopper and Pearson.

    Examples
    --------
    >>> from withhold.methods.groups import Share
    >>> people = Lanes(Share((0,), 0.5), np.array([0, 0, 1, 1]), 2)
    >>> both, pairs = np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1])
    >>> chance_of_failing(both, [], [people])
    1.0
    >>> 0.2 < chance_of_failing(both, [pairs], [people]) < 1 / 3
    True
    """
    if not failed:
        return 1.0
    rng = np.random.default_rng(0)
    order = np.lexsort([*(each.lane for each in asked), groups])
    sizes = [int(each.max(initial=-1)) + 1 for each in failed]
    n_failing = 0
    for _ in range(DEALS):
        dealt = np.empty(groups.size, dtype=np.int64)
        dealt[np.lexsort((rng.random(groups.size), groups))] = order
        lanes = [Lanes(each.measure, each.lane[dealt], each.n_lanes) for each in asked]
        n_failing += all(_breaks(each, n, lanes) for each, n in zip(failed, sizes, strict=True))
    return _lower_bound(n_failing, DEALS)


def _breaks(groups: NDArray[np.int64], n_groups: int, lanes: Sequence[Lanes]) -> bool:
    return any(not each.measure.is_met(each.histograms(groups, n_groups)).all() for each in lanes)


def _lower_bound(n_seen: int, n_all: int) -> float:
    """Return the smallest chance under which this many would be seen at least as often as there is doubt."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(n_seen, n_all, middle) < DOUBT else (low, middle)
    return low


def _tail(n_least: int, n_all: int, chance: float) -> float:
    """Return the chance of at least so many of all."""
    if n_least == 0:
        return 1.0
    if not 0 < chance < 1:
        return float(chance >= 1)
    k = np.arange(1, n_all + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(n_all - k + 1) - np.log(k))])
    places = np.arange(n_all + 1)
    logs += places * np.log(chance) + (n_all - places) * np.log1p(-chance)
    return float(np.exp(logs[n_least:]).sum())
