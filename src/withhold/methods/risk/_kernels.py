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

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from withhold.methods._compiled import Array, compiled, inlined
from withhold.methods.risk._layout import Layout

__all__ = ["OVERFLOW", "SMALL", "Room", "merge_prefix", "new_room", "part_order", "solve_parts"]

SMALL = 6
OVERFLOW = -1
SETTLED = -1
UNWANTED = np.inf
GUEST = -1
NEW, LEFT_OUT, TAKEN = 0, 1, 2
LO, HI, K, COLUMN, STAGE, TOP, PART, PARTS_END = range(8)


class Room(NamedTuple):
    """Memory of one thread. A *slot* holds a row of a group; groups lie on a stack of slots."""

    keys: Array
    weight: Array
    """How many records a slot stands for."""
    tolerance: Array
    """How much doubt a slot may keep; infinite where its numbers are not wanted."""
    up: Array
    """The slot of the group above that a slot was copied from; `GUEST` where it only counts."""
    down: Array
    """The slot that a slot was merged into."""
    likelihood: Array
    consequence: Array
    doubt: Array
    frame: Array
    """For each open group its slots, columns and stage."""
    chance: Array
    """For each open group the chance of its path."""
    varying: Array
    """For each open group the bits on which its rows differ."""
    part_lo: Array
    part_hi: Array
    part_code: Array
    part_least: Array
    place: Array
    """For each code its part, -1 outside of a partition."""
    union: Array
    """Scratch: for each subset of a small group the bits on which any of it differs."""
    inverse: Array
    """Scratch: for each such subset its coefficient."""
    total: Array
    """Scratch: for each such subset its records."""
    alike: Array
    """Scratch: for each such subset the chance that its rows are alike on the known set."""
    chances: Array
    share: Array
    fields: Array
    """Scratch: the sensitive fields of a row, word and bits."""
    parts: Array
    """Scratch: the sensitivity of those fields."""


def new_room(layout: Layout, n_slots: int) -> Room:
    """Return memory for a thread; pages that are never touched cost nothing."""
    m, n_words = layout.prefix.shape[0] - 1, len(layout.words)
    n_codes = int(layout.mask.max(initial=1)) + 1
    n_parts = int((layout.mask + 1).sum()) + 2
    return Room(
        keys=np.empty((n_slots, n_words), np.int64),
        weight=np.empty(n_slots),
        tolerance=np.empty(n_slots),
        up=np.empty(n_slots, np.int32),
        down=np.empty(n_slots, np.int32),
        likelihood=np.empty(n_slots),
        consequence=np.empty(n_slots),
        doubt=np.empty(n_slots),
        frame=np.zeros((m + 2, 8), np.int64),
        chance=np.zeros(m + 2),
        varying=np.zeros((m + 2, n_words), np.int64),
        part_lo=np.zeros(n_parts, np.int64),
        part_hi=np.zeros(n_parts, np.int64),
        part_code=np.zeros(n_parts, np.int64),
        part_least=np.zeros(n_parts),
        place=np.full(n_codes, -1, np.int64),
        union=np.zeros((1 << SMALL, n_words), np.int64),
        inverse=np.zeros(1 << SMALL),
        total=np.zeros(1 << SMALL),
        alike=np.zeros(1 << SMALL),
        chances=np.zeros(1 << SMALL),
        share=np.zeros(SMALL),
        fields=np.zeros((64, 2), np.int64),
        parts=np.zeros(64),
    )


