"""What is attacked, and what came of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError

__all__ = ["Attack", "ColumnAttack", "Target"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Target:
    """The withheld cells of one column that are attacked.

    Examples
    --------
    >>> Target(column="diagnosis", rows=np.array([4, 7]), truth=("flu", "none")).rows.size
    2
    """

    column: str
    """The column."""
    rows: NDArray[np.int64]
    """The rows of the cells, by position."""
    truth: tuple[str, ...]
    """What stood there, as it would have been published. The judge knows it, an attacker never."""

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.truth):
            raise InputError(f"Target: {len(self.rows)} rows were given with {len(self.truth)} true values.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAttack:
    """What came of an attack on the cells of one column.

    Examples
    --------
    >>> ColumnAttack(column="ill", n_tried=9, n_right=4, majority_right=3, before_right=8).n_right
    4
    """

    column: str
    """The column."""
    n_tried: int
    """The cells tried."""
    n_right: int
    """The right guesses."""
    majority_right: int
    """The right guesses of who says the most frequent value, by the same yardstick as over all columns."""
    before_right: int | None
    """The right guesses where only the attacked cells are blank; None where that was not tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """What came of one attacker over all targets.

    The rate is a share of the cells tried; no guess is a wrong one. The interval is Wilson's at 95 %, about the chance
    that this attacker, having learned what it learned, is right on a cell like these. Where cells were sampled it also
    covers the rate over all `n_cells` at least that often, since a sample without replacement varies less than the
    interval allows for. It does not cover what it would have learned from other rows, or from more.

    Examples
    --------
    >>> from withhold.attackers import SmoothedBayes, View, attack_cells
    >>> view = View.of({"drug": ["a", "b"] * 20 + ["b"], "ill": ["yes", "no"] * 20 + ["*"]})
    >>> target = Target(column="ill", rows=np.array([40]), truth=("yes",))
    >>> attack = attack_cells(view, None, [target], attackers=[SmoothedBayes()], rng=1)[0]
    >>> attack.n_tried, attack.n_right, attack.beats_majority, attack.before_right
    (1, 0, False, None)
    """

    attacker: str
    """The name of the attacker."""
    title: str
    """Its name for a page."""
    story: str
    """What it knows and does."""
    n_cells: int
    """The cells asked for."""
    n_tried: int
    """The cells tried; fewer where they were sampled, 0 where the attacker was left out."""
    n_right: int
    """The right guesses."""
    rate: float
    """Their share."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""
    majority_right: int
    """The right guesses, on the same cells, of who says the most frequent value: the better of the next two."""
    majority_rate: float
    """Their share."""
    release_majority_right: int
    """The right guesses of who says the most frequent value of the release that is still possible."""
    table_majority_right: int | None
    """The same by the table in which only the attacked cells are blank; None where that was not given."""
    before_right: int | None
    """The right guesses of the same attack where only the attacked cells are blank; None where that was not tried."""
    before_rate: float | None
    """Their share."""
    before_low: float | None
    """The lower end of its interval."""
    before_high: float | None
    """The upper end of its interval."""
    p_value: float
    """One-sided exact McNemar: the chance of doing so much better than the majority if it were no better."""
    before_p_value: float | None
    """The same before, against the most frequent value of the table in which only these cells are blank."""
    adjusted_p_value: float
    """The same, corrected (Holm) for all attackers who tried these cells."""
    before_adjusted_p_value: float | None
    """The same before."""
    beats_majority: bool
    """Whether `adjusted_p_value` is below 0.01."""
    is_ahead: bool
    """Whether the cells are too few for such a test, and it is right on a quarter of them more than the majority."""
    trained_on: int | None
    """The labelled rows that it learned from where that was a sample, the most of any column; None where from all."""
    columns: tuple[ColumnAttack, ...]
    """The same by column."""
    seconds: float
    """The time it took."""
    note: str
    """What a reader must know, such as that it was trained on a sample; else empty."""
