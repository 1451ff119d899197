"""What the texts of a published table cover, read from the texts alone, and what was lost by them.

Nothing here is shared with the code that makes or checks a release.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.table import Taxonomy

__all__ = ["CategoryKey", "Key", "NumberKey", "Reading", "read_texts"]

Texts = NDArray[Any]
Floats = NDArray[np.float64]
WITHHELD = "*"
INTERVAL = re.compile(r"\[(?P<low>[^,]+), (?P<high>[^)\]]+)(?P<end>[)\]])")


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberKey:
    """A column of numbers that an outsider may know."""

    name: str
    low: float
    """The smallest number of the table."""
    high: float
    """The largest number of the table."""
    step: float
    """1 for whole numbers, of which ``[20, 30)`` covers 20 to 29; else 0."""

    @classmethod
    def of(cls, name: str, cells: Texts) -> "NumberKey":
        """Return the key of a column."""
        numbers = cells.astype(float)
        is_whole = bool((numbers == np.round(numbers)).all())
        return cls(name=name, low=float(numbers.min()), high=float(numbers.max()), step=float(is_whole))

    def covered(self, text: str) -> tuple[float, float]:
        """Return the smallest and the largest number that a text covers."""
        if text == WITHHELD:
            return self.low, self.high
        if text.startswith("<"):
            return self.low, min(self._below(text[1:]), self.high)
        if text.startswith("≥"):
            return max(self._from(text[1:]), self.low), self.high
        if found := INTERVAL.fullmatch(text):
            high = self._below(found["high"]) if found["end"] == ")" else float(found["high"])
            return max(self._from(found["low"]), self.low), min(high, self.high)
        return float(text), float(text)

    def _below(self, text: str) -> float:
        """Return the largest number below an end: 35 below 35.5 and below 36, of whole numbers."""
        return math.ceil(float(text)) - self.step if self.step else float(text)

    def _from(self, text: str) -> float:
        """Return the smallest number from an end on."""
        return float(math.ceil(float(text))) if self.step else float(text)

    def cover(self, texts: Sequence[str]) -> Floats:
        """Return both ends of what each text covers."""
        return np.array([self.covered(text) for text in texts])

    def prices(self, texts: Sequence[str], cover: Floats) -> Floats:
        """Return width / range of each text."""
        return (cover[:, 1] - cover[:, 0]) / max(self.high - self.low, 1e-300)

    def holds(self, cover: Floats, cells: Texts) -> NDArray[np.bool_]:
        """Return whether each line of `cover` holds the number of its row."""
        numbers = cells.astype(float)
        return (cover[:, 0] <= numbers) & (numbers <= cover[:, 1])

    def ends(self, cover: Floats) -> Floats:
        """Return the two figures that a learner is given of each text."""
        return cover


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryKey:
    """A column of categories that an outsider may know, with its taxonomy; a flat one where there is none."""

    name: str
    tree: Taxonomy
    n_occurring: int
    """How many values the table holds: a set of all of them is a loss of 1."""
    has_tree: bool
    """Whether the taxonomy was given; else several values can only be published as a set."""

    @classmethod
    def of(cls, name: str, cells: Texts, tree: Taxonomy | None = None) -> "CategoryKey":
        """Return the key of a column."""
        values = sorted(set(cells.tolist()))
        return cls(name=name, tree=tree or Taxonomy.flat(values), n_occurring=len(values), has_tree=tree is not None)

    def cover(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return which leaves each text covers."""
        tree = self.tree
        spans = {label: (int(a), int(b)) for label, a, b in zip(tree.labels, tree.first, tree.last, strict=True)}
        masks = np.zeros((len(texts), tree.n_leaves), dtype=bool)
        for mask, text in zip(masks, texts, strict=True):
            if text == WITHHELD:
                mask[:] = True
                continue
            for member in text[1:-1].split(", ") if _is_set(text) else [text]:
                mask[slice(*spans[member])] = True
        return masks

    def prices(self, texts: Sequence[str], cover: NDArray[np.bool_]) -> Floats:
        """Return (leaves - 1) / (all leaves - 1) of each text; of a set, (members - 1) / (values that occur - 1)."""
        most = [self.n_occurring if _is_set(text) else self.tree.n_leaves for text in texts]
        return np.minimum((cover.sum(axis=1) - 1) / np.maximum(np.array(most) - 1, 1), 1.0)

    def holds(self, cover: NDArray[np.bool_], cells: Texts) -> NDArray[np.bool_]:
        """Return whether each line of `cover` holds the value of its row."""
        return cover[np.arange(len(cells)), self.codes(cells)]

    def codes(self, cells: Texts) -> NDArray[np.int64]:
        """Return the leaf of each cell."""
        at = {leaf: place for place, leaf in enumerate(self.tree.leaves)}
        values, inverse = np.unique(cells.astype(str), return_inverse=True)
        return np.array([at[value] for value in values.tolist()])[inverse]

    def ends(self, cover: NDArray[np.bool_]) -> Floats:
        """Return the two figures that a learner is given of each text: the first and the last leaf."""
        n = self.tree.n_leaves
        return np.stack([cover.argmax(axis=1), n - 1 - cover[:, ::-1].argmax(axis=1)], axis=1).astype(float)


