"""The memory of one thread: groups of rows on a stack of slots, and scratch."""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array
from withhold.methods.risk._packed_rows import MASK, Layout

__all__ = ["GUEST", "SMALL", "UNWANTED", "Room", "new_room"]

SMALL = 6
"""Groups of at most this many rows are summed in closed form."""
UNWANTED = np.inf
"""The tolerance of a row whose numbers nobody wants."""
GUEST = -1
"""Where a row was copied from that only counts: a blank one, where blanks match every value."""


class Room(NamedTuple):
    """Memory of one thread. A *slot* holds a row of a group; groups lie on a stack of slots."""

    keys: Array
    records: Array
    """How many records a slot stands for."""
    tolerances: Array
    """How much doubt a slot may keep; infinite where its numbers are not wanted."""
    up: Array
    """The slot of the group above that a slot was copied from; `GUEST` where it only counts."""
    down: Array
    """The slot that a slot was merged into."""
    likelihoods: Array
    consequences: Array
    doubts: Array
    frames: Array
    """For each open group its slots, columns and stage."""
    paths: Array
    """For each open group the chance of its path."""
    varying: Array
    """For each open group the bits on which its rows differ."""
    part_los: Array
    part_his: Array
    part_codes: Array
    part_leasts: Array
    places: Array
    """For each code its part, -1 outside of a partition."""
    unions: Array
    """Scratch: for each subset of a small group the bits on which any of it differs."""
    inverses: Array
    """Scratch: for each such subset its coefficient."""
    totals: Array
    """Scratch: for each such subset its records."""
    alikes: Array
    """Scratch: for each such subset the chance that its rows are alike on the known set."""
    masses: Array
    shares: Array
    fields: Array
    """Scratch: the sensitive fields of a row, word and bits."""
    field_weights: Array
    """Scratch: the sensitivity of those fields."""


def new_room(layout: Layout, n_slots: int) -> Room:
    """Return memory for a thread; pages that are never touched cost nothing."""
    m, n_words = layout.columns.shape[0], layout.n_words
    n_codes = int(layout.columns[:, MASK].max(initial=1)) + 1
    n_parts = int((layout.columns[:, MASK] + 1).sum()) + 2
    return Room(
        keys=np.empty((n_slots, n_words), np.int64),
        records=np.empty(n_slots),
        tolerances=np.empty(n_slots),
        up=np.empty(n_slots, np.int32),
        down=np.empty(n_slots, np.int32),
        likelihoods=np.empty(n_slots),
        consequences=np.empty(n_slots),
        doubts=np.empty(n_slots),
        frames=np.zeros((m + 2, 8), np.int64),
        paths=np.zeros(m + 2),
        varying=np.zeros((m + 2, n_words), np.int64),
        part_los=np.zeros(n_parts, np.int64),
        part_his=np.zeros(n_parts, np.int64),
        part_codes=np.zeros(n_parts, np.int64),
        part_leasts=np.zeros(n_parts),
        places=np.full(n_codes, -1, np.int64),
        unions=np.zeros((1 << SMALL, n_words), np.int64),
        inverses=np.zeros(1 << SMALL),
        totals=np.zeros(1 << SMALL),
        alikes=np.zeros(1 << SMALL),
        masses=np.zeros(1 << SMALL),
        shares=np.zeros(SMALL),
        fields=np.zeros((64, 2), np.int64),
        field_weights=np.zeros(64),
    )
