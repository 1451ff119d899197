"""What requirements ask of a search: promises about groups, each of which makes a counter."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups import Measure
from withhold.methods.refine._counted_rows import CountedRows
from withhold.methods.refine._counter import Counter
from withhold.methods.refine._partial_rows import closer_look, with_totals
from withhold.methods.refine._search_board import Board
from withhold.table import Codes, Table

if TYPE_CHECKING:
    from withhold.methods.refine._shares import Lane

__all__ = ["MeasurePromise", "Promise", "SharePromise", "SizePromise"]

Places = dict[str, int]
"""The number of each column on the board."""


class Promise(ABC):
    """One promise about the groups over some columns."""

    given: tuple[str, ...]
    """The columns that groups are counted over."""
    masked: tuple[str, ...]
    """Those of them that are withheld at first."""
    sensitive: tuple[str, ...] = ()
    """Columns that are read, and not refined for it."""
    generalizes: bool = True
    """Whether its columns are refined along their taxonomies by default, or disclosed value by value."""
    is_size: bool = False
    """Whether it is about numbers of rows alone, so that lost privacy is counted in rows."""

    @property
    def key(self) -> Hashable:
        """Promises with the same key share a counter."""
        return id(self)

    @property
    @abstractmethod
    def terms(self) -> tuple[Hashable, ...]:
        """The figures that it reports, in order."""

    @abstractmethod
    def counter(self, alike: Sequence["Promise"], board: Board, places: Places, rows: CountedRows) -> Counter:
        """Return the counter of all promises with its key; its terms are those of `alike`, each once."""

    def is_at_fault(self, term: Hashable, asked: object) -> bool:
        """Return whether a counter's error about a term and a bound is about this promise."""
        return term in self.terms


@dataclass(frozen=True, eq=False)
class SizePromise(Promise):
    """At least `k` rows in every group."""

    given: tuple[str, ...]
    k: int
    is_size = True

    @property
    def masked(self) -> tuple[str, ...]:  # type: ignore[override]
        """All its columns."""
        return self.given

    @property
    def terms(self) -> tuple[Hashable, ...]:
        """The smallest group."""
        return ("k",)

    def counter(self, alike: Sequence[Promise], board: Board, places: Places, rows: CountedRows) -> Counter:
        """Return a counter of group sizes."""
        from withhold.methods.refine._sizes import SizeCounter

        found = rows.coarsest(self.given).distinct(self.given)
        if found.weights.sum() < self.k:
            found = rows.everything().coarsest(self.given).distinct(self.given)
        closer = closer_look(rows, board, {name: places[name] for name in self.given}, self._sizes)
        return SizeCounter(board, [places[name] for name in self.given], self.k, found, closer=closer)

    def _sizes(self, rows: CountedRows) -> tuple[list[Codes], NDArray[np.int64]]:
        found = rows.distinct(self.given)
        return found.codes, found.weights.reshape(-1, 1)


