"""The compiled recursion over known sets.

For a group of rows that agree on the columns taken so far and differ on columns 0 … k - 1, and for a random set J of
those columns (each taken with its own chance, a blank one of the row never), every row wants three numbers:

- *likelihood*: the mean of 1 / F, where F is how many records of the group equal the row on J;
- *consequence*: the mean of (sensitivity of the row on the columns outside J) / F;
- *doubt*: how far the likelihood may be off; the consequence is off by at most that times the row's sensitivity.

All of them are sums of terms that are not negative. The last column that varies in the group is either left out (rows
that become equal are merged; rows are sorted, so they are neighbours) or taken (a stable partition; parts stay sorted).
Columns on which all rows agree change no frequency. Up to `SMALL` rows are summed in closed form.
"""

from withhold._compiled import Array, compiled, inlined, pasted
from withhold.methods.risk._bound import bound
from withhold.methods.risk._lookups import lowest_bit, sensitive_columns, unknown_sensitivity, weight_of
from withhold.methods.risk._packed_rows import MASK, SHIFT, START, WORD, Layout
from withhold.methods.risk._small import settle
from withhold.methods.risk._thread_memory import GUEST, SMALL, UNWANTED, Room

__all__ = ["solve_parts"]

OVERFLOW = -1
SETTLED = -1
NEW, LEFT_OUT, TAKEN = 0, 1, 2
LO, HI, K, COLUMN, STAGE, TOP, PART, PARTS_END = range(8)


@pasted
def merge_without(layout: Layout, room: Room, lo: int, hi: int, top: int, j: int) -> int:
    """Copy a group to `top` without column j, rows that become equal merged; return its end."""
    n_words = layout.n_words
    prefixes = layout.prefixes
    keys = room.keys
    records = room.records
    tolerances = room.tolerances
    down = room.down
    end = top
    for i in range(lo, hi):
        same = i > lo
        if same:
            for w in range(n_words):
                if (keys[i, w] ^ keys[i - 1, w]) & prefixes[j, w]:
                    same = False
        if same:
            records[end - 1] += records[i]
            tolerances[end - 1] = min(tolerances[end - 1], tolerances[i])
        else:
            for w in range(n_words):
                keys[end, w] = keys[i, w]
            records[end] = records[i]
            tolerances[end] = tolerances[i]
            end += 1
        down[i] = end - 1
    return end


@pasted
def take_up(layout: Layout, room: Room, lo: int, hi: int, j: int) -> None:
    """Start the numbers of a group with those of its merged copy, in which column j is left out."""
    columns = layout.columns
    blankable = layout.blankable
    unknown_shares = layout.unknown_shares
    weights = layout.weights
    tolerances = room.tolerances
    down = room.down
    keys = room.keys
    likelihoods = room.likelihoods
    consequences = room.consequences
    doubts = room.doubts
    for i in range(lo, hi):
        if tolerances[i] == UNWANTED:
            continue
        child = down[i]
        code = (keys[i, columns[j, WORD]] >> columns[j, SHIFT]) & columns[j, MASK]
        share = 1.0 if blankable[j] and code == 0 else unknown_shares[j]
        weight = weights[columns[j, START] + code]
        likelihoods[i] = share * likelihoods[child]
        consequences[i] = share * (consequences[child] + weight * likelihoods[child])
        doubts[i] = share * doubts[child]


@pasted
def add_part(room: Room, lo: int, hi: int, known: float) -> None:
    """Add the numbers of a part to the group it was copied from."""
    up = room.up
    tolerances = room.tolerances
    likelihoods = room.likelihoods
    consequences = room.consequences
    doubts = room.doubts
    for i in range(lo, hi):
        above = up[i]
        if above == GUEST or tolerances[above] == UNWANTED:
            continue
        likelihoods[above] += known * likelihoods[i]
        consequences[above] += known * consequences[i]
        doubts[above] += known * doubts[i]


@inlined
def copy_slot(layout: Layout, room: Room, i: int, end: int) -> None:
    """Copy a row to another slot."""
    n_words = layout.n_words
    keys = room.keys
    records = room.records
    tolerances = room.tolerances
    up = room.up
    for w in range(n_words):
        keys[end, w] = keys[i, w]
    records[end] = records[i]
    tolerances[end] = tolerances[i]
    up[end] = i


