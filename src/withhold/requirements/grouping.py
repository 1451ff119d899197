"""The guard of a promise about groups: it steers the search, and closes ranks where single cells broke a group."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError, RowsNeededError
from withhold.methods.groups import Lanes, Pool, PoolColumn, Size, regroup
from withhold.requirements._guard import Guard, Job, Say
from withhold.requirements._replayed import chance_of_failing
from withhold.table import DraftColumn

__all__ = ["GroupGuard", "pool_column", "truth_lane"]

Rows = NDArray[np.int64]
WHY = "group"
MOST_COUNTS = 1 << 22
"""How many counts of donors are looked at together."""


class GroupGuard(Guard):
    """Rows whose group breaks the promise are grouped anew, as finely as it allows; others join where it takes more.

    Cells only ever climb along their trees, so repairing ends: at the latest with everything withheld.
    """

    turn = 1
    n_coarsened = 0
    n_blanked = 0
    may_grow: ClassVar[bool] = False
    """Whether groups that were made by size may be made larger: what that gives away is bounded for a largest share."""
    chance = 1.0
    """The chance that all smaller groups would have failed, whoever holds what."""

    def __init__(self, job: Job, number: int) -> None:
        super().__init__(job, number)
        self._failed: list[Rows] = []
        self._size = 0

    @property
    def given(self) -> tuple[str, ...]:
        """The columns that groups are counted over."""
        return self.job.policy.require[self.number].columns

    def promises(self) -> list[Lanes]:
        """Return what groups are made by, on the draft as it stands; the first ones never change."""
        return [*self.truths(), *self.published()]

    @property
    def groups_of(self) -> int | None:
        """How many rows a group holds at least, where groups are made without a look at what is sensitive."""
        return getattr(self.job.policy.require[self.number], "groups_of", None)

    def steering(self) -> list[Lanes]:
        """Return what groups are made by in the first place: what is promised, or their size alone."""
        return self.truths() if self.groups_of is None else [self._by_size(self.groups_of)]

    def _by_size(self, n_rows: int) -> Lanes:
        return Lanes(Size(n_rows), np.zeros(self.job.draft.n_rows, dtype=np.int64), 1)

    def truths(self) -> list[Lanes]:
        """Return what is asked of the groups by what stood in the table."""
        raise NotImplementedError

    def published(self) -> list[Lanes]:
        """Return what is asked of them by what is published of a sensitive column."""
        return []

    def withhold_sensitive(self, rows: Rows) -> int:
        """Withhold the sensitive cells of some rows, where no grouping helps; return how many."""
        return 0

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns that it reads, besides those of the groups."""
        return self.job.policy.require[self.number].sensitive_columns(self.job.policy, self.number)

    def is_untouched(self) -> bool:
        """Return whether the search alone decided about its columns, which counted for it."""
        draft = self.job.draft
        if self.groups_of is not None:
            return False  # the search counted sizes, and not what is promised
        given = all(draft.column(name).is_by_value for name in self.given)
        columns = [draft.column(name) for name in self.sensitive if name in draft.names]
        plain = all(each.is_by_value and np.array_equal(each.cut, each.leaves) for each in columns)
        return given and plain

    def repair(self, say: Say) -> bool:
        """Group rows anew until every group keeps the promise."""
        if self.groups_of is not None:
            return self._repair_unread(say)
        if self.is_untouched():
            return False
        mark, before = self.job.draft.mark, (self.n_blanked, self.n_coarsened)
        while True:
            lanes = self.promises()
            bad = self._bad_rows(lanes)
            if not bad.size:
                return self.job.draft.mark > mark
            if self.job.draft.weights is not None:
                raise RowsNeededError(f"require[{self.number}]: its groups are closed row by row")
            if (self.n_blanked, self.n_coarsened) == before:
                say(f"grouping {bad.size:,} rows anew")
            turn = self.job.draft.mark
            for part in self._apart(bad):
                self._mend(lanes, part, np.intersect1d(part, bad))
            if self.job.draft.mark == turn:  # no grouping changes anything: withheld, they share a group with others
                self._withhold(bad)

    def broken_rows(self) -> Rows:
        """Return the rows whose group breaks the promise, on the draft as it stands."""
        return self._bad_rows(self.promises())

    def _repair_unread(self, say: Say) -> bool:
        """Group rows by size alone; where that breaks the promise, larger groups, if that gives nothing away."""
        mark = self.job.draft.mark
        self._size = self._size or self.groups_of or 0
        while True:
            lanes = [self._by_size(self._size)]
            while (bad := self._bad_rows(lanes)).size:
                turn = self.job.draft.mark
                for part in self._apart(bad):
                    self._mend(lanes, part, np.intersect1d(part, bad))
                if self.job.draft.mark == turn:
                    self._withhold(bad)
            groups, asked = self.job.draft.groups(self.given), [*self.truths(), *self.published()]
            n_bad, reached, bound = self._judge_unread(groups, asked)
            if not n_bad:
                return self.job.draft.mark > mark
            self._failed.append(groups)
            self._size *= 2
            if self._size > self.job.draft.n_rows or not self.may_grow:
                raise self._refused(n_bad, reached, bound)
            say(f"groups of {self._size // 2:,} rows break the promise: trying {self._size:,}")

    def _judge_unread(self, groups: Rows, asked: Sequence[Lanes]) -> tuple[int, float, float]:
        """Return how many groups break the promise by what anybody can infer, the worst figure, and the bound."""
        n_groups = int(groups.max(initial=-1)) + 1
        histograms = [self._histograms(each, groups, n_groups) for each in asked]
        chance = 1.0
        if all(each.measure.is_met(counts).all() for each, counts in zip(asked, histograms, strict=True)):
            chance = chance_of_failing(groups, self._failed, asked)
        self.chance = chance
        for each, counts in zip(asked, histograms, strict=True):
            figures = each.measure.figures(counts)
            # Only a largest share grows: what may be inferred is at most the share over the chance.
            is_bad = ~each.measure.is_met(counts) | (figures > each.measure.asked * chance if chance < 1 else False)
            if is_bad.any():
                figures = figures[counts.sum(axis=1) > 0]
                reached = float(figures.min() if each.measure.is_lower_worse else figures.max())
                return int(is_bad.sum()), reached, float(each.measure.asked)
        return 0, 0.0, 0.0

    def _refused(self, n_bad: int, reached: float, bound: float) -> InfeasibleError:
        requirement = self.job.policy.require[self.number]
        return InfeasibleError(
            f"require[{self.number}]: {requirement.says} is broken by {n_bad} groups of {self._size // 2} rows or more "
            f"made without a look at what is sensitive: {reached:.4g} where {bound:g} is asked for. Hint: "
            f"ask for larger groups than `groups_of` = {self.groups_of}, or for less.",
            requirement=self.number,
            asked=bound,
            reached=reached,
        )

    def _bad_rows(self, lanes: Sequence[Lanes]) -> Rows:
        groups = self.job.draft.groups(self.given)
        n_groups = int(groups.max(initial=-1)) + 1
        is_bad = np.zeros(n_groups, dtype=bool)
        for each in lanes:
            is_bad |= ~each.measure.is_met(self._histograms(each, groups, n_groups))
        return np.flatnonzero(is_bad[groups])

    def _histograms(self, lanes: Lanes, groups: Rows, n_groups: int) -> Rows:
        """Return what each group holds; one with a missing cell that is read as any value, what all it may be hold."""
        found = lanes.histograms(groups, n_groups)
        columns = self.job.policy.columns
        wild = [name for name in self.given if name in columns and columns[name].missing == "any"]
        if not wild:
            return found
        first = np.unique(groups, return_index=True)[1]
        draft = self.job.draft
        keys = np.stack([draft.column(name).text_codes[first] for name in self.given], axis=1)
        is_wild = np.zeros(keys.shape, dtype=bool)
        for name in wild:
            column = draft.column(name)
            if column.missing is not None:
                is_wild[:, self.given.index(name)] = column.nodes[first] == column.missing
        return _with_compatible(found, keys, is_wild)

    def _apart(self, bad: Rows) -> Iterator[Rows]:
        """Yield rows that may share groups: those that agree on the columns that may not be masked."""
        kept = self.job.policy.require[self.number].kept
        if not kept:
            yield np.arange(self.job.draft.n_rows)
            return
        groups = self.job.draft.groups(kept)
        for group in np.unique(groups[bad]):
            yield np.flatnonzero(groups == group)

    def _mend(self, lanes: Sequence[Lanes], rows: Rows, bad: Rows) -> None:
        """Group the bad rows anew, with as many others of `rows` as that takes."""
        draft = self.job.draft
        free = [name for name in self.given if name not in self.job.policy.require[self.number].kept]
        columns = [pool_column(draft.column(name)) for name in free]
        nodes = np.stack([draft.column(name).nodes for name in free], axis=1)
        chosen = _with_donors(columns, nodes, lanes, rows, bad, draft.groups(self.given))
        if chosen is None:
            if self.groups_of is not None or not self.withhold_sensitive(bad):
                raise self._infeasible(lanes, rows)
            return
        # Rows that read and count alike are one.
        counted = [each.only(chosen) for each in lanes]
        key = np.column_stack([nodes[chosen], *(each.lane for each in counted)])
        _, first, place, weights = np.unique(key, axis=0, return_index=True, return_inverse=True, return_counts=True)
        pool = Pool(columns, nodes[chosen][first], [each.only(first) for each in counted], weights.astype(np.int64))
        found = regroup(pool)[place.reshape(-1)]
        for j, name in enumerate(free):
            mark = draft.mark
            n = draft.coarsen(name, chosen, found[:, j], self.reason(WHY))
            if draft.mark > mark:
                n_blank = int(np.count_nonzero((found[:, j] == 0) & (nodes[chosen, j] != 0)))
                self.n_blanked += n_blank
                self.n_coarsened += n - n_blank

    def _withhold(self, rows: Rows) -> None:
        """Withhold rows in all columns that may be masked."""
        kept, draft = self.job.policy.require[self.number].kept, self.job.draft
        mark = draft.mark
        for name in [each for each in self.given if each not in kept]:
            self.n_blanked += draft.coarsen(name, rows, 0, self.reason(WHY))
        if draft.mark == mark:
            raise self._infeasible(self.promises(), np.arange(draft.n_rows))

    def _infeasible(self, lanes: Sequence[Lanes], rows: Rows) -> InfeasibleError:
        requirement = self.job.policy.require[self.number]
        failed = next((each for each in lanes if not _is_met(each, rows)), lanes[0])
        reached = float(failed.measure.figures(failed.histogram(rows, np.ones(failed.lane.size, np.int64))[None])[0])
        return InfeasibleError(
            f"require[{self.number}]: {requirement.says} cannot be met: with everything withheld the table reaches "
            f"{reached:.4g} where {failed.measure.asked:g} is asked for. Hint: ask for less.",
            requirement=self.number,
            asked=failed.measure.asked,
            reached=reached,
        )

    def figures(self) -> list[float]:
        """Return what each promise reaches by the truth, over the groups as they are published."""
        groups = self.job.draft.groups(self.given)
        n_groups = int(groups.max(initial=-1)) + 1
        found = []
        for each in self.truths():
            counts = each.histograms(groups, n_groups)
            figures = each.measure.figures(counts[counts.sum(axis=1) > 0])
            worst = figures.min(initial=np.inf) if each.measure.is_lower_worse else figures.max(initial=0.0)
            found.append(float(worst))
        return found

    def done(self) -> dict[str, Any]:
        """Return how many single cells were withheld or coarsened for it, besides what the search left withheld."""
        made: dict[str, Any] = {}
        if self.groups_of is not None:
            made = {
                "informed": True,
                "groups_of": self.groups_of,
                "groups_made_of": self._size,
                "replayed": self.chance,
            }
        return {**made, "regrouped_blanked": self.n_blanked, "regrouped_coarsened": self.n_coarsened}


