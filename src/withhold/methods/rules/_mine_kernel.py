"""The compiled search for adversarial rules.

Every cell is a *slot*. Column `j` owns the slots from ``base[j]``: gone, hidden and of no use, public and of no use,
then its `n_items[j]` items as public values, then the same items as hidden values. One counter for each slot is all
that a node of the search needs, and one pass over the node's rows fills the counters of all columns.

The rows of a node lie together in one buffer: first the rows that hide an item (only they can be predicted), then the
other ones, then *witnesses*. A witness is no row of the table; where there are any, only itemsets that a witness holds
are visited.
"""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled

__all__ = [
    "ANTECEDENT",
    "COVER",
    "GONE",
    "HIDDEN",
    "HID_N",
    "HID_Y",
    "ITEMS",
    "JOINT",
    "N_FIELDS",
    "N_PLAIN",
    "PUBLIC",
    "PUB_N",
    "PUB_Y",
    "READINGS",
    "ROOT",
    "SLOT",
    "Layout",
    "Limits",
    "list_rows",
    "longer",
    "mine",
    "taller",
]

GONE, HIDDEN, PUBLIC = 0, 1, 2
N_PLAIN = 3
READINGS = ("public", "antecedent", "joint")
ANTECEDENT, JOINT = 1, 2
N_FIELDS = 8
ROOT, ITEMS, SLOT, PUB_N, PUB_Y, HID_N, HID_Y, COVER = range(N_FIELDS)


class Layout(NamedTuple):
    """What the slots stand for."""

    base: Array
    """For each column its first slot."""
    n_items: Array
    """For each column its number of items."""
    column: Array
    """For each slot its column."""
    leads: Array
    """For each slot whether it may stand in an antecedent."""
    leading: Array
    """For each column whether it has such a slot."""


class Limits(NamedTuple):
    """What is searched for."""

    confidence: float
    """The least public and hidden confidence."""
    support: int
    """The least support."""
    reading: int
    """The position in `READINGS` of what support counts."""
    least_cover: int
    """The fewest rows that an antecedent can have."""
    least_y: int
    """The fewest public rows that an antecedent can have together with its consequent."""
    shortest: int
    """The fewest items of an antecedent."""
    longest: int
    """The most items of an antecedent."""
    near_public: int
    """This many public rows fewer may be counted: 0, or more to find also what is nearly adversarial."""
    near_hidden: int
    """This many hidden rows fewer may be counted."""
    prune_free: bool
    """Whether to cut what is privacy-free."""
    prune_single: bool
    """Whether to cut what is non-discriminative."""
    prune_contrast: bool
    """Whether to cut what is contrast."""


@compiled
def longer(values: Array, size: int) -> Array:
    """Return the array, or a larger copy of it, with room for `size` elements."""
    if size <= values.size:
        return values
    larger = np.empty(max(2 * values.size, size), values.dtype)
    for i in range(values.size):
        larger[i] = values[i]
    return larger


@compiled
def taller(values: Array, size: int) -> Array:
    """Return the array, or a larger copy of it, with room for `size` lines."""
    if size <= values.shape[0]:
        return values
    larger = np.empty((max(2 * values.shape[0], size), values.shape[1]), values.dtype)
    for i in range(values.shape[0]):
        for k in range(values.shape[1]):
            larger[i, k] = values[i, k]
    return larger


@compiled
def list_rows(slots: Array, rows: Array, n_slots: int) -> tuple[Array, Array]:
    """Return for each slot the rows that hold it, in the order of `rows`: offsets, and the rows."""
    start = np.zeros(n_slots + 1, np.int64)
    for row in rows:
        for slot in slots[row]:
            start[slot + 1] += 1
    for slot in range(n_slots):
        start[slot + 1] += start[slot]
    at = start.copy()
    listed = np.empty(start[n_slots], np.int32)
    for row in rows:
        for slot in slots[row]:
            listed[at[slot]] = row
            at[slot] += 1
    return start, listed


@compiled
def count(slots: Array, rows: Array, columns: Array, counts: Array) -> None:
    """Count the slots of some rows on some columns."""
    for row in rows:
        line = slots[row]
        for column in columns:
            counts[line[column]] += 1


@compiled
def present_slots(slots: Array, rows: Array, column: int, first: int, last: int, mark: Array, present: Array) -> int:
    """List the slots of a column from `first` to `last` - 1 that some rows may hold; return how many are listed.

    The shorter of the two is looked through, the slots or the rows. `mark` is -1 everywhere, before and after.
    """
    if last - first <= rows.size:
        for i in range(last - first):
            present[i] = first + i
        return last - first
    n_present = 0
    for row in rows:
        slot = slots[row, column]
        if first <= slot < last and mark[slot] < 0:
            mark[slot] = 0
            present[n_present] = slot
            n_present += 1
    for i in range(n_present):
        mark[present[i]] = -1
    return n_present