def _lowest_bit(typing: Any, value: Any) -> Any:
    """Return the position of the lowest bit of a number that is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


lowest_bit: Any = intrinsic(_lowest_bit)


@inlined
def stays(layout: Layout, bits: Array, i: int, k: int) -> float:
    """Return the chance that none of the non-zero fields of ``bits[i]`` is known."""
    chance = 1.0
    for c in range(layout.n_chunks[k]):
        content = (bits[i, layout.chunk_word[c]] >> layout.chunk_shift[c]) & layout.chunk_mask[c]
        chance *= layout.stay[layout.chunk_start[c] + content]
    return chance


@inlined
def sensitive_columns(layout: Layout, keys: Array, i: int, k: int) -> int:
    """Return the columns before `k` on which a row has weight, as bits."""
    found = 0
    for c in range(layout.n_chunks[k]):
        w = layout.chunk_word[c]
        content = ((keys[i, w] & layout.prefix[k, w]) >> layout.chunk_shift[c]) & layout.chunk_mask[c]
        found |= layout.sensitive[layout.chunk_start[c] + content]
    return found


@inlined
def weight_of(layout: Layout, keys: Array, i: int, j: int) -> float:
    """Return the sensitivity of a row on a column."""
    code = (keys[i, layout.word[j]] >> layout.shift[j]) & layout.mask[j]
    return layout.weight[layout.weight_start[j] + code]


@inlined
def hidden_bits(layout: Layout, keys: Array, i: int, w: int) -> int:
    """Return the bits of a word on which a row is blank."""
    found = 0
    for c in layout.blank_chunks:
        if layout.chunk_word[c] == w:
            content = (keys[i, w] >> layout.chunk_shift[c]) & layout.chunk_mask[c]
            found |= layout.hidden[layout.chunk_start[c] + content]
    return found


@inlined
def unknown_sensitivity(layout: Layout, keys: Array, i: int, k: int) -> float:
    """Return the mean sensitivity of a row on those of the columns before `k` that are not known."""
    mean = 0.0
    left = sensitive_columns(layout, keys, i, k)
    while left:
        j = lowest_bit(left)
        left &= left - 1
        mean += layout.unknown[j] * weight_of(layout, keys, i, j)
    return mean


@inlined
def differing(layout: Layout, keys: Array, i: int, other: int, w: int, k: int) -> int:
    """Return bits of a word that are non-zero in each field on which a known value of row i rules the other row out."""
    bits = (keys[i, w] ^ keys[other, w]) & layout.prefix[k, w]
    if layout.has_blanks and bits:
        bits &= ~hidden_bits(layout, keys, i, w)
        if layout.is_wild:
            bits &= ~hidden_bits(layout, keys, other, w)
    return bits


@inlined
def share_classes(room: Room, n_rows: int, n_sets: int) -> None:
    """Turn the chances that sets of rows are alike into each row's mean of 1 / (records it is confused with)."""
    chances = room.chances
    step = 1
    while step < n_sets:
        for block in range(0, n_sets, 2 * step):
            for s in range(block, block + step):
                chances[s] -= chances[s + step]
        step *= 2
    for s in range(1, n_sets):
        chances[s] *= room.total[s]
    for i in range(n_rows):
        bit = 1 << i
        mean = 0.0
        for block in range(bit, n_sets, 2 * bit):
            for s in range(block, block + bit):
                mean += chances[s]
        room.share[i] = mean


