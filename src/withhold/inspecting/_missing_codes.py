"""Codes that seem to stand for a missing answer: -8, 99, 9999, NA, unknown."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.table import is_number

__all__ = ["missing_codes", "numbers_of"]

WORDS = "na|n/a|n.a.|nan|null|none|missing|unknown|unk|?|-|--|.|nil|k.a.|refused|no answer|not known|not applicable"
TEXTS = frozenset(f"{WORDS}|don't know|keine angabe|not stated|not available".split("|"))
FULL = re.compile(r"9{2,}|9*[78]|8{2,}|7{2,}")
"""The largest numbers of a field: 99, 998, 9997, 88."""
LEAST = 77
LONGEST = 20
FEW = 2
APART = 1.5
"""A code lies this many times as high as the largest number that is an answer."""


def missing_codes(values: Sequence[str | None], counts: NDArray[np.int64]) -> tuple[str, ...]:
    """Return which texts of a column seem to stand for a missing answer.

    Texts such as ``NA`` and ``unknown``; negative whole numbers of one digit where no others are negative; numbers
    such as 99 and 9998 far above all others. All of these only where several rows hold them.

    Examples
    --------
    >>> ages = [*range(18, 80), -8, 999, "unknown"]
    >>> missing_codes([str(age) for age in ages], np.full(len(ages), 5))
    ('-8', '999', 'unknown')
    """
    texts = [str(value) for value in values if value is not None]
    held = np.array([n for value, n in zip(values, counts, strict=True) if value is not None], dtype=np.int64)
    is_rare = held <= held.sum() / 2  # what most rows hold is an answer
    words = [i for i, text in enumerate(texts) if len(text) <= LONGEST and text.strip().casefold() in TEXTS]
    words = [i for i in words if is_rare[i] and not is_number(texts[i])]
    numbers = numbers_of(np.delete(np.array(texts, dtype=object), words).tolist())
    named = sorted(texts[i] for i in words)
    if numbers is None or numbers.size < 3:
        return tuple(named) if len(words) < len(texts) else ()
    rest = np.delete(np.arange(len(texts)), words)
    is_code = is_rare[rest] & (held[rest] >= FEW)
    found = [*_negative(numbers), *_full(numbers, [texts[i] for i in rest.tolist()])]
    return (*sorted(texts[rest[i]] for i in found if is_code[i]), *named)


def numbers_of(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Return texts as numbers; None where some are none.

    Examples
    --------
    >>> numbers_of(["1", "2.5"]).tolist(), numbers_of(["1", "x"])
    ([1.0, 2.5], None)
    """
    try:
        found = np.array(texts, dtype=np.float64)
    except ValueError:
        return None
    return found if found.size and bool(np.isfinite(found).all()) else None


def _negative(numbers: NDArray[np.float64]) -> list[int]:
    below = np.flatnonzero(numbers < 0)
    are_codes = bool((numbers[below] >= -9).all() and (numbers[below] == np.floor(numbers[below])).all())
    is_rest = below.size <= 3 and numbers.size - below.size >= 3
    # In a column of small differences, such as -2 … 2, negative numbers are answers.
    return below.tolist() if below.size and are_codes and is_rest and numbers.max() > 9 else []


def _full(numbers: NDArray[np.float64], texts: Sequence[str]) -> list[int]:
    ordered = np.argsort(-numbers)
    found: list[int] = []
    for place, i in enumerate(ordered[:-2].tolist()):
        if not FULL.fullmatch(texts[i].removesuffix(".0")) or numbers[i] < LEAST:
            break
        if numbers[i] > APART * numbers[ordered[place + 1]]:
            found = ordered[: place + 1].tolist()  # all from here on lie far above the answers
    return found
