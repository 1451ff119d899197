"""Groups of a few rows in closed form, by inclusion and exclusion over sets of rows."""

from withhold._compiled import compiled, inlined, pasted
from withhold.methods.risk._lookups import (
    differing,
    hidden_bits,
    lowest_bit,
    sensitive_columns,
    stays,
    unknown_sensitivity,
    weight_of,
)
from withhold.methods.risk._packed_rows import MASK, SHIFT, WORD, Layout
from withhold.methods.risk._thread_memory import UNWANTED, Room

__all__ = ["settle"]


@pasted
def settle(layout: Layout, room: Room, lo: int, hi: int, k: int) -> None:
    """Fill the numbers of a small group in closed form.

    A set of rows is alike where no column is known on which it varies; by inclusion and exclusion over larger sets it
    is exactly what a row is confused with. One pass over the subsets of the group serves all its rows.
    """
    chunks = layout.chunks
    n_chunks = layout.n_chunks
    prefixes = layout.prefixes
    sensitive_table = layout.sensitive_table
    columns = layout.columns
    weights = layout.weights
    unknown_shares = layout.unknown_shares
    n_words = layout.n_words
    has_blanks = layout.has_blanks
    blank_chunks = layout.blank_chunks
    hidden_table = layout.hidden_table
    stay_table = layout.stay_table
    tolerances = room.tolerances
    likelihoods = room.likelihoods
    records = room.records
    consequences = room.consequences
    keys = room.keys
    doubts = room.doubts
    unions = room.unions
    alikes = room.alikes
    totals = room.totals
    masses = room.masses
    shares = room.shares
    n_rows = hi - lo
    if n_rows == 1:
        if tolerances[lo] < UNWANTED:
            likelihoods[lo] = 1.0 / records[lo]
            consequences[lo] = (
                unknown_sensitivity(
                    chunks, n_chunks, prefixes, sensitive_table, columns, weights, unknown_shares, keys, lo, k
                )
                / records[lo]
            )
            doubts[lo] = 0.0
        return
    n_sets = 1
    for i in range(lo, hi):
        for w in range(n_words):
            unions[n_sets, w] = 0
        alikes[n_sets] = 1.0
        totals[n_sets] = records[i]
        for s in range(1, n_sets):
            first = lo + lowest_bit(s)
            for w in range(n_words):
                unions[n_sets + s, w] = unions[s, w] | ((keys[first, w] ^ keys[i, w]) & prefixes[k, w])
            totals[n_sets + s] = totals[s] + records[i]
        n_sets *= 2
    if has_blanks:
        for i in range(lo, hi):
            for w in range(n_words):
                if unions[n_sets - 1, w] & hidden_bits(chunks, blank_chunks, hidden_table, keys, i, w):
                    settle_blank(layout, room, lo, hi, k)
                    return
    for s in range(1, n_sets):
        if s & (s - 1):
            alikes[s] = stays(chunks, n_chunks, stay_table, unions, s, k)
    for s in range(1, n_sets):
        masses[s] = alikes[s]
        totals[s] = 1.0 / totals[s]
    share_classes(room, n_rows, n_sets)
    for i in range(lo, hi):
        likelihoods[i] = shares[i - lo]
    rounding = 3.0 ** (n_rows - 1) * (2 * columns.shape[0] + n_rows + 8) * 2.0**-52
    left = 0
    for i in range(lo, hi):
        if tolerances[i] < UNWANTED:
            consequences[i] = 0.0
            doubts[i] = rounding / records[i]
            left |= sensitive_columns(chunks, n_chunks, prefixes, sensitive_table, keys, i, k)
    while left:
        j = lowest_bit(left)
        left &= left - 1
        word, field, unknown = columns[j, WORD], columns[j, MASK] << columns[j, SHIFT], unknown_shares[j]
        if unions[n_sets - 1, word] & field == 0:
            for i in range(lo, hi):
                if tolerances[i] < UNWANTED:
                    consequences[i] += unknown * weight_of(columns, weights, keys, i, j) * likelihoods[i]
            continue
        for s in range(1, n_sets):
            masses[s] = alikes[s] if unions[s, word] & field else alikes[s] * unknown
        share_classes(room, n_rows, n_sets)
        for i in range(lo, hi):
            if tolerances[i] < UNWANTED:
                consequences[i] += weight_of(columns, weights, keys, i, j) * shares[i - lo]


