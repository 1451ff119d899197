"""Rows whose numbers are known well enough from the size of their group and its heaviest row."""

from withhold._compiled import pasted
from withhold.methods.risk._lookups import differing, hidden_bits, lowest_bit, sensitive_columns, stays, weight_of
from withhold.methods.risk._packed_rows import MASK, SHIFT, WORD, Layout
from withhold.methods.risk._thread_memory import UNWANTED, Room

__all__ = ["bound"]


@pasted
def bound(layout: Layout, room: Room, lo: int, hi: int, k: int, chance: float, depth: int) -> int:
    """Settle the rows of a group whose doubt is small enough at once; return how many stay wanted.

    The heaviest row of the group bounds frequencies: a set on which a row agrees with it has at least the records of
    both, a set on which it differs has at most the records without it.
    """
    chunks = layout.chunks
    n_chunks = layout.n_chunks
    stay_table = layout.stay_table
    has_blanks = layout.has_blanks
    n_words = layout.n_words
    blank_chunks = layout.blank_chunks
    hidden_table = layout.hidden_table
    prefixes = layout.prefixes
    is_wild = layout.is_wild
    sensitive_table = layout.sensitive_table
    columns = layout.columns
    unknown_shares = layout.unknown_shares
    weights = layout.weights
    records = room.records
    varying = room.varying
    tolerances = room.tolerances
    keys = room.keys
    unions = room.unions
    likelihoods = room.likelihoods
    consequences = room.consequences
    doubts = room.doubts
    size = 0.0
    heavy = lo
    for i in range(lo, hi):
        size += records[i]
        if records[i] > records[heavy]:
            heavy = i
    top = records[heavy]
    none_known = stays(chunks, n_chunks, stay_table, varying, depth, k)
    # Chances carry up to 3 roundings a column, and their differences are not small where they cancel.
    rounding = (9 * columns.shape[0] + 32) * 2.0**-53
    n_wanted = 0
    for i in range(lo, hi):
        if tolerances[i] == UNWANTED:
            continue
        own = records[i]
        none = none_known
        if has_blanks:
            is_blank = False
            for w in range(n_words):
                hidden = hidden_bits(chunks, blank_chunks, hidden_table, keys, i, w)
                is_blank = is_blank or varying[depth, w] & hidden != 0
                unions[0, w] = varying[depth, w] & ~hidden
            if is_blank:
                none = stays(chunks, n_chunks, stay_table, unions, 0, k)
        for w in range(n_words):
            unions[0, w] = differing(
                chunks, blank_chunks, hidden_table, prefixes, has_blanks, is_wild, keys, i, heavy, w, k
            )
        alike = 1.0 if i == heavy else stays(chunks, n_chunks, stay_table, unions, 0, k)
        least = top if i == heavy else top + own
        doubt = (alike - none) * (1.0 / least - 1.0 / size) * 0.5 + rounding / own
        among = (1.0 / least + 1.0 / size) * 0.5
        apart = 0.0
        if i != heavy:
            doubt += (1.0 - alike) * (1.0 / own - 1.0 / (size - top)) * 0.5
            apart = (1.0 / own + 1.0 / (size - top)) * 0.5
        if chance * doubt > tolerances[i]:
            n_wanted += 1
            continue
        likelihood = none / size + (alike - none) * among + (1.0 - alike) * apart
        consequence = 0.0
        left = sensitive_columns(chunks, n_chunks, prefixes, sensitive_table, keys, i, k)
        while left:
            j = lowest_bit(left)
            left &= left - 1
            field = columns[j, MASK] << columns[j, SHIFT]
            unknown = unknown_shares[j]
            if varying[depth, columns[j, WORD]] & field == 0:
                part = unknown * likelihood
            elif unions[0, columns[j, WORD]] & field:
                part = none / size + (alike - none) * among + max(unknown - alike, 0.0) * apart
            else:
                part = none / size + max(alike * unknown - none, 0.0) * among + unknown * (1.0 - alike) * apart
            consequence += part * weight_of(columns, weights, keys, i, j)
        likelihoods[i] = likelihood
        consequences[i] = consequence
        doubts[i] = doubt
        tolerances[i] = UNWANTED
    return n_wanted
