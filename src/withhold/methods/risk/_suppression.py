"""What a suppression did, round by round, and what it published."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.methods.risk._record_risk import Risk
from withhold.table import Grid

__all__ = ["Round", "Suppression"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One pass over the records above the threshold."""

    above: int
    """Records above the threshold before it."""
    blanked: int
    """Cells that were withheld."""
    generalised: int = 0
    """Cells that climbed one level of their taxonomy."""
    sensitive: int = 0
    """Cells among those withheld that were sensitive themselves, as a last resort."""
    dropped: int = 0
    """Records that were dropped."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Suppression:
    """What was withheld, why, and what is left."""

    at_most: float
    """The threshold."""
    original: Grid
    """The cells before."""
    published: Grid
    """The cells after; the labels of generalised columns hold the names of inner nodes, too."""
    rounds: tuple[Round, ...]
    """What each round did."""
    given_back: int
    """Cells that had been withheld or generalised, and were not needed in the end."""
    dropped: NDArray[np.int64]
    """The records that are not published at all; their cells are blank in `published`."""
    sensitive: int
    """Withheld cells that were sensitive themselves."""
    before: Risk
    """The risks before, as narrow as was needed to decide."""
    after: Risk
    """The risks after; of dropped records 0."""
    still_above: int
    """How many records are above the threshold after; none with ``until_safe``."""
    penalties: Mapping[str, Mapping[str, float]]
    """For generalised columns what each inner node costs: the share of the leaves below it."""

    @property
    def blanked(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows and columns of the cells that were withheld."""
        rows, columns = np.nonzero((self.published.codes < 0) & (self.original.codes >= 0))
        return rows, columns

    @property
    def generalised(self) -> list[tuple[int, str, str]]:
        """The cells that were generalised: row, column, name of the node."""
        after, names = self.published.codes, self.published.columns
        rows, columns = np.nonzero((after >= 0) & (after != self.original.codes))
        cells = zip(rows.tolist(), columns.tolist(), strict=True)
        return [(i, names[j], self.published.labels[j][after[i, j]]) for i, j in cells]

    def __repr__(self) -> str:
        n_above = self.rounds[0].above if self.rounds else 0
        is_blanked = (self.published.codes < 0) & (self.original.codes >= 0)
        counts = self.before.counts
        n_dropped = self.dropped.size if counts is None else int(counts[self.dropped].sum())
        n_blanked = int((is_blanked if counts is None else is_blanked * counts[:, None]).sum())
        return (
            f"<Suppression: {n_above} records above {self.at_most:g} before, {self.still_above} after "
            f"{len(self.rounds)} rounds; {n_blanked} cells blank, {self.given_back} given back, "
            f"{n_dropped} records dropped>"
        )
