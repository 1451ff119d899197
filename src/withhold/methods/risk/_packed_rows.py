"""Rows packed into words, one field of bits a column, with tables that answer questions about many fields at once.

Column 0 has the highest bits of the first word, so that rows sorted by their words are sorted by every prefix of the
columns. Code 0 of a field weighs nothing, so that a word cut off behind a column counts as if the rest were blank.
A *chunk* is a run of fields of about 11 bits; one look-up in its table answers for all its fields.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled

__all__ = ["MASK", "SHIFT", "START", "WORD", "Field", "Layout", "make_layout", "pack"]

WORD_BITS = 63
CHUNK_BITS = 11
WORD, SHIFT, MASK, START = range(4)


class Field(NamedTuple):
    """A column that an outsider may know."""

    known: float
    """The weight of sets that hold the column."""
    unknown: float
    """The weight of sets that do not."""
    weights: NDArray[np.float64]
    """For each code its sensitivity; code 0 has none."""
    has_blanks: bool
    """Whether code 0 stands for a blank, which takes part in no known set."""


class Layout(NamedTuple):
    """Where the fields lie, what they weigh, and the tables of the chunks. `m` columns, `n_words` words."""

    n_words: int
    """How many words a row takes."""
    columns: Array
    """For each column its word, its lowest bit, its largest code as bits, and where its weights start."""
    prefixes: Array
    """For each number of columns and word the bits of the columns before it."""
    chunks: Array
    """For each chunk its word, its lowest bit, its bits shifted down, and where its tables start."""
    n_chunks: Array
    """For each number of columns how many chunks hold them."""
    stay_table: Array
    """For each content of a chunk the chance that none of its non-zero fields is known."""
    sensitive_table: Array
    """For each content of a chunk the columns of positive weight, as bits."""
    hidden_table: Array
    """For each content of a chunk the bits of the fields that are blank, in place."""
    blank_chunks: Array
    """The chunks with a column that may be blank."""
    known_shares: Array
    """For each column the share of known among its two weights."""
    unknown_shares: Array
    """For each column the share of unknown."""
    weights: Array
    """The weights of all codes of all columns, one column after the other."""
    blankable: Array
    """For each column whether code 0 is a blank."""
    has_blanks: bool
    """Whether any column has a blank."""
    is_wild: bool
    """Whether a blank matches every value."""


def make_layout(fields: list[Field], *, is_wild: bool) -> Layout:
    """Place the fields one after the other, and fill the tables of the chunks."""
    m = len(fields)
    bits = [max(int(field.weights.size - 1).bit_length(), 1) for field in fields]
    word, shift = np.zeros(m, np.int64), np.zeros(m, np.int64)
    at, left = 0, WORD_BITS
    for j, width in enumerate(bits):
        if width > left:
            at, left = at + 1, WORD_BITS
        left -= width
        word[j], shift[j] = at, left
    n_words = at + 1
    mask = (np.int64(1) << np.array(bits, dtype=np.int64)) - 1 if m else np.zeros(0, np.int64)
    prefix = np.zeros((m + 1, n_words), np.int64)
    for j in range(m):
        prefix[j + 1] = prefix[j]
        prefix[j + 1, word[j]] |= mask[j] << shift[j]
    share = np.array([[field.known, field.unknown] for field in fields]).reshape(m, 2)
    share /= share.sum(axis=1, keepdims=True)
    chunks = _chunks(bits, word)
    tables = [_tables(chunk, fields, shift, bits, share[:, 1]) for chunk in chunks]
    sizes = [stay.size for stay, _, _ in tables]
    last = np.array([chunk[-1] for chunk in chunks], np.int64)
    return Layout(
        n_words=n_words,
        columns=np.stack([word, shift, mask, _starts([field.weights.size for field in fields])], axis=1),
        prefixes=prefix,
        chunks=np.stack([word[last], shift[last], np.array(sizes, np.int64) - 1, _starts(sizes)], axis=1),
        n_chunks=np.array([0] + [i + 1 for i, chunk in enumerate(chunks) for _ in chunk], np.int64),
        stay_table=np.concatenate([np.zeros(0), *(table[0] for table in tables)]),
        sensitive_table=np.concatenate([np.zeros(0, np.int64), *(table[1] for table in tables)]),
        hidden_table=np.concatenate([np.zeros(0, np.int64), *(table[2] for table in tables)]),
        blank_chunks=np.array(
            [c for c, chunk in enumerate(chunks) if any(fields[j].has_blanks for j in chunk)], np.int64
        ),
        known_shares=np.ascontiguousarray(share[:, 0]),
        unknown_shares=np.ascontiguousarray(share[:, 1]),
        weights=np.concatenate([np.zeros(0), *(field.weights for field in fields)]),
        blankable=np.array([field.has_blanks for field in fields], np.bool_),
        has_blanks=any(field.has_blanks for field in fields),
        is_wild=is_wild and any(field.has_blanks for field in fields),
    )


def _starts(sizes: list[int]) -> Array:
    """Return where each of several runs starts that lie one after the other."""
    starts = np.zeros(len(sizes), np.int64)
    np.cumsum(sizes[:-1], out=starts[1:])
    return starts


def _chunks(bits: list[int], word: Array) -> list[list[int]]:
    """Return runs of columns that share a word and have few bits together."""
    runs: list[list[int]] = []
    for j, width in enumerate(bits):
        if runs and word[runs[-1][0]] == word[j] and sum(bits[i] for i in runs[-1]) + width <= CHUNK_BITS:
            runs[-1].append(j)
        else:
            runs.append([j])
    return runs


def _tables(
    chunk: list[int], fields: list[Field], shift: Array, bits: list[int], unknown: Array
) -> tuple[Array, Array, Array]:
    """Return the tables of a chunk: chance to stay unknown, sensitive columns, hidden bits."""
    contents = np.arange(1 << sum(bits[j] for j in chunk), dtype=np.int64)
    stay = np.ones(contents.size)
    sensitive = np.zeros(contents.size, np.int64)
    hidden = np.zeros(contents.size, np.int64)
    for j in chunk:
        code = (contents >> (shift[j] - shift[chunk[-1]])) & ((1 << bits[j]) - 1)
        stay *= np.where(code > 0, unknown[j], 1.0)
        weights = np.zeros(1 << bits[j])
        weights[: fields[j].weights.size] = fields[j].weights
        sensitive |= np.where(weights[code] > 0, np.int64(1) << j, 0)
        is_blank = (code == 0) & fields[j].has_blanks
        hidden |= np.where(is_blank, ((np.int64(1) << bits[j]) - 1) << shift[j], 0)
    return stay, sensitive, hidden


@compiled
def pack(codes: Array, columns: Array, recode: Array, start: Array, layout: Layout, keys: Array) -> None:
    """Fill `keys` with the recoded cells; ``recode[start[j] + code + 1]`` is the new code of column j."""
    for i in range(keys.shape[0]):
        for w in range(layout.n_words):
            keys[i, w] = 0
        for j in range(columns.size):
            code = recode[start[j] + codes[i, columns[j]] + 1]
            keys[i, layout.columns[j, WORD]] |= code << layout.columns[j, SHIFT]