def truth_lane(guard: Guard, column: str, lane_of_value: NDArray[np.int64]) -> Rows:
    """Return for each row the lane of what it answered; what is hidden from the informed is no answer."""
    table = guard.job.table
    lane = lane_of_value[table.store.cells(column)].astype(np.int64)
    lane[guard.job.rows_hidden(column, informed=True)] = -1
    return lane


def pool_column(column: DraftColumn) -> PoolColumn:
    """Return the tree of a column, as groups are formed in it."""
    sets = frozenset(column.members)
    return PoolColumn(column.parent, column.first, column.last, column.prices(), sets=sets, ends=column.ends())


def _is_met(lanes: Lanes, rows: Rows) -> bool:
    ones = np.ones(lanes.lane.size, dtype=np.int64)
    return bool(lanes.measure.is_met(lanes.histogram(rows, ones).reshape(1, -1))[0])


def _with_donors(
    columns: Sequence[PoolColumn],
    nodes: NDArray[np.int32],
    lanes: Sequence[Lanes],
    rows: Rows,
    bad: Rows,
    groups: Rows,
) -> Rows | None:
    """Return the bad rows, and whole groups of others, the cheapest first, until together they keep every promise.

    Where sizes alone are asked for and a group can spare the rows that are lacking, these are taken from it. None where
    even all rows together break a promise.
    """
    if all(_is_met(each, bad) for each in lanes):
        return bad
    others = np.setdiff1d(rows, bad)
    if not all(_is_met(each, rows) for each in lanes):
        return None
    ids, place, sizes = np.unique(groups[others], return_inverse=True, return_counts=True)
    first = others[np.unique(place, return_index=True)[1]]
    lost = np.zeros(first.size)
    for j, column in enumerate(columns):
        lost += _climbed(column, nodes[bad, j], nodes[first, j])
    if all(isinstance(each.measure, Size) for each in lanes):
        lacking = max(int(each.measure.asked) for each in lanes) - bad.size
        most = max(int(each.measure.asked) for each in lanes)
        can_spare = np.flatnonzero(sizes >= most + lacking)
        if can_spare.size:
            donor = can_spare[np.argmin(lost[can_spare])]
            return np.concatenate([bad, others[place == donor][:lacking]])
    order = np.lexsort((ids, lost * sizes))
    if all(type(each) is Lanes for each in lanes):
        n_donors = _enough(lanes, bad, others, place, order)
        return None if n_donors is None else np.concatenate([bad, others[np.isin(place, order[:n_donors])]])
    chosen = [bad]
    for donor in order.tolist():
        chosen.append(others[place == donor])
        together = np.concatenate(chosen)
        if all(_is_met(each, together) for each in lanes):
            return together
    return None


