"""Codes that seem to stand for a missing answer: -8, 99, 9999, NA, unknown."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.table import is_number

__all__ = ["missing_codes"]

WORDS = "na|n/a|n.a.|nan|null|none|missing|unknown|unk|?|-|--|.|nil|k.a.|refused|no answer|not known|not applicable"
TEXTS = frozenset(f"{WORDS}|don't know|keine angabe|not stated|not available".split("|"))
FULL = re.compile(r"9{2,}|9*[78]|8{2,}|7{2,}")
"""The largest numbers of a field: 99, 998, 9997, 88."""
LEAST = 77
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
    held = [int(n) for value, n in zip(values, counts, strict=True) if value is not None]
    most = sum(held) / 2  # what most rows hold is an answer
    rare = {text for text, n in zip(texts, held, strict=True) if n <= most}
    words = [text for text in texts if text in rare and text.strip().casefold() in TEXTS and not is_number(text)]
    numbers = {text: float(text) for text in texts if is_number(text)}
    if len(numbers) < 3 or len(numbers) + len(words) < len(texts):
        return tuple(sorted(words)) if len(words) < len(texts) else ()
    common = {text for text, n in zip(texts, held, strict=True) if n >= FEW} & rare
    return (*_negative(numbers, common), *_full(numbers, common), *sorted(words))


def _negative(numbers: dict[str, float], common: set[str]) -> list[str]:
    below = {text: number for text, number in numbers.items() if number < 0}
    are_codes = all(number.is_integer() and number >= -9 for number in below.values())
    is_rest = len(below) <= 3 and len(numbers) - len(below) >= 3
    rest = [number for number in numbers.values() if number >= 0]
    # In a column of small differences, such as -2 … 2, negative numbers are answers.
    is_apart = bool(rest) and max(rest) > 9
    return sorted(set(below) & common) if below and are_codes and is_rest and is_apart else []


def _full(numbers: dict[str, float], common: set[str]) -> list[str]:
    ordered = sorted(numbers, key=lambda text: -numbers[text])
    found: list[str] = []
    for place, text in enumerate(ordered[:-2]):
        if not FULL.fullmatch(text.removesuffix(".0")) or numbers[text] < LEAST:
            break
        if numbers[text] > APART * numbers[ordered[place + 1]]:
            found = ordered[: place + 1]  # all from here on lie far above the answers
    return sorted(text for text in found if text in common)
