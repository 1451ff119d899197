"""Which rows of the original a file still holds, where others were removed and the order was kept."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled
from withhold.auditing._meaning import Meaning
from withhold.table import Codes

__all__ = ["align"]

_Ints = NDArray[np.int64]
MOST_PAIRS = 1 << 24
"""How many pairs of a coarse text and a value are kept for a column; in one with more, a coarse text fits any value."""


def align(columns: Sequence[tuple[Meaning, Codes, Codes]]) -> tuple[_Ints | None, _Ints | None]:
    """Return where in the original the rows of a file can stand at the earliest and at the latest.

    A row can stand where each of its texts may stand for the value there, and behind the row before it. To take the
    first place that fits finds places for all rows where there are any, so None says that there are none.

    Parameters
    ----------
    columns
        For each column what its texts mean, and its cells in the file and in the original, as places in their
        dictionaries.

    Notes
    -----
    The cost is the rows of the original times the columns.
    """
    rows = _Rows(*(np.empty((len(cells), len(columns)), dtype=np.int32) for cells in columns[0][1:] for _ in range(2)))
    pairs: list[NDArray[np.bool_]] = []
    for j, (meaning, now, was) in enumerate(columns):
        key, start, value, fits = _fits(meaning)
        start[start >= 0] += sum(each.size for each in pairs)
        rows.now_key[:, j], rows.now_start[:, j] = key[now], start[now]
        rows.was_key[:, j], rows.was_value[:, j] = value[was], was
        pairs.append(fits)
    first = _first_places(rows, np.concatenate(pairs))
    if first.size and first[-1] < 0:
        return None, None
    turned = _Rows(*(each[::-1].copy() for each in rows))
    return first, (len(rows.was_key) - 1 - _first_places(turned, np.concatenate(pairs)))[::-1]


class _Rows(NamedTuple):
    """Rows by columns of the file, and of the original."""

    now_key: Array
    """The number of the value that a text spells; -1 where it spells none."""
    now_start: Array
    """Where among all pairs those of a coarse text begin; -1 where it is none."""
    was_key: Array
    """The number of the value; -2 where it is missing."""
    was_value: Array
    """The place of the value in the dictionary."""


def _fits(meaning: Meaning) -> tuple[_Ints, _Ints, _Ints, NDArray[np.bool_]]:
    """Return `now_key` and `now_start` of a column's texts, `was_key` of its values, and the pairs."""
    numbers: dict[str | None, int] = {}
    value = np.array([numbers.setdefault(key, len(numbers)) for key in meaning.keys_of_values], dtype=np.int64)
    value[meaning.was_missing] = -2
    key = np.array([numbers.get(each, -1) for each in meaning.keys], dtype=np.int64)
    coarse = [i for i, each in enumerate(meaning.keys) if each is not None and meaning.is_coarse(each)]
    start = np.where(meaning.is_blank, 0, -1)
    fits = [np.ones(value.size, dtype=np.bool_)]
    if len(coarse) * value.size > MOST_PAIRS:
        start[coarse] = 0
        coarse = []
    for place in coarse:
        start[place] = len(fits) * value.size
        fits.append(meaning.covered(str(meaning.keys[place]), slice(value.size)))
    return key, start, value, np.concatenate(fits)


@compiled
def _first_places(rows: _Rows, pairs: Array) -> Array:
    """Return the first place that fits for each row, behind that of the row before; -1 from where none is left."""
    found = np.full(len(rows.now_key), -1, dtype=np.int64)
    at = 0
    for i in range(len(rows.now_key)):
        while at < len(rows.was_key):
            is_fit = True
            for j in range(rows.now_key.shape[1]):
                start = rows.now_start[i, j]
                if start >= 0:
                    is_fit = pairs[start + rows.was_value[at, j]]
                else:
                    is_fit = rows.now_key[i, j] == rows.was_key[at, j]
                if not is_fit:
                    break
            at += 1
            if is_fit:
                found[i] = at - 1
                break
    return found
