"""One combination of levels: which rows must be withheld there, and what is lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.levels._counting import by_group, first_kept, fitting, kept_by, too_small
from withhold.methods.levels._partition import Cells, Levels, Rows
from withhold.methods.local import NEAR, UNMET, Promise, Rule, at_least, distinct_values, is_met

__all__ = ["Judge", "Question", "Verdict", "questions_of"]

SIZE = at_least(1).form
DISTINCT = distinct_values(1, 1).form
LANES = 32
"""As long as counting one row takes it to read through as many counts of a group."""
Floor = tuple[list[NDArray[np.float64]], float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """A promise: its rule, the set of columns whose groups it is about, and which answers."""

    rule: Rule
    view: int
    """The position of its set of columns."""
    answer: int
    """The position of its answers, or -1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verdict:
    """What a combination of levels comes to."""

    levels: Levels
    loss: float
    """The price over all records and columns; infinite where the combination is not allowed."""
    n_withheld: int
    """How many records are withheld."""
    is_hopeless: bool
    """Whether no finer combination is allowed either."""
    withheld: NDArray[np.bool_] | None = None
    """Which cells are withheld; None: none of them, or too many."""
    floor: Floor | None = None
    """What every finer combination loses at least, where withheld rows say so: by column and level, and the rest."""


def questions_of(promises: Sequence[Promise]) -> tuple[list[tuple[int, ...]], list[Question]]:
    """Return the sets of columns, and the questions about them, those about sizes first."""
    views = sorted({tuple(sorted(set(promise.columns))) for promise in promises})
    answers = list(dict.fromkeys(id(promise.lanes) for promise in promises if promise.lanes is not None))
    found = [
        Question(
            rule=promise.rule,
            view=views.index(tuple(sorted(set(promise.columns)))),
            answer=-1 if promise.rule.form == SIZE else answers.index(id(promise.lanes)),
        )
        for promise in promises
    ]
    return views, sorted(found, key=lambda each: each.rule.form != SIZE)


class Judge:
    """Looks at combinations of levels.

    Parameters
    ----------
    rows
        The distinct rows.
    views
        The sets of columns that promises are about.
    questions
        The promises, those about sizes first.
    limit
        How many records may be withheld.
    star
        The price of a withheld record, over all columns.
    """

    def __init__(
        self, rows: Rows, views: Sequence[tuple[int, ...]], questions: Sequence[Question], limit: int, star: float
    ) -> None:
        self.rows, self.views, self.questions, self.limit, self.star = rows, views, questions, limit, star
        self.sizes = [question for question in questions if question.rule.form == SIZE]
        self.can_exclude = limit == 0 or all(self._is_growing(question) for question in questions)
        self.n_counted = 0
        self._totals = rows.totals(rows.finest, np.zeros(rows.finest.rep.size, dtype=bool))
        self.fixed = float(rows.finest.fixed.sum())

    def bound(self, levels: Levels) -> float:
        """Return the loss of a combination if nothing is withheld, which no finer level exceeds."""
        return self.fixed + sum(float(total[level]) for total, level in zip(self._totals, levels, strict=True))

    def look(self, levels: Levels, *, below: float = np.inf) -> Verdict:
        """Return the verdict on a combination; a loss of at least `below` need not be exact."""
        cells, n_scanned = self.rows.cells(levels)
        self.n_counted += n_scanned + cells.rep.size * (len(self.rows.n_answers) + len(self.views))
        return Look(self, cells, levels).verdict(below)

    def _is_growing(self, question: Question) -> bool:
        """Tell whether a group that keeps a promise does so whatever rows join it."""
        if question.rule.form != DISTINCT:
            return question.rule.form == SIZE
        # a group without answers keeps the promise, and may break it as soon as one row with an answer joins
        return bool((self.rows.lane(self.rows.finest, question.answer) >= 0).all())

    def totals(self) -> list[NDArray[np.float64]]:
        """Return the price of each level of each column, over all records."""
        return self._totals


