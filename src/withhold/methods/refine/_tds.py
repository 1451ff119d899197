"""Top-down specialization (TDS): anonymity for several column sets, information kept for a target."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InfeasibleError, PolicyError
from withhold.errors import Mistake as _Mistake
from withhold.methods.refine._board import Board
from withhold.methods.refine._information import ClassCounts
from withhold.methods.refine._moves import column_of
from withhold.methods.refine._search import Counter, Score, Search, Splits, Step
from withhold.policy import Anonymity
from withhold.table import Decision, Recoding, Table

__all__ = ["Refinement", "start_search", "tds"]

MOST_CLASSES = 1_000
MOST_CELLS = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """What a run of the search arrived at."""

    steps: tuple[Step, ...]
    """The moves, in order."""
    cuts: dict[str, tuple[str, ...]]
    """For each column the values that are published, from left to right."""
    reached: tuple[int, ...]
    """What each requirement has reached: the size of its smallest group."""
    recodings: tuple[Recoding, ...]
    """What is published for each column."""
    group_sizes: tuple[NDArray[np.int64], ...]
    """For each requirement the sizes of its groups."""

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
        """
        return {r.column: _apply(r, table, unseen) for r in self.recodings}


def tds(
    table: Table,
    requirements: Iterable[Anonymity],
    *,
    target: str | None = None,
    score: Score = "ratio",
    splits: Splits = "best",
    max_steps: int | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> Refinement:
    """Specialize a table from the top until any further step would break an anonymity requirement.

    Every column that a requirement names starts as one withheld value. The step that tells most about the target for
    the least anonymity lost is made first; intervals of number columns grow as they are split.

    Parameters
    ----------
    table
        The table; its domains say how columns may be refined.
    requirements
        One or more `Anonymity` requirements.
    target
        The column that analysts will want to predict. Without one, steps are ranked by the records they touch.
    score
        ``"ratio"`` is the paper's two-case formula: gain / loss, or gain where nothing is lost. ``"ratio+1"`` is the
        authors' later gain / (loss + 1). ``"gain"`` ignores privacy when ranking (never when checking).
    splits
        ``"best"`` gives an interval up when its most informative split is invalid, as the paper does. ``"valid"``
        takes the most informative split that is valid.
    max_steps
        Stop after this many steps; any number of them leaves a valid table.
    on_step
        Called after each step, for progress.

    Returns
    -------
    Refinement
        Steps, cuts, what was reached, and a decision that can be applied.

    Raises
    ------
    InfeasibleError
        Where the table has fewer than `k` rows.

    Notes
    -----
    Score and loss are compared in 9 significant digits; ties go to the column named first, then to the smaller value.
    Missing values are a value of their own. A step costs the rows of the refined value times the open columns.

    References
    ----------
    B. C. M. Fung, K. Wang, P. S. Yu: Top-Down Specialization for Information and Privacy Preservation, ICDE 2005.

    Examples
    --------
    >>> from withhold import Anonymity, samples
    >>> table = samples.tds_table1()
    >>> result = tds(table, [Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    >>> result.cuts["Education"]
    ('Junior Sec.', '11th', '12th', 'Bachelors', 'Grad School')
    >>> result.reached
    (4,)
    """
    if max_steps is not None and max_steps < 0:
        raise PolicyError([_Mistake("", f"tds: `max_steps` must be an integer of at least 0; got {max_steps}.")])
    search = start_search(table, list(requirements), target=target, score=score, splits=splits)
    while max_steps is None or len(search.steps) < max_steps:
        step = search.step()
        if step is None:
            break
        if on_step is not None:
            on_step(step)
    return finish(search, table)


def finish(search: Search, table: Table) -> Refinement:
    """Return where a search stands now."""
    return Refinement(
        steps=tuple(search.steps),
        cuts=search.cuts(),
        reached=search.reached,
        recodings=search.recodings(table.missing),
        group_sizes=tuple(counter.group_sizes() for counter in search.counters),
    )


def start_search(
    table: Table,
    requirements: Sequence[Anonymity],
    *,
    target: str | None = None,
    score: Score = "ratio",
    splits: Splits = "best",
) -> Search:
    """Return the search before its first step, to be stepped by hand.

    Examples
    --------
    >>> from withhold import Anonymity, samples
    >>> search = start_search(samples.tds_table1(), [Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    >>> search.step().value, [c.value for c in search.candidates() if c.is_valid]
    ('ANY_Edu', ['ANY_Sex', 'Secondary', 'University'])
    """
    _check_choice("score", score, get_args(Score))
    _check_choice("splits", splits, get_args(Splits))
    if not requirements:
        raise PolicyError([_Mistake("", "tds: `requirements` must name at least one; got none.")])
    from withhold.methods.refine._anonymity import AnonymityCounter

    names = list(dict.fromkeys(name for requirement in requirements for name in requirement.columns))
    table.prepare(names if target is None else [*names, target])
    counts = _class_counts(table, names, target)
    columns = [column_of(name, table.domain(name), counts[name]) for name in names]
    place = {name: i for i, name in enumerate(names)}

    def counters(board: Board) -> list[Counter]:
        return [
            AnonymityCounter(board, [place[name] for name in r.columns], r.k, table.distinct(r.columns))
            for r in requirements
        ]

    try:
        return Search(columns, counters, score=score, splits=splits)
    except InfeasibleError as error:
        error.requirement = next(i for i, r in enumerate(requirements) if r.k > table.n_rows)
        raise


def _class_counts(table: Table, names: Sequence[str], target: str | None) -> dict[str, ClassCounts]:
    from withhold.methods.refine._kernels import class_counts

    n_classes = 1 if target is None else table.n_codes(target)
    if n_classes > MOST_CLASSES:
        raise DataError(
            f'target "{target}" has {n_classes} distinct values; at most {MOST_CLASSES} are classes. '
            "Hint: choose a target of categories, or publish it in bins."
        )
    found = {}
    for name in names:
        if table.n_codes(name) * n_classes > MOST_CELLS:
            raise DataError(f'column "{name}" has too many distinct values for a target of {n_classes} classes.')
        rows = table.distinct([name] if target is None else [name, target])
        classes = np.zeros(len(rows.weights), dtype=np.uint8) if target is None else rows.codes[1]
        counts = np.zeros((table.n_codes(name), n_classes), dtype=np.int64)
        class_counts(rows.codes[0], classes, rows.weights, counts)
        found[name] = ClassCounts(counts, class_free=target is None)
    return found


def _apply(recoding: Recoding, table: Table, unseen: Literal["error", "withhold"]) -> NDArray[np.object_]:
    from withhold.table import NumberRecoding

    recoding = replace(recoding, missing_marks=recoding.missing_marks | table.missing)
    if isinstance(recoding, NumberRecoding):
        numbers = table.store.numbers(recoding.column, missing=recoding.missing_marks)
        published = recoding.apply(numbers.tolist(), unseen=unseen)
    else:
        published = recoding.apply(table.store.values(recoding.column), unseen=unseen)
    return np.array(published, dtype=object)[table.store.cells(recoding.column)]


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        options = ", ".join(f'"{choice}"' for choice in choices)
        raise PolicyError([_Mistake("", f'tds: `{name}` must be one of {options}; got "{value}".')])
