"""How many people with a withheld cell would hold a sensitive value, by what their other values say of it alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["ExpectedShare", "expected_share"]

_Ints = NDArray[np.int64]
_Flags = NDArray[np.bool_]
ALIKE = 10
"""People are put in order by what their values say, and cut into parts of about this many or more."""
DEVIATIONS = 2.576
"""An interval of 99 %: what lies outside of it is no luck, as for every other test of an audit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedShare:
    """The share of a sensitive value among people with a withheld cell: found, and expected."""

    n_withheld: int
    """How many people have a withheld cell …"""
    n_held: int
    """… and how many of them hold the value."""
    among_all: float
    """The share of the value among all people."""
    expected: float
    """Its share among people with a withheld cell, had the values been dealt out anew among people who are alike."""
    low: float
    """The lower end of its interval of 99 % …"""
    high: float
    """… and the upper one."""

    @property
    def found(self) -> float:
        """The share that is found."""
        return self.n_held / self.n_withheld if self.n_withheld else 0.0

    @property
    def is_explained(self) -> bool:
        """Whether what people are, and not what is withheld of them, explains the share that is found."""
        return self.low <= self.found <= self.high


def expected_share(columns: Sequence[_Ints], is_held: _Flags, is_withheld: _Flags) -> ExpectedShare:
    """Return how often people with a withheld cell hold a value, beside what is expected of people like them.

    Somebody with rare values is withheld more often, and may be ill more or less often than others. That is nothing
    that the release gives away: whoever knows the person's values knows it, too. What the release adds is what is left
    among people whose values say the same.

    Parameters
    ----------
    columns
        For each column that people may be known by, its cells in the original as whole numbers from 0.
    is_held
        Who holds the value.
    is_withheld
        Of whom a cell is withheld.

    Notes
    -----
    What values say, and how rare they are together, is the odds of naive Bayes with Laplace's smoothing, learned from
    one half of the people for the other: nobody's own answer decides with whom he is compared. Each half is put in
    order by it and cut into strata of ten people or more. Within one the value is dealt out anew: expected counts and
    variances are hypergeometric, and added up over strata (Mantel and Haenszel 1959). O(rows log rows + rows times
    columns).

    Examples
    --------
    >>> age = np.repeat([0, 1], 500)
    >>> ill = np.arange(1000) % 10 < np.where(age == 1, 8, 1)
    >>> blank = (age == 1) & (np.arange(1000) % 3 == 0)
    >>> found = expected_share([age], ill, blank)
    >>> round(found.among_all, 2), round(found.found, 2), round(found.expected, 2), found.is_explained
    (0.45, 0.8, 0.8, True)
    >>> expected_share([age], ill, blank & ill).is_explained
    False
    """
    n_rows, n_withheld = is_held.size, int(np.count_nonzero(is_withheld))
    if not n_withheld:
        return ExpectedShare(n_withheld=0, n_held=0, among_all=_mean(is_held), expected=0.0, low=0.0, high=0.0)
    halves = np.random.default_rng(0).permutation(n_rows) % 2 == 0
    strata = np.zeros(n_rows, dtype=np.int64)
    columns = [*columns, _rarity(columns, n_rows)]
    for place, half in enumerate((halves, ~halves)):
        strata[half] = place * 2 * n_rows + _strata(_odds(columns, is_held, half))
    strata = np.unique(strata, return_inverse=True)[1].astype(np.int64)
    n_all = np.bincount(strata).astype(np.float64)
    holding = np.bincount(strata, weights=is_held)
    drawn = np.bincount(strata, weights=is_withheld)
    expected = float((drawn * holding / n_all).sum())
    spread = drawn * holding * (n_all - holding) * (n_all - drawn) / (n_all**2 * np.maximum(n_all - 1, 1))
    # Half a person, because counts are whole numbers.
    room = DEVIATIONS * sqrt(float(spread.sum())) + 0.5
    return ExpectedShare(
        n_withheld=n_withheld,
        n_held=int(np.count_nonzero(is_held & is_withheld)),
        among_all=_mean(is_held),
        expected=expected / n_withheld,
        low=max(0.0, (expected - room) / n_withheld),
        high=min(1.0, (expected + room) / n_withheld),
    )


def _mean(flags: _Flags) -> float:
    return float(flags.mean()) if flags.size else 0.0


def _rarity(columns: Sequence[_Ints], n_rows: int) -> _Ints:
    """Return for each person how rare his values are together: who is withheld is rare, and that says something."""
    groups = np.zeros(n_rows, dtype=np.int64)
    for cells in columns:
        keys = groups * (int(cells.max(initial=0)) + 1) + cells
        groups = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return np.asarray(np.log2(np.bincount(groups, minlength=1)[groups]).astype(np.int64))


def _odds(columns: Sequence[_Ints], is_held: _Flags, half: _Flags) -> NDArray[np.float64]:
    """Return for each person of a half the logarithm of the odds by naive Bayes, learned from the other half."""
    learned = is_held[~half].astype(np.int64)
    total = np.bincount(learned, minlength=2).astype(np.float64)
    found = np.full(np.count_nonzero(half), np.log((total[1] + 1) / (total[0] + 1)))
    for cells in columns:
        values, places = np.unique(cells, return_inverse=True)
        counts = np.ones((values.size, 2))
        np.add.at(counts, (places[~half], learned), 1.0)
        shares = counts / (total + values.size)
        found += np.log(shares[:, 1] / shares[:, 0])[places[half]]
    return found


def _strata(odds: NDArray[np.float64]) -> _Ints:
    """Return for each person a stratum: people of the same odds, or where they are few, those next to them."""
    ranks = np.unique(np.round(odds, 9), return_inverse=True)[1]
    sizes = np.bincount(ranks)
    is_few = sizes < ALIKE
    few = np.where(is_few, sizes, 0)
    begins = np.cumsum(few) - few
    return np.asarray(np.where(is_few, begins // ALIKE, odds.size + np.arange(sizes.size))[ranks], dtype=np.int64)
