"""What one column hides and another one determines: a forgotten copy, a code beside its text, a part of an address."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._source_of import source_of
from withhold.engines import Source
from withhold.policy import Policy
from withhold.requirements import Requirement
from withhold.table import WITHHELD, Table

__all__ = ["Undone", "find_undone"]

_Ints = NDArray[np.int64]
MOST_PAIRS = 400
"""How many pairs of columns are looked at, as many for each masked column."""
FIRST_ROWS = 100_000
"""A pair is looked at in this many rows first, and in all of them where it shows something."""
LEAST_GAIN = 0.5
"""How much of what was withheld another column must determine, chance left out, to be worth a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A published column determines what another one withholds."""

    column: str
    """The column that is masked."""
    by: str
    """The column that determines it."""
    where: str
    """The requirement that masks the first and does not name the second."""
    n_cells: int
    """How many cells of the first are withheld or coarsened."""
    share: float
    """In how many of them the most frequent value that goes with the second is the one that stood there."""
    is_exact: bool
    """Whether each of its values goes with one value only."""
    says: str
    """The same in words."""


def find_undone(source: Source, policy: Policy, original: Table) -> tuple[Undone, ...]:
    """Find columns that determine what others withhold: one value goes with one original value, for most cells.

    Only pairs are looked at, and of a requirement only columns that it does not name itself: what it names is counted
    together. Hidden cells are left to their adversaries.

    Notes
    -----
    The rows that share a published value of both columns are a group. Determined are the cells that hold the most
    frequent original value of their group, one a group left out, so that a column of unique values determines nothing.
    What the masked column determines by itself is taken off.
    """
    if not (source.has_order and source_of(original).has_order):
        return ()
    if source.n_rows != original.n_rows or source.n_rows == 0:
        return ()
    look = _Look(source, policy, original)
    found = []
    names = list(dict.fromkeys(name for _, requirement in _masking(policy) for name in _masked(requirement)))
    for name in names:
        pairs = list(islice(_pairs(source, policy, original, name), max(1, MOST_PAIRS // len(names))))
        if pairs and (masked := look.masked(name)) is not None:
            found += [undone for by, number in pairs if (undone := look.undone(masked, by, number)) is not None]
    return tuple(found)


def _masking(policy: Policy) -> Iterator[tuple[int, Requirement]]:
    return ((i, requirement) for i, requirement in enumerate(policy.require) if not requirement.needs_rows)


def _masked(requirement: Requirement) -> tuple[str, ...]:
    return requirement.guarded(())


def _pairs(source: Source, policy: Policy, original: Table, name: str) -> Iterator[tuple[str, int]]:
    """Yield the columns that may determine a masked one, each with the number of a requirement without it."""
    if name not in source.names or name not in original.names:
        return
    for by in source.names:
        if by not in original.names or by in policy.drop:
            continue
        for number, requirement in _masking(policy):
            asked = requirement.sensitive_columns(policy, number)
            if name in _masked(requirement) and by not in (*requirement.columns, *asked):
                yield by, number
                break


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Masked:
    """A column of which cells are withheld or coarsened."""

    name: str
    rows: _Ints
    """The rows of such cells that held something; all of these rows where the file is shuffled."""
    was: _Ints
    now: _Ints
    n_cells: int
    how: str


class _Look:
    """The file beside its original. Cells of a column that may determine another one are kept for some rows only."""

    def __init__(self, source: Source, policy: Policy, original: Table) -> None:
        self._source = source
        self._store = source_of(original)
        self._gone = (None, *policy.missing)
        named = [name for requirement in policy.require for _, name in requirement.named()]
        self._named = {policy.target, *named}
        self._is_aligned = policy.rows == "keep"
        self._determining: Source = source if self._is_aligned else self._store
        self._step = max(1, source.n_rows // FIRST_ROWS)
        self._some: dict[str, _Ints] = {}

    def masked(self, name: str) -> _Masked | None:
        """Return the changed cells of a column that held something, or None where there are none."""
        was, texts = self._store.cells(name).astype(np.int64), self._store.values(name)
        now, published = self._source.cells(name).astype(np.int64), self._source.values(name)
        is_known = np.array([text not in self._gone for text in texts], dtype=bool)[was]
        how = "withheld or coarsened"
        if self._is_aligned:
            place = {text: i for i, text in enumerate(texts)}
            rows = np.flatnonzero((np.array([place.get(text, -1) for text in published])[now] != was) & is_known)
            now, n_cells = now[rows], rows.size
            blank = {published[i] in (None, WITHHELD) for i in np.unique(now).tolist()}
            how = how if len(blank) > 1 else "withheld" if True in blank else "coarsened"
        else:
            rows = np.flatnonzero(is_known)
            n_cells = _n_gone(texts, was, published, now)
            now = np.zeros(rows.size, dtype=np.int64)
        found = _Masked(name=name, rows=rows, was=was[rows], now=now, n_cells=n_cells, how=how)
        return found if n_cells and rows.size else None

    def undone(self, masked: _Masked, by: str, number: int) -> Undone | None:
        """Return what another column determines of a masked one, or None where it is not much."""
        if by not in self._some:
            self._some[by] = self._determining.cells(by)[:: self._step].astype(np.int64)
        some = np.flatnonzero(masked.rows % self._step == 0)
        other = self._some[by][masked.rows[some] // self._step]
        if some.size == 0 or _determined(other, masked.now[some], masked.was[some])[1] < LEAST_GAIN:
            return None
        other = self._determining.cells(by).astype(np.int64)[masked.rows]
        share, gain, is_exact = _determined(other, masked.now, masked.was)
        return (
            None if gain < LEAST_GAIN else _undone(masked, by, number, share, is_exact, may_drop=by not in self._named)
        )


def _undone(masked: _Masked, by: str, number: int, share: float, is_exact: bool, *, may_drop: bool) -> Undone:
    much = "exactly" if is_exact else f"in {min(share, 0.99):.0%} of them"
    says = f"{masked.name} is {masked.how} in {masked.n_cells:,} cells, but {by}, as published, determines it {much}."
    hint = f"drop {by}, or add it to require[{number}]." if may_drop else f"add {by} to require[{number}]."
    return Undone(
        column=masked.name,
        by=by,
        where=f"require[{number}]",
        n_cells=masked.n_cells,
        share=share,
        is_exact=is_exact,
        says=f"{says} Hint: {hint}",
    )


def _determined(other: _Ints, now: _Ints, was: _Ints) -> tuple[float, float, bool]:
    """Return how often a group determines what stood there, which share of what was withheld that is, and if all."""
    groups = np.unique(other * (int(now.max()) + 1) + now, return_inverse=True)[1].astype(np.int64)
    most, n_kinds = _most_frequent(groups, was)
    alone, _ = _most_frequent(now, was)
    n_groups, n_left = len(most), was.size - int(alone.sum())
    n_determined = int(most.sum()) - n_groups
    gain = (n_determined - int(alone.sum())) / n_left if n_left else 0.0
    return int(most.sum()) / was.size, gain, n_kinds == n_groups


def _most_frequent(groups: _Ints, values: _Ints) -> tuple[_Ints, int]:
    """Return for each group how many rows hold its most frequent value, and how many pairs of both there are."""
    span = int(values.max()) + 1
    pairs, counts = np.unique(groups * span + values, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // span, prepend=-1))
    return np.maximum.reduceat(counts, starts).astype(np.int64), len(pairs)


def _n_gone(texts: Sequence[str | None], was: _Ints, published: Sequence[str | None], now: _Ints) -> int:
    """Return how many cells of the original a file with shuffled rows does not hold any more."""
    had = np.bincount(was, minlength=len(texts)).tolist()
    left = dict(zip(published, np.bincount(now, minlength=len(published)).tolist(), strict=True))
    return sum(max(0, n - left.get(text, 0)) for text, n in zip(texts, had, strict=True) if text is not None)
