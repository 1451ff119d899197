"""Cells of rows are blanked until no member of a family gives what stood in a hidden one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.methods.family._members import Codes, Member

__all__ = ["FamilyGuard"]

NEAR = 1e-9
"""Scores this close may be equal; then the true value counts as said."""
MOST_LEAD = 50.0
"""A lead beyond this, such as over what is impossible, counts as this."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Aim:
    """A fitted member, and the places of the true values among its classes; -1 where it never says them."""

    member: Member
    place: NDArray[np.int64]

    @classmethod
    def of(cls, member: Member, truth: NDArray[np.int64]) -> "_Aim":
        place = np.minimum(np.searchsorted(member.classes, truth), member.classes.size - 1)
        return cls(member, np.where(member.classes[place] == truth, place, -1))

    def among(self, cells: NDArray[np.int64]) -> "_Aim":
        return _Aim(self.member, self.place[cells])

    def said(self, codes: Codes) -> tuple[Flags, NDArray[np.float64]]:
        """Return for each row whether the true value may be said, and how far it leads.

        Where all classes are as likely, nothing is said.
        """
        scores = self.member.scores(codes)
        rows, at = np.arange(len(scores)), np.maximum(self.place, 0)
        own = scores[rows, at]
        most, least = scores.max(axis=1), scores.min(axis=1)
        says = (self.place >= 0) & np.isfinite(own) & (own >= most - NEAR) & (least < most - NEAR)
        rest = scores.copy()
        rest[rows, at] = -np.inf
        with np.errstate(invalid="ignore"):
            lead = np.nan_to_num(own - rest.max(axis=1), nan=0.0, posinf=MOST_LEAD, neginf=-MOST_LEAD)
        return says, np.where(self.place >= 0, np.clip(lead, -MOST_LEAD, MOST_LEAD), -MOST_LEAD)


class FamilyGuard:
    """Hidden cells, and families of adversaries none of which may give what stood there.

    Each member is fitted on the published cells. In the row of a cell that one of them gives, the known cell is blanked
    after which the fewest members give it, and of these the least surely, until none does. Where even a row without
    values is given, the row is deleted. Then all are fitted anew, until no cell is given.

    Parameters
    ----------
    codes
        Rows by columns of codes; hidden, missing and withheld cells are below 0. It is changed.
    cells
        For each hidden column its position, the rows, and the codes of what stood there.
    uses
        For each hidden column the columns that an adversary predicts from, in the order that decides its ties.
    members
        What makes the members.

    Notes
    -----
    Scores that differ by less than rounding may hide count as equal, and as said. Every turn blanks a cell or deletes
    a row, so it ends. A turn fits every member once for each hidden column, and scores the exposed rows once for each
    known cell and blank.

    Examples
    --------
    >>> from withhold.methods.family import FAMILIES
    >>> codes = np.array([[i % 2, i % 2] for i in range(30)], dtype=np.int32)
    >>> codes[0, 1] = -1
    >>> guard = FamilyGuard(codes, {1: (np.array([0]), np.array([0]))}, {1: [0]}, FAMILIES["naive-bayes"])
    >>> guard.run()
    >>> guard.n_exposed, codes[0].tolist(), guard.deleted.tolist()
    (1, [-1, -1], [])
    """

    def __init__(
        self,
        codes: Codes,
        cells: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]],
        uses: dict[int, list[int]],
        members: Sequence[Callable[[], Member]],
    ) -> None:
        self.codes = codes
        self.n_exposed = 0
        """How many cells some member gave before."""
        self._cells = cells
        self._uses = uses
        self._members = list(members)
        self._is_deleted = np.zeros(len(codes), dtype=np.bool_)

    @property
    def deleted(self) -> NDArray[np.int64]:
        """The rows of which nothing is left."""
        return np.flatnonzero(self._is_deleted)

    def run(self, say: Callable[[int], object] = lambda n_exposed: None) -> None:
        """Blank cells until no member gives a hidden one; `say` hears how many are given before each turn."""
        is_first = True
        while True:
            n_exposed = sum(self._work(target) for target in self._cells)
            self.n_exposed += n_exposed if is_first else 0
            if not n_exposed:
                return
            is_first = False
            say(n_exposed)

    def _work(self, target: int) -> int:
        """Blank cells for the hidden cells of a column that are given; return how many these are."""
        rows, truth = self._cells[target]
        rows, truth = rows[~self._is_deleted[rows]], truth[~self._is_deleted[rows]]
        known = np.unique(self.codes[self.codes[:, target] >= 0, target])
        if not rows.size or not known.size:
            return 0
        if known.size == 1:
            return self._delete(rows[truth == known[0]])
        columns = self._uses[target]
        aims = [_Aim.of(make().fit(self.codes, target, columns), truth) for make in self._members]
        exposed = np.flatnonzero(_said(self.codes[rows], aims)[0] > 0)
        if exposed.size:
            made, is_open = _blanked(self.codes[rows[exposed]], [aim.among(exposed) for aim in aims], columns)
            made[is_open] = -1
            self.codes[rows[exposed]] = made
            self._is_deleted[rows[exposed[is_open]]] = True
        return int(exposed.size)

    def _delete(self, rows: NDArray[np.int64]) -> int:
        """Delete rows whose hidden value is the only one that the column still publishes: anybody says it."""
        self.codes[rows] = -1
        self._is_deleted[rows] = True
        return int(rows.size)


def _blanked(codes: Codes, aims: Sequence[_Aim], columns: Sequence[int]) -> tuple[Codes, Flags]:
    """Return rows with as few cells blanked as a greedy choice needs, and which rows are given all the same."""
    made, is_open = codes.copy(), np.ones(len(codes), dtype=np.bool_)
    for _ in columns:
        rows = np.flatnonzero(is_open)
        if not rows.size:
            break
        here = [aim.among(rows) for aim in aims]
        best, lowest = np.full(rows.size, -1), np.full(rows.size, np.inf)
        for column in columns:
            tried = made[rows].copy()
            can = tried[:, column] >= 0
            tried[:, column] = -1
            n_said, lead = _said(tried, here)
            price = np.where(can, n_said * 2 * MOST_LEAD * len(aims) + lead, np.inf)
            is_better = price < lowest
            best[is_better], lowest[is_better] = column, price[is_better]
        is_found = best >= 0
        made[rows[is_found], best[is_found]] = -1
        is_open[rows] = _said(made[rows], here)[0] > 0
        if not is_found.any():
            break
    return made, is_open


def _said(codes: Codes, aims: Sequence[_Aim]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for each row how many members may say the true value, and how far it leads in all of them together."""
    found = [aim.said(codes) for aim in aims]
    return np.sum([says for says, _ in found], axis=0), np.sum([lead for _, lead in found], axis=0)