@dataclass(frozen=True, eq=False)
class SharePromise(Promise):
    """No group over the given columns holds a value of a sensitive column with more than a share."""

    given: tuple[str, ...]
    masked: tuple[str, ...]
    column: str
    values: tuple[str, ...]
    at_most: float
    generalizes = False

    @property
    def sensitive(self) -> tuple[str, ...]:  # type: ignore[override]
        """The sensitive column."""
        return (self.column,)

    @property
    def key(self) -> Hashable:
        """The given columns and the sensitive one."""
        return "share", frozenset(self.given), self.column

    @property
    def terms(self) -> tuple[Hashable, ...]:
        """The sensitive values."""
        return self.values

    def is_at_fault(self, term: Hashable, asked: object) -> bool:
        """Return whether it is the one that asks for this share of this value."""
        return term in self.values and self.at_most == asked

    def counter(self, alike: Sequence[Promise], board: Board, places: Places, rows: CountedRows) -> Counter:
        """Return a counter of confidences; the strictest bound of each value counts."""
        from withhold.methods.refine._shares import Lane, ShareCounter

        bounds: dict[str, float] = {}
        for promise in alike:
            assert isinstance(promise, SharePromise)
            for value in promise.values:
                bounds[value] = min(promise.at_most, bounds.get(value, 1.0))
        masked = [name for name in self.given if name in places]
        kept = [name for name in self.given if name not in places]
        lanes = [Lane(self.column, value, at_most) for value, at_most in bounds.items()]
        codes, weights = self._answers(rows.coarsest(masked), masked, kept, lanes)
        total = weights.sum(axis=0)
        if any(total[i] / max(total[0], 1) > lane.at_most for i, lane in enumerate(lanes, start=1)):
            codes, weights = self._answers(rows.everything().coarsest(masked), masked, kept, lanes)
        sizes = [rows.table.n_codes(name) for name in kept]
        at = {name: places[name] for name in masked}
        closer = closer_look(rows, board, at, lambda seen: self._answers(seen, masked, kept, lanes))
        return ShareCounter(board, list(at.values()), codes, weights, lanes, kept=sizes, closer=closer)

    def _answers(
        self, rows: CountedRows, masked: Sequence[str], kept: Sequence[str], lanes: "Sequence[Lane]"
    ) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the rows that answered, and how many of each hold every sensitive value."""
        # What is kept is read as a value, too: each has one published text, however it was spelled.
        found = rows.distinct([*masked, *kept, self.column], as_text=[self.column], whole=[self.column])
        table, cells = rows.table, found.codes[-1]
        weights = np.zeros((len(found.weights), 1 + len(lanes)), dtype=np.int64)
        # Who did not answer makes no share smaller.
        weights[:, 0] = found.weights * table.answered(self.column)[cells]
        for i, lane in enumerate(lanes, start=1):
            weights[:, i] = found.weights * table.holding(self.column, lane.value)[cells]
        is_there = weights[:, 0] > 0
        return [column[is_there] for column in found.codes[:-1]], weights[is_there]


@dataclass(frozen=True, eq=False)
class MeasurePromise(Promise):
    """A measure of what every group holds in a sensitive column."""

    given: tuple[str, ...]
    column: str
    measure: Callable[[Table, CountedRows], Measure]
    """Makes the measure, which may need the whole column."""
    says: str
    """What it asks, for an error."""

    @property
    def masked(self) -> tuple[str, ...]:  # type: ignore[override]
        """All its columns."""
        return self.given

    @property
    def sensitive(self) -> tuple[str, ...]:  # type: ignore[override]
        """The sensitive column."""
        return (self.column,)

    @property
    def terms(self) -> tuple[Hashable, ...]:
        """The worst figure of a group."""
        return ("figure",)

    def counter(self, alike: Sequence[Promise], board: Board, places: Places, rows: CountedRows) -> Counter:
        """Return a counter of histograms."""
        from withhold.methods.refine._histograms import HistogramCounter

        measure = self.measure(rows.table, rows)
        codes, weights = self._answers(rows.coarsest(self.given))
        if not measure.is_met(weights.sum(axis=0, keepdims=True))[0]:
            codes, weights = self._answers(rows.everything().coarsest(self.given))
        at = {name: places[name] for name in self.given}
        closer = closer_look(rows, board, at, self._with_totals)
        return HistogramCounter(board, list(at.values()), codes, weights, measure, says=self.says, closer=closer)

    def _with_totals(self, rows: CountedRows) -> tuple[list[Codes], NDArray[np.int64]]:
        codes, weights = self._answers(rows)
        return codes, with_totals(weights)

    def _answers(self, rows: CountedRows) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the rows that answered, and for each how many hold each value."""
        found = rows.distinct([*self.given, self.column], whole=[self.column])
        cells = found.codes[-1].astype(np.int64)
        is_there = rows.table.answered_codes(self.column)[cells]
        weights = np.zeros((int(is_there.sum()), rows.table.n_codes(self.column)), dtype=np.int64)
        weights[np.arange(len(weights)), cells[is_there]] = found.weights[is_there]
        return [column[is_there] for column in found.codes[:-1]], weights