@compiled
def find_rules(
    slots: Array,
    rows: Array,
    n_rows: int,
    column: int,
    length: int,
    layout: Layout,
    limits: Limits,
    hiding: Array,
    plain: Array,
    mark: Array,
    present: Array,
    rules: Array,
    n_rules: int,
) -> tuple[int, bool]:
    """Write down the adversarial rules of one itemset and one column; return the new number, and whether to go on.

    `rows` are those that hide an item, out of `n_rows`; `hiding` and `plain` hold the counts.
    """
    first = layout.base[column]
    n_items = layout.n_items[column]
    hidden_items = first + N_PLAIN + n_items
    n_present = present_slots(slots, rows, column, hidden_items, hidden_items + n_items, mark, present)
    hid_n = hiding[first + HIDDEN] + plain[first + HIDDEN]
    for i in range(n_present):
        hid_n += hiding[present[i]]
    pub_n = n_rows - hid_n - hiding[first + GONE] - plain[first + GONE]
    is_contrast = True
    for i in range(n_present):
        hid_y = hiding[present[i]]
        slot = present[i] - n_items
        pub_y = hiding[slot] + plain[slot]
        if hid_y == 0 or pub_y < limits.least_y:
            continue
        is_contrast = False
        counted = pub_n
        if limits.reading == ANTECEDENT:
            counted = n_rows
        elif limits.reading == JOINT:
            counted = pub_y
        if length < limits.shortest or counted < limits.support:
            continue
        if (
            pub_y / max(pub_n - limits.near_public, pub_y) >= limits.confidence
            and hid_y / max(hid_n - limits.near_hidden, hid_y) >= limits.confidence
        ):
            found = rules[n_rules]
            found[SLOT], found[COVER] = slot, n_rows
            found[PUB_N], found[PUB_Y], found[HID_N], found[HID_Y] = pub_n, pub_y, hid_n, hid_y
            n_rules += 1
    is_cut = (
        (limits.prune_free and hid_n == 0)
        or (limits.prune_single and hid_n > 0 and pub_n == 0)
        or (limits.prune_contrast and is_contrast)
    )
    return n_rules, not is_cut


@compiled
def list_children(
    slots: Array,
    rows: Array,
    column: int,
    grows: bool,
    needs_witness: bool,
    layout: Layout,
    limits: Limits,
    hiding: Array,
    plain: Array,
    witness: Array,
    mark: Array,
    present: Array,
    child: Array,
    n_children: int,
) -> int:
    """Append the items of a column that an itemset can grow by, set its counters to zero; return the new number."""
    first = layout.base[column]
    last = first + N_PLAIN + 2 * layout.n_items[column]
    n_present = present_slots(slots, rows, column, first, last, mark, present)
    for i in range(n_present):
        slot = present[i]
        if (
            grows
            and layout.leads[slot]
            and hiding[slot] + plain[slot] >= limits.least_cover
            and (hiding[slot] > 0 or not limits.prune_free)
            and (witness[slot] > 0 or not needs_witness)
        ):
            added = child[n_children]
            added[0], added[1] = slot, -1
            added[2], added[3], added[4] = hiding[slot], plain[slot], witness[slot]
            n_children += 1
        hiding[slot] = 0
        plain[slot] = 0
        witness[slot] = 0
    return n_children


@compiled
def hand_down(slots: Array, buffer: Array, begin: int, end: int, column: int, child: Array, mark: Array) -> None:
    """Copy the rows of an itemset to the children on one column, whose places in the buffer are marked."""
    for i in range(begin, end):
        row = buffer[i]
        slot = slots[row, column]
        if mark[slot] >= 0:
            buffer[mark[slot]] = row
            mark[slot] += 1
    for i in range(child.shape[0]):
        mark[child[i, 0]] = -1


