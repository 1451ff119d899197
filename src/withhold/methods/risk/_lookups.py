"""Short compiled questions about one packed row."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from withhold._compiled import Array, inlined
from withhold.methods.risk._packed_rows import MASK, SHIFT, START, WORD

__all__ = [
    "differing",
    "hidden_bits",
    "lowest_bit",
    "sensitive_columns",
    "stays",
    "unknown_sensitivity",
    "weight_of",
]


def _lowest_bit(typing: Any, value: Any) -> Any:
    """Return the position of the lowest bit of a number that is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


lowest_bit: Any = intrinsic(_lowest_bit)


@inlined
def stays(chunks: Array, n_chunks: Array, stay_table: Array, bits: Array, i: int, k: int) -> float:
    """Return the chance that none of the non-zero fields of ``bits[i]`` is known."""
    chance = 1.0
    for c in range(n_chunks[k]):
        content = (bits[i, chunks[c, WORD]] >> chunks[c, SHIFT]) & chunks[c, MASK]
        chance *= stay_table[chunks[c, START] + content]
    return chance


@inlined
def sensitive_columns(
    chunks: Array, n_chunks: Array, prefixes: Array, sensitive_table: Array, keys: Array, i: int, k: int
) -> int:
    """Return the columns before `k` on which a row has weight, as bits."""
    found = 0
    for c in range(n_chunks[k]):
        w = chunks[c, WORD]
        content = ((keys[i, w] & prefixes[k, w]) >> chunks[c, SHIFT]) & chunks[c, MASK]
        found |= sensitive_table[chunks[c, START] + content]
    return found


@inlined
def weight_of(columns: Array, weights: Array, keys: Array, i: int, j: int) -> float:
    """Return the sensitivity of a row on a column."""
    code = (keys[i, columns[j, WORD]] >> columns[j, SHIFT]) & columns[j, MASK]
    return weights[columns[j, START] + code]


@inlined
def hidden_bits(chunks: Array, blank_chunks: Array, hidden_table: Array, keys: Array, i: int, w: int) -> int:
    """Return the bits of a word on which a row is blank."""
    found = 0
    for c in blank_chunks:
        if chunks[c, WORD] == w:
            content = (keys[i, w] >> chunks[c, SHIFT]) & chunks[c, MASK]
            found |= hidden_table[chunks[c, START] + content]
    return found


@inlined
def unknown_sensitivity(
    chunks: Array,
    n_chunks: Array,
    prefixes: Array,
    sensitive_table: Array,
    columns: Array,
    weights: Array,
    unknown_shares: Array,
    keys: Array,
    i: int,
    k: int,
) -> float:
    """Return the mean sensitivity of a row on those of the columns before `k` that are not known."""
    mean = 0.0
    left = sensitive_columns(chunks, n_chunks, prefixes, sensitive_table, keys, i, k)
    while left:
        j = lowest_bit(left)
        left &= left - 1
        mean += unknown_shares[j] * weight_of(columns, weights, keys, i, j)
    return mean


@inlined
def differing(
    chunks: Array,
    blank_chunks: Array,
    hidden_table: Array,
    prefixes: Array,
    has_blanks: bool,
    is_wild: bool,
    keys: Array,
    i: int,
    other: int,
    w: int,
    k: int,
) -> int:
    """Return bits of a word that are non-zero in each field on which a known value of row i rules the other row out."""
    bits = (keys[i, w] ^ keys[other, w]) & prefixes[k, w]
    if has_blanks and bits:
        bits &= ~hidden_bits(chunks, blank_chunks, hidden_table, keys, i, w)
        if is_wild:
            bits &= ~hidden_bits(chunks, blank_chunks, hidden_table, keys, other, w)
    return bits
