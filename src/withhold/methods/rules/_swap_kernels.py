"""Compiled local search: blank one entry for another, and see what can be given back."""

import numpy as np

from withhold._compiled import Array, compiled
from withhold.methods.rules._book_kernels import Book, is_adversarial, place_in, shift
from withhold.methods.rules._mine_kernel import GONE, Layout, Limits

__all__ = ["swap"]

WIDE = 256
"""Of a rule that covers more rows than this, only those that it predicts are looked at."""


@compiled
def draw(state: Array, n: int) -> int:
    """Return a number below `n` (xorshift; the modulus favours small numbers by less than n / 2 ** 63)."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return int(np.int64(x >> np.uint64(1)) % n)


@compiled
def one_adversarial(
    cells: Array, row: int, column: int, book: Book, layout: Layout, limits: Limits, state: Array
) -> tuple[int, int]:
    """Return antecedent and number of an adversarial rule that a public cell takes part in, drawn at random, or -1."""
    n_seen = 0
    found = (-1, -1)
    e = book.latest[row]
    while e >= 0:
        a = book.entry[e]
        e = book.before[e]
        place = place_in(book.items[book.items_end[a] : book.items_end[a + 1]], cells[row], column, layout)
        if place < 0:
            continue
        for r in range(book.rules_end[a], book.rules_end[a + 1]):
            takes_part = place == 1 or layout.column[book.slot[r]] == column
            if takes_part and is_adversarial(book.counts[r], limits):
                n_seen += 1
                if draw(state, n_seen) == 0:
                    found = (a, r)
    return found


@compiled
def draw_entry(cells: Array, a: int, r: int, book: Book, layout: Layout, state: Array) -> tuple[int, int]:
    """Return a public cell whose blanking works against a rule, drawn at random, or -1 where the draw found none."""
    slots = book.items[book.items_end[a] : book.items_end[a + 1]]
    slot = book.slot[r]
    rows = book.hidden[book.hidden_end[r] : book.hidden_end[r + 1]]
    is_public = slots.size == 0 or draw(state, 2) == 0
    if is_public:
        rows = book.cover[book.cover_end[a] : book.cover_end[a + 1]]
    for _ in range(8):
        row = rows[draw(state, rows.size)]
        if place_in(slots, cells[row], -1, layout) < 0:
            continue
        if is_public and cells[row, layout.column[slot]] != slot:
            continue
        at = draw(state, slots.size + is_public)
        return row, layout.column[slot] if at == slots.size else layout.column[slots[at]]
    return -1, -1


@compiled
def near(cells: Array, row: int, column: int, book: Book, layout: Layout, seen: Array, stamp: int, rows: Array) -> int:
    """List the rows of the rules that a public cell takes part in; return how many."""
    seen[row] = stamp
    rows[0] = row
    n_rows = 1
    e = book.latest[row]
    while e >= 0:
        a = book.entry[e]
        e = book.before[e]
        place = place_in(book.items[book.items_end[a] : book.items_end[a + 1]], cells[row], column, layout)
        if place < 0:
            continue
        is_narrow = book.cover_end[a + 1] - book.cover_end[a] <= WIDE
        for r in range(book.rules_end[a], book.rules_end[a + 1]):
            if place == 0 and layout.column[book.slot[r]] != column:
                continue
            others = book.hidden[book.hidden_end[r] : book.hidden_end[r + 1]]
            if is_narrow:
                others = book.cover[book.cover_end[a] : book.cover_end[a + 1]]
            for other in others:
                if seen[other] != stamp:
                    seen[other] = stamp
                    rows[n_rows] = other
                    n_rows += 1
    return n_rows


@compiled
def swap(
    cells: Array, full: Array, own: Array, n_tries: int, seed: int, book: Book, layout: Layout, limits: Limits
) -> int:
    """Blank another entry for one of `own`, and give back what that makes needless; return how many are saved.

    No known rule is adversarial, before and after. An entry is also changed for another one where nothing is saved, so
    that later tries start from somewhere else.
    """
    n_rows, n_columns = cells.shape
    state = np.full(1, np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x2545F4914F6CDD1D))
    taken = np.flatnonzero(own)
    place = np.full(n_rows * n_columns, -1, np.int64)
    place[taken] = np.arange(taken.size)
    n_taken = taken.size
    seen = np.full(n_rows, -1, np.int64)
    rows = np.empty(n_rows, np.int64)
    for t in range(n_tries):
        if n_taken == 0:
            break
        old = taken[draw(state, n_taken)]
        old_row, old_column = old // n_columns, old % n_columns
        new = -1
        if shift(cells, old_row, old_column, full[old_row, old_column], 1, book, layout, limits) > 0:
            cells[old_row, old_column] = full[old_row, old_column]
            a, r = one_adversarial(cells, old_row, old_column, book, layout, limits, state)
            row, column = draw_entry(cells, a, r, book, layout, state)
            new = row * n_columns + column
            is_better = False
            if row >= 0 and new != old:
                is_better = shift(cells, row, column, cells[row, column], -1, book, layout, limits) == 0
                cells[row, column] = layout.base[column] + GONE
                if is_better:
                    is_better = one_adversarial(cells, old_row, old_column, book, layout, limits, state)[0] < 0
                if not is_better:
                    shift(cells, row, column, full[row, column], 1, book, layout, limits)
                    cells[row, column] = full[row, column]
            if not is_better:
                shift(cells, old_row, old_column, full[old_row, old_column], -1, book, layout, limits)
                cells[old_row, old_column] = layout.base[old_column] + GONE
                continue
            taken[place[old]] = new
            place[new] = place[old]
            place[old] = -1
        else:
            cells[old_row, old_column] = full[old_row, old_column]
            n_taken -= 1
            taken[place[old]] = taken[n_taken]
            place[taken[n_taken]] = place[old]
            place[old] = -1
            continue
        cells[row, column] = full[row, column]
        n_near = near(cells, row, column, book, layout, seen, t, rows)
        cells[row, column] = layout.base[column] + GONE
        first = draw(state, n_near)
        for i in range(n_near):
            other = rows[(first + i) % n_near]
            for j in range(n_columns):
                cell = other * n_columns + j
                if place[cell] < 0 or cell == new:
                    continue
                if shift(cells, other, j, full[other, j], 1, book, layout, limits) > 0:
                    shift(cells, other, j, full[other, j], -1, book, layout, limits)
                    continue
                cells[other, j] = full[other, j]
                n_taken -= 1
                taken[place[cell]] = taken[n_taken]
                place[taken[n_taken]] = place[cell]
                place[cell] = -1
    n_saved = taken.size - n_taken
    own[:] = False
    for i in range(n_taken):
        own[taken[i] // n_columns, taken[i] % n_columns] = True
    return n_saved
