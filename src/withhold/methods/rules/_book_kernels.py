"""Compiled loops that keep the counts of known rules while cells are blanked and restored.

Rules are kept with the rows that their antecedent covers in the table before anything was blanked, and each row with
the antecedents that cover it. A change of one cell looks at the antecedents of its row only.
"""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled
from withhold.methods.rules._mine_kernel import ANTECEDENT, GONE, HIDDEN, JOINT, N_PLAIN, Layout, Limits

__all__ = [
    "N_COVER",
    "N_HIDDEN",
    "N_HIDDEN_Y",
    "N_PUBLIC",
    "N_PUBLIC_Y",
    "Book",
    "adversarial",
    "covers",
    "give_back",
    "is_adversarial",
    "kind_of",
    "place_in",
    "recount",
    "restore",
    "rows_by_kind",
    "shift",
    "tally",
    "withdraw",
]

N_PUBLIC, N_PUBLIC_Y, N_HIDDEN, N_HIDDEN_Y, N_COVER = range(5)


class Book(NamedTuple):
    """Known rules and where they apply."""

    items_end: Array
    """For each antecedent the end of its slots (one more, 0, in front)."""
    items: Array
    """The slots of the antecedents."""
    rules_end: Array
    """For each antecedent the end of its rules (one more, 0, in front)."""
    slot: Array
    """For each rule the slot of its consequent."""
    counts: Array
    """For each rule pub_n, pub_y, hid_n, hid_y and the rows that its antecedent covers, as the cells are now."""
    cover_end: Array
    """For each antecedent the end of its rows (one more, 0, in front)."""
    cover: Array
    """The rows that the antecedents cover in the table before anything was blanked."""
    hidden_end: Array
    """For each rule the end of the rows it may predict (one more, 0, in front)."""
    hidden: Array
    """The rows of its cover that hide the column of a rule."""
    entry: Array
    """For each element of `cover` its antecedent."""
    before: Array
    """For each element of `cover` the one before it that has the same row, or -1."""
    latest: Array
    """For each row the last element of `cover` that has it, or -1."""


@compiled
def covers(
    cells: Array, list_start: Array, listed: Array, items_end: Array, items: Array, layout: Layout
) -> tuple[Array, Array]:
    """Return for each antecedent the rows that hold all its items: ends, and the rows, in ascending order."""
    n_antecedents = items_end.size - 1
    ends = np.zeros(n_antecedents + 1, np.int64)
    found = np.empty(1024, np.int32)
    n_found = 0
    for a in range(n_antecedents):
        slots = items[items_end[a] : items_end[a + 1]]
        rare = list_start.size - 1
        n_rare = listed.size - list_start[rare]
        for slot in slots:
            if list_start[slot + 1] - list_start[slot] < n_rare:
                rare = slot
                n_rare = list_start[slot + 1] - list_start[slot]
        if n_found + n_rare > found.size:
            larger = np.empty(2 * (n_found + n_rare), np.int32)
            larger[:n_found] = found[:n_found]
            found = larger
        for row in listed[list_start[rare] : list_start[rare] + n_rare]:
            is_covered = True
            for slot in slots:
                if cells[row, layout.column[slot]] != slot:
                    is_covered = False
                    break
            if is_covered:
                found[n_found] = row
                n_found += 1
        ends[a + 1] = n_found
    return ends, found[:n_found].copy()


@compiled
def rows_by_kind(
    cells: Array, rules_end: Array, slot: Array, cover_end: Array, cover: Array, layout: Layout, public: bool
) -> tuple[Array, Array]:
    """Return for each rule the rows of its cover that hide its column, or publish it: ends, and the rows."""
    ends = np.zeros(slot.size + 1, np.int64)
    for fill in range(2):
        found = np.empty(ends[slot.size], np.int32)
        n_found = 0
        for a in range(rules_end.size - 1):
            for r in range(rules_end[a], rules_end[a + 1]):
                for row in cover[cover_end[a] : cover_end[a + 1]]:
                    kind = kind_of(cells[row, layout.column[slot[r]]], slot[r], layout)
                    is_public = kind in (N_PUBLIC, N_PUBLIC_Y)
                    if kind >= 0 and is_public == public:
                        if fill:
                            found[n_found] = row
                        n_found += 1
                ends[r + 1] = n_found
    return ends, found


@compiled
def is_adversarial(counts: Array, limits: Limits) -> bool:
    """Return whether a rule with these counts is adversarial."""
    supported = counts[N_PUBLIC]
    if limits.reading == ANTECEDENT:
        supported = counts[N_COVER]
    elif limits.reading == JOINT:
        supported = counts[N_PUBLIC_Y]
    return bool(
        counts[N_PUBLIC] > 0
        and counts[N_HIDDEN] > 0
        and supported >= limits.support
        and counts[N_PUBLIC_Y] / counts[N_PUBLIC] >= limits.confidence
        and counts[N_HIDDEN_Y] / counts[N_HIDDEN] >= limits.confidence
    )


