"""Rows packed into words, one field of bits a column, with tables that answer questions about many fields at once.

Column 0 has the highest bits of the first word, so that rows sorted by their words are sorted by every prefix of the
columns. Code 0 of a field weighs nothing, so that a word cut off behind a column counts as if the rest were blank.
A *chunk* is a run of fields of about 11 bits; one look-up in its table answers for all its fields.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.methods._compiled import Array, compiled

__all__ = ["Field", "Layout", "make_layout", "pack"]

WORD_BITS = 63
CHUNK_BITS = 11


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

    words: tuple[int, ...]
    """The positions of the words; a tuple, so that loops over it are unrolled."""
    word: Array
    """For each column its word."""
    shift: Array
    """For each column the position of its lowest bit."""
    mask: Array
    """For each column the largest code, as bits."""
    prefix: Array
    """For each number of columns and word the bits of the columns before it."""
    chunk_word: Array
    """For each chunk its word."""
    chunk_shift: Array
    """For each chunk the position of its lowest bit."""
    chunk_mask: Array
    """For each chunk its bits, shifted down."""
    chunk_start: Array
    """For each chunk where its tables start."""
    n_chunks: Array
    """For each number of columns how many chunks hold them."""
    stay: Array
    """For each content of a chunk the chance that none of its non-zero fields is known."""
    sensitive: Array
    """For each content of a chunk the columns of positive weight, as bits."""
    hidden: Array
    """For each content of a chunk the bits of the fields that are blank, in place."""
    blank_chunks: Array
    """The chunks with a column that may be blank."""
    known: Array
    """For each column the share of known among its two weights."""
    unknown: Array
    """For each column the share of unknown."""
    weight: Array
    """The weights of all codes of all columns, one column after the other."""
    weight_start: Array
    """For each column where its weights start."""
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
    last = [chunk[-1] for chunk in chunks]
    return Layout(
        words=tuple(range(n_words)),
        word=word,
        shift=shift,
        mask=mask,
        prefix=prefix,
        chunk_word=np.array([word[j] for j in last], np.int64),
        chunk_shift=np.array([shift[j] for j in last], np.int64),
        chunk_mask=np.array(sizes, np.int64) - 1,
        chunk_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)[:-1],
        n_chunks=np.array([0] + [i + 1 for i, chunk in enumerate(chunks) for _ in chunk], np.int64),
        stay=np.concatenate([np.zeros(0), *(table[0] for table in tables)]),
        sensitive=np.concatenate([np.zeros(0, np.int64), *(table[1] for table in tables)]),
        hidden=np.concatenate([np.zeros(0, np.int64), *(table[2] for table in tables)]),
        blank_chunks=np.array(
            [c for c, chunk in enumerate(chunks) if any(fields[j].has_blanks for j in chunk)], np.int64
        ),
        known=np.ascontiguousarray(share[:, 0]),
        unknown=np.ascontiguousarray(share[:, 1]),
        weight=np.concatenate([np.zeros(0), *(field.weights for field in fields)]),
        weight_start=np.concatenate([[0], np.cumsum([field.weights.size for field in fields])]).astype(np.int64)[:-1],
        blankable=np.array([field.has_blanks for field in fields], np.bool_),
        has_blanks=any(field.has_blanks for field in fields),
        is_wild=is_wild and any(field.has_blanks for field in fields),
    )


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
        for w in layout.words:
            keys[i, w] = 0
        for j in range(columns.size):
            code = recode[start[j] + codes[i, columns[j]] + 1]
            keys[i, layout.word[j]] |= code << layout.shift[j]
