"""Which published columns join the rows of a unit again, though the column that names units is gone."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._finding import Finding
from withhold.auditing._sight import Sight

__all__ = ["check_units"]

Ints = NDArray[np.int64]
MOST_COLUMNS = 25
"""How many columns are tried in pairs."""
MOST_JOINED = 0.05
"""The largest share of rows with others in their unit that may be joined to them."""


def check_units(sight: Sight) -> list[Finding]:
    """Count the rows that a column, or a pair of them, joins to other rows of their unit and to nobody else's.

    Nothing is found where the policy names no unit, or where nobody knows which row of the original is which.
    """
    units = sight.units if sight.rows is not None and sight.units_before is not None else None
    if units is None:
        return []
    is_several = np.bincount(units)[units] > 1
    n_several = int(is_several.sum())
    joined = np.zeros(units.size, dtype=bool)
    worst: tuple[int, tuple[str, ...]] = (0, ())
    for names, groups in _keys(sight):
        here = _joins(groups, units) & is_several
        joined |= here
        worst = max(worst, (int(here.sum()), names), key=lambda each: each[0])
    share = worst[0] / n_several if n_several else 0.0
    asked = any(requirement.whole_units for requirement in sight.policy.require)
    return [
        Finding(
            kind="units",
            where="unit",
            columns=worst[1],
            asked=MOST_JOINED,
            reached=share,
            ok=asked or share <= MOST_JOINED,
            says=_says(worst[1], worst[0], n_several, is_protected=asked),
            details={"rows_joined": worst[0], "rows_of_units": n_several, "rows_joined_by_any": int(joined.sum())},
        )
    ]


def _says(names: Sequence[str], n_joined: int, n_several: int, *, is_protected: bool) -> str:
    if not n_joined:
        return "no published column, and no two of them, join rows of a unit that nobody else shares"
    by = " and ".join(names)
    says = f"{by} {'join' if len(names) > 1 else 'joins'} {n_joined:,} of {n_several:,} rows to others of their unit"
    if is_protected:
        return f"{says}; what units publish as a whole is protected"
    if n_joined > MOST_JOINED * n_several:
        return f"{says}, so units can be put together again. Hint: drop or coarsen {by}, or ask for `unit_k`"
    return says


def _keys(sight: Sight) -> Iterator[tuple[tuple[str, ...], Ints]]:
    """Yield columns and pairs of them with the texts of each row.

    A combination of columns that groups are counted over is shared by several units, so pairs hold another column.
    """
    names = [name for name in sight.names if name != sight.policy.unit][:MOST_COLUMNS]
    for name in names:
        yield (name,), sight.groups([name])
    counted = {*sight.policy.counted}
    for one, other in combinations(names, 2):
        if not {one, other} <= counted:
            yield (one, other), sight.groups([one, other])


def _joins(groups: Ints, units: Ints) -> NDArray[np.bool_]:
    """Return which rows share their text with another row, all of them of one unit."""
    n_groups = int(groups.max(initial=-1)) + 1
    low, high = np.full(n_groups, units.size), np.full(n_groups, -1)
    np.minimum.at(low, groups, units)
    np.maximum.at(high, groups, units)
    return np.asarray((low == high)[groups] & (np.bincount(groups, minlength=n_groups) > 1)[groups])
