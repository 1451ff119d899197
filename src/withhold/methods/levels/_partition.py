"""The distinct rows of a table, and what is left of them when columns are coarsened."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.levels._column import LevelColumn
from withhold.methods.levels._counting import add_digits, add_up, leaves_of, number, prices_of
from withhold.methods.local import Promise

__all__ = ["Cells", "Levels", "Rows", "rows_of"]

WIDEST = 2**62
MOST_KEPT = 64
LARGE = 200_000
"""From how many cells on it pays to count half way first."""
ROOM = 6
"""How many times the distinct rows may be kept in all."""
Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """Rows that are equal at some levels, in the answers too, counted together."""

    levels: Levels
    rep: NDArray[np.uint32]
    """The first distinct row of each cell."""
    weight: NDArray[np.int64]
    """The records of each cell."""
    fixed: NDArray[np.float64]
    """The price, over the records of each cell, of columns that no promise reads."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """Distinct rows over the columns that promises read and the answers they ask about, in sorted order."""

    columns: tuple[LevelColumn, ...]
    """The columns that promises read."""
    codes: NDArray[np.uint32]
    """A line for each column, and one for each question: the leaf of each distinct row; one more than its lane."""
    finest: Cells
    """The distinct rows, as they are."""
    place: NDArray[np.int64]
    """For each row of the table its distinct row."""
    n_answers: tuple[int, ...]
    """The number of answers to each question, no answer included."""

    @cached_property
    def begin(self) -> NDArray[np.int64]:
        """Where the leaves of each column begin in an array of all leaves, then the answers."""
        sizes = [column.n_leaves for column in self.columns] + list(self.n_answers)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def classes(self) -> list[list[tuple[NDArray[np.int64], int]]]:
        """For each column and level the class of each leaf, counted from 0, and how many there are."""
        return [[_dense(line) for line in column.levels] for column in self.columns]

    @cached_property
    def kept(self) -> list[Cells]:
        """The cells that were counted, as far as they are kept."""
        return [self.finest]

    def cells(self, levels: Levels) -> tuple[Cells, int]:
        """Return the cells at some levels, rolled up from the fewest that are finer, and how many these were."""
        base = self._base(levels)
        n_scanned = 0
        if base.rep.size > LARGE:
            half = tuple(level if c in self._first_half else 0 for c, level in enumerate(levels))
            base, n_scanned = self._roll_up(base, half)
        if base.levels == levels:
            return base, n_scanned
        found, n_more = self._roll_up(base, levels)
        return found, n_scanned + n_more

    def _base(self, levels: Levels) -> Cells:
        """Return the fewest kept cells that are finer, and keep them longest."""
        at = [i for i, each in enumerate(self.kept) if all(a <= b for a, b in zip(each.levels, levels, strict=True))]
        best = min(at, key=lambda i: self.kept[i].rep.size)
        if best:
            self.kept.append(self.kept.pop(best))
            return self.kept[-1]
        return self.finest

    def _roll_up(self, base: Cells, levels: Levels) -> tuple[Cells, int]:
        """Return the cells at coarser levels, and how many were counted for them."""
        if base.levels == levels:
            return base, 0
        ids, n = self.numbers(base, levels, range(len(self.columns) + len(self.n_answers)))
        rep, weight, fixed = add_up(ids, n, base.rep, base.weight, base.fixed)
        found = Cells(levels=levels, rep=rep, weight=weight, fixed=fixed)
        if 10 * n < 9 * base.rep.size:
            self._keep(found)
        return found, int(base.rep.size)

    @cached_property
    def _first_half(self) -> set[int]:
        """The columns with most leaves: combinations that agree on them are rolled up from the same cells."""
        ranked = sorted(range(len(self.columns)), key=lambda c: -self.columns[c].n_leaves)
        return set(ranked[: (len(ranked) + 1) // 2])

    def numbers(self, cells: Cells, levels: Levels, chosen: Sequence[int]) -> tuple[Array, int]:
        """Return a number for each cell, the same for cells that publish the same on the chosen columns."""
        digit = np.zeros(int(self.begin[-1]), dtype=np.int64)
        key = np.zeros(cells.rep.size, dtype=np.int64)
        total, room = 1, 1
        span: list[int] = []
        for c in chosen:
            line, n = self._digits(c, levels)
            if n == 1:
                continue
            if total * room * n > WIDEST:
                add_digits(key, self.codes, cells.rep, np.array(span, dtype=np.int64), digit, self.begin, room)
                key, total = number(key, WIDEST)
                key, room, span = key.astype(np.int64), 1, []
            digit[self.begin[c] : self.begin[c + 1]] = line * room
            room *= n
            span.append(c)
        add_digits(key, self.codes, cells.rep, np.array(span, dtype=np.int64), digit, self.begin, room)
        return number(key, total * room)

    def prices(self, cells: Cells, levels: Levels) -> NDArray[np.float64]:
        """Return the price of one record of each cell, over the columns that promises read."""
        price = np.concatenate(
            [column.prices[level] * column.weight for column, level in zip(self.columns, levels, strict=True)]
        )
        found: NDArray[np.float64] = prices_of(self.codes, cells.rep, price, self.begin[: len(self.columns) + 1])
        return found

    def totals(self, cells: Cells, alive: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
        """Return the price of each level of each column, over the records of all cells that are not alive."""
        begin = self.begin[: len(self.columns) + 1]
        held = leaves_of(self.codes, cells.rep, cells.weight, alive, begin).astype(np.float64)
        return [column.prices @ held[begin[c] : begin[c + 1]] * column.weight for c, column in enumerate(self.columns)]

    def lane(self, cells: Cells, question: int) -> NDArray[np.int32]:
        """Return the answer of each cell to a question, or -1."""
        found: NDArray[np.int32] = self.codes[len(self.columns) + question][cells.rep].astype(np.int32) - 1
        return found

    def _digits(self, c: int, levels: Levels) -> tuple[NDArray[np.int64], int]:
        if c < len(self.columns):
            return self.classes[c][levels[c]]
        n = self.n_answers[c - len(self.columns)]
        return np.arange(n, dtype=np.int64), n

    def _keep(self, cells: Cells) -> None:
        """Keep cells for rolling up; the distinct rows always stay, of the others the latest that fit."""
        self.kept.append(cells)
        while len(self.kept) > MOST_KEPT or sum(each.rep.size for each in self.kept) > ROOM * self.finest.rep.size:
            del self.kept[1]


def rows_of(
    columns: Sequence[LevelColumn],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    promises: Sequence[Promise],
    fixed: NDArray[np.float64],
) -> Rows:
    """Return the distinct rows over some columns and the answers that promises ask about."""
    answers = {id(promise.lanes): promise.lanes for promise in promises if promise.lanes is not None}
    asked = [np.asarray(lanes, dtype=np.int32) + 1 for lanes in answers.values()]
    full = np.column_stack([codes, *asked]).astype(np.int32)
    order = np.lexsort(full.T[::-1])
    ranked = full[order]
    is_new = np.ones(order.size, dtype=bool)
    is_new[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.cumsum(is_new) - 1
    n = int(is_new.sum())
    weight = np.zeros(n, dtype=np.int64)
    np.add.at(weight, place, weights)
    return Rows(
        columns=tuple(columns),
        codes=np.ascontiguousarray(ranked[is_new].T.astype(np.uint32)),
        finest=Cells(
            levels=(0,) * len(columns),
            rep=np.arange(n, dtype=np.uint32),
            weight=weight,
            fixed=np.bincount(place, weights=fixed, minlength=n).astype(np.float64),
        ),
        place=place,
        n_answers=tuple(int(each.max(initial=0)) + 1 for each in asked),
    )


def _dense(line: NDArray[np.int32]) -> tuple[NDArray[np.int64], int]:
    found, dense = np.unique(line, return_inverse=True)
    return dense.astype(np.int64).ravel(), int(found.size)
