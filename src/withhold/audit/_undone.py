"""What one column hides and another one tells: a forgotten copy, a code beside its text, a part of an address."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from withhold.audit._source import source_of
from withhold.engines import Source
from withhold.policy import Hidden, Policy, Risk, Template
from withhold.policy._policy import Requirement
from withhold.table import Table
from withhold.table._decision import WITHHELD

__all__ = ["Undone", "find_undone"]

_Ints = NDArray[np.int64]
MOST_PAIRS = 300
"""How many pairs of columns are looked at."""
FIRST_ROWS = 100_000
"""A pair is looked at in so many rows first, and in all of them where it shows something."""
LEAST_GAIN = 0.5
"""How much of what was withheld another column must tell, chance left out, to be worth a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A published column tells what another one withholds."""

    column: str
    """The column that is masked."""
    by: str
    """The column that tells it."""
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
    """Find columns that tell what others withhold: one value of theirs goes with one original value, for most cells.

    Only pairs are looked at, and of a requirement only columns that it does not name itself: what it names is counted
    together. Hidden cells are left to their adversaries.

    Notes
    -----
    The rows that share a published value of both columns are a group. Told are the cells that hold the most frequent
    original value of their group, one a group left out, so that a column of unique values tells nothing. What the
    masked column tells by itself is taken off.
    """
    if source.n_rows != original.n_rows or source.n_rows == 0:
        return ()
    found = []
    for name in dict.fromkeys(name for _, requirement in _masking(policy) for name in _masked(requirement)):
        pairs = list(islice(_pairs(source, policy, original, name), MOST_PAIRS))
        if pairs and (masked := _Masked.of(source, policy, original, name)) is not None:
            found += [told for by, number in pairs if (told := masked.told_by(by, number)) is not None]
    return tuple(found)


def _masking(policy: Policy) -> Iterator[tuple[int, Requirement]]:
    return ((i, requirement) for i, requirement in enumerate(policy.require) if not isinstance(requirement, Hidden))


def _masked(requirement: Requirement) -> tuple[str, ...]:
    return tuple(requirement.known) if isinstance(requirement, Risk) else requirement.masked


def _pairs(source: Source, policy: Policy, original: Table, name: str) -> Iterator[tuple[str, int]]:
    """Yield the columns that may tell a masked one, each with the number of a requirement that does not name it."""
    if name not in source.names or name not in original.names:
        return
    for by in source.names:
        if by not in original.names or by in policy.drop:
            continue
        for number, requirement in _masking(policy):
            asked = tuple(requirement.hide) if isinstance(requirement, Template) else ()
            if name in _masked(requirement) and by not in (*requirement.columns, *asked):
                yield by, number
                break


class _Masked:
    """The cells of a column that are withheld or coarsened: their rows, what is published and what stood there."""

    def __init__(self, source: Source, original: Table, name: str, *, is_aligned: bool) -> None:
        self._name = name
        self._source = source
        self._store = source_of(original)
        self._is_aligned = is_aligned
        self._rows = np.zeros(0, dtype=np.int64)
        self._was, self._now = self._rows, self._rows
        self.n_cells = 0
        self.how = "withheld or coarsened"

    @classmethod
    def of(cls, source: Source, policy: Policy, original: Table, name: str) -> "_Masked | None":
        """Return the changed cells of a column that held something, or None where there are none."""
        found = cls(source, original, name, is_aligned=policy.rows == "keep")
        store = found._store
        was = store.cells(name).astype(np.int64)
        is_known = np.array(
            [text is not None and text not in policy.missing for text in store.values(name)], dtype=bool
        )
        if found._is_aligned:
            rows = np.flatnonzero((source.hashes(name) != store.hashes(name)) & is_known[was])
            found._now = source.cells(name).astype(np.int64)[rows]
            texts = source.values(name)
            blank = {texts[place] in (None, WITHHELD) for place in np.unique(found._now).tolist()}
            found.how = found.how if len(blank) > 1 else "withheld" if True in blank else "coarsened"
            found.n_cells = rows.size
        else:
            rows = np.flatnonzero(is_known[was])
            found._now = np.zeros(rows.size, dtype=np.int64)
            found.n_cells = _n_gone(source, original, name)
        found._rows, found._was = rows, was[rows]
        return found if found.n_cells and rows.size else None

    def told_by(self, by: str, number: int) -> Undone | None:
        """Return what another column tells, or None where it is not much."""
        store = self._source if self._is_aligned else self._store
        other = store.cells(by)[self._rows].astype(np.int64)
        step = max(1, self._rows.size // FIRST_ROWS)
        for each in dict.fromkeys((step, 1)):
            share, gain, is_exact = _told(other[::each], self._now[::each], self._was[::each])
            if gain < LEAST_GAIN:
                return None
        much = "exactly" if is_exact else f"in {min(share, 0.99):.0%} of them"
        says = f"{self._name} is {self.how} in {self.n_cells:,} cells, but {by}, as it is published, tells it {much}."
        return Undone(
            column=self._name,
            by=by,
            where=f"require[{number}]",
            n_cells=self.n_cells,
            share=share,
            is_exact=is_exact,
            says=f"{says} Hint: drop {by}, or add it to require[{number}].",
        )


def _told(other: _Ints, now: _Ints, was: _Ints) -> tuple[float, float, bool]:
    """Return how often a group tells what stood there, how much of what was withheld that is, and whether it is all."""
    groups = np.unique(other * (int(now.max()) + 1) + now, return_inverse=True)[1].astype(np.int64)
    most, n_kinds = _most_frequent(groups, was)
    alone, _ = _most_frequent(now, was)
    n_groups, n_left = len(most), was.size - int(alone.sum())
    n_told = int(most.sum()) - n_groups
    gain = (n_told - int(alone.sum())) / n_left if n_left else 0.0
    return int(most.sum()) / was.size, gain, n_kinds == n_groups


def _most_frequent(groups: _Ints, values: _Ints) -> tuple[_Ints, int]:
    """Return for each group how many rows hold its most frequent value, and how many pairs of both there are."""
    span = int(values.max()) + 1
    pairs, counts = np.unique(groups * span + values, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // span, prepend=-1))
    return np.maximum.reduceat(counts, starts).astype(np.int64), len(pairs)


def _n_gone(source: Source, original: Table, name: str) -> int:
    """Return how many cells of the original a file with shuffled rows does not hold any more."""
    store = source_of(original)
    had = np.bincount(store.cells(name).astype(np.int64), minlength=len(store.values(name))).tolist()
    has = np.bincount(source.cells(name).astype(np.int64), minlength=len(source.values(name))).tolist()
    left = dict(zip(source.values(name), has, strict=True))
    return sum(
        max(0, n - left.get(text, 0)) for text, n in zip(store.values(name), had, strict=True) if text is not None
    )