@compiled
def mine(
    slots: Array,
    hides: Array,
    n_rows: int,
    list_start: Array,
    listed: Array,
    roots: Array,
    layout: Layout,
    limits: Limits,
) -> tuple[Array, Array, Array, int]:
    """Return the adversarial rules below some first items.

    Parameters
    ----------
    slots
        One line of slots for each row, witnesses last.
    hides
        For each row whether it hides an item.
    n_rows
        The number of rows without the witnesses.
    list_start, listed
        For each slot the rows that hold it: those that hide an item, the other ones, the witnesses.
    roots
        The first items to search below; -1 stands for the empty antecedent alone.

    Returns
    -------
        Offsets and slots of the antecedents; one line for each rule; the number of itemsets visited.

    Notes
    -----
    An itemset costs one pass over its rows on the columns that can still be predicted or that it can grow by. The
    rows of at most one path of the tree are kept, so memory stays within (longest + 1) times the rows.
    """
    n_columns = layout.base.size
    n_slots = layout.column.size
    n_items = 0
    for each in layout.n_items:
        n_items += each
    needs_witness = slots.shape[0] > n_rows
    hiding = np.zeros(n_slots, np.int32)
    plain = np.zeros(n_slots, np.int32)
    witness = np.zeros(n_slots, np.int32)
    mark = np.full(n_slots, -1, np.int64)
    present = np.empty(n_slots, np.int32)

    depth = limits.longest + 2
    path = np.empty(depth, np.int32)
    begin = np.zeros((depth, 4), np.int64)
    top = np.zeros(depth, np.int64)
    alive = np.ones((depth, n_columns), np.bool_)
    next_child = np.zeros(depth, np.int64)
    end_child = np.zeros(depth, np.int64)
    child = np.empty((64, 5), np.int64)
    buffer = np.empty(2 * slots.shape[0] + 1, np.int32)
    active = np.empty(n_columns, np.int64)

    ends = np.zeros(64, np.int64)
    items = np.empty(256, np.int32)
    n_found = 0
    rules = np.empty((64, N_FIELDS), np.int64)
    n_rules = 0
    n_nodes = 0
    for root in roots:
        lowest = min(root, 0) + 1
        level = lowest
        if root >= 0:
            path[0] = root
            rows = listed[list_start[root] : list_start[root + 1]]
        else:
            rows = listed[list_start[n_slots] :]
        buffer[: rows.size] = rows
        begin[level] = rows.size
        begin[level, 0] = 0
        for i in range(rows.size - 1, -1, -1):
            if rows[i] >= n_rows:
                begin[level, 2] = i
                begin[level, 1] = i
            elif not hides[rows[i]]:
                begin[level, 1] = i
        top[level] = rows.size
        alive[level] = True
        while level >= lowest:
            if begin[level, 0] >= 0:
                n_nodes += 1
                a, b, c, d = begin[level, 0], begin[level, 1], begin[level, 2], begin[level, 3]
                begin[level, 0] = -1 - a
                next_child[level] = 0 if level == lowest else end_child[level - 1]
                end_child[level] = next_child[level]
                if limits.prune_free and a == b:
                    continue
                last = -1
                if level > 0:
                    last = layout.column[path[level - 1]]
                    alive[level, last] = False
                may_grow = root >= 0 and level < limits.longest
                n_active = 0
                for j in range(n_columns):
                    if alive[level, j] or (may_grow and j > last and layout.leading[j]):
                        active[n_active] = j
                        n_active += 1
                count(slots, buffer[a:b], active[:n_active], hiding)
                count(slots, buffer[b:c], active[:n_active], plain)
                count(slots, buffer[c:d], active[:n_active], witness)
                rules = taller(rules, n_rules + n_items)
                child = taller(child, end_child[level] + n_items)
                before = n_rules
                n_alive = 0
                one_alive = -1
                for j in active[:n_active]:
                    if alive[level, j]:
                        n_rules, alive[level, j] = find_rules(
                            slots,
                            buffer[a:b],
                            c - a,
                            j,
                            level,
                            layout,
                            limits,
                            hiding,
                            plain,
                            mark,
                            present,
                            rules,
                            n_rules,
                        )
                    if alive[level, j]:
                        n_alive += 1
                        one_alive = j
                if n_rules > before:
                    at = ends[n_found]
                    items = longer(items, at + level)
                    ends = longer(ends, n_found + 2)
                    for i in range(level):
                        items[at + i] = path[i]
                    for i in range(before, n_rules):
                        rules[i, ROOT], rules[i, ITEMS] = root, n_found
                    n_found += 1
                    ends[n_found] = at + level
                for j in active[:n_active]:
                    grows = may_grow and j > last and n_alive > 0 and (n_alive > 1 or one_alive != j)
                    end_child[level] = list_children(
                        slots,
                        buffer[a:d],
                        j,
                        grows,
                        needs_witness,
                        layout,
                        limits,
                        hiding,
                        plain,
                        witness,
                        mark,
                        present,
                        child,
                        end_child[level],
                    )
                continue

            if next_child[level] == end_child[level]:
                level -= 1
                continue
            i = next_child[level]
            column = layout.column[child[i, 0]]
            if child[i, 1] < 0:
                end = top[level]
                k = i
                while k < end_child[level] and layout.column[child[k, 0]] == column:
                    child[k, 1] = end
                    mark[child[k, 0]] = end
                    end += child[k, 2] + child[k, 3] + child[k, 4]
                    k += 1
                buffer = longer(buffer, end)
                hand_down(slots, buffer, -1 - begin[level, 0], begin[level, 3], column, child[i:k], mark)
                top[level + 1] = end
            next_child[level] += 1
            path[level] = child[i, 0]
            alive[level + 1] = alive[level]
            level += 1
            begin[level, 0] = child[i, 1]
            for k in range(3):
                begin[level, k + 1] = begin[level, k] + child[i, k + 2]
    return ends[: n_found + 1], items[: ends[n_found]], rules[:n_rules], n_nodes
