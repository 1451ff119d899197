"""What every engine offers: read and count a source, apply a decision to it, write it, check what was written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.table import Decision, Recoding, Store

__all__ = ["Confidence", "Majority", "SmallGroups", "Source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """How confidently the groups over some columns imply a value, as far as a check of a template needs it."""

    n_groups: int
    """The number of distinct combinations."""
    n_above: int
    """How many groups imply the value more confidently than allowed."""
    n_rows_above: int
    """How many rows lie in such groups."""
    held: int
    """In the most revealing group: the rows that hold the value …"""
    among: int
    """… among this many."""
    n_holding: int
    """How many rows of the whole table hold the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Majority:
    """How well the groups over some columns determine another column, as far as an attack needs it."""

    n_rows: int
    """The rows that hold a value in the other column, not a blank."""
    n_right: int
    """How many of them the most frequent value of their group is right on …"""
    n_right_overall: int
    """… and how many the most frequent value of the whole column."""
    n_certain: int
    """How many of them lie in a group where all that hold a value hold the same …"""
    n_single: int
    """… and how many of these are the only row of their group that holds one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallGroups:
    """The groups of a table over some columns, as far as a check of anonymity needs them."""

    n_groups: int
    """The number of distinct combinations."""
    smallest: int
    """The size of the smallest group; 0 for an empty table."""
    n_small: int
    """How many groups have fewer than k rows …"""
    n_single: int
    """… and how many have one alone."""
    n_small_rows: int
    """How many rows lie in such groups."""
    sizes: tuple[int, ...]
    """The sizes of the smallest groups, ascending, ten at most; never their values."""
    sum_of_squares: int
    """The sum of the squared group sizes (discernibility)."""


class Source(Store, Protocol):
    """A table behind an engine."""

    @property
    def description(self) -> str:
        """What the source is, for messages."""

    def is_typed(self, name: str) -> bool:
        """Tell whether a column has a type other than text: a withheld value of it is a null."""

    def write(self, decision: Decision, path: Path, *, key: str) -> None:
        """Apply a decision to every row and write the result by the suffix of `path`; `key` orders shuffled rows."""

    def published(
        self, decision: Decision, *, key: str, columns: Sequence[str] | None = None
    ) -> dict[str, NDArray[np.object_]]:
        """Apply a decision to every row and return published columns, in the order that would be written."""

    def row_positions(self, decision: Decision, *, key: str) -> NDArray[np.int64]:
        """Return the position in the source of each row that would be written."""

    def rows_where(self, condition: str, numbers: Sequence[str], *, without: Sequence[str] = ()) -> NDArray[np.int64]:
        """Return the positions of the rows that meet a condition over the columns' own names."""

    def meets(self, condition: str, numbers: Sequence[str], *, without: Sequence[str] = ()) -> NDArray[np.bool_]:
        """Return row by row whether a condition is met; the same question as `rows_where`, asked otherwise."""

    def hashes(self, name: str) -> NDArray[np.uint64]:
        """Return a number for each cell of a column, row by row: the same for the same text, in any source."""

    def floats(self, name: str) -> NDArray[np.float64]:
        """Return the cells of a column as numbers, row by row; NaN where a text is none."""

    def small_groups(self, columns: Sequence[str], k: int) -> SmallGroups:
        """Count the groups over some columns and those below `k` rows."""

    def confidence(
        self,
        columns: Sequence[str],
        column: str,
        spellings: Sequence[str],
        at_most: float,
        *,
        unknown: Sequence[str | None] = ("*",),
    ) -> Confidence:
        """Count how confidently the groups over some columns imply a value of another one, however it is spelled.

        Rows where the other one is in `unknown` (None is missing) prove nothing, so they do not lower a share.
        """

    def majority(self, columns: Sequence[str], column: str, blanks: Sequence[str]) -> Majority:
        """Count how often the most frequent value of a group is right; `blanks` are texts that hold nothing."""

    def mark(self, recoding: Recoding, path: Path) -> str | None:
        """Return how a withheld value of a column reads in a file: ``*``, or None where it is a null."""

    def close(self) -> None:
        """Let go of everything the engine holds."""
