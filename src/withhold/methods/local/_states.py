"""The states of all rows, column by column, while a recoding is made."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.errors import InputError
from withhold.methods.local._forms import SIZE
from withhold.methods.local._lines import lines_of
from withhold.methods.local._local_columns import Column, SetColumn, SuppressColumn, TreeColumn
from withhold.methods.local._prices import BITS, WORD, first_leaves, fixed_parts, prices_of, prices_of_lines, star_of
from withhold.methods.local._problem import Problem, Promise, numbered, problem_of
from withhold.methods.local._recoded import Recoded, published
from withhold.methods.local._search import Search

__all__ = ["Draft"]


class Draft:
    """What each row would publish now; at first, what it holds."""

    def __init__(
        self,
        columns: Sequence[Column],
        codes: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        promises: Sequence[Promise],
    ) -> None:
        n_rows = len(codes)
        given = np.ones(n_rows, dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
        _check(columns, codes, given, promises)
        self.columns = tuple(columns)
        self.codes = first_leaves(columns, np.ascontiguousarray(codes, dtype=np.int32))
        self.weights = given
        self.low, self.high = self.codes.copy(), self.codes.copy()
        self.sets = {c: _words(self.codes[:, c], each) for c, each in enumerate(columns) if isinstance(each, SetColumn)}
        self.withheld = np.zeros(n_rows, dtype=bool)
        self.n_steps = 0

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows that are not withheld."""
        return np.flatnonzero(~self.withheld)

    def problem(
        self, chosen: Sequence[int], promises: Sequence[Promise], fixed: Sequence[int], rows: Array | None = None
    ) -> Problem:
        """Return the problem of recoding some columns of some rows, by default of all that are not withheld.

        Rows that publish something else on the `fixed` columns share no group.
        """
        rows = self.rows if rows is None else rows
        columns = [self.columns[c] for c in chosen]
        codes = np.ascontiguousarray(self.codes[:, list(chosen)][rows])
        parts = fixed_parts(columns, codes)
        parts += [self.texts(c, rows).astype(np.int64) for c in fixed]
        part = numbered(parts, codes.shape[0]) if parts else None
        kept = promises
        if rows.size < self.withheld.size:
            kept = [p if p.lanes is None else replace(p, lanes=p.lanes[rows]) for p in kept]
        return problem_of(columns, codes, self.weights[rows], kept, part)

    def can_split(self, chosen: Sequence[int], promises: Sequence[Promise], rows: Array | None = None) -> bool:
        """Return whether each part of some columns, as their coarsest levels fix them, keeps all promises."""
        problem = self.problem(chosen, promises, (), rows)
        counts = np.zeros((problem.n_parts, problem.n_lanes), dtype=np.int64)
        np.add.at(counts[:, 0], problem.part, problem.weight)
        for s in range(problem.lanes.shape[1]):
            held = problem.lanes[:, s] >= 0
            np.add.at(counts, (problem.part[held], problem.lanes[held, s]), problem.weight[held])
        return all(problem.is_valid(line) for line in counts)

    def texts(self, column: int, rows: Array) -> NDArray[np.int32]:
        """Return what some rows publish on a column, as numbers."""
        words = self.sets[column][rows] if column in self.sets else None
        low, high = self.low[rows, column], self.high[rows, column]
        return published(self.columns[column], low, high, words, self.withheld[rows]).codes

    def widen(self, chosen: Sequence[int]) -> None:
        """Publish some columns as coarse as their levels allow."""
        for c in chosen:
            column = self.columns[c]
            if isinstance(column, SuppressColumn):
                column = column.tree
            for part in fixed_parts([column], self.codes[:, [c]]) or [np.zeros(self.codes.shape[0], dtype=np.int64)]:
                self._widen(c, column, part)

    def _widen(self, c: int, column: Column, part: NDArray[np.int64]) -> None:
        if isinstance(column, TreeColumn):
            node = part.astype(np.int32)
            self.low[:, c], self.high[:, c] = column.taxonomy.first[node], column.taxonomy.last[node] - 1
        elif not getattr(column, "keep", False):
            self.low[:, c], self.high[:, c] = 0, column.n_leaves - 1
            if c in self.sets:
                every = np.bitwise_or.reduce(_words(np.arange(column.n_leaves), column), axis=0)
                self.sets[c][:] = every

    def write(self, chosen: Sequence[int], search: Search, rows: Array, *, wider: bool = False) -> None:
        """Publish what a search of some rows found, or what covers both that and what they publish now."""
        lines, words = search.group_states()
        group = search.group[search.problem.place]
        half, word_at = lines.shape[1] // 2, search.problem.prices.spec[:, WORD]
        for i, c in enumerate(chosen):
            low, high = -lines[group, half + i], lines[group, i]
            self.low[rows, c] = np.minimum(low, self.low[rows, c]) if wider else low
            self.high[rows, c] = np.maximum(high, self.high[rows, c]) if wider else high
            if c in self.sets:
                first = int(word_at[i])
                found = words[group, first : first + self.sets[c].shape[1]]
                self.sets[c][rows] = found | self.sets[c][rows] if wider else found
        self.n_steps += search.round

    def withhold(self, chosen: Sequence[int], search: Search, rows: Array, found: Array) -> None:
        """Withhold rows of a search of some rows, and publish the others of them anew."""
        if found.size:
            group = search.group.copy()
            group[found] = search.n_groups
            search.group, search.n_groups = group, search.n_groups + 1
            self.write(chosen, search, rows)
            self.withheld[rows[group[search.problem.place] == search.n_groups - 1]] = True

    def loss(self, chosen: Sequence[int], rows: Array) -> float:
        """Return the loss of some rows on some columns: records times price."""
        return float((self._prices(chosen, rows) * self.weights[rows]).sum())

    def _prices(self, chosen: Sequence[int], rows: Array) -> NDArray[np.float64]:
        """Return what each of some rows loses on some columns, none of them withheld."""
        columns = [self.columns[c] for c in chosen]
        words = np.zeros((rows.size, 0), dtype=np.uint64)
        words = np.concatenate([words, *(self.sets[c][rows] for c in chosen if c in self.sets)], axis=1)
        low, high = (np.ascontiguousarray(ends[rows][:, list(chosen)]) for ends in (self.low, self.high))
        return prices_of_lines(prices_of(columns), lines_of(low, high, [each.n_leaves for each in columns]), words)

    def recoded(self) -> Recoded:
        """Return what is published."""
        price = self._prices(range(len(self.columns)), np.arange(self.codes.shape[0]))
        price[self.withheld] = star_of(self.columns).sum()
        importance = sum(column.weight for column in self.columns) * float(self.weights.sum())
        return Recoded(
            columns=self.columns,
            low=self.low,
            high=self.high,
            sets=self.sets,
            withheld=self.withheld,
            weights=self.weights,
            prices=price,
            loss=float((price * self.weights).sum()) / importance if importance > 0 else 0.0,
            n_steps=self.n_steps,
        )


