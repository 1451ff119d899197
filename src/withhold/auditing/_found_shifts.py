"""Dates that were moved: the owner, who has both files, finds by how many days each unit's were."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._finding import Finding
from withhold.engines import Source
from withhold.policy import Policy, dates_of, most_days, move_dates, row_units, shifted_columns
from withhold.table import Rereadable, Table
from withhold.taxonomies import NO_DAY, first_and_last_days, parse_dates

__all__ = ["find_shifts"]

_Ints = NDArray[np.int64]


def find_shifts(source: Source, policy: Policy, original: Table, rows: _Ints | None) -> tuple[Table, list[Finding]]:
    """Return the original with its dates moved as those of the file are, and what is found about that.

    Each date that is published, whether as a day or as a longer period, leaves a span of days by which it can have been
    moved. All dates of a unit must leave some number of days in common, within the limit of the policy. Where a file
    was moved otherwise, the dates of that unit are left where they stood, and comparing cells finds them.

    Parameters
    ----------
    source
        The file.
    policy
        What was promised.
    original
        The table it was made from, as the policy reads it, dates where they stood.
    rows
        The place in the original of each row of the file.
    """
    names = tuple(name for name in shifted_columns(policy, original.names) if name in source.names)
    if not names or rows is None:
        return original, []
    most = most_days(policy)
    units = row_units(policy, original)
    n_units = int(units.max(initial=-1)) + 1
    low, high = np.full(n_units, -most), np.full(n_units, most)
    for name in names:
        least, longest = _spans(source, policy, original, name, rows)
        np.maximum.at(low, units[rows], least)
        np.minimum.at(high, units[rows], longest)
    is_wrong = low > high
    # Of the days that fit, the fewest: coarse dates leave several.
    found = np.where(is_wrong, 0, np.clip(0, low, np.maximum(low, high)))
    moved = move_dates(policy, original, found[units])
    store = original.store
    assert isinstance(store, Rereadable)
    return original.on(store.with_cells(moved), without=moved), [_finding(policy, names, most, int(is_wrong.sum()))]


def _spans(source: Source, policy: Policy, original: Table, name: str, rows: _Ints) -> tuple[_Ints, _Ints]:
    """Return for each row of the file the fewest and the most days by which its date can have been moved."""
    marks = original.missing | frozenset(policy.missing)
    periods, _ = parse_dates(source.values(name), date_format=policy.columns[name].format, missing=marks)
    first, last = first_and_last_days(periods)
    cells = source.cells(name)
    stood = dates_of(policy, original, name).numbers[original.store.cells(name)[rows]]
    is_known = (first[cells] != NO_DAY) & (stood != NO_DAY)
    everything = np.iinfo(np.int64).max
    least = np.where(is_known, first[cells] - np.where(is_known, stood, 0), -everything)
    longest = np.where(is_known, last[cells] - np.where(is_known, stood, 0), everything)
    return least, longest


def _finding(policy: Policy, names: Sequence[str], most: int, n_wrong: int) -> Finding:
    of_what = "row" if policy.unit is None else policy.unit
    says = f"the dates of each {of_what} are moved by one number of days, at most {most}"
    if n_wrong:
        says = f"the dates of {n_wrong:,} {of_what}s are not moved by one number of days of at most {most}"
    return Finding(
        kind="shift",
        where="",
        columns=tuple(names),
        asked=0,
        reached=n_wrong,
        ok=n_wrong == 0,
        says=says,
    )
