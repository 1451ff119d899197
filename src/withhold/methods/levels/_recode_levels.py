"""Full-domain recoding: one level of its hierarchy for a whole column."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError, InputError
from withhold.methods.levels._allowed import Judge, Verdict, questions_of
from withhold.methods.levels._best_first import BestFirst
from withhold.methods.levels._column import LevelColumn
from withhold.methods.levels._lattice import lattice_of
from withhold.methods.levels._levelled import Alternative, Levelled
from withhold.methods.levels._partition import rows_of
from withhold.methods.local import (
    Promise,
    at_least,
    at_least_together,
    at_most_share,
    distinct_values,
    figure_of,
    is_met,
)

__all__ = ["recode_levels"]

SIZE, SHARE, DISTINCT = at_least(1).form, at_most_share(1, [], 1.0).form, distinct_values(1, 1).form
SUM = at_least_together([1], 1).form


def recode_levels(
    columns: Sequence[LevelColumn],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    promises: Sequence[Promise],
    *,
    most_withheld: float = 0.0,
    on_progress: Callable[[int, int], bool | None] | None = None,
    most_tried: int | None = None,
) -> Levelled:
    """Choose one level for each column, so that every promise is kept and the loss is smallest.

    Every value of a column is published at the same level, so that analysts meet one set of categories per column.
    Rows whose groups are too small, or break another promise, may be withheld. Use `withhold.methods.local.recode`
    where a smaller loss matters more than equal categories.

    Parameters
    ----------
    columns
        The levels of each column, and their prices.
    codes
        For each row and column the leaf it holds: (rows, columns).
    weights
        How many records each row stands for, at least 1; None: one each.
    promises
        What all groups must meet. The groups of a promise are the rows that publish the same on its columns.
    most_withheld
        The largest share of records that may be published as ``*`` throughout, from 0 to 1.
    on_progress
        Called after each combination with the number of those looked at and of all; returns True to stop.
    most_tried
        How many combinations to look at, at least 1; None: what takes a few seconds.

    Returns
    -------
    Levelled
        The level of each column, the withheld rows, the loss, and whether it is the smallest.

    Raises
    ------
    InfeasibleError
        Where a promise is not kept with everything withheld, or no combination is allowed.

    See Also
    --------
    withhold.methods.local.recode : each row as finely as its own group allows.

    Notes
    -----
    The loss is the price of what is published, over records and columns; a withheld record costs 1 per column, times
    the column's weight. At one combination of levels, all rows of every group that is too small are withheld at once;
    groups are counted again without them until none is too small; then the same for all promises together. Where the
    withheld rows, as one group, do not keep every promise themselves, the groups (over all columns that promises read)
    that add least to the loss join them, one after the other, passing over those for which the limit leaves no room.
    For k-anonymity over one set of columns no other choice of rows loses less; for other promises the choice is a
    heuristic. `is_optimal` is about levels. A column that no promise reads stays at its finest level.

    Combinations are looked at in the order of their loss without withheld rows, which bounds the loss from below and
    does not fall as levels get coarser, until no bound lies below the best loss. Rows that are withheld because their
    groups are too small are withheld at all finer combinations as well. Hence one that withholds too much excludes all
    finer ones, and any other raises their bounds; the search looks half way up a chain of coarser combinations first.
    The same holds for every promise where nothing may be withheld, and for distinct values where every row has an
    answer. A lattice of more than two million combinations is searched from the coarsest levels downwards, more and
    more at a time, and the result is the best that was found.

    Counting a combination takes time in proportion to the groups of a finer one that was counted before, at most to
    the distinct rows.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan: Incognito: Efficient Full-Domain K-Anonymity. SIGMOD 2005.
    El Emam et al.: A Globally Optimal k-Anonymity Method for the De-Identification of Health Data. JAMIA 2009.
    Kohlmayer et al.: Flash: Efficient, Stable and Optimal K-Anonymity. PASSAT 2012.

    Examples
    --------
    >>> from withhold.methods.levels import LevelColumn, recode_levels
    >>> from withhold.methods.local import Promise, at_least
    >>> age = LevelColumn.of_numbers([20, 21, 40, 44, 90], [[30, 60]])
    >>> codes, promises = np.array([[0], [1], [2], [3], [4]]), [Promise(rule=at_least(2), columns=(0,))]
    >>> recode_levels([age], codes, None, promises).levels
    (2,)
    >>> made = recode_levels([age], np.array([[0], [1], [2], [3], [4], [4]]), None, promises)
    >>> made.levels, made.published(0).tolist(), made.is_optimal
    ((1,), [0, 0, 2, 2, 4, 4], True)
    """
    given = np.ones(len(codes), dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
    table = np.ascontiguousarray(codes, dtype=np.int32).reshape(len(given), len(columns))
    _check(columns, table, given, promises)
    if not 0 <= most_withheld <= 1:
        raise InputError(f"recode_levels: `most_withheld` must lie between 0 and 1; got {most_withheld}.")
    if most_tried is not None and most_tried < 1:
        raise InputError(f"recode_levels: `most_tried` must be at least 1; got {most_tried}.")
    _check_whole(promises, given)
    search, place, chosen = _searched(columns, table, given, promises, most_withheld, on_progress, most_tried)
    if not search.best:
        found = "that was looked at " if search.is_stopped else ""
        raise InfeasibleError(
            f"No combination of levels {found}keeps every promise. Hint: allow coarser levels, or more withheld rows.",
            requirement=-1,
            asked=most_withheld,
            reached=None,
        )
    unit = float(given.sum()) * sum(column.weight for column in columns)
    levels = [_all_levels(columns, chosen, verdict) for verdict in search.best]
    losses = [verdict.loss / unit if unit else 0.0 for verdict in search.best]
    return Levelled(
        columns=tuple(columns),
        codes=table,
        weights=given,
        levels=levels[0],
        withheld=_withheld(search, place),
        loss=losses[0],
        is_optimal=search.is_optimal,
        n_tried=search.n_tried,
        n_all=search.lattice.n_all,
        alternatives=tuple(
            Alternative(levels=each, loss=loss, n_withheld=verdict.n_withheld)
            for each, loss, verdict in zip(levels[1:], losses[1:], search.best[1:], strict=True)
        ),
    )


def _searched(
    columns: Sequence[LevelColumn],
    table: NDArray[np.int32],
    weights: NDArray[np.int64],
    promises: Sequence[Promise],
    most_withheld: float,
    on_progress: Callable[[int, int], bool | None] | None,
    most_tried: int | None,
) -> tuple[BestFirst, NDArray[np.int64], list[int]]:
    """Return the finished search, the distinct row of each row, and the columns that promises read."""
    chosen = sorted({c for promise in promises for c in promise.columns})
    fixed = np.zeros(weights.size, dtype=np.float64)
    for c, column in enumerate(columns):
        if c not in chosen:
            fixed += column.prices[column.finest][table[:, c]] * column.weight * weights
    read = [columns[c] for c in chosen]
    rows = rows_of(read, table[:, chosen], weights, promises, fixed)
    views, questions = questions_of(promises)
    inner = [tuple(chosen.index(c) for c in view) for view in views]
    # a share is read by its decimal text: 0.1 is one tenth, not the nearest binary fraction
    limit = int(Fraction(str(most_withheld)) * int(weights.sum()))
    judge = Judge(rows, inner, questions, limit, sum(column.weight for column in columns))
    finest, coarsest = tuple(column.finest for column in read), tuple(column.last for column in read)
    lattice = lattice_of(finest, coarsest, judge.totals())
    search = BestFirst(judge, lattice, finest, coarsest, most_tried=most_tried, on_progress=on_progress)
    search.run()
    return search, rows.place, chosen


def _all_levels(columns: Sequence[LevelColumn], chosen: Sequence[int], verdict: Verdict) -> tuple[int, ...]:
    found = [column.finest for column in columns]
    for c, level in zip(chosen, verdict.levels, strict=True):
        found[c] = level
    return tuple(found)


def _withheld(search: BestFirst, place: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows the best combination withholds."""
    best, rows = search.best[0], search.judge.rows
    if best.withheld is None:
        return np.zeros(place.size, dtype=bool)
    everything = range(len(rows.columns) + len(rows.n_answers))
    cell, _ = rows.numbers(rows.finest, best.levels, everything)
    found: NDArray[np.bool_] = best.withheld[cell][place]
    return found


