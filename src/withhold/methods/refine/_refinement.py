"""What a run of the search arrived at."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, Mistake, PolicyError
from withhold.methods.refine._top_down import Search, Step
from withhold.table import Decision, NumberRecoding, Recoding, Table

__all__ = ["Refinement", "refinement_of", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """What a run of the search arrived at."""

    steps: tuple[Step, ...]
    """The moves, in order."""
    cuts: dict[str, tuple[str, ...]]
    """For each column the values that are published, from left to right."""
    withheld: dict[str, tuple[str | None, ...]] = field(default_factory=dict)
    """For each column whose values are disclosed one by one those that a ``*`` may stand for; None is missing."""
    reached: tuple[float, ...]
    """What each promise has reached: the size of the smallest group, or the largest confidence of a sensitive value."""
    recodings: tuple[Recoding, ...]
    """What is published for each column."""
    group_sizes: tuple[NDArray[np.int64], ...] = ()
    """For each anonymity requirement the sizes of its groups."""

    @property
    def decision(self) -> Decision:
        """The decision that an engine can apply, to this table or to another one."""
        return Decision(recodings=self.recodings)

    def apply(self, table: Table, *, unseen: Literal["error", "withhold"] = "error") -> dict[str, NDArray[np.object_]]:
        """Return the refined columns of another table under these cuts, row by row.

        Parameters
        ----------
        table
            Any table with these columns, such as a test set.
        unseen
            What to do with values that the learned table did not have: an error, or withhold them.

        Notes
        -----
        The promise was made for the table that was learned on. Another table may have smaller groups or higher
        confidences under the same cuts: check it with `withhold.auditing`.
        """
        if not isinstance(table, Table):
            raise DataError(f"apply needs a Table; got {type(table).__name__}. Hint: withhold.read makes one.")
        if unseen not in ("error", "withhold"):
            raise DataError(f'`unseen` must be "error" or "withhold"; got "{unseen}".')
        for recoding in self.recodings:
            table.domain(recoding.column)
        return {recoding.column: _apply(recoding, table, unseen) for recoding in self.recodings}


def run(search: Search, table: Table, *, max_steps: int | None, on_step: Callable[[Step], object] | None) -> Refinement:
    """Step a search until no move is left, or for `max_steps` steps."""
    if max_steps is not None and max_steps < 0:
        raise PolicyError([Mistake("", f"`max_steps` must be an integer of at least 0; got {max_steps}.")])
    while max_steps is None or len(search.steps) < max_steps:
        step = search.step()
        if step is None:
            break
        if on_step is not None:
            on_step(step)
    return refinement_of(search, table)


def refinement_of(search: Search, table: Table) -> Refinement:
    """Return what a search has arrived at."""
    return Refinement(
        steps=tuple(search.steps),
        cuts=search.cuts(),
        withheld=search.withheld(),
        reached=search.reached,
        recodings=search.recodings(table.missing),
        group_sizes=search.group_sizes(),
    )


def _apply(recoding: Recoding, table: Table, unseen: Literal["error", "withhold"]) -> NDArray[np.object_]:
    recoding = replace(recoding, missing_marks=recoding.missing_marks | table.missing)
    if isinstance(recoding, NumberRecoding):
        numbers = table.store.numbers(recoding.column, missing=recoding.missing_marks)
        published = recoding.apply(numbers.tolist(), unseen=unseen)
    else:
        published = recoding.apply(table.store.values(recoding.column), unseen=unseen)
    return np.array(published, dtype=object)[table.store.cells(recoding.column)]
