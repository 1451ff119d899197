"""Units that publish the same as a whole: rows of a unit side by side are one record of a wider table.

Units of one size are grouped; the first members of a group's units publish the same, and so do the second ones. Then
what a unit publishes as a whole is shared by all units of its group, and so is what each of its rows publishes.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods import local
from withhold.releasing._unit_groups import Texts

__all__ = ["WideSearch", "members"]

Ints = NDArray[np.int64]
MOST_COLUMNS = 96
"""How many columns the rows of a unit may have side by side; further rows are withheld."""


class WideSearch:
    """Groups units size by size; what is not grouped yet is withheld.

    Parameters
    ----------
    columns, codes
        How columns may be published, and what each row holds.
    units
        The unit of each row.
    k
        How many units a group must hold.
    """

    def __init__(
        self, columns: Sequence[Any], codes: NDArray[np.int32], units: Ints, k: int, *, effort: Any, rng: int
    ) -> None:
        self._columns, self._codes, self._k = list(columns), codes, k
        self._settings = {"effort": effort, "rng": rng}
        self.texts = Texts.nothing(len(columns), codes.shape[0])
        self._members = members(codes, units, k, most=max(MOST_COLUMNS // max(len(columns), 1), 1))
        self.n_rows = codes.shape[0]
        if not self._members:
            n_units = np.unique(units).size
            raise InfeasibleError(
                f"{k:,} units that publish the same cannot be had: the table has {n_units:,}. Hint: a smaller k.",
                requirement=-1,
                asked=k,
                reached=n_units,
            )

    def steps(self) -> Iterator[tuple[int, int]]:
        """Yield how many rows are grouped, and how many there are, after each size."""
        n_grouped = 0
        for rows in self._members:
            self._group(rows)
            n_grouped += rows.size
            yield n_grouped, self.n_rows

    def _group(self, rows: Ints) -> None:
        """Group units of one size; a line of `rows` a unit."""
        size, n_columns = rows.shape[1], len(self._columns)
        codes = np.concatenate([self._codes[rows[:, member]] for member in range(size)], axis=1)
        wide = tuple(range(size * n_columns))
        promise = local.Promise(rule=local.at_least(self._k), columns=wide)
        done = local.recode(self._columns * size, codes, None, [promise], **self._settings)
        for member in range(size):
            self.texts.write(rows[:, member], done, first=member * n_columns)


def members(codes: NDArray[np.int32], units: Ints, k: int, *, most: int) -> list[Ints]:
    """Return the rows of units by size, largest first, a line a unit; rows in no line are withheld.

    A size that fewer than `k` units have would give them away: of each of these units a row is withheld, so that they
    are among the smaller ones. Withheld rows are a group as well, so that of at least `k` units rows are withheld, or
    of none.

    Examples
    --------
    >>> units = np.array([0, 0, 0, 1, 1, 2, 2, 3])
    >>> [rows.tolist() for rows in members(np.zeros((8, 1), dtype=np.int32), units, 2, most=9)]
    [[[0, 1], [3, 4], [5, 6]]]
    """
    order = np.lexsort((*codes.T[np.argsort([np.unique(column).size for column in codes.T])], units))
    _, begin, sizes = np.unique(units[order], return_index=True, return_counts=True)
    kept = _sizes(np.minimum(sizes, most), sizes, k)
    found = []
    for size in np.unique(kept[kept > 0])[::-1].tolist():
        some = np.flatnonzero(kept == size)
        found.append(order[begin[some][:, None] + np.arange(size)])
    return found


def _sizes(kept: Ints, whole: Ints, k: int) -> Ints:
    """Return how many rows of each unit are published."""
    found = _without_rare(kept.astype(np.int64), k)
    while 0 < np.count_nonzero(found < whole) < k and found.any():
        # The largest units give a row each, as many as make the withheld rows a group.
        largest = np.flatnonzero(found == found.max())
        unreduced = largest[found[largest] == whole[largest]]
        lacking = k - np.count_nonzero(found < whole)
        is_enough = unreduced.size >= lacking and largest.size - lacking >= k
        found[unreduced[:lacking] if is_enough else largest] -= 1
        found = _without_rare(found, k)
    return found


def _without_rare(sizes: Ints, k: int) -> Ints:
    """Return sizes of which each is that of at least `k` units, or of none: rarer ones become smaller."""
    found = sizes.copy()
    for size in range(int(found.max(initial=0)), 0, -1):
        is_here = found == size
        if 0 < np.count_nonzero(is_here) < k:
            found[is_here] -= 1
    return found