@inlined
def settle(layout: Layout, room: Room, lo: int, hi: int, k: int) -> None:
    """Fill the numbers of a small group in closed form.

    A set of rows is alike where no column is known on which it varies; by inclusion and exclusion over larger sets it
    is exactly what a row is confused with. One pass over the subsets of the group serves all its rows.
    """
    n_rows = hi - lo
    if n_rows == 1:
        if room.tolerance[lo] < UNWANTED:
            room.likelihood[lo] = 1.0 / room.weight[lo]
            room.consequence[lo] = unknown_sensitivity(layout, room.keys, lo, k) / room.weight[lo]
            room.doubt[lo] = 0.0
        return
    union, alike, total = room.union, room.alike, room.total
    n_sets = 1
    for i in range(lo, hi):
        for w in layout.words:
            union[n_sets, w] = 0
        alike[n_sets] = 1.0
        total[n_sets] = room.weight[i]
        for s in range(1, n_sets):
            first = lo + lowest_bit(s)
            for w in layout.words:
                union[n_sets + s, w] = union[s, w] | ((room.keys[first, w] ^ room.keys[i, w]) & layout.prefix[k, w])
            total[n_sets + s] = total[s] + room.weight[i]
        n_sets *= 2
    if layout.has_blanks:
        for i in range(lo, hi):
            for w in layout.words:
                if union[n_sets - 1, w] & hidden_bits(layout, room.keys, i, w):
                    settle_blank(layout, room, lo, hi, k)
                    return
    for s in range(1, n_sets):
        if s & (s - 1):
            alike[s] = stays(layout, union, s, k)
    for s in range(1, n_sets):
        room.chances[s] = alike[s]
        total[s] = 1.0 / total[s]
    share_classes(room, n_rows, n_sets)
    for i in range(lo, hi):
        room.likelihood[i] = room.share[i - lo]
    rounding = 3.0 ** (n_rows - 1) * (layout.word.size + n_rows + 8) * 2.0**-52
    left = 0
    for i in range(lo, hi):
        if room.tolerance[i] < UNWANTED:
            room.consequence[i] = 0.0
            room.doubt[i] = rounding / room.weight[i]
            left |= sensitive_columns(layout, room.keys, i, k)
    while left:
        j = lowest_bit(left)
        left &= left - 1
        word, field, unknown = layout.word[j], layout.mask[j] << layout.shift[j], layout.unknown[j]
        if union[n_sets - 1, word] & field == 0:
            for i in range(lo, hi):
                if room.tolerance[i] < UNWANTED:
                    room.consequence[i] += unknown * weight_of(layout, room.keys, i, j) * room.likelihood[i]
            continue
        for s in range(1, n_sets):
            room.chances[s] = alike[s] if union[s, word] & field else alike[s] * unknown
        share_classes(room, n_rows, n_sets)
        for i in range(lo, hi):
            if room.tolerance[i] < UNWANTED:
                room.consequence[i] += weight_of(layout, room.keys, i, j) * room.share[i - lo]


@compiled
def settle_blank(layout: Layout, room: Room, lo: int, hi: int, k: int) -> None:
    """Fill the numbers of a small group with blanks: inclusion and exclusion over the other rows, row by row."""
    n_others = hi - lo - 1
    rounding = (3.0**n_others * (n_others + 2) + 2.0**n_others * (layout.word.size + 20)) * 2.0**-52
    for i in range(lo, hi):
        if room.tolerance[i] == UNWANTED:
            continue
        own = room.weight[i]
        n_sets = 1
        for w in layout.words:
            room.union[0, w] = 0
        room.total[0] = own
        room.inverse[0] = 1.0 / own
        for other in range(lo, hi):
            if other == i:
                continue
            for w in layout.words:
                room.union[n_sets, w] = differing(layout, room.keys, i, other, w, k)
            for s in range(1, n_sets):
                for w in layout.words:
                    room.union[n_sets + s, w] = room.union[n_sets, w] | room.union[s, w]
            for s in range(n_sets):
                room.total[n_sets + s] = room.total[s] + room.weight[other]
            n_sets *= 2
        for s in range(1, n_sets):
            room.inverse[s] = 1.0 / room.total[s]
        step = 1
        while step < n_sets:
            for s in range(n_sets):
                if s & step:
                    room.inverse[s] -= room.inverse[s ^ step]
            step *= 2
        n_fields = 0
        base = 0.0
        left = sensitive_columns(layout, room.keys, i, k)
        while left:
            j = lowest_bit(left)
            left &= left - 1
            weight = weight_of(layout, room.keys, i, j)
            base += layout.unknown[j] * weight
            room.fields[n_fields, 0] = layout.word[j]
            room.fields[n_fields, 1] = layout.mask[j] << layout.shift[j]
            room.parts[n_fields] = layout.known[j] * weight
            n_fields += 1
        likelihood = room.inverse[0]
        consequence = room.inverse[0] * base
        for s in range(1, n_sets):
            term = room.inverse[s] * stays(layout, room.union, s, k)
            outside = base
            for f in range(n_fields):
                if room.union[s, room.fields[f, 0]] & room.fields[f, 1]:
                    outside += room.parts[f]
            likelihood += term
            consequence += term * outside
        room.likelihood[i] = likelihood
        room.consequence[i] = consequence
        room.doubt[i] = rounding / own


