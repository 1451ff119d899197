"""What a coarser text of a published file may stand for, whichever tool wrote it."""

import math
import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from withhold.audit._spelling import spelling
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

    def order(self) -> NDArray[np.int64]:
        """Return the places of all values, so that those below one node, or in one interval, stand together."""
        return np.lexsort((self._numbers, self._leaf))

    def is_coarse(self, text: str) -> bool:
        """Tell whether a text can stand for another value than one that it spells."""
        is_label = self._labels is not None and bool((self._labels == text).any())
        is_node = self._tree is not None and text in self._tree.labels
        return is_label or is_node or parse_interval(text) is not None or _likeness(text) is not None

    def covered(self, text: str, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which of the values at `places` the text may stand for, or spell otherwise."""
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
        found.append(self._spelled[places] == spelling(text, is_numeric=self._is_numeric))
        is_like = _likeness(text)
        if is_like is not None:
            values = [self._values[place] for place in places.tolist()]
            found.append(np.array([value is not None and is_like(value) for value in values], dtype=np.bool_))
        return np.asarray(np.logical_or.reduce(found), dtype=np.bool_)

    @cached_property
    def _spelled(self) -> NDArray[np.object_]:
        values = [value if value is None else spelling(value, is_numeric=self._is_numeric) for value in self._values]
        return np.array(values, dtype=object)


def _leaves(tree: Taxonomy) -> list[tuple[str | None, int]]:
    return [(tree.labels[node], node) for node in tree.leaf_nodes.tolist()]


class _Likeness:
    """A set such as ``{a, b}``, or a text with stars for letters such as ``130**``."""

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
    if "*" in text:
        letters = "".join("." if letter == "*" else re.escape(letter) for letter in text)
        return _Likeness(frozenset(), re.compile(letters, flags=re.DOTALL))
    return None
