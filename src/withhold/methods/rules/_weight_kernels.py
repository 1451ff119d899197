"""Compiled loops of GraDeS: the weights of entries, and the passes that blank the heaviest ones."""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled
from withhold.methods.rules._book_kernels import (
    N_COVER,
    N_HIDDEN,
    N_HIDDEN_Y,
    N_PUBLIC,
    N_PUBLIC_Y,
    Book,
    adversarial,
    is_adversarial,
    kind_of,
    place_in,
    shift,
    tally,
)
from withhold.methods.rules._mine_kernel import GONE, Layout, Limits, taller

__all__ = ["BLOCK", "TIE", "Scale", "blank_chosen", "blank_heaviest", "reasons_for", "weigh_all"]

TIE = 1e9
"""Weights are compared after rounding to the ninth digit: added in another order, they differ in the last ones."""
SLACK = 1 / 256
"""A rule's part in the weights may lag behind by this share, so that not every row is reweighed for each one lost."""
BLOCK = 8
"""This many rows have one heaviest entry on record."""


class Scale(NamedTuple):
    """The weights of the entries, and the rules that are still to be hidden."""

    weight: Array
    """For each cell the sum of what blanking it contributes to hiding the rules."""
    hits: Array
    """For each cell the number of contributions."""
    stale: Array
    """For each block of rows whether its heaviest entry has to be looked for."""
    best: Array
    """For each block its largest rounded weight."""
    best_cell: Array
    """For each block its heaviest entry."""
    active: Array
    """For each rule whether it is still to be hidden."""
    share: Array
    """For each rule the contribution of one of its public rows and of one of its hidden rows."""
    touched: Array
    """Scratch: rules and their antecedents."""
    is_touched: Array
    """Scratch: for each rule whether it is among them."""