Key = NumberKey | CategoryKey


def _is_set(text: str) -> bool:
    return text.startswith("{") and text.endswith("}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A published table as an analyst reads it."""

    keys: Sequence[Key]
    codes: Mapping[str, NDArray[np.int64]]
    """For each column and row the place of its text."""
    texts: Mapping[str, Sequence[str]]
    """The texts of each column."""
    covers: Mapping[str, NDArray[Any]]
    """What each text covers."""

    def losses(self) -> dict[str, float]:
        """Return the loss of each column: the mean price of its cells."""
        found = {}
        for key in self.keys:
            prices = key.prices(self.texts[key.name], self.covers[key.name])
            found[key.name] = float(prices[self.codes[key.name]].mean())
        return found

    def ncp(self) -> float:
        """Return the mean loss over the columns."""
        return float(np.mean(list(self.losses().values())))

    def smallest_group(self) -> int:
        """Return how many rows share the same texts, at least."""
        lines = np.stack([self.codes[key.name] for key in self.keys], axis=1)
        return int(np.unique(lines, axis=0, return_counts=True)[1].min())

    def is_true_of(self, original: Mapping[str, Texts]) -> bool:
        """Return whether every text covers the value that it stands for."""
        return all(
            key.holds(self.covers[key.name][self.codes[key.name]], original[key.name]).all() for key in self.keys
        )

    def withheld_columns(self) -> list[str]:
        """Return the columns that are published as ``*`` in every row."""
        return [name for name, loss in self.losses().items() if loss >= 1]

    def withheld_rows(self) -> float:
        """Return the share of rows that are published as ``*`` in every column."""
        stars = [np.array([text == WITHHELD for text in self.texts[k.name]])[self.codes[k.name]] for k in self.keys]
        return float(np.all(stars, axis=0).mean())

    def features(self) -> Floats:
        """Return two figures for each column: the ends of what is published."""
        ends = [key.ends(self.covers[key.name])[self.codes[key.name]] for key in self.keys]
        return np.concatenate(ends, axis=1)


def read_texts(keys: Sequence[Key], published: Mapping[str, Texts]) -> Reading:
    """Read a published table."""
    texts, codes, covers = {}, {}, {}
    for key in keys:
        found, inverse = np.unique(np.asarray(published[key.name]).astype(str), return_inverse=True)
        texts[key.name], codes[key.name] = found.tolist(), inverse
        covers[key.name] = key.cover(texts[key.name])
    return Reading(keys=keys, codes=codes, texts=texts, covers=covers)