@compiled
def adversarial(counts: Array, limits: Limits) -> Array:
    """Return for each rule whether it is adversarial."""
    found = np.empty(counts.shape[0], np.bool_)
    for r in range(counts.shape[0]):
        found[r] = is_adversarial(counts[r], limits)
    return found


@compiled
def place_in(slots: Array, line: Array, column: int, layout: Layout) -> int:
    """Return how a row that an antecedent covered at first meets it now, whatever the cell on `column` holds.

    Returns
    -------
        -1 where another item is blanked, 1 where the column is one of the antecedent, else 0.
    """
    place = 0
    for slot in slots:
        other = layout.column[slot]
        if other == column:
            place = 1
        elif line[other] != slot:
            return -1
    return place


@compiled
def kind_of(cell: int, slot: int, layout: Layout) -> int:
    """Return what a cell on the column of a rule is to the rule: a count of it, or -1 where the cell is gone.

    Returns
    -------
        `N_PUBLIC` and `N_HIDDEN` for another value, `N_PUBLIC_Y` and `N_HIDDEN_Y` for the rule's own.
    """
    column = layout.column[slot]
    first = layout.base[column]
    if cell == slot:
        return N_PUBLIC_Y
    if cell == first + GONE:
        return -1
    if cell == slot + layout.n_items[column]:
        return N_HIDDEN_Y
    if cell == first + HIDDEN or cell >= first + N_PLAIN + layout.n_items[column]:
        return N_HIDDEN
    return N_PUBLIC


@compiled
def tally(counts: Array, kind: int, step: int) -> None:
    """Add a row to the counts of a rule, or take it away."""
    if kind in (N_PUBLIC, N_PUBLIC_Y):
        counts[N_PUBLIC] += step
    if kind in (N_HIDDEN, N_HIDDEN_Y):
        counts[N_HIDDEN] += step
    if kind in (N_PUBLIC_Y, N_HIDDEN_Y):
        counts[kind] += step


@compiled
def recount(cells: Array, book: Book, layout: Layout, first: int) -> None:
    """Count the rules of the antecedents from `first` on, as the cells are now."""
    for a in range(first, book.items_end.size - 1):
        slots = book.items[book.items_end[a] : book.items_end[a + 1]]
        for r in range(book.rules_end[a], book.rules_end[a + 1]):
            book.counts[r] = 0
        for row in book.cover[book.cover_end[a] : book.cover_end[a + 1]]:
            if place_in(slots, cells[row], -1, layout) < 0:
                continue
            for r in range(book.rules_end[a], book.rules_end[a + 1]):
                book.counts[r, N_COVER] += 1
                tally(book.counts[r], kind_of(cells[row, layout.column[book.slot[r]]], book.slot[r], layout), 1)


@compiled
def shift(cells: Array, row: int, column: int, cell: int, step: int, book: Book, layout: Layout, limits: Limits) -> int:
    """Count a public cell in or out; return how many rules are adversarial of those that it touches."""
    n_adversarial = 0
    e = book.latest[row]
    while e >= 0:
        a = book.entry[e]
        e = book.before[e]
        place = place_in(book.items[book.items_end[a] : book.items_end[a + 1]], cells[row], column, layout)
        if place < 0:
            continue
        for r in range(book.rules_end[a], book.rules_end[a + 1]):
            other = layout.column[book.slot[r]]
            if place == 1:
                book.counts[r, N_COVER] += step
                tally(book.counts[r], kind_of(cells[row, other], book.slot[r], layout), step)
            elif other == column:
                tally(book.counts[r], kind_of(cell, book.slot[r], layout), step)
            else:
                continue
            n_adversarial += is_adversarial(book.counts[r], limits)
    return n_adversarial


@compiled
def withdraw(cells: Array, rows: Array, columns: Array, book: Book, layout: Layout, limits: Limits) -> None:
    """Blank public cells."""
    for i in range(rows.size):
        row, column = rows[i], columns[i]
        shift(cells, row, column, cells[row, column], -1, book, layout, limits)
        cells[row, column] = layout.base[column] + GONE


@compiled
def restore(cells: Array, full: Array, rows: Array, columns: Array, book: Book, layout: Layout, limits: Limits) -> None:
    """Publish blanked cells again."""
    for i in range(rows.size):
        row, column = rows[i], columns[i]
        shift(cells, row, column, full[row, column], 1, book, layout, limits)
        cells[row, column] = full[row, column]


@compiled
def give_back(
    cells: Array, full: Array, rows: Array, columns: Array, book: Book, layout: Layout, limits: Limits
) -> Array:
    """Publish blanked cells again, one by one, where no known rule becomes adversarial; return which."""
    given = np.zeros(rows.size, np.bool_)
    for i in range(rows.size):
        row, column = rows[i], columns[i]
        cell = full[row, column]
        if shift(cells, row, column, cell, 1, book, layout, limits) == 0:
            cells[row, column] = cell
            given[i] = True
        else:
            shift(cells, row, column, cell, -1, book, layout, limits)
    return given
