"""Rows as text, column by column: what a stream has published, and what it holds back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.engines import Source, open_coded
from withhold.releasing._begin_with import Cells

__all__ = ["CodedRows", "joined_cells"]

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodedRows:
    """For each column its distinct texts, and for each row the place among them."""

    columns: Mapping[str, Cells]
    n_rows: int

    @classmethod
    def of(cls, source: Source, names: Sequence[str]) -> "CodedRows":
        """Return some columns of a source."""
        cells = {name: (tuple(source.values(name)), source.cells(name).astype(np.int64)) for name in names}
        return cls(columns=cells, n_rows=source.n_rows)

    @classmethod
    def none(cls, names: Sequence[str]) -> "CodedRows":
        """Return no rows."""
        return cls(columns={name: ((), np.zeros(0, dtype=np.int64)) for name in names}, n_rows=0)

    def some(self, rows: _Ints) -> "CodedRows":
        """Return some rows, in this order."""
        cells = {name: (texts, codes[rows]) for name, (texts, codes) in self.columns.items()}
        return CodedRows(columns=cells, n_rows=rows.size)

    def joined(self, other: "CodedRows") -> "CodedRows":
        """Return these rows, and behind them others with the same columns.

        Examples
        --------
        >>> one = CodedRows(columns={"sex": (("f", "m"), np.array([1, 0]))}, n_rows=2)
        >>> both = one.joined(CodedRows(columns={"sex": ((None, "m"), np.array([1, 0]))}, n_rows=2))
        >>> both.columns["sex"][0], both.columns["sex"][1].tolist()
        (('f', 'm', None), [1, 0, 1, 2])
        """
        cells = {name: joined_cells(own, other.columns[name]) for name, own in self.columns.items()}
        return CodedRows(columns=cells, n_rows=self.n_rows + other.n_rows)

    def open(self) -> Source:
        """Return a source with these rows."""
        kept = {name: _used(cells) for name, cells in self.columns.items()}
        return open_coded(
            {name: texts for name, (texts, _) in kept.items()}, {name: codes for name, (_, codes) in kept.items()}
        )


def joined_cells(one: Cells, other: Cells) -> Cells:
    """Return two columns one behind the other."""
    number = {text: i for i, text in enumerate(one[0])}
    lookup = np.array([number.setdefault(text, len(number)) for text in other[0]], dtype=np.int64)
    return tuple(number), np.concatenate([one[1], lookup[other[1]]]).astype(np.int64)


def _used(cells: Cells) -> Cells:
    """Return a column with the texts that occur: a value that no row holds any more must not shape a domain."""
    texts, codes = cells
    used, place = np.unique(codes, return_inverse=True)
    return tuple(texts[code] for code in used.tolist()), place.reshape(-1).astype(np.int64)