class Look:
    """The rounds of withholding at one combination of levels."""

    def __init__(self, judge: Judge, cells: Cells, levels: Levels) -> None:
        self.judge, self.cells, self.levels = judge, cells, levels
        self.alive = np.ones(cells.rep.size, dtype=bool)
        self.groups = [self._groups(view) for view in judge.views]
        self._sorted: dict[int, tuple[Array, Array]] = {}
        self._lanes: dict[int, Array] = {}

    def verdict(self, below: float) -> Verdict:
        """Withhold what breaks a promise, then more until what is withheld keeps all of them itself."""
        judge, bound = self.judge, self.judge.bound(self.levels)
        if not self._settle(judge.sizes):
            return self._refused(is_hopeless=True)
        floor = self._floor()
        if self._loss(bound) < below and len(judge.sizes) < len(judge.questions):
            if not self._settle(judge.questions):
                return self._refused(is_hopeless=judge.can_exclude, floor=floor)
            floor = self._floor() if judge.can_exclude else floor
        while self._loss(bound) < below and not self._is_kept_by_withheld():
            if not self._withhold_more() or not self._settle(judge.questions):
                return self._refused(is_hopeless=False, floor=floor)
        return Verdict(
            levels=self.levels,
            loss=self._loss(bound),
            n_withheld=self._n_withheld(),
            is_hopeless=False,
            withheld=None if self.alive.all() else ~self.alive,
            floor=floor,
        )

    def _loss(self, bound: float) -> float:
        return bound if self.alive.all() else bound + float(self.extra[~self.alive].sum())

    def _refused(self, *, is_hopeless: bool, floor: Floor | None = None) -> Verdict:
        n_withheld = self._n_withheld()
        return Verdict(levels=self.levels, loss=np.inf, n_withheld=n_withheld, is_hopeless=is_hopeless, floor=floor)

    def _floor(self) -> Floor | None:
        """Return what finer combinations lose at least: these rows, withheld here, are withheld there as well."""
        if self.alive.all():
            return None
        judge, dead = self.judge, ~self.alive
        less = judge.rows.totals(self.cells, self.alive)
        totals = [total - each for total, each in zip(judge.totals(), less, strict=True)]
        rest = judge.fixed - float(self.cells.fixed[dead].sum()) + judge.star * self._n_withheld()
        return totals, rest

    def _n_withheld(self) -> int:
        return int(self.cells.weight[~self.alive].sum())

    def _settle(self, questions: Sequence[Question]) -> bool:
        """Withhold groups that break a promise until none is left; say whether few enough rows are."""
        limit = self.judge.limit
        while True:
            after = self.alive.copy()
            for question in questions:
                broken = self._broken(question)
                if broken.any():
                    after &= ~broken[self.groups[question.view][0]]
                    if int(self.cells.weight[~after].sum()) > limit:
                        self.alive = after
                        return False
            is_same = bool((after == self.alive).all())
            self.alive = after
            # what one set of columns loses is whole groups of it: nothing else changes
            if is_same or len(self.judge.views) == 1:
                return True

    def _broken(self, question: Question) -> NDArray[np.bool_]:
        group, n_groups = self.groups[question.view]
        if question.rule.form == SIZE:
            small: NDArray[np.bool_] = too_small(group, n_groups, self.cells.weight, self.alive, question.rule.least)[0]
            return small
        order, begin = self._order(question.view)
        lane = self._lane(question)
        state = kept_by(order, begin, self.cells.weight, self.alive, lane, question.rule)
        self.judge.n_counted += n_groups * question.rule.n_lanes // LANES
        for g in np.flatnonzero(state == NEAR):
            inside = order[begin[g] : begin[g + 1]]
            counts = self._histogram(question, inside[self.alive[inside]])
            state[g] = is_met(question.rule, counts)
        found: NDArray[np.bool_] = state == UNMET
        return found

    def _is_kept_by_withheld(self) -> bool:
        """Decide whether the withheld rows, as a group, keep every promise; no rows do."""
        if self.alive.all():
            return True
        dead = np.flatnonzero(~self.alive)
        return all(is_met(question.rule, self._histogram(question, dead)) for question in self.judge.questions)

    def _withhold_more(self) -> bool:
        """Withhold the groups that cost least, one after the other, until all promises are kept; say whether it does.

        A group that does not fit into the limit is passed over.
        """
        everything = tuple(range(len(self.judge.rows.columns)))
        group, n_groups = self._groups(everything)
        order, begin = by_group(group, n_groups)
        cost = np.bincount(group, weights=self.extra, minlength=n_groups)
        records = np.bincount(group, weights=self.cells.weight, minlength=n_groups).astype(np.int64)
        is_alive = np.zeros(n_groups, dtype=bool)
        is_alive[group[self.alive]] = True
        ranked = np.argsort(cost, kind="stable")
        taken = fitting(ranked[is_alive[ranked]], records, self.judge.limit - self._n_withheld())
        n = self._n_needed(taken, order, begin)
        if n > taken.size:
            return False
        self.alive &= ~np.isin(group, taken[:n])
        return True

    def _n_needed(self, taken: Array, order: Array, begin: Array) -> int:
        """Return how many of the groups must join the withheld rows until these keep every promise."""
        dead = np.flatnonzero(~self.alive)
        n, n_agreed, which = 1, 0, 0
        questions = self.judge.questions
        while n_agreed < len(questions) and n <= taken.size:
            question = questions[which]
            counts = self._histogram(question, dead)
            lane = self._lane(question)
            found, is_sure = first_kept(taken, order, begin, self.cells.weight, lane, counts, question.rule, n)
            if not is_sure and not is_met(question.rule, counts):
                n, n_agreed = found + 1, 0
                continue
            n_agreed = n_agreed + 1 if found == n else 1
            n, which = found, (which + 1) % len(questions)
        return n

    def _histogram(self, question: Question, cells: Array) -> NDArray[np.int64]:
        counts = np.zeros(1 + question.rule.n_lanes, dtype=np.int64)
        counts[0] = self.cells.weight[cells].sum()
        if question.rule.n_lanes:
            lane = self._lane(question)[cells]
            np.add.at(counts, lane[lane >= 0] + 1, self.cells.weight[cells][lane >= 0])
        return counts

    @cached_property
    def extra(self) -> NDArray[np.float64]:
        """What withholding each cell adds to the loss."""
        price = self.judge.rows.prices(self.cells, self.levels)
        found: NDArray[np.float64] = (self.judge.star - price) * self.cells.weight - self.cells.fixed
        return found

    def _groups(self, view: tuple[int, ...]) -> tuple[Array, int]:
        rows = self.judge.rows
        if len(view) == len(rows.columns) and not rows.n_answers:
            return np.arange(self.cells.rep.size, dtype=np.int32), int(self.cells.rep.size)
        return rows.numbers(self.cells, self.levels, view)

    def _order(self, view: int) -> tuple[Array, Array]:
        if view not in self._sorted:
            self._sorted[view] = by_group(*self.groups[view])
        return self._sorted[view]

    def _lane(self, question: Question) -> Array:
        if question.answer not in self._lanes:
            nothing = np.full(self.cells.rep.size, -1, dtype=np.int32)
            lane = nothing if question.answer < 0 else self.judge.rows.lane(self.cells, question.answer)
            self._lanes[question.answer] = lane
        return self._lanes[question.answer]