@inlined
def bound(layout: Layout, room: Room, lo: int, hi: int, k: int, chance: float, depth: int) -> int:
    """Settle the rows of a group whose doubt is small enough at once; return how many stay wanted.

    The heaviest row of the group bounds frequencies: a set on which a row agrees with it has at least the records of
    both, a set on which it differs has at most the records without it.
    """
    size = 0.0
    heavy = lo
    for i in range(lo, hi):
        size += room.weight[i]
        if room.weight[i] > room.weight[heavy]:
            heavy = i
    top = room.weight[heavy]
    none_known = stays(layout, room.varying, depth, k)
    n_wanted = 0
    for i in range(lo, hi):
        if room.tolerance[i] == UNWANTED:
            continue
        own = room.weight[i]
        none = none_known
        if layout.has_blanks:
            is_blank = False
            for w in layout.words:
                hidden = hidden_bits(layout, room.keys, i, w)
                is_blank = is_blank or room.varying[depth, w] & hidden != 0
                room.union[0, w] = room.varying[depth, w] & ~hidden
            if is_blank:
                none = stays(layout, room.union, 0, k)
        for w in layout.words:
            room.union[0, w] = differing(layout, room.keys, i, heavy, w, k)
        alike = 1.0 if i == heavy else stays(layout, room.union, 0, k)
        least = top if i == heavy else top + own
        doubt = (alike - none) * (1.0 / least - 1.0 / size) * 0.5 + 2.0**-48 / own
        among = (1.0 / least + 1.0 / size) * 0.5
        apart = 0.0
        if i != heavy:
            doubt += (1.0 - alike) * (1.0 / own - 1.0 / (size - top)) * 0.5
            apart = (1.0 / own + 1.0 / (size - top)) * 0.5
        if chance * doubt > room.tolerance[i]:
            n_wanted += 1
            continue
        likelihood = none / size + (alike - none) * among + (1.0 - alike) * apart
        consequence = 0.0
        left = sensitive_columns(layout, room.keys, i, k)
        while left:
            j = lowest_bit(left)
            left &= left - 1
            field = layout.mask[j] << layout.shift[j]
            unknown = layout.unknown[j]
            if room.varying[depth, layout.word[j]] & field == 0:
                part = unknown * likelihood
            elif room.union[0, layout.word[j]] & field:
                part = none / size + (alike - none) * among + max(unknown - alike, 0.0) * apart
            else:
                part = none / size + max(alike * unknown - none, 0.0) * among + unknown * (1.0 - alike) * apart
            consequence += part * weight_of(layout, room.keys, i, j)
        room.likelihood[i] = likelihood
        room.consequence[i] = consequence
        room.doubt[i] = doubt
        room.tolerance[i] = UNWANTED
    return n_wanted


@inlined
def merge_without(layout: Layout, room: Room, lo: int, hi: int, top: int, j: int) -> int:
    """Copy a group to `top` without column j, rows that become equal merged; return its end."""
    end = top
    for i in range(lo, hi):
        same = i > lo
        if same:
            for w in layout.words:
                if (room.keys[i, w] ^ room.keys[i - 1, w]) & layout.prefix[j, w]:
                    same = False
        if same:
            room.weight[end - 1] += room.weight[i]
            room.tolerance[end - 1] = min(room.tolerance[end - 1], room.tolerance[i])
        else:
            for w in layout.words:
                room.keys[end, w] = room.keys[i, w]
            room.weight[end] = room.weight[i]
            room.tolerance[end] = room.tolerance[i]
            end += 1
        room.down[i] = end - 1
    return end


