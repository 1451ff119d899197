"""Texts in groups: codes by their first letters, and rare values together."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError
from withhold.table import WITHHELD

__all__ = ["CODES", "frequency_paths", "prefix_lengths", "prefix_paths"]

CODES: Mapping[str, tuple[int, ...]] = {
    "icd10": (3, 1),
    "isco": (3, 2, 1),
    "nace": (4, 2),
    "nuts": (4, 3, 2),
    "postcode": (3, 2, 1),
}
"""The prefix lengths of well-known codes: ICD-10 (E11.9), ISCO (2411), NACE (64.19), NUTS (DE212), postcodes."""
MOST_LENGTHS = 6


def prefix_lengths(texts: Sequence[str], code: str | None = None) -> tuple[int, ...]:
    """Return the lengths by which codes are shortened: those of a well-known code, else every one.

    Examples
    --------
    >>> prefix_lengths(["01234", "01299"]), prefix_lengths(["E11.9"], "icd10")
    ((4, 3, 2, 1), (3, 1))
    """
    if code is not None:
        if code not in CODES:
            raise InputError(f'taxonomy: there is no code "{code}". Hint: {", ".join(sorted(CODES))}.')
        return CODES[code]
    longest = max((len(text) for text in texts), default=1)
    return tuple(range(min(longest - 1, MOST_LENGTHS), 0, -1))


def prefix_paths(texts: Sequence[str], lengths: Sequence[int]) -> list[list[str]]:
    """Return the paths of codes along their prefixes, ``01234 → 012** → 01***``; stars stand for what is left out.

    Where codes differ in length, one star stands for all that follows: ``E11.9 → E11*``.
    """
    if not lengths or any(length < 1 for length in lengths) or sorted(set(lengths), reverse=True) != list(lengths):
        raise InputError("taxonomy: `lengths` must be positive and falling, such as 3,2,1.")
    sizes = {len(text) for text in texts}
    full = sizes.pop() if len(sizes) == 1 else None
    found = []
    for text in sorted(texts):
        shorter = [
            text[:length] + "*" * (1 if full is None else full - length)
            for length in lengths
            if _cuts(text, length, full)
        ]
        found.append([text, *shorter, WITHHELD])
    return found


def _cuts(text: str, length: int, full: int | None) -> bool:
    """Return whether a prefix is a group: of codes of one length where it is shorter, else of all that reach it."""
    return length < full if full is not None else length <= len(text)


def frequency_paths(texts: Sequence[str], counts: NDArray[np.int64], thresholds: Sequence[int]) -> list[list[str]]:
    """Return paths in which values that few rows hold are together; each group of them holds enough rows.

    Parameters
    ----------
    texts, counts
        The values, and how many rows hold each.
    thresholds
        For each level: values that fewer rows hold are together. Growing.
    """
    if not thresholds or sorted(set(thresholds)) != list(thresholds) or thresholds[0] < 2:
        raise InputError("taxonomy: `least` must be at least 2, and growing where there are several.")
    order = sorted(range(len(texts)), key=lambda i: (int(counts[i]), texts[i]))
    held = np.cumsum(counts[order])
    n_rare = []
    for least in thresholds:
        n_below = int(np.searchsorted(counts[order], least))
        # The rarest of the common values join, until nobody is alone among the rare ones.
        n_rare.append(int(np.searchsorted(held, least)) + 1 if n_below and held[n_below - 1] < least else n_below)
    paths = []
    for place, i in enumerate(order):
        above = [_other(level, len(thresholds)) for level, n in enumerate(n_rare) if place < n and n < len(texts)]
        paths.append([texts[i], *above, WITHHELD])
    return sorted(paths, key=lambda path: (len(path), path[0]))


def _other(level: int, n_levels: int) -> str:
    return "(other)" if n_levels == 1 else f"(other {level + 1})"
