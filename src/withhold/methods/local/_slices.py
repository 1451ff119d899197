"""Rows of a pool, packed so that a group is a slice, and room for their buckets."""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array
from withhold.methods.local._lean import entry, woven
from withhold.methods.local._lines import merge, nothing
from withhold.methods.local._prices import BITS, WORD, Prices, words_of

__all__ = ["Growth", "Rows", "Scratch", "join", "pack", "scratch_for", "states"]


class Rows(NamedTuple):
    """Distinct rows, group by group."""

    lines: Array
    """The line of each row: its codes, then its negative codes."""
    weight: Array
    """How many records each row stands for."""
    lanes: Array
    """For each row and sensitive column the lane of the histogram, or -1 where unanswered."""
    ids: Array
    """Which row of the table it is."""


class Growth(NamedTuple):
    """How a tree is grown."""

    least: int
    """How many records every group needs."""
    may_leave: bool
    """Whether a cut may leave rows for later."""
    charge: float
    """The price of a record that is left for later."""
    noise: float
    """The largest share by which a gain is raised."""
    seed: int
    """What the noise depends on, beside the group and the cut."""
    sample: int
    """Of larger groups about that many rows are looked at to choose a cut; 0: all rows of all groups."""
    small: int
    """Groups of at most that many rows are handed over to others instead of being cut; 0: none."""


class Scratch(NamedTuple):
    """Room for the buckets of one group.

    Each bucket has a line, and so has what lies before it, and what lies at it and behind it; the last lines are those
    of the group, of the two sides of the cut at hand, and an empty one.
    """

    slot: Array
    """For each code of each column its bucket, or -1."""
    key: Array
    """The code of each bucket, in the order of codes, column by column."""
    begin: Array
    """The first bucket of each column."""
    active: Array
    """The columns on which the group's rows differ, then the others."""
    lines: Array
    words: Array
    counts: Array
    """The line, the members of sets and the histogram of each line."""


def pack(lines: Array, weight: Array, lanes: Array, ids: Array) -> Rows:
    """Return copies of the rows `ids`."""
    return Rows(lines[ids], weight[ids], lanes[ids], ids.copy())


def scratch_for(n_buckets: int, n_slots: int, n_columns: int, lines: Array, n_words: int, n_lanes: int) -> Scratch:
    """Return room for groups of at most that many buckets over all columns, for such lines."""
    n_lines = 3 * (n_buckets + 1) + 4
    room = np.full((n_lines, lines.shape[1]), nothing(lines), dtype=lines.dtype)
    return Scratch(
        np.full(n_slots + 1, -1, dtype=np.int32),
        np.zeros(n_buckets + 1, dtype=np.int64),
        np.zeros(n_columns + 1, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        room,
        np.zeros((n_lines, n_words), dtype=np.uint64),
        np.zeros((n_lines, n_lanes), dtype=np.int64),
    )


@woven
def join(spec: Array, rows: Array, i: int, words: Array, line: int) -> None:
    """Add the values of a row to the sets of a line."""
    for c in range(spec.shape[0]):
        if spec[c, WORD] >= 0:
            words[line, spec[c, WORD] + rows[i, c] // BITS] |= np.uint64(1) << np.uint64(rows[i, c] % BITS)


def states(prices: Prices, rows: Array, group: Array, n_groups: int) -> tuple[Array, Array]:
    """Return the line and the members of sets of each group, of rows that know their group."""
    lines = np.full((n_groups, rows.shape[1]), nothing(rows), dtype=rows.dtype)
    words = np.zeros((n_groups, words_of(prices)), dtype=np.uint64)
    _sum_up(prices.spec, rows, group, lines, words)
    return lines, words


@entry
def _sum_up(spec: Array, rows: Array, group: Array, lines: Array, words: Array) -> None:
    for i in range(group.size):
        if group[i] >= 0:
            merge(lines, group[i], lines, group[i], rows, i)
            if words.shape[1]:
                join(spec, rows, i, words, group[i])