@inlined
def take_up(layout: Layout, room: Room, lo: int, hi: int, j: int) -> None:
    """Start the numbers of a group with those of its merged copy, in which column j is left out."""
    for i in range(lo, hi):
        if room.tolerance[i] == UNWANTED:
            continue
        child = room.down[i]
        code = (room.keys[i, layout.word[j]] >> layout.shift[j]) & layout.mask[j]
        share = 1.0 if layout.blankable[j] and code == 0 else layout.unknown[j]
        weight = layout.weight[layout.weight_start[j] + code]
        room.likelihood[i] = share * room.likelihood[child]
        room.consequence[i] = share * (room.consequence[child] + weight * room.likelihood[child])
        room.doubt[i] = share * room.doubt[child]


@inlined
def add_part(room: Room, lo: int, hi: int, known: float) -> None:
    """Add the numbers of a part to the group it was copied from."""
    for i in range(lo, hi):
        above = room.up[i]
        if above == GUEST or room.tolerance[above] == UNWANTED:
            continue
        room.likelihood[above] += known * room.likelihood[i]
        room.consequence[above] += known * room.consequence[i]
        room.doubt[above] += known * room.doubt[i]


@inlined
def copy_slot(layout: Layout, room: Room, i: int, end: int) -> None:
    """Copy a row to another slot."""
    for w in layout.words:
        room.keys[end, w] = room.keys[i, w]
    room.weight[end] = room.weight[i]
    room.tolerance[end] = room.tolerance[i]
    room.up[end] = i


@inlined
def partition(layout: Layout, room: Room, lo: int, hi: int, top: int, j: int, first: int) -> tuple[int, int]:
    """Copy the parts of a group on column j that hold a wanted row to `top`; return the ends of slots and parts.

    A part of one row is settled at once. Under `is_wild` the blank rows stand in every part.
    """
    n_parts = first
    n_blank = 0
    word, shift, mask = layout.word[j], layout.shift[j], layout.mask[j]
    blankable = layout.blankable[j]
    for i in range(lo, hi):
        code = (room.keys[i, word] >> shift) & mask
        if blankable and code == 0:
            n_blank += 1
            continue
        part = room.place[code]
        if part < 0:
            part = n_parts
            room.place[code] = part
            room.part_code[part] = code
            room.part_hi[part] = 0
            room.part_least[part] = UNWANTED
            n_parts += 1
        room.part_hi[part] += 1
        room.part_least[part] = min(room.part_least[part], room.tolerance[i])
    guests = n_blank if layout.is_wild else 0
    end = top
    for part in range(first, n_parts):
        n_in = room.part_hi[part] + guests
        room.part_lo[part] = -1
        if room.part_least[part] < UNWANTED:
            room.part_lo[part] = -2
            if n_in > 1:
                room.part_lo[part] = end
                room.part_hi[part] = end
                end += n_in
    if end > room.weight.size:
        for part in range(first, n_parts):
            room.place[room.part_code[part]] = -1
        return OVERFLOW, first
    for i in range(lo, hi):
        code = (room.keys[i, word] >> shift) & mask
        if blankable and code == 0:
            if guests:
                for part in range(first, n_parts):
                    if room.part_lo[part] >= 0:
                        copy_slot(layout, room, i, room.part_hi[part])
                        room.tolerance[room.part_hi[part]] = UNWANTED
                        room.up[room.part_hi[part]] = GUEST
                        room.part_hi[part] += 1
            continue
        part = room.place[code]
        if room.part_lo[part] == -2:
            share = layout.known[j] / room.weight[i]
            room.likelihood[i] += share
            room.consequence[i] += share * unknown_sensitivity(layout, room.keys, i, j)
        elif room.part_lo[part] >= 0:
            last = room.part_hi[part] - 1
            twin = guests > 0 and last >= room.part_lo[part]
            if twin:
                for w in layout.words:
                    if (room.keys[i, w] ^ room.keys[last, w]) & layout.prefix[j, w]:
                        twin = False
            if twin:
                room.weight[last] += room.weight[i]
                room.tolerance[last] = room.tolerance[i]
                room.up[last] = i
            else:
                copy_slot(layout, room, i, last + 1)
                room.part_hi[part] += 1
    kept = first
    for part in range(first, n_parts):
        room.place[room.part_code[part]] = -1
        if room.part_lo[part] >= 0:
            room.part_lo[kept] = room.part_lo[part]
            room.part_hi[kept] = room.part_hi[part]
            kept += 1
    return end, kept