@compiled
def weigh(
    cells: Array,
    row: int,
    slots: Array,
    slot: int,
    public: float,
    hidden: float,
    step: int,
    scale: Scale,
    layout: Layout,
) -> None:
    """Add to the weights of one row what it contributes to one rule."""
    column = layout.column[slot]
    kind = kind_of(cells[row, column], slot, layout)
    weight = hidden
    if kind == N_PUBLIC_Y:
        weight = public
        scale.weight[row, column] += weight
        scale.hits[row, column] += step
    elif kind not in (N_HIDDEN, N_HIDDEN_Y):
        return
    scale.stale[row // BLOCK] = True
    for each in slots:
        scale.weight[row, layout.column[each]] += weight
        scale.hits[row, layout.column[each]] += step


@compiled
def weigh_rule(
    cells: Array, a: int, r: int, public: float, hidden: float, step: int, scale: Scale, book: Book, layout: Layout
) -> None:
    """Add to the weights of all rows of a rule what they contribute to it."""
    slots = book.items[book.items_end[a] : book.items_end[a + 1]]
    slot = book.slot[r]
    if public != 0:
        for row in book.cover[book.cover_end[a] : book.cover_end[a + 1]]:
            if cells[row, layout.column[slot]] == slot and place_in(slots, cells[row], -1, layout) == 0:
                weigh(cells, row, slots, slot, public, 0.0, step, scale, layout)
    if hidden != 0:
        for row in book.hidden[book.hidden_end[r] : book.hidden_end[r + 1]]:
            if place_in(slots, cells[row], -1, layout) == 0:
                weigh(cells, row, slots, slot, 0.0, hidden, step, scale, layout)


@compiled
def weigh_all(cells: Array, scale: Scale, book: Book, layout: Layout) -> int:
    """Weigh all entries for the active rules; return how many rules there are."""
    n_active = 0
    for a in range(book.items_end.size - 1):
        for r in range(book.rules_end[a], book.rules_end[a + 1]):
            if scale.active[r]:
                n_active += 1
                scale.share[r, 0] = 1 / book.counts[r, N_PUBLIC]
                scale.share[r, 1] = 1 / book.counts[r, N_HIDDEN]
                weigh_rule(cells, a, r, scale.share[r, 0], scale.share[r, 1], 1, scale, book, layout)
    return n_active


@compiled
def reweigh(cells: Array, a: int, r: int, scale: Scale, book: Book, layout: Layout, limits: Limits) -> bool:
    """Bring the weights up to date after a rule lost rows; return whether it is hidden now."""
    public, hidden = -scale.share[r, 0], -scale.share[r, 1]
    step = -1
    if is_adversarial(book.counts[r], limits):
        step = 0
        public += 1 / book.counts[r, N_PUBLIC]
        hidden += 1 / book.counts[r, N_HIDDEN]
        public *= abs(public) > SLACK * scale.share[r, 0]
        hidden *= abs(hidden) > SLACK * scale.share[r, 1]
        scale.share[r, 0] += public
        scale.share[r, 1] += hidden
    else:
        scale.active[r] = False
    weigh_rule(cells, a, r, public, hidden, step, scale, book, layout)
    return not scale.active[r]


@compiled
def heaviest(scale: Scale) -> int:
    """Return the cell of largest weight, the first among equals; blocks of rows that did not change are not read."""
    n_rows, n_columns = scale.weight.shape
    winner = 0
    for block in range(scale.stale.size):
        if scale.stale[block]:
            scale.stale[block] = False
            scale.best[block] = -1
            for row in range(block * BLOCK, min((block + 1) * BLOCK, n_rows)):
                for j in range(n_columns):
                    if scale.hits[row, j] > 0:
                        rounded = np.int64(scale.weight[row, j] * TIE + 0.5)
                        if rounded > scale.best[block]:
                            scale.best[block] = rounded
                            scale.best_cell[block] = row * n_columns + j
        if scale.best[block] > scale.best[winner]:
            winner = block
    found: int = scale.best_cell[winner]
    return found


@compiled
def reasons(cells: Array, row: int, column: int, active: Array, book: Book, layout: Layout) -> tuple[float, float]:
    """Return what a public cell contributes to the invalidation and to the marginalization of the active rules."""
    invalidation = 0.0
    marginalization = 0.0
    e = book.latest[row]
    while e >= 0:
        a = book.entry[e]
        e = book.before[e]
        place = place_in(book.items[book.items_end[a] : book.items_end[a + 1]], cells[row], column, layout)
        if place < 0:
            continue
        for r in range(book.rules_end[a], book.rules_end[a + 1]):
            other = layout.column[book.slot[r]]
            if active[r] and (place == 1 or other == column):
                kind = kind_of(cells[row, other], book.slot[r], layout)
                if kind == N_PUBLIC_Y:
                    invalidation += 1 / book.counts[r, N_PUBLIC]
                elif kind in (N_HIDDEN, N_HIDDEN_Y):
                    marginalization += 1 / book.counts[r, N_HIDDEN]
    return invalidation, marginalization


@compiled
def reasons_for(
    cells: Array, full: Array, rows: Array, columns: Array, book: Book, layout: Layout, limits: Limits
) -> Array:
    """Return for each blanked cell what it contributes against the rules that would be adversarial without it."""
    why = np.zeros((rows.size, 2))
    for i in range(rows.size):
        row, column = rows[i], columns[i]
        cell = full[row, column]
        shift(cells, row, column, cell, 1, book, layout, limits)
        gone = cells[row, column]
        cells[row, column] = cell
        why[i, 0], why[i, 1] = reasons(cells, row, column, adversarial(book.counts, limits), book, layout)
        cells[row, column] = gone
        shift(cells, row, column, cell, -1, book, layout, limits)
    return why


@compiled
def take_out(cells: Array, row: int, column: int, n_touched: int, scale: Scale, book: Book, layout: Layout) -> int:
    """Blank a public cell, and take its row's part in the rules it leaves off the scale; return the rules touched."""
    e = book.latest[row]
    while e >= 0:
        a = book.entry[e]
        e = book.before[e]
        slots = book.items[book.items_end[a] : book.items_end[a + 1]]
        place = place_in(slots, cells[row], column, layout)
        if place < 0:
            continue
        for r in range(book.rules_end[a], book.rules_end[a + 1]):
            other = layout.column[book.slot[r]]
            if place == 0 and other != column:
                continue
            if scale.active[r]:
                weigh(cells, row, slots, book.slot[r], -scale.share[r, 0], -scale.share[r, 1], -1, scale, layout)
                if not scale.is_touched[r]:
                    scale.is_touched[r] = True
                    scale.touched[n_touched, 0], scale.touched[n_touched, 1] = a, r
                    n_touched += 1
            book.counts[r, N_COVER] -= place
            tally(book.counts[r], kind_of(cells[row, other], book.slot[r], layout), -1)
    cells[row, column] = layout.base[column] + GONE
    return n_touched


@compiled
def blank_chosen(
    cells: Array, chosen: Array, why: Array, scale: Scale, book: Book, layout: Layout, limits: Limits
) -> int:
    """Blank some cells in one pass, and fill in their reasons; return how many rules they hid."""
    n_columns = cells.shape[1]
    for i in range(chosen.size):
        row, column = chosen[i] // n_columns, chosen[i] % n_columns
        why[i, 0], why[i, 1] = reasons(cells, row, column, scale.active, book, layout)
    n_touched = 0
    for cell in chosen:
        n_touched = take_out(cells, cell // n_columns, cell % n_columns, n_touched, scale, book, layout)
    n_hidden = 0
    for i in range(n_touched):
        a, r = scale.touched[i, 0], scale.touched[i, 1]
        scale.is_touched[r] = False
        n_hidden += reweigh(cells, a, r, scale, book, layout, limits)
    return n_hidden


@compiled
def blank_heaviest(
    cells: Array, n_active: int, scale: Scale, book: Book, layout: Layout, limits: Limits
) -> tuple[Array, Array]:
    """Blank the heaviest entry until no active rule is left; return the entries in order, and their reasons.

    Notes
    -----
    A pass changes the weights of the rows of the rules that it touches, and no others.
    """
    chosen = np.empty((64, 1), np.int64)
    why = np.empty((64, 2))
    n_chosen = 0
    while n_active > 0:
        chosen = taller(chosen, n_chosen + 1)
        why = taller(why, n_chosen + 1)
        chosen[n_chosen, 0] = heaviest(scale)
        n_active -= blank_chosen(cells, chosen[n_chosen], why[n_chosen : n_chosen + 1], scale, book, layout, limits)
        n_chosen += 1
    return chosen[:n_chosen, 0].copy(), why[:n_chosen].copy()