def _check_whole(promises: Sequence[Promise], weights: NDArray[np.int64]) -> None:
    """Raise unless the whole table as one group keeps every promise."""
    for i, promise in enumerate(promises):
        rule = promise.rule
        counts = np.zeros(1 + rule.n_lanes, dtype=np.int64)
        counts[0] = weights.sum()
        if promise.lanes is not None and rule.n_lanes:
            held = np.asarray(promise.lanes) >= 0
            np.add.at(counts, np.asarray(promise.lanes)[held] + 1, weights[held])
        if weights.size and not is_met(rule, counts):
            asked = rule.least if rule.form in (SIZE, DISTINCT, SUM) else rule.upper / rule.lower
            raise InfeasibleError(
                "Even with everything withheld a promise is not kept.",
                requirement=i,
                asked=rule.at_most if rule.form == SHARE else asked,
                reached=figure_of(rule, counts),
            )


def _check(
    columns: Sequence[LevelColumn], codes: NDArray[np.int32], weights: NDArray[np.int64], promises: Sequence[Promise]
) -> None:
    for c, column in enumerate(columns):
        if codes.shape[0] and not (codes[:, c].min() >= 0 and codes[:, c].max() < column.n_leaves):
            raise InputError(f"recode_levels: the codes of column {c} must lie between 0 and {column.n_leaves - 1}.")
    if (weights < 1).any():
        raise InputError("recode_levels: `weights` must be at least 1.")
    for promise in promises:
        if not promise.columns or not set(promise.columns) <= set(range(len(columns))):
            raise InputError("recode_levels: a promise must name columns of the table by their positions.")
        lanes = promise.lanes
        if lanes is not None and promise.rule.form != SIZE:
            held = np.asarray(lanes)
            if held.shape != weights.shape or (held.size and not -1 <= held.min() <= held.max() < promise.rule.n_lanes):
                raise InputError("recode_levels: `lanes` must hold for each row a value of the rule, or -1.")
