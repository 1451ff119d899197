"""What a coarser text of a published file may stand for, whichever tool wrote it."""

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from withhold.table import Taxonomy, parse_interval

__all__ = ["Meanings", "number_of"]


def number_of(text: str | None) -> float:
    """Return a text as a number, NaN where it is none."""
    try:
        return math.nan if text is None else float(text)
    except ValueError:
        return math.nan


class Meanings:
    """The values of a column, and which of them a published text may stand for.

    Parameters
    ----------
    values
        The distinct values; None is missing.
    tree
        The taxonomy of the column.
    is_numeric
        Whether two spellings of a number are the same value.
    labels
        For each value what its bin is called, where numbers are published in bins.
    """

    def __init__(
        self,
        values: Sequence[str | None],
        *,
        tree: Taxonomy | None = None,
        is_numeric: bool = False,
        labels: Sequence[str | None] | None = None,
    ) -> None:
        self._values = values
        self._tree = tree
        self._is_numeric = is_numeric
        self._numbers = np.array([number_of(value) for value in values], dtype=np.float64)
        self._labels = None if labels is None else np.array(labels, dtype=object)
        place = {} if tree is None else {label: int(tree.first[node]) for label, node in _leaves(tree)}
        self._leaf = np.array([place.get(value, -1) for value in values], dtype=np.int64)

    def covered(self, text: str, places: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """Tell which of the values at `places` the text may stand for; None where it is not a coarser text at all."""
        found: list[NDArray[np.bool_]] = []
        if self._labels is not None and (self._labels == text).any():
            found.append(np.asarray(self._labels[places] == text, dtype=np.bool_))
        if self._tree is not None and text in self._tree.labels:
            node = self._tree.node(text)
            leaf = self._leaf[places]
            found.append((leaf >= self._tree.first[node]) & (leaf < self._tree.last[node]))
        interval = parse_interval(text)
        if interval is not None:
            found.append(interval.holds(self._numbers[places]))
        if self._is_numeric and not math.isnan(number := number_of(text)):
            found.append(self._numbers[places] == number)
        is_like = _likeness(text)
        if is_like is not None:
            values = [self._values[place] for place in places.tolist()]
            found.append(np.array([value is not None and is_like(value) for value in values], dtype=np.bool_))
        return np.logical_or.reduce(found) if found else None


def _leaves(tree: Taxonomy) -> list[tuple[str | None, int]]:
    return [(tree.labels[node], node) for node in tree.leaf_nodes.tolist()]


class _Likeness:
    """A set such as ``{a, b}``, a text with stars for letters such as ``130**``, or a boolean in other letters."""

    def __init__(self, members: frozenset[str], pattern: re.Pattern[str] | None) -> None:
        self._members = members
        self._pattern = pattern

    def __call__(self, value: str) -> bool:
        if self._pattern is not None:
            return self._pattern.fullmatch(value) is not None
        return value.strip() in self._members or value.strip().casefold() in self._members & {"true", "false"}


@lru_cache(maxsize=4096)
def _likeness(text: str) -> _Likeness | None:
    text = text.strip()
    if len(text) > 2 and text[0] == "{" and text[-1] == "}":
        return _Likeness(frozenset(each.strip().strip("'\"") for each in text[1:-1].split(",")), None)
    if text.casefold() in ("true", "false"):
        return _Likeness(frozenset({text.casefold()}), None)
    if "*" in text:
        letters = "".join("." if letter == "*" else re.escape(letter) for letter in text)
        return _Likeness(frozenset(), re.compile(letters, flags=re.DOTALL))
    return None