@inlined
def open_group(
    layout: Layout, room: Room, lo: int, hi: int, k: int, chance: float, depth: int, merged: bool, exact: bool
) -> int:
    """Settle a group, or return the last column on which it varies; a merged copy varies where its original does."""
    if hi - lo <= SMALL:
        settle(layout, room, lo, hi, k)
        return SETTLED
    if merged:
        for w in layout.words:
            room.varying[depth, w] = room.varying[depth - 1, w] & layout.prefix[k, w]
    else:
        for w in layout.words:
            bits = 0
            base = room.keys[lo, w]
            for i in range(lo + 1, hi):
                bits |= room.keys[i, w] ^ base
            room.varying[depth, w] = bits & layout.prefix[k, w]
    if not exact and bound(layout, room, lo, hi, k, chance, depth) == 0:
        return SETTLED
    j = k - 1
    while room.varying[depth, layout.word[j]] & (layout.mask[j] << layout.shift[j]) == 0:
        j -= 1
    return j


@inlined
def close_group(layout: Layout, room: Room, lo: int, hi: int, j: int, k: int) -> None:
    """Add the columns between j and k, on which all rows of the group agree."""
    left = sensitive_columns(layout, room.keys, lo, k) >> (j + 1)
    if left == 0:
        return
    constant = 0.0
    while left:
        column = j + 1 + lowest_bit(left)
        left &= left - 1
        constant += layout.unknown[column] * weight_of(layout, room.keys, lo, column)
    for i in range(lo, hi):
        if room.tolerance[i] < UNWANTED:
            room.consequence[i] += constant * room.likelihood[i]


@compiled
def solve(layout: Layout, room: Room, n_rows: int, k: int, chance: float, exact: bool) -> bool:
    """Fill the numbers of the group in the first `n_rows` slots; return whether the room was large enough."""
    frame = room.frame
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
            room.chance[depth] = chance
        while depth >= 0:
            lo, hi, top, j = frame[depth, LO], frame[depth, HI], frame[depth, TOP], frame[depth, COLUMN]
            if frame[depth, STAGE] == NEW:
                if top + hi - lo > room.weight.size:
                    return False
                frame[depth, STAGE] = LEFT_OUT
                hi = merge_without(layout, room, lo, hi, top, j)
                lo, top, part, k = top, hi, frame[depth, PART], j
                merged = True
                chance = room.chance[depth] * layout.unknown[j]
                break
            if frame[depth, STAGE] == LEFT_OUT:
                take_up(layout, room, lo, hi, j)
                end, kept = partition(layout, room, lo, hi, top, j, frame[depth, PART])
                if end == OVERFLOW:
                    return False
                frame[depth, TOP], frame[depth, PARTS_END], frame[depth, STAGE] = end, kept, TAKEN
            else:
                done = frame[depth, PART]
                add_part(room, room.part_lo[done], room.part_hi[done], layout.known[j])
                frame[depth, PART] += 1
            if frame[depth, PART] < frame[depth, PARTS_END]:
                part = frame[depth, PART]
                lo, hi, top, k = room.part_lo[part], room.part_hi[part], frame[depth, TOP], j
                part = frame[depth, PARTS_END]
                merged = False
                chance = room.chance[depth] * layout.known[j]
                break
            close_group(layout, room, lo, hi, j, frame[depth, K])
            depth -= 1
        if depth < 0:
            return True


