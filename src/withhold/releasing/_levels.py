"""Full-domain recoding on a draft: every column is published at one level, and a few rows are withheld."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods import local
from withhold.methods.levels import LevelColumn, recode_levels
from withhold.record import Regrouping
from withhold.releasing._edges import interval_label, nested_edges
from withhold.releasing._grouping_input import grouping_input
from withhold.table import DraftColumn, Numbers, Reason

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["recode_by_levels"]


def recode_by_levels(run: "Run", on_progress: Callable[[int, int], bool]) -> Regrouping:
    """Publish every column at one level, so that all promises are kept and as little as possible is lost."""
    given = grouping_input(run)
    columns = [_levels_of(column) for column in given.columns]
    done = recode_levels(
        columns,
        given.codes,
        run.draft.weights,
        given.promises,
        most_withheld=run.policy.most_rows_withheld,
        on_progress=on_progress,
    )
    withheld = np.flatnonzero(done.withheld)
    for j, name in enumerate(given.names):
        column = run.draft.column(name)
        classes = columns[j].levels[done.levels[j]]
        column.recut(_cut(column, run.table.domain(name), given.columns[j], classes[: column.n_codes], done.levels[j]))
        run.draft.coarsen(name, withheld, 0, Reason(given.requirement[name], "group"))
    return Regrouping(
        rows=run.table.n_rows,
        withheld_rows=run.draft.n_cells(withheld),
        loss=float(done.loss),
        levels=dict(zip(given.names, done.levels, strict=True)),
        is_optimal=done.is_optimal,
    )


def _levels_of(column: Any) -> LevelColumn:
    """Return the levels of a column; what it loses about a target is in its weight."""
    if isinstance(column, local.SetColumn):
        column = local.SuppressColumn(column.labels, weight=column.weight, keep=column.keep)
    if isinstance(column, local.NumberColumn):
        whole = 1.0 if column.prices is None else float(column.prices[0, -1])
        return LevelColumn.of_numbers(
            column.values,
            nested_edges(column.all_edges()),
            bounds=column.range,
            missing=column.missing,
            weight=column.weight * whole,
            coarsest=0 if column.keep else None,
        )
    if isinstance(column, local.TreeColumn) and column.prices is not None and column.prices[0] > 0:
        column = local.TreeColumn(
            column.taxonomy,
            weight=column.weight * float(column.prices[0]),
            prices=np.minimum(column.prices / column.prices[0], 1.0),
            finest=column.finest,
            coarsest=column.coarsest,
        )
    return LevelColumn.of_column(column)


def _cut(column: DraftColumn, domain: Any, given: Any, classes: NDArray[np.int32], level: int) -> NDArray[np.int32]:
    """Return the node of the draft that each code publishes."""
    if not isinstance(domain, Numbers):
        if isinstance(given, local.SetColumn | local.SuppressColumn):
            return column.leaves if level == 0 else np.zeros_like(column.leaves)
        nodes = np.where(classes < len(column.labels), classes, column.leaves)
        return np.asarray(nodes, dtype=np.int32)
    if level == 0:
        return column.leaves
    edges = [*nested_edges(given.all_edges())]
    if level > len(edges):
        return np.zeros_like(column.leaves)
    return _intervals(column, domain, np.unique([given.range[0], *edges[level - 1], given.range[1]]))


def _intervals(column: DraftColumn, domain: Numbers, edges: NDArray[np.float64]) -> NDArray[np.int32]:
    cut = column.leaves.copy()
    inside = np.minimum(np.searchsorted(edges, domain.values, side="right") - 1, max(edges.size - 2, 0))
    for interval in np.unique(inside).tolist():
        codes = np.flatnonzero(inside == interval)
        label = interval_label(float(edges[interval]), float(edges[interval + 1]), domain)
        cut[codes] = column.add(label, int(codes[0]), int(codes[-1]) + 1)
    return cut
