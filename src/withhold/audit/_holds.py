"""What the cells of a published column tell about one of its values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.audit._coarser import Meanings
from withhold.audit._source import source_of
from withhold.audit._spelling import Spellings, is_numeric, tree_of
from withhold.engines import Source
from withhold.policy import Policy
from withhold.table import Table

__all__ = ["Reading", "Unknown"]

_Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The rows of which a file does not tell whether they hold a value."""

    texts: tuple[str | None, ...]
    """What stands in them."""
    n_rows: int
    """How many they are."""
    rows: _Flags | None
    """Which ones, where not every row with these texts is one of them."""


class Reading:
    """The texts of a column, and which of them are a value, or may stand for it.

    Parameters
    ----------
    source
        The file.
    policy
        What was promised.
    column
        The column.
    value
        The value, as the policy spells it.
    original
        The original with the same column; None where only the file is there.
    """

    def __init__(self, source: Source, policy: Policy, column: str, value: str, original: Table | None) -> None:
        self._source = source
        self._policy = policy
        self._original = original
        self._values = () if original is None else tuple(original.store.values(column))
        self._is_numeric = is_numeric(source, policy, original, column)
        self._value = Spellings(self._values, is_numeric=self._is_numeric).of(value)
        self._tree = tree_of(policy, original, column)
        self.column = column
        self.texts: Sequence[str | None] = list(source.values(column))
        self.holds, self.may_hold = self._read(self.texts)

    def unknown(self) -> Unknown:
        """Return the rows that may hold the value; with the original only where something else stood there."""
        if not self.may_hold.any():
            return Unknown(texts=(), n_rows=0, rows=None)
        cells = self._source.cells(self.column)
        here = self.may_hold[cells]
        rows = here if self._original is None else here & ~self._as_it_stood(cells)
        n_rows = np.bincount(cells, minlength=len(self.texts))
        n_unknown = np.bincount(cells[rows], minlength=len(self.texts))
        is_split = bool(((n_unknown > 0) & (n_unknown < n_rows)).any())
        texts = tuple(text for text, n in zip(self.texts, n_unknown, strict=True) if n)
        return Unknown(texts=texts, n_rows=int(n_unknown.sum()), rows=rows if is_split else None)

    def _as_it_stood(self, cells: NDArray[np.unsignedinteger]) -> _Flags:
        """Tell which rows were so before, a star never; of shuffled rows, all or none."""
        assert self._original is not None
        store = source_of(self._original)
        was = store.cells(self.column)
        is_open: _Flags = ~np.array([_is_starred(text) for text in self.texts], dtype=np.bool_)[cells]
        if self._policy.rows == "shuffle" or store.n_rows != self._source.n_rows:
            _, had = self._read(self._values)
            return is_open & np.bool_(np.count_nonzero(self.may_hold[cells]) <= np.count_nonzero(had[was]))
        is_same: _Flags = self._source.hashes(self.column) == store.hashes(self.column)
        was_missing: _Flags = self._is_missing(self._values)[was] & self._is_missing(self.texts)[cells]
        return is_open & (is_same | was_missing)

    def _is_missing(self, texts: Sequence[str | None]) -> _Flags:
        return np.array([text is None or text in self._policy.missing for text in texts], dtype=np.bool_)

    def _read(self, texts: Sequence[str | None]) -> tuple[_Flags, _Flags]:
        """Tell which texts are the value or can be nothing else, and which may stand for it among others."""
        alone = Meanings([self._value], tree=self._tree, is_numeric=self._is_numeric)
        names = Spellings([self._value, *self._values], is_numeric=self._is_numeric)
        holds = np.zeros(len(texts), dtype=np.bool_)
        may_hold = self._is_missing(texts)
        for place, text in enumerate(texts):
            if text is None or may_hold[place]:
                continue
            if _is_starred(text):
                may_hold[place] = True
            elif names.of(text) == self._value:
                holds[place] = True
            elif alone.covered(text, np.zeros(1, dtype=np.int64))[0]:
                holds[place] = text not in self._values and self._names_it(text)
                may_hold[place] = not holds[place]
        return holds, may_hold

    def _names_it(self, text: str) -> bool:
        """Tell whether a coarser text stands for no other value that is known."""
        leaves = () if self._tree is None else self._tree.leaves
        others = [each for each in dict.fromkeys([*self._values, *leaves]) if each not in (None, self._value)]
        if not others:
            return False
        meanings = Meanings(others, tree=self._tree, is_numeric=self._is_numeric)
        return not meanings.covered(text, np.arange(len(others))).any()


def _is_starred(text: str | None) -> bool:
    return text is not None and set(text) == {"*"}
