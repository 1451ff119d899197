"""Count units instead of rows: two members of a household never help each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups._group_measures import Crowd
from withhold.methods.groups._regroup import Ints, Lanes

__all__ = ["UnitLanes", "Units", "alike_units"]


class Units(Crowd):
    """At least `k` units; no `Size`, because what holds for rows by their number alone does not for units."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitLanes(Lanes):
    """A promise about the number of units in a group; `lane` is the unit of each row.

    Examples
    --------
    >>> homes = UnitLanes(Units(2), np.array([0, 0, 1, 2]), 1)
    >>> homes.histograms(np.array([0, 0, 1, 1]), 2).tolist()
    [[1], [2]]
    """

    def histogram(self, rows: Ints, weights: Ints) -> Ints:
        """Return how many units some rows belong to."""
        return np.array([np.unique(self.lane[rows]).size], dtype=np.int64)

    def histograms(self, groups: Ints, n_groups: int) -> Ints:
        """Return how many units each group holds, one line each."""
        pairs = np.unique(groups * (int(self.lane.max(initial=0)) + 1) + self.lane)
        held = pairs // (int(self.lane.max(initial=0)) + 1)
        return np.bincount(held, minlength=n_groups).reshape(-1, 1).astype(np.int64)

    def only(self, rows: Ints) -> "UnitLanes":
        """Return the same promise about some of the rows."""
        return UnitLanes(self.measure, self.lane[rows], self.n_lanes)


def alike_units(units: Ints, groups: Ints, counts: NDArray[np.bool_]) -> Ints:
    """Return for each unit how many units have the same rows, 0 for one without any that count.

    Parameters
    ----------
    units
        The unit of each row, from 0 on.
    groups
        The combination that each row publishes.
    counts
        Which rows count; those that publish nothing do not.

    Examples
    --------
    >>> alike_units(np.array([0, 0, 1, 1, 2]), np.array([7, 8, 8, 7, 7]), np.ones(5, dtype=bool)).tolist()
    [2, 2, 1]
    """
    n_units = int(units.max(initial=-1)) + 1
    rows = np.flatnonzero(counts)
    rows = rows[np.lexsort((groups[rows], units[rows]))]
    sizes = np.bincount(units[rows], minlength=n_units)
    begin = np.cumsum(sizes) - sizes
    name = sizes.astype(np.int64)
    for place in range(int(sizes.max(initial=0))):
        some = np.flatnonzero(sizes > place)
        here = groups[rows[begin[some] + place]]
        # Names differ where sizes or earlier rows do; only units of one size are compared in the end.
        name[some] = np.unique(np.stack([name[some], here]), axis=1, return_inverse=True)[1].reshape(-1)
    alike = np.unique(np.stack([sizes, name]), axis=1, return_inverse=True, return_counts=True)
    return np.where(sizes > 0, alike[2][alike[1].reshape(-1)], 0).astype(np.int64)