def _words(codes: Array, column: Column) -> NDArray[np.uint64]:
    words = np.zeros((codes.size, -(-column.n_leaves // BITS)), dtype=np.uint64)
    words[np.arange(codes.size), codes // BITS] = np.uint64(1) << (codes % BITS).astype(np.uint64)
    return words


def _check(columns: Sequence[Column], codes: Array, weights: Array, promises: Sequence[Promise]) -> None:
    """Raise unless all codes, weights and lanes are in range: compiled code does not look."""
    if codes.ndim != 2 or codes.shape[1] != len(columns):
        raise InputError(f"recode: `codes` must have one column for each of {len(columns)}.")
    n_leaves = np.array([column.n_leaves for column in columns], dtype=np.int64)
    if codes.size and ((codes.min(axis=0) < 0).any() or (codes.max(axis=0) >= n_leaves).any()):
        raise InputError("recode: `codes` must be positions of leaves.")
    if weights.shape != codes.shape[:1] or (weights < 1).any():
        raise InputError("recode: `weights` must hold a number of at least 1 for each row.")
    if any(not column.weight >= 0 or not np.isfinite(column.weight) for column in columns):
        raise InputError("recode: the weight of a column must be a number of at least 0.")
    for promise in promises:
        if not promise.columns or not all(0 <= c < len(columns) for c in promise.columns):
            raise InputError("Promise: `columns` must be positions of columns, at least one.")
        if promise.rule.form != SIZE and promise.lanes is not None:
            held, n_lanes = promise.lanes, promise.rule.n_lanes
            if held.shape != codes.shape[:1] or held.min(initial=0) < -1 or held.max(initial=-1) >= n_lanes:
                raise InputError("Promise: `lanes` must hold -1 or a lane of the rule for each row.")