@pasted
def partition(layout: Layout, room: Room, lo: int, hi: int, top: int, j: int, first: int) -> tuple[int, int]:
    """Copy the parts of a group on column j that hold a wanted row to `top`; return the ends of slots and parts.

    A part of one row is settled at once. Under `is_wild` the blank rows stand in every part.
    """
    columns = layout.columns
    blankable = layout.blankable
    is_wild = layout.is_wild
    known_shares = layout.known_shares
    chunks = layout.chunks
    n_chunks = layout.n_chunks
    prefixes = layout.prefixes
    sensitive_table = layout.sensitive_table
    weights = layout.weights
    unknown_shares = layout.unknown_shares
    n_words = layout.n_words
    keys = room.keys
    places = room.places
    part_codes = room.part_codes
    part_his = room.part_his
    part_leasts = room.part_leasts
    tolerances = room.tolerances
    part_los = room.part_los
    records = room.records
    up = room.up
    likelihoods = room.likelihoods
    consequences = room.consequences
    n_parts = first
    n_blank = 0
    word, shift, mask = columns[j, WORD], columns[j, SHIFT], columns[j, MASK]
    blankable = blankable[j]
    for i in range(lo, hi):
        code = (keys[i, word] >> shift) & mask
        if blankable and code == 0:
            n_blank += 1
            continue
        part = places[code]
        if part < 0:
            part = n_parts
            places[code] = part
            part_codes[part] = code
            part_his[part] = 0
            part_leasts[part] = UNWANTED
            n_parts += 1
        part_his[part] += 1
        part_leasts[part] = min(part_leasts[part], tolerances[i])
    guests = n_blank if is_wild else 0
    end = top
    for part in range(first, n_parts):
        n_in = part_his[part] + guests
        part_los[part] = -1
        if part_leasts[part] < UNWANTED:
            part_los[part] = -2
            if n_in > 1:
                part_los[part] = end
                part_his[part] = end
                end += n_in
    if end > records.size:
        for part in range(first, n_parts):
            places[part_codes[part]] = -1
        return OVERFLOW, first
    for i in range(lo, hi):
        code = (keys[i, word] >> shift) & mask
        if blankable and code == 0:
            if guests:
                for part in range(first, n_parts):
                    if part_los[part] >= 0:
                        copy_slot(layout, room, i, part_his[part])
                        tolerances[part_his[part]] = UNWANTED
                        up[part_his[part]] = GUEST
                        part_his[part] += 1
            continue
        part = places[code]
        if part_los[part] == -2:
            share = known_shares[j] / records[i]
            likelihoods[i] += share
            consequences[i] += share * unknown_sensitivity(
                chunks, n_chunks, prefixes, sensitive_table, columns, weights, unknown_shares, keys, i, j
            )
        elif part_los[part] >= 0:
            last = part_his[part] - 1
            twin = guests > 0 and last >= part_los[part]
            if twin:
                for w in range(n_words):
                    if (keys[i, w] ^ keys[last, w]) & prefixes[j, w]:
                        twin = False
            if twin:
                records[last] += records[i]
                tolerances[last] = tolerances[i]
                up[last] = i
            else:
                copy_slot(layout, room, i, last + 1)
                part_his[part] += 1
    kept = first
    for part in range(first, n_parts):
        places[part_codes[part]] = -1
        if part_los[part] >= 0:
            part_los[kept] = part_los[part]
            part_his[kept] = part_his[part]
            kept += 1
    return end, kept


@pasted
def open_group(
    layout: Layout, room: Room, lo: int, hi: int, k: int, chance: float, depth: int, merged: bool, exact: bool
) -> int:
    """Settle a group, or return the last column on which it varies; a merged copy varies where its original does."""
    n_words = layout.n_words
    prefixes = layout.prefixes
    columns = layout.columns
    varying = room.varying
    keys = room.keys
    if hi - lo <= SMALL:
        settle(layout, room, lo, hi, k)
        return SETTLED
    if merged:
        for w in range(n_words):
            varying[depth, w] = varying[depth - 1, w] & prefixes[k, w]
    else:
        for w in range(n_words):
            bits = 0
            base = keys[lo, w]
            for i in range(lo + 1, hi):
                bits |= keys[i, w] ^ base
            varying[depth, w] = bits & prefixes[k, w]
    if not exact and bound(layout, room, lo, hi, k, chance, depth) == 0:
        return SETTLED
    j = k - 1
    while varying[depth, columns[j, WORD]] & (columns[j, MASK] << columns[j, SHIFT]) == 0:
        j -= 1
    return j


@pasted
def close_group(layout: Layout, room: Room, lo: int, hi: int, j: int, k: int) -> None:
    """Add the columns between j and k, on which all rows of the group agree."""
    chunks = layout.chunks
    n_chunks = layout.n_chunks
    prefixes = layout.prefixes
    sensitive_table = layout.sensitive_table
    unknown_shares = layout.unknown_shares
    columns = layout.columns
    weights = layout.weights
    keys = room.keys
    tolerances = room.tolerances
    consequences = room.consequences
    likelihoods = room.likelihoods
    left = sensitive_columns(chunks, n_chunks, prefixes, sensitive_table, keys, lo, k) >> (j + 1)
    if left == 0:
        return
    constant = 0.0
    while left:
        column = j + 1 + lowest_bit(left)
        left &= left - 1
        constant += unknown_shares[column] * weight_of(columns, weights, keys, lo, column)
    for i in range(lo, hi):
        if tolerances[i] < UNWANTED:
            consequences[i] += constant * likelihoods[i]


