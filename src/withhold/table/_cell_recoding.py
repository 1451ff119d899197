"""Single cells that are published otherwise than they stand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CellRecoding", "cell_recodings"]


@dataclass(frozen=True, slots=True, eq=False)
class CellRecoding:
    """What is published in some cells of a column, whatever stood there.

    Examples
    --------
    >>> blanks = CellRecoding(column="diagnosis", rows=np.array([2, 5]), texts=("*",), picks=np.array([0, 0]))
    >>> blanks.is_blank, len(blanks)
    (True, 2)
    """

    column: str
    """The column it applies to."""
    rows: NDArray[np.int64]
    """The rows, by position, ascending."""
    texts: tuple[str, ...]
    """The texts that are published in them."""
    picks: NDArray[np.int64]
    """For each row which of the texts."""

    @property
    def is_blank(self) -> bool:
        """Whether all of these cells are withheld altogether."""
        return self.texts == ("*",)

    def spread(self, n_rows: int) -> NDArray[np.int32]:
        """Return for every row of the table 0 where its cell stays, else the place of its text, from 1."""
        found = np.zeros(n_rows, dtype=np.int32)
        found[self.rows] = self.picks + 1
        return found

    def __len__(self) -> int:
        return int(self.rows.size)


def cell_recodings(cells: Mapping[tuple[int, str], str] | Iterable[tuple[int, str, str]]) -> tuple[CellRecoding, ...]:
    """Return one recoding for each column, from published texts by row and column.

    Examples
    --------
    >>> [len(each) for each in cell_recodings({(5, "a"): "*", (2, "a"): "*", (0, "b"): "coarse"})]
    [2, 1]
    """
    listed = [(row, column, text) for (row, column), text in cells.items()] if isinstance(cells, Mapping) else cells
    by_column: dict[str, list[tuple[int, str]]] = {}
    for row, column, text in listed:
        by_column.setdefault(column, []).append((row, text))
    found = []
    for column, pairs in by_column.items():
        pairs.sort()
        texts = sorted({text for _, text in pairs}, key=lambda text: (text != "*", text))
        place = {text: i for i, text in enumerate(texts)}
        rows = np.array([row for row, _ in pairs], dtype=np.int64)
        picks = np.array([place[text] for _, text in pairs], dtype=np.int64)
        found.append(CellRecoding(column, rows, tuple(texts), picks))
    return tuple(found)
