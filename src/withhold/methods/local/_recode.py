"""Local recoding: every row is published as finely as its own group allows."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError, did_you_mean
from withhold.methods.local._local_columns import Column
from withhold.methods.local._outliers import outliers
from withhold.methods.local._problem import Promise
from withhold.methods.local._recoded import Recoded
from withhold.methods.local._search import EFFORTS, Effort, Search
from withhold.methods.local._several import Columns, columns_of, rows_together
from withhold.methods.local._states import Draft
from withhold.methods.local._withheld import check_whole, forced

__all__ = ["Recoding", "recode"]

WORTH = 1e-9
Effortful = Literal["quick", "normal", "thorough"]


def recode(
    columns: Sequence[Column],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    promises: Sequence[Promise],
    *,
    effort: Effortful = "normal",
    most_withheld: float = 0.0,
    threads: int | None = None,
    on_progress: Callable[[int, int], bool | None] | None = None,
    rng: int = 0,
) -> Recoded:
    """Publish each row as finely as a group of its own allows, so that every promise is kept.

    Parameters
    ----------
    columns
        What ranges of each column publish, and at which price.
    codes
        For each row and column the leaf it holds: (rows, columns).
    weights
        How many records each row stands for, at least 1; None: one each.
    promises
        What all groups must meet. Every promise is kept while groups are cut, never repaired afterwards.
    effort
        How much to try: ``"quick"``, ``"normal"`` or ``"thorough"``.
    most_withheld
        The largest share of records that may be published as ``*`` throughout, from 0 to 1.
    threads
        How many threads to use; None: all cores. The result does not depend on it.
    on_progress
        Called after each round with the number of records in groups and of all records; returns True to stop.
    rng
        The seed of the search.

    Returns
    -------
    Recoded
        What each row publishes on each column.

    See Also
    --------
    Recoding : the same in steps.

    Notes
    -----
    A group is cut where that lowers the loss, records times price, most; both sides must meet every promise, or one of
    them is left for later. The cheapest groups are kept, the other rows are put back and cut again. At last rows move
    between neighbouring groups while that lowers the loss.

    Promises about different columns: each is first kept by itself, and a cell publishes what covers all that it may
    publish. Groups that this breaks are formed anew over all columns, of rows that together keep all promises; columns
    that a single promise reads are then recoded for that promise alone, within rows that publish the same on its other
    columns, where that loses less. A column that no promise reads is published as it is.

    Examples
    --------
    >>> from withhold.methods.local import NumberColumn, Promise, at_least, recode
    >>> age = NumberColumn([20, 21, 40, 44])
    >>> made = recode([age], np.array([[0], [1], [2], [3]]), None, [Promise(rule=at_least(2), columns=(0,))])
    >>> made.published(0).values
    ((20.0, 21.0), (40.0, 44.0))
    """
    recoding = Recoding(
        columns, codes, weights, promises, effort=effort, most_withheld=most_withheld, threads=threads, rng=rng
    )
    for n_done, n_all in recoding.steps():
        if on_progress is not None and on_progress(n_done, n_all):
            break
    return recoding.result()


class Recoding:
    """A local recoding in steps, which can be stopped after any of them.

    Parameters are those of `recode`.

    Examples
    --------
    >>> from withhold.methods.local import NumberColumn, Promise, at_least
    >>> age = NumberColumn([20, 21, 40, 44])
    >>> recoding = Recoding([age], np.array([[0], [1], [2], [3]]), None, [Promise(rule=at_least(2), columns=(0,))])
    >>> next(recoding.steps())
    (4, 4)
    >>> round(recoding.result().loss, 3)
    0.104
    """

    def __init__(
        self,
        columns: Sequence[Column],
        codes: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        promises: Sequence[Promise],
        *,
        effort: Effortful = "normal",
        most_withheld: float = 0.0,
        threads: int | None = None,
        rng: int = 0,
    ) -> None:
        if effort not in EFFORTS:
            raise InputError(f"recode: `effort` must be one of {', '.join(EFFORTS)}{did_you_mean(effort, EFFORTS)}.")
        if not 0 <= most_withheld <= 1:
            raise InputError(f"recode: `most_withheld` must lie between 0 and 1; got {most_withheld}.")
        self.draft = Draft(columns, codes, weights, promises)
        self.promises = promises
        self.effort: Effort = EFFORTS[effort]
        self.seed = rng
        self.threads = threads
        check_whole(promises, self.draft.weights)
        self.draft.withheld = forced(self.draft.columns, self.draft.codes, self.draft.weights, promises, most_withheld)
        n_withheld = int(self.draft.weights[self.draft.withheld].sum())
        self._room = int(most_withheld * int(self.draft.weights.sum())) - n_withheld
        self._is_stopped = False
        self._steps = self._solve()

    def steps(self) -> Iterator[tuple[int, int]]:
        """Yield the number of records that are in groups, and of those that will be, after each round."""
        return self._steps

    def result(self) -> Recoded:
        """Stop, and return what is published."""
        self._is_stopped = True
        for _ in self._steps:
            pass
        return self.draft.recoded()

    def _solve(self) -> Iterator[tuple[int, int]]:
        components = _components(self.promises)
        for promises in components:
            sets = sorted({columns_of(promise) for promise in promises})
            if len(sets) == 1:
                yield from self._search(sets[0], promises, may_withhold=len(components) == 1)
            else:
                yield from self._solve_several(sets, promises)

    def _solve_several(self, sets: Sequence[Columns], promises: Sequence[Promise]) -> Iterator[tuple[int, int]]:
        """Keep promises about different columns, some of which they share."""
        draft = self.draft
        union = sorted({c for each in sets for c in each})
        shared = [c for c in union if sum(c in each for each in sets) > 1]
        mine = {each: [promise for promise in promises if columns_of(promise) == each] for each in sets}
        if draft.can_split(union, promises):
            for each in sets:
                yield from self._search(each, mine[each], wider=True)
            together = rows_together(draft, union, mine)
            if together.size:
                yield from self._search(union, promises, rows=together)
        else:  # what several promises read stays at its coarsest
            together = draft.rows
            draft.widen(shared)
        for each in sets if together.size else ():
            own = [c for c in each if c not in shared]
            if own:
                yield from self._search(own, mine[each], [c for c in each if c in shared], if_better=True)

    def _search(
        self,
        chosen: Sequence[int],
        promises: Sequence[Promise],
        fixed: Sequence[int] = (),
        *,
        rows: NDArray[np.int64] | None = None,
        wider: bool = False,
        if_better: bool = False,
        may_withhold: bool = False,
    ) -> Iterator[tuple[int, int]]:
        """Search some columns of some rows, a small table several times, and write the best into the draft."""
        rows = self.draft.rows if rows is None else rows
        problem = self.draft.problem(chosen, promises, fixed, rows)
        n_all, best = int(problem.weight.sum()), float("inf")
        n_starts = self.effort.n_starts(problem.weight.size, n_all / problem.least)
        for start in range(n_starts):
            search = Search(problem, self.effort, seed=self.seed * n_starts + start, threads=self.threads)
            steps = search.steps()
            while not self._is_stopped and next(steps, None) is not None:
                yield n_all - int(problem.weight[search.pool.ids].sum()), n_all
            search.finish()
            loss = search.loss()
            if loss < best:
                best, found = loss, search
            if self._is_stopped or best <= WORTH:
                break
        if if_better and best >= self.draft.loss(chosen, rows):
            return
        self.draft.write(chosen, found, rows, wider=wider)
        if may_withhold and self._room > 0:
            self.draft.withhold(chosen, found, rows, outliers(found, self._room))


def _components(promises: Sequence[Promise]) -> list[list[Promise]]:
    """Return promises in lists that share no column."""
    found: list[list[Promise]] = []
    for promise in promises:
        touching = [each for each in found if any(set(other.columns) & set(promise.columns) for other in each)]
        found = [each for each in found if each not in touching] + [[p for each in touching for p in each] + [promise]]
    return found
