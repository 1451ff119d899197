"""Two attacks that need no learner: find a person's rows by what is known, and read off what these rows reveal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from withhold.engines import Majority, Source
from withhold.policy import Policy
from withhold.table import WITHHELD

__all__ = ["Homogeneity", "Linkage", "homogeneity", "known_columns", "linkage", "wanted_columns"]

FEW_VALUES = 50
"""A column with at most this many values may be what an outsider wants to know."""
MOST_COLUMNS = 5
"""How many such columns are looked at where the policy names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linkage:
    """Who knows some columns of a person looks for the rows that agree, and picks one of them.

    Success is the right row. Before the release the outsider knows the exact values. After it he knows under which
    published value each of them falls: that follows where whole columns are coarser. Where single cells are blank or
    coarser, it is an assumption, that he knows whose cells these are; without it he finds the right row less often.
    """

    kind: Literal["linkage"] = "linkage"
    where: str
    """The requirement whose columns are known."""
    columns: tuple[str, ...]
    """What is known."""
    n_rows: int
    """The rows of the file."""
    n_groups: int | None
    """How many combinations the file holds; None where it is not published."""
    smallest: int | None
    """The rows of the smallest group; None where it is not published."""
    unique_rows: int | None
    """How many rows are alone with their combination; None where it is not published."""
    rate: float
    """How often the right row is picked: the mean of 1 / rows in the group."""
    narrowed_to: float | None
    """How many rows a person is narrowed to on average; None where it is not published."""
    before_unique_rows: int | None = None
    """How many rows of the original are alone …"""
    before_rate: float | None = None
    """… and how often the right row would be picked there."""
    step: float | None = None
    """What shares are rounded to in a public report; None where they are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Homogeneity:
    """Who knows some columns of a person reads off what most rows that agree hold in another column.

    Success is the value as it is published. The baseline guesses the most frequent value of the whole column. A blank
    is no value.
    """

    kind: Literal["homogeneity"] = "homogeneity"
    where: str
    """The requirement whose columns are known."""
    columns: tuple[str, ...]
    """What is known."""
    column: str
    """What is read off."""
    n_rows: int | None
    """The rows that hold a value in it; None where it is not published."""
    rate: float
    """How often the most frequent value of the group is right."""
    majority_rate: float
    """How often the most frequent value of the column is."""
    certain_rows: int | None
    """How many rows lie in a group that leaves no doubt, as all hold the same value; None where it is not published."""
    single_rows: int | None = None
    """How many of them are the only row of their group that holds a value; None where it is not published."""
    before_rate: float | None = None
    """The same in the original …"""
    before_certain_rows: int | None = None
    """… and its certain rows."""
    step: float | None = None
    """What shares are rounded to in a public report; None where they are not."""


def linkage(source: Source, policy: Policy, original: Source | None) -> list[Linkage]:
    """Link by the columns that each requirement lets an outsider know."""
    found = []
    for where, columns in known_columns(source, policy):
        now = source.small_groups(columns, 2)
        was = None if original is None or not _holds(original, columns) else original.small_groups(columns, 2)
        n_before = 0 if original is None else original.n_rows
        found.append(
            Linkage(
                where=where,
                columns=columns,
                n_rows=source.n_rows,
                n_groups=now.n_groups,
                smallest=now.smallest,
                unique_rows=now.n_small_rows,
                rate=now.n_groups / max(source.n_rows, 1),
                narrowed_to=now.sum_of_squares / max(source.n_rows, 1),
                before_unique_rows=None if was is None else was.n_small_rows,
                before_rate=None if was is None else was.n_groups / max(n_before, 1),
            )
        )
    return found


def homogeneity(
    source: Source, policy: Policy, original: Source | None, withheld: Iterable[str] = ()
) -> list[Homogeneity]:
    """Read off sensitive columns, or where the policy names none other ones with few values.

    `withheld` are marks for a withheld value, besides ``*``.
    """
    found = []
    blanks = (WITHHELD, *policy.missing, *withheld)
    for where, columns in known_columns(source, policy):
        for column in wanted_columns(source, policy, columns):
            now = source.majority(columns, column, blanks)
            was = None
            if original is not None and _holds(original, (*columns, column)):
                was = original.majority(columns, column, blanks)
            found.append(
                Homogeneity(
                    where=where,
                    columns=columns,
                    column=column,
                    n_rows=now.n_rows,
                    rate=_share(now.n_right, now),
                    majority_rate=_share(now.n_right_overall, now),
                    certain_rows=now.n_certain,
                    single_rows=now.n_single,
                    before_rate=None if was is None else _share(was.n_right, was),
                    before_certain_rows=None if was is None else was.n_certain,
                )
            )
    return found


def known_columns(source: Source, policy: Policy) -> list[tuple[str, tuple[str, ...]]]:
    """Return the sets of columns that an outsider may know, each once.

    For record risk these are the columns that he may know at all, for hidden cells those that he may predict from.
    """
    found: dict[tuple[str, ...], str] = {}
    published = tuple(name for name in source.names if name not in policy.drop)
    for i, requirement in enumerate(policy.require):
        columns = requirement.linked_by(published, policy, i)
        if columns:
            found.setdefault(columns, f"require[{i}]")
    return [(where, columns) for columns, where in found.items()]


def wanted_columns(source: Source, policy: Policy, known: Sequence[str]) -> list[str]:
    """Return the columns that an outsider wants to infer: sensitive ones, the target, or else some with few values."""
    named: list[str] = []
    for i, requirement in enumerate(policy.require):
        named += requirement.sensitive_columns(policy, i)
    if not named and policy.target is not None:
        named = [policy.target]
    wanted = [name for name in dict.fromkeys(named) if name in source.names and name not in known]
    if wanted:
        return wanted
    few = [n for n in source.names if n not in known and n not in policy.drop and len(source.values(n)) <= FEW_VALUES]
    return few[:MOST_COLUMNS]


def _holds(source: Source, columns: Sequence[str]) -> bool:
    return set(columns) <= set(source.names)


def _share(n: int, of: Majority) -> float:
    return n / of.n_rows if of.n_rows else 0.0
