"""What every engine offers: read and count a source, apply a decision to it, write it, check what was written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.table import Codes, Decision, Recoding, Rereadable, Store

__all__ = ["Cluster", "Confidence", "Groups", "Holding", "Majority", "SmallGroups", "Source"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A measure of a group: how many of its rows hold one of some texts."""

    column: str
    """The column."""
    texts: tuple[str | None, ...]
    """The texts; None is missing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Groups:
    """The distinct rows over some columns, with counts."""

    codes: list[Codes]
    """For each column the places of its values in the column's dictionary."""
    sizes: NDArray[np.int64]
    """How many rows each group has."""
    held: list[NDArray[np.int64]]
    """For each measure how many rows of each group hold one of its texts."""


class Source(Store, Rereadable, Protocol):
    """A table behind an engine."""

    @property
    def has_rows(self) -> bool:
        """Whether whole columns can be had here, and not only counts."""

    @property
    def has_order(self) -> bool:
        """Whether rows have numbers: a second reading, or a file written from it, has them in the same order."""

    @property
    def description(self) -> str:
        """What the source is, for messages."""

    def groups(self, columns: Sequence[str], measures: Sequence[Holding] = ()) -> Groups:
        """Count the groups over some columns, and how many of their rows hold what each measure asks for."""

    def column_hashes(self, names: Sequence[str]) -> dict[str, int]:
        """Return for each column a number: the same for the same cells in any order, in any source of this engine."""

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

    def texts(self, name: str) -> NDArray[np.object_]:
        """Return the cells of a column as text, row by row; None where one is missing."""

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


@runtime_checkable
class Cluster(Protocol):
    """What a source offers whose rows stay on other machines: counts come, rows only where there are few."""

    most_rows: int
    """How many rows may be sent here."""
    most_groups: int
    """How many distinct rows may be sent here."""

    @property
    def n_jobs(self) -> int:
        """How many questions the cluster has answered."""

    def prepare(self, names: Sequence[str]) -> None:
        """Count the distinct rows over some columns, by one GROUP BY that later questions are answered from."""

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether the distinct rows over some columns were counted and may come here."""

    def merged_counts(
        self, names: Sequence[str], merged: Sequence[Mapping[str, NDArray[np.int64]]]
    ) -> list[tuple[list[NDArray[np.int64]], NDArray[np.int64]]] | None:
        """Count distinct rows under coarser values, in one question; None where more than `most_groups` would come."""

    def rows(self, why: str) -> Source:
        """Return all rows, held by the embedded engine; refused with `why` where there are too many."""

    def drawn(self) -> Source:
        """Return rows drawn by chance, as many as may be sent here; the table itself where all may."""

    def without_rows(self) -> Source:
        """Return the same table as one of which only counts can be had."""

    def read_back(self, place: Path | str) -> Source:
        """Open what was written, as a table of which only counts can be had."""

    def write_to(self, decision: Decision, place: str, *, key: str, typed: bool) -> None:
        """Write a folder wherever the cluster can write, of Parquet where columns have types, else of CSV."""

    def publish(self, url: str, folder: str) -> None:
        """Make a folder below a URL its release, in one step."""

    def remove(self, folder: str) -> None:
        """Remove a folder that was written and is no release."""

    def rows_hash(self, *, anew: bool = False) -> int:
        """Return a number of all rows, the same for the same rows in any order; counted again where `anew`."""

    # What a protocol has as a property is read to see whether something fits it: none of these may ask the cluster.
    @property
    def written_hash(self) -> int | None:
        """The number of the rows that were written last, as the executors had them; None where none were."""

    def published_frame(self, decision: Decision, *, key: str) -> Any:
        """Return the rows as a decision publishes them, as a frame of the cluster."""