def _enough(lanes: Sequence[Lanes], bad: Rows, others: Rows, place: Rows, order: Rows) -> int | None:
    """Return how many donors, in their order, make the bad rows keep every promise; None where even all do not."""
    turn = np.empty(order.size, dtype=np.int64)
    turn[order] = np.arange(order.size)
    rows = others[np.argsort(turn[place], kind="stable")]
    turns = np.sort(turn[place], kind="stable")
    step = max(1, MOST_COUNTS // max(each.n_lanes for each in lanes))
    held = [each.histogram(bad, np.ones(each.lane.size, dtype=np.int64)) for each in lanes]
    for begin in range(0, order.size, step):
        n = min(step, order.size - begin)
        part = slice(*np.searchsorted(turns, [begin, begin + n]).tolist())
        met = np.ones(n, dtype=np.bool_)
        for i, each in enumerate(lanes):
            counts = each.only(rows[part]).histograms(turns[part] - begin, n)
            counts = np.cumsum(counts, axis=0) + held[i]
            met &= each.measure.is_met(counts)
            held[i] = counts[-1]
        if met.any():
            return begin + int(np.argmax(met)) + 1
    return None


def _climbed(column: PoolColumn, bad: NDArray[np.int32], nodes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return what each node would lose by climbing to where it meets the bad ones."""
    low, high = column.first[bad].min(), column.last[bad].max()
    found = nodes.copy()
    while True:
        is_narrow = ((column.first[found] > low) | (column.last[found] < high)) & (column.parent[found] >= 0)
        if not is_narrow.any():
            return np.asarray(column.prices[found] - column.prices[nodes])
        found = np.where(is_narrow, column.parent[found], found).astype(np.int32)


def _with_compatible(counts: Rows, keys: Rows, is_wild: NDArray[np.bool_]) -> Rows:
    """Return the counts of each group with those of all groups that may be the same, wild cells read as any value."""
    patterns, of_group = np.unique(is_wild, axis=0, return_inverse=True)
    of_group = of_group.reshape(-1)
    total = np.zeros_like(counts)
    for own in range(len(patterns)):
        mine = np.flatnonzero(of_group == own)
        for other in range(len(patterns)):
            theirs = np.flatnonzero(of_group == other)
            shared = np.flatnonzero(~(patterns[own] | patterns[other]))
            both = np.concatenate([keys[mine][:, shared], keys[theirs][:, shared]])
            place = (
                np.unique(both, axis=0, return_inverse=True)[1].reshape(-1) if shared.size else np.zeros(len(both), int)
            )
            sums = np.zeros((int(place.max()) + 1, counts.shape[1]), dtype=np.int64)
            np.add.at(sums, place[mine.size :], counts[theirs])
            total[mine] += sums[place[: mine.size]]
    return total
