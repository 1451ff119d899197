"""Compiled counting: numbers for equal keys, sums of groups, which groups break a rule."""

import numpy as np

from withhold._compiled import Array, compiled, inlined
from withhold.methods.local import MET, NEAR, UNMET, Rule, measure

__all__ = [
    "add_digits",
    "add_up",
    "by_group",
    "first_kept",
    "fitting",
    "kept_by",
    "leaves_of",
    "number",
    "prices_of",
    "too_small",
]

MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)


@compiled
def add_digits(key: Array, codes: Array, rep: Array, chosen: Array, digit: Array, begin: Array, room: int) -> None:
    """Make room in each key, then add what the chosen columns of its row are worth."""
    if room > 1:
        for i in range(rep.size):
            key[i] *= room
    for n in range(chosen.size):
        # column by column, all numbers unsigned: no index need be checked for being negative
        line, worth = codes[chosen[n]], digit[begin[chosen[n]] : begin[chosen[n] + 1]]
        for i in range(rep.size):
            key[i] += worth[line[rep[i]]]


@compiled
def number(key: Array, room: int) -> tuple[Array, int]:
    """Return a number for each key, from 0 in the order of their first occurrence, and how many there are."""
    ids = np.empty(key.size, dtype=np.int32)
    if room <= 4 * key.size + 1024:
        return ids, _number_in_place(key, ids, np.full(room, -1, dtype=np.int32))
    size = 64
    while size < 2 * key.size:
        size *= 2
    return ids, _number_by_hash(key, ids, np.full(size, -1, dtype=np.int32), np.empty(size, dtype=np.int64))


@inlined
def _number_in_place(key: Array, ids: Array, slot: Array) -> int:
    n = 0
    for i in range(key.size):
        found = slot[key[i]]
        if found < 0:
            found = slot[key[i]] = n
            n += 1
        ids[i] = found
    return n


@inlined
def _number_by_hash(key: Array, ids: Array, slot: Array, held: Array) -> int:
    n, mask = 0, np.uint64(slot.size - 1)
    for i in range(key.size):
        mixed = np.uint64(key[i]) * MIX
        at = (mixed ^ (mixed >> SHIFT)) & mask
        while slot[at] >= 0 and held[at] != key[i]:
            at = (at + np.uint64(1)) & mask
        if slot[at] < 0:
            slot[at] = n
            held[at] = key[i]
            n += 1
        ids[i] = slot[at]
    return n


@compiled
def add_up(ids: Array, n: int, rep: Array, weight: Array, fixed: Array) -> tuple[Array, Array, Array]:
    """Return of each number its first row, its records and its fixed price."""
    first = np.empty(n, dtype=np.uint32)
    n_found = 0
    records = np.zeros(n, dtype=np.int64)
    price = np.zeros(n, dtype=np.float64)
    for i in range(ids.size):
        g = ids[i]
        if g == n_found:
            first[g] = rep[i]
            n_found += 1
        records[g] += weight[i]
        price[g] += fixed[i]
    return first, records, price


@compiled
def by_group(group: Array, n_groups: int) -> tuple[Array, Array]:
    """Return the cells in the order of their groups, and where each group begins."""
    begin = np.zeros(n_groups + 1, dtype=np.int64)
    for i in range(group.size):
        begin[group[i] + 1] += 1
    for g in range(n_groups):
        begin[g + 1] += begin[g]
    at = begin[:-1].copy()
    order = np.empty(group.size, dtype=np.int32)
    for i in range(group.size):
        order[at[group[i]]] = i
        at[group[i]] += 1
    return order, begin


@compiled
def too_small(group: Array, n_groups: int, weight: Array, alive: Array, least: int) -> tuple[Array, int]:
    """Return which groups have fewer living records than `least`, but some, and how many records these are."""
    records = np.zeros(n_groups, dtype=np.int64)
    for i in range(group.size):
        if alive[i]:
            records[group[i]] += weight[i]
    broken, n_records = np.zeros(n_groups, dtype=np.bool_), 0
    for g in range(n_groups):
        if 0 < records[g] < least:
            broken[g] = True
            n_records += records[g]
    return broken, n_records


@inlined
def _add(counts: Array, lane: int, weight: int) -> None:
    counts[0] += weight
    if lane >= 0:
        counts[1 + lane] += weight


@compiled
def kept_by(order: Array, begin: Array, weight: Array, alive: Array, lane: Array, rule: Rule) -> Array:
    """Return for each group whether its living records meet a rule: MET, UNMET or NEAR; an empty group meets it."""
    found = np.full(begin.size - 1, MET, dtype=np.int8)
    counts = np.zeros(1 + rule.n_lanes, dtype=np.int64)
    for g in range(begin.size - 1):
        counts[:] = 0
        for j in range(begin[g], begin[g + 1]):
            i = order[j]
            if alive[i]:
                _add(counts, lane[i], weight[i])
        if counts[0]:
            found[g] = measure(counts, rule)[1]
    return found


@compiled
def first_kept(
    taken: Array, order: Array, begin: Array, weight: Array, lane: Array, counts: Array, rule: Rule, at: int
) -> tuple[int, bool]:
    """Return after how many of the taken groups, at least `at`, a histogram with them meets a rule, and if surely.

    `counts` then holds that histogram. It is one more than there are where it never does.
    """
    if at == 0 and measure(counts, rule)[1] != UNMET:
        return 0, measure(counts, rule)[1] == MET
    for n in range(taken.size):
        for j in range(begin[taken[n]], begin[taken[n] + 1]):
            _add(counts, lane[order[j]], weight[order[j]])
        if n + 1 >= at:
            answer = measure(counts, rule)[1]
            if answer != UNMET:
                return n + 1, answer != NEAR
    return taken.size + 1, True


@compiled
def fitting(ranked: Array, records: Array, room: int) -> Array:
    """Return the groups that fit into the room one after the other, passing over those that do not."""
    found = np.empty(ranked.size, dtype=np.int64)
    n = 0
    for i in range(ranked.size):
        if records[ranked[i]] <= room:
            room -= records[ranked[i]]
            found[n] = ranked[i]
            n += 1
    return found[:n]


@compiled
def prices_of(codes: Array, rep: Array, price: Array, begin: Array) -> Array:
    """Return the price of one record of each row, over all columns that have one."""
    found = np.zeros(rep.size, dtype=np.float64)
    for c in range(begin.size - 1):
        line, each = codes[c], price[begin[c] : begin[c + 1]]
        for i in range(rep.size):
            found[i] += each[line[rep[i]]]
    return found


@compiled
def leaves_of(codes: Array, rep: Array, weight: Array, alive: Array, begin: Array) -> Array:
    """Return how many records that are not alive hold each leaf of each column."""
    found = np.zeros(begin[-1], dtype=np.int64)
    for c in range(begin.size - 1):
        line, held = codes[c], found[begin[c] : begin[c + 1]]
        for i in range(rep.size):
            if not alive[i]:
                held[line[rep[i]]] += weight[i]
    return found