@compiled
def gather(
    layout: Layout,
    room: Room,
    keys: Array,
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
            for w in layout.words:
                if (keys[first[row], w] ^ room.keys[end - 1, w]) & layout.prefix[k, w]:
                    twin = False
        if twin:
            room.weight[end - 1] += weight[row]
        else:
            for w in layout.words:
                room.keys[end, w] = keys[first[row], w]
            room.weight[end] = weight[row]
            end += 1
        room.tolerance[end - 1] = UNWANTED if is_guest else tolerance[row]
        room.up[end - 1] = GUEST if is_guest else row
    for at in range(guest, n_blank):
        row = order[at]
        for w in layout.words:
            room.keys[end, w] = keys[first[row], w]
        room.weight[end] = weight[row]
        room.tolerance[end] = UNWANTED
        room.up[end] = GUEST
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
    for part in parts:
        lo, hi = bounds[part], bounds[part + 1]
        if hi - lo + n_blank > room.weight.size:
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
            row = room.up[i]
            if row != GUEST and tolerance[row] < UNWANTED:
                likelihood[row] = room.likelihood[i]
                consequence[row] = room.consequence[i]
                doubt[row] = room.doubt[i]
    return True


@compiled
def merge_prefix(layout: Layout, keys: Array, first: Array, weight: Array, k: int, down: Array) -> int:
    """Merge the rows of a table that agree on the columns before `k`, in place; return how many there are."""
    end = 0
    for i in range(first.size):
        same = end > 0
        if same:
            for w in layout.words:
                if (keys[first[i], w] ^ keys[first[end - 1], w]) & layout.prefix[k, w]:
                    same = False
        if same:
            weight[end - 1] += weight[i]
        else:
            first[end] = first[i]
            weight[end] = weight[i]
            end += 1
        down[i] = end - 1
    return end


@compiled
def part_order(layout: Layout, keys: Array, first: Array, j: int, order: Array, bounds: Array) -> None:
    """Fill `order` with the rows of a table by their code on column j, stable, and `bounds` with where codes start."""
    word, shift, mask = layout.word[j], layout.shift[j], layout.mask[j]
    bounds[:] = 0
    for i in range(first.size):
        bounds[((keys[first[i], word] >> shift) & mask) + 1] += 1
    for code in range(bounds.size - 1):
        bounds[code + 1] += bounds[code]
    fill = bounds.copy()
    for i in range(first.size):
        code = (keys[first[i], word] >> shift) & mask
        order[fill[code]] = i
        fill[code] += 1


@compiled
def merge_tolerance(down: Array, tolerance: Array, merged: Array) -> None:
    """Lower the tolerance of merged rows to the least of the rows they stand for."""
    for i in range(down.size):
        merged[down[i]] = min(merged[down[i]], tolerance[i])


@compiled
def combine(
    layout: Layout,
    keys: Array,
    first: Array,
    down: Array,
    tolerance: Array,
    j: int,
    below: Array,
    taken: Array,
    result: Array,
) -> None:
    """Join the numbers without column j (`below`, for merged rows) and with it (`taken`); lines as in `solve_parts`."""
    for i in range(first.size):
        if tolerance[i] == UNWANTED:
            continue
        child = down[i]
        code = (keys[first[i], layout.word[j]] >> layout.shift[j]) & layout.mask[j]
        weight = layout.weight[layout.weight_start[j] + code]
        unknown, known = layout.unknown[j], layout.known[j]
        if layout.blankable[j] and code == 0:
            unknown, known = 1.0, 0.0
        result[0, i] = unknown * below[0, child]
        result[1, i] = unknown * (below[1, child] + weight * below[0, child])
        result[2, i] = unknown * below[2, child]
        if known > 0.0:
            result[0, i] += known * taken[0, i]
            result[1, i] += known * taken[1, i]
            result[2, i] += known * taken[2, i]
