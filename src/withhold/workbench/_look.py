"""What a table looks like, column by column, for the owner's eyes: profiles, histograms, who is alone."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from withhold._inspect import ColumnProfile, inspect_table, unique_rows
from withhold.auditing import Uniques
from withhold.table import Table

__all__ = ["Bars", "ColumnLook", "Look", "look_at", "values_of"]

MOST_BARS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A small histogram."""

    counts: tuple[int, ...]
    """The rows of each bar."""
    labels: tuple[str, ...]
    """What each bar holds."""
    n_left_out: int = 0
    """How many rarer values have no bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLook:
    """One column."""

    profile: ColumnProfile
    """What `inspect` reports of it."""
    bars: Bars
    """Its histogram."""
    n_sets: int = 0
    """In how many of the smallest sets of columns that make a row unique it takes part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A whole table."""

    n_rows: int
    """Its rows."""
    columns: tuple[ColumnLook, ...]
    """Its columns."""
    uniques: Uniques | None
    """On how few columns rows are unique; None where no column could make one so."""

    @property
    def share_alone(self) -> float:
        """The share of rows that are unique on the largest sets of columns that were looked at."""
        rows = [n for n in self.uniques.rows if n is not None] if self.uniques else []
        return rows[-1] / self.n_rows if rows and self.n_rows else 0.0


def look_at(table: Table, *, say: Callable[[str], object] = lambda what: None) -> Look:
    """Look at every column of a table.

    Examples
    --------
    >>> from withhold import samples
    >>> found = look_at(samples.tds_table1())
    >>> [column.profile.name for column in found.columns], found.columns[1].bars.labels
    (['Education', 'Sex', 'Work_Hrs', 'Class'], ('F', 'M'))
    """
    say("counting values")
    profiles = inspect_table(table)
    say("looking for people who are alone")
    uniques = unique_rows(table, profiles)
    sets = uniques.by_column if uniques else {}
    columns = tuple(
        ColumnLook(profile=each, bars=_bars(table, each), n_sets=int(sets.get(each.name) or 0)) for each in profiles
    )
    return Look(n_rows=table.n_rows, columns=columns, uniques=uniques)


def values_of(table: Table, name: str) -> list[str]:
    """Return the values of a column as text, missing left out."""
    return [value for value in table.store.values(name) if value is not None]


def _bars(table: Table, profile: ColumnProfile) -> Bars:
    name = profile.name
    if profile.looks == "identifier":
        return Bars(counts=(), labels=())
    positions, weights = table.store.counts([name])
    counts = np.zeros(len(table.store.values(name)), dtype=np.int64)
    np.add.at(counts, positions[0].astype(np.int64), weights)
    if profile.looks in ("number", "amount"):
        marks = table.missing | frozenset(profile.missing_codes)
        return _number_bars(table.store.numbers(name, missing=marks), counts)
    texts = list(table.store.values(name))
    order = [int(i) for i in np.argsort(-counts, kind="stable") if texts[int(i)] is not None]
    shown = order[:MOST_BARS]
    return Bars(
        counts=tuple(int(counts[i]) for i in shown),
        labels=tuple(str(texts[i]) for i in shown),
        n_left_out=len(order) - len(shown),
    )


def _number_bars(numbers: np.ndarray, counts: np.ndarray) -> Bars:
    is_number = np.isfinite(numbers)
    found, edges = np.histogram(
        numbers[is_number],
        bins=min(MOST_BARS, max(1, int(np.unique(numbers[is_number]).size))),
        weights=counts[is_number],
    )
    labels = tuple(f"{low:g} – {high:g}" for low, high in pairwise(edges))
    return Bars(counts=tuple(int(n) for n in found), labels=labels)