@pasted
def solve(layout: Layout, room: Room, n_rows: int, k: int, chance: float, exact: bool) -> bool:
    """Fill the numbers of the group in the first `n_rows` slots; return whether the room was large enough."""
    unknown_shares = layout.unknown_shares
    known_shares = layout.known_shares
    frames = room.frames
    paths = room.paths
    records = room.records
    part_los = room.part_los
    part_his = room.part_his
    frame = frames
    lo, hi, top, part = 0, n_rows, n_rows, 0
    depth = -1
    merged = False
    while True:
        j = open_group(layout, room, lo, hi, k, chance, depth + 1, merged, exact)
        if j != SETTLED:
            depth += 1
            frame[depth, LO], frame[depth, HI], frame[depth, TOP] = lo, hi, top
            frame[depth, K], frame[depth, COLUMN], frame[depth, STAGE] = k, j, NEW
            frame[depth, PART], frame[depth, PARTS_END] = part, part
            paths[depth] = chance
        while depth >= 0:
            lo, hi, top, j = frame[depth, LO], frame[depth, HI], frame[depth, TOP], frame[depth, COLUMN]
            if frame[depth, STAGE] == NEW:
                if top + hi - lo > records.size:
                    return False
                frame[depth, STAGE] = LEFT_OUT
                hi = merge_without(layout, room, lo, hi, top, j)
                lo, top, part, k = top, hi, frame[depth, PART], j
                merged = True
                chance = paths[depth] * unknown_shares[j]
                break
            if frame[depth, STAGE] == LEFT_OUT:
                take_up(layout, room, lo, hi, j)
                end, kept = partition(layout, room, lo, hi, top, j, frame[depth, PART])
                if end == OVERFLOW:
                    return False
                frame[depth, TOP], frame[depth, PARTS_END], frame[depth, STAGE] = end, kept, TAKEN
            else:
                done = frame[depth, PART]
                add_part(room, part_los[done], part_his[done], known_shares[j])
                frame[depth, PART] += 1
            if frame[depth, PART] < frame[depth, PARTS_END]:
                part = frame[depth, PART]
                lo, hi, top, k = part_los[part], part_his[part], frame[depth, TOP], j
                part = frame[depth, PARTS_END]
                merged = False
                chance = paths[depth] * known_shares[j]
                break
            close_group(layout, room, lo, hi, j, frame[depth, K])
            depth -= 1
        if depth < 0:
            return True


@pasted
def gather(
    layout: Layout,
    room: Room,
    source: Array,
    first: Array,
    weight: Array,
    tolerance: Array,
    order: Array,
    lo: int,
    hi: int,
    n_blank: int,
    k: int,
) -> int:
    """Copy a part of a table, and the blank rows that stand in every part, to the first slots; return how many."""
    n_words = layout.n_words
    prefixes = layout.prefixes
    keys = room.keys
    records = room.records
    tolerances = room.tolerances
    up = room.up
    end = 0
    guest = 0
    at = lo
    while at < hi:
        is_guest = guest < n_blank and order[guest] < order[at]
        row = order[guest] if is_guest else order[at]
        if is_guest:
            guest += 1
        else:
            at += 1
        twin = n_blank > 0 and end > 0
        if twin:
            for w in range(n_words):
                if (source[first[row], w] ^ keys[end - 1, w]) & prefixes[k, w]:
                    twin = False
        if twin:
            records[end - 1] += weight[row]
        else:
            for w in range(n_words):
                keys[end, w] = source[first[row], w]
            records[end] = weight[row]
            end += 1
        tolerances[end - 1] = UNWANTED if is_guest else tolerance[row]
        up[end - 1] = GUEST if is_guest else row
    for at in range(guest, n_blank):
        row = order[at]
        for w in range(n_words):
            keys[end, w] = source[first[row], w]
        records[end] = weight[row]
        tolerances[end] = UNWANTED
        up[end] = GUEST
        end += 1
    return end


@compiled
def solve_parts(
    layout: Layout,
    room: Room,
    keys: Array,
    first: Array,
    weight: Array,
    tolerance: Array,
    order: Array,
    bounds: Array,
    n_blank: int,
    parts: Array,
    k: int,
    chance: float,
    exact: bool,
    likelihood: Array,
    consequence: Array,
    doubt: Array,
) -> bool:
    """Fill the numbers of some parts of a table on its last column, `k`; return whether the room was large enough.

    Parameters
    ----------
    keys, first, weight, tolerance
        The packed rows; for each row of the table one of them, its records, and its tolerance.
    order, bounds, n_blank
        The rows of the table part by part, and where the parts start; under `is_wild` the first `n_blank` of `order`
        are blank and stand in every part.
    parts
        The parts to solve.
    """
    records = room.records
    up = room.up
    likelihoods = room.likelihoods
    consequences = room.consequences
    doubts = room.doubts
    for part in parts:
        lo, hi = bounds[part], bounds[part + 1]
        if hi - lo + n_blank > records.size:
            return False
        wanted = False
        for at in range(lo, hi):
            if tolerance[order[at]] < UNWANTED:
                wanted = True
                break
        if not wanted:
            continue
        n_rows = gather(layout, room, keys, first, weight, tolerance, order, lo, hi, n_blank, k)
        if not solve(layout, room, n_rows, k, chance, exact):
            return False
        for i in range(n_rows):
            row = up[i]
            if row != GUEST and tolerance[row] < UNWANTED:
                likelihood[row] = likelihoods[i]
                consequence[row] = consequences[i]
                doubt[row] = doubts[i]
    return True