@inlined
def share_classes(room: Room, n_rows: int, n_sets: int) -> None:
    """Turn the chances that sets of rows are alike into each row's mean of 1 / (records it is confused with)."""
    masses = room.masses
    totals = room.totals
    shares = room.shares
    chances = masses
    step = 1
    while step < n_sets:
        for block in range(0, n_sets, 2 * step):
            for s in range(block, block + step):
                chances[s] -= chances[s + step]
        step *= 2
    for s in range(1, n_sets):
        chances[s] *= totals[s]
    for i in range(n_rows):
        bit = 1 << i
        mean = 0.0
        for block in range(bit, n_sets, 2 * bit):
            for s in range(block, block + bit):
                mean += chances[s]
        shares[i] = mean


@compiled
def settle_blank(layout: Layout, room: Room, lo: int, hi: int, k: int) -> None:
    """Fill the numbers of a small group with blanks: inclusion and exclusion over the other rows, row by row."""
    n_words = layout.n_words
    chunks = layout.chunks
    blank_chunks = layout.blank_chunks
    hidden_table = layout.hidden_table
    prefixes = layout.prefixes
    has_blanks = layout.has_blanks
    is_wild = layout.is_wild
    n_chunks = layout.n_chunks
    sensitive_table = layout.sensitive_table
    columns = layout.columns
    weights = layout.weights
    unknown_shares = layout.unknown_shares
    known_shares = layout.known_shares
    stay_table = layout.stay_table
    tolerances = room.tolerances
    records = room.records
    unions = room.unions
    totals = room.totals
    inverses = room.inverses
    keys = room.keys
    fields = room.fields
    field_weights = room.field_weights
    likelihoods = room.likelihoods
    consequences = room.consequences
    doubts = room.doubts
    n_others = hi - lo - 1
    rounding = (3.0**n_others * (n_others + 2) + 2.0**n_others * (2 * columns.shape[0] + 20)) * 2.0**-52
    for i in range(lo, hi):
        if tolerances[i] == UNWANTED:
            continue
        own = records[i]
        n_sets = 1
        for w in range(n_words):
            unions[0, w] = 0
        totals[0] = own
        inverses[0] = 1.0 / own
        for other in range(lo, hi):
            if other == i:
                continue
            for w in range(n_words):
                unions[n_sets, w] = differing(
                    chunks, blank_chunks, hidden_table, prefixes, has_blanks, is_wild, keys, i, other, w, k
                )
            for s in range(1, n_sets):
                for w in range(n_words):
                    unions[n_sets + s, w] = unions[n_sets, w] | unions[s, w]
            for s in range(n_sets):
                totals[n_sets + s] = totals[s] + records[other]
            n_sets *= 2
        for s in range(1, n_sets):
            inverses[s] = 1.0 / totals[s]
        step = 1
        while step < n_sets:
            for s in range(n_sets):
                if s & step:
                    inverses[s] -= inverses[s ^ step]
            step *= 2
        n_fields = 0
        base = 0.0
        left = sensitive_columns(chunks, n_chunks, prefixes, sensitive_table, keys, i, k)
        while left:
            j = lowest_bit(left)
            left &= left - 1
            weight = weight_of(columns, weights, keys, i, j)
            base += unknown_shares[j] * weight
            fields[n_fields, 0] = columns[j, WORD]
            fields[n_fields, 1] = columns[j, MASK] << columns[j, SHIFT]
            field_weights[n_fields] = known_shares[j] * weight
            n_fields += 1
        likelihood = inverses[0]
        consequence = inverses[0] * base
        for s in range(1, n_sets):
            term = inverses[s] * stays(chunks, n_chunks, stay_table, unions, s, k)
            outside = base
            for f in range(n_fields):
                if unions[s, fields[f, 0]] & fields[f, 1]:
                    outside += field_weights[f]
            likelihood += term
            consequence += term * outside
        likelihoods[i] = likelihood
        consequences[i] = consequence
        doubts[i] = rounding / own
