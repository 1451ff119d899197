"""What the methods that group rows are given: columns with prices, codes, and the promises of the guards."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods import local
from withhold.methods.groups import (
    Distance,
    Distinct,
    Entropy,
    Lanes,
    PeopleLanes,
    PeopleSum,
    PersonRisk,
    Recursive,
    Share,
    Size,
    Units,
)
from withhold.policy import ColumnSettings
from withhold.releasing._edges import round_edges
from withhold.releasing._target_moments import Moments
from withhold.releasing._target_prices import Lost, blended, lost_by_intervals, lost_by_nodes
from withhold.requirements.grouping import GroupGuard
from withhold.table import Numbers, Table, units_of

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["GroupingInput", "grouping_input"]

MOST_AMOUNTS = 32
"""How many weights a search tells apart; others are rounded down to one of these."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupingInput:
    """Rows to be grouped, and what all groups must keep."""

    names: tuple[str, ...]
    """The columns that groups are counted over."""
    columns: list[Any]
    """How each of them may be published, and at which price."""
    codes: NDArray[np.int32]
    """For each row and column the leaf it holds."""
    promises: list[local.Promise]
    """What the guards ask for."""
    requirement: dict[str, int]
    """For each column the first requirement that counts groups over it."""
    units: NDArray[np.int64] | None = None
    """The unit of each row, where groups are counted in units."""
    unit_k: int | None = None
    """How many units must publish the same as a whole, where that is asked for."""


def grouping_input(run: "Run") -> GroupingInput:
    """Return the rows of a run's draft, and the promises of its guards.

    Cells that are withheld whatever happens count as missing here; what they do to groups as they are published is
    repaired afterwards.
    """
    averaged = run.policy.averaged
    guards = [guard for guard in run.guards if isinstance(guard, GroupGuard) and guard.number not in averaged]
    names = tuple(dict.fromkeys(name for guard in guards for name in guard.given))
    return GroupingInput(
        names=names,
        columns=_priced(run, names, [_column(run, name) for name in names]),
        codes=np.column_stack([_codes(run, name) for name in names]).astype(np.int32),
        promises=[
            local.Promise(rule=rule, columns=tuple(names.index(name) for name in guard.given), lanes=lane)
            for guard in guards
            for rule, lane in map(_rule, guard.steering())
        ],
        requirement={name: next(guard.number for guard in guards if name in guard.given) for name in names},
        units=None if run.policy.unit is None else units_of(run.table, run.policy.unit),
        unit_k=_unit_k(run),
    )


def _unit_k(run: "Run") -> int | None:
    """Return how many units a group of units must hold, so that every promise about rows or units is kept."""
    asked = [each.whole_units for each in run.policy.require]
    return max(n_units for n_units in asked if n_units is not None) if any(asked) else None


def _priced(run: "Run", names: Sequence[str], columns: Sequence[Any]) -> list[Any]:
    """Return the columns with prices that charge for what is lost about the target, where there is one."""
    if run.policy.target is None:
        return list(columns)
    target = _target(run, run.policy.target)
    weights = np.ones(target.known.size, dtype=np.int64) if run.draft.weights is None else run.draft.weights
    every = [_lost(column, _codes(run, name), target, weights) for name, column in zip(names, columns, strict=True)]
    return [_blended(column, lost, every) for column, lost in zip(columns, every, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """The target of each row."""

    values: NDArray[Any]
    """Its number, or the place of its class."""
    known: NDArray[np.bool_]
    """Whether it has one on which something may depend."""
    n_classes: int
    """How many classes there are, 0 for a number."""

    def by_cell(self, cells: NDArray[np.int64], kept: NDArray[np.bool_], weights: NDArray[np.int64], n: int) -> Any:
        """Return counts by class, or the moments of numbers, in each cell of a column."""
        if not self.n_classes:
            return Moments(cells, self.values[kept], weights[kept], n)
        counts = np.zeros((n, self.n_classes), dtype=np.int64)
        np.add.at(counts, (cells, self.values[kept]), weights[kept])
        return counts


def _target(run: "Run", name: str) -> _Target:
    table = run.table
    cells = table.store.cells(name).astype(np.int64)
    values: NDArray[Any]
    if run.target_kind == "number":
        values = np.asarray(table.store.numbers(name, missing=table.missing), dtype=np.float64)[cells]
        known, n_classes = np.isfinite(values), 0
    else:
        texts = table.store.values(name)
        missing = np.array([value is None or value in table.missing for value in texts], dtype=bool)
        values, known, n_classes = cells, ~missing[cells], len(missing)
    known[run.job.rows_hidden(name, informed=None)] = False
    return _Target(values, known, n_classes)


def _lost(column: Any, codes: NDArray[np.int64], target: _Target, weights: NDArray[np.int64]) -> Lost:
    """Return what a column may lose about the target."""
    if isinstance(column, local.NumberColumn):
        kept = target.known & (codes < len(column.values))
        edges = column.all_edges()
        cells = np.searchsorted(edges, np.asarray(column.values), side="right") - 1
        cells = np.minimum(cells, edges.size - 2)
        n_cells = edges.size - 1
        return lost_by_intervals(target.by_cell(cells[codes[kept]], kept, weights, n_cells), n_cells)
    counts = target.by_cell(codes[target.known], target.known, weights, column.n_leaves)
    if isinstance(column, local.TreeColumn):
        tree = column.taxonomy
        return lost_by_nodes(counts, tree.first, tree.last, tree.parent)
    return lost_by_nodes(counts, [0], [column.n_leaves], [-1])


def _blended(column: Any, lost: Lost, every: Sequence[Lost]) -> Any:
    if isinstance(column, local.NumberColumn):
        edges = column.all_edges()
        width = (edges[None, :] - edges[:, None]).clip(min=0) / max(edges[-1] - edges[0], 1e-300)
        return replace(column, prices=blended(width, lost, every))
    if isinstance(column, local.TreeColumn):
        return replace(column, prices=blended(column.node_prices(), lost, every))
    return replace(column, weight=column.weight * blended(1.0, lost, every))


def _codes(run: "Run", name: str) -> NDArray[np.int64]:
    """Return the codes of a column; a cell that is withheld already counts as missing."""
    column = run.draft.column(name)
    codes = column.codes.astype(np.int64)
    if not column.is_by_value:
        missing = _missing_code(run.table, name)
        codes = np.where(column.nodes == 0, missing, codes)
    return codes


def _missing_code(table: Table, name: str) -> int:
    """Return the code of missing, or the one that it would have."""
    domain = table.domain(name)
    found = domain.missing_code if isinstance(domain, Numbers) else domain.missing
    return table.n_codes(name) if found is None else found


def _column(run: "Run", name: str) -> Any:
    """Return how the engine may coarsen a column."""
    table, settings = run.table, run.policy.columns.get(name, ColumnSettings())
    domain = table.domain(name)
    is_kept = settings.keep or any(name in requirement.kept for requirement in run.policy.require)
    if isinstance(domain, Numbers):
        given = () if settings.edges == "exact" else settings.edges
        edges = given or round_edges(domain.values, (domain.low, domain.high), _held(run, name, domain))
        bounds = (min(domain.low, edges[0]), max(domain.high, edges[-1]))
        return local.NumberColumn(
            domain.values, bounds=bounds, edges=list(edges), missing=True, weight=settings.weight, keep=is_kept
        )
    tree = domain.with_missing()
    if settings.suppress:
        return local.SuppressColumn(list(tree.leaves), weight=settings.weight, keep=is_kept)
    is_flat = int(tree.depth.max(initial=0)) < 2
    # A set reads {clerk, cook}: a value with a comma of its own could not be found in it again.
    is_listable = not any(leaf is not None and set(leaf) & set(",{}") for leaf in tree.leaves)
    if is_flat and settings.sets and is_listable and not is_kept and name not in table.bins:
        return local.SetColumn(list(tree.leaves), weight=settings.weight)
    coarsest, finest = settings.levels or (0, None)
    deepest = int(tree.depth.max(initial=0))
    return local.TreeColumn(tree, weight=settings.weight, finest=finest, coarsest=deepest if is_kept else coarsest)


def _held(run: "Run", name: str, numbers: Numbers) -> NDArray[np.int64]:
    """Return how many rows, or units, hold each number; hidden cells do not count."""
    codes = run.table.codes(name).astype(np.int64)
    codes[run.job.rows_hidden(name, informed=None)] = numbers.n_codes
    if run.policy.unit is not None:
        pairs = np.unique(np.column_stack([codes, units_of(run.table, run.policy.unit)]), axis=0)
        return np.bincount(pairs[:, 0], minlength=numbers.n_codes + 1)[: numbers.n_values].astype(np.int64)
    return run.draft.count(codes, numbers.n_codes)[: numbers.n_values]


def _few_amounts(amounts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return a few amounts and which of them each row counts; a row may count a little less than its own."""
    values = np.unique(amounts)
    if values.size > MOST_AMOUNTS:
        ranks = np.linspace(0, amounts.size - 1, MOST_AMOUNTS + 1)[:-1].astype(np.int64)
        values = np.unique(np.sort(amounts)[ranks])
    return values, (np.searchsorted(values, amounts, side="right") - 1).astype(np.int32)


def _rule(lanes: Lanes) -> tuple[local.Rule, NDArray[np.int32] | None]:
    """Return a promise as the engine has it."""
    measure, n_lanes, lane = lanes.measure, lanes.n_lanes, lanes.lane.astype(np.int32)
    if isinstance(measure, Size | Units):
        return local.at_least(measure.k), None
    if isinstance(measure, PeopleSum) and isinstance(lanes, PeopleLanes) and not measure.by_rows:
        amounts, place = _few_amounts(lanes.amounts)
        return local.at_least_together(amounts, measure.k * measure.unit), place
    if isinstance(measure, PersonRisk) and isinstance(lanes, PeopleLanes):
        amounts, place = _few_amounts(lanes.amounts)
        if amounts.size == 1:
            return local.at_least(measure.least_rows), None
        # People are nearly all that counts; small groups for which they are not enough are grouped anew.
        return local.at_least_together(amounts, ceil(measure.least_people * measure.unit)), place
    if isinstance(measure, PeopleSum):
        # The engine counts rows: these are enough on average, and groups in which they are not are grouped anew.
        return local.at_least(measure.least_rows), None
    if isinstance(measure, Share):
        return local.at_most_share(n_lanes, list(measure.values), measure.at_most), lane
    if isinstance(measure, Distinct):
        return local.distinct_values(n_lanes, measure.l), lane
    if isinstance(measure, Entropy):
        return local.entropy_of(n_lanes, measure.l), lane
    if isinstance(measure, Recursive):
        return local.recursive_values(n_lanes, measure.l, measure.c), lane
    assert isinstance(measure, Distance)
    if measure.how == "equal":
        return local.equal_distance(measure.whole, measure.t), lane
    if measure.how == "ordered":
        occurs = np.flatnonzero(measure.whole > 0)
        place = np.full(n_lanes + 1, -1, dtype=np.int32)
        place[occurs] = np.arange(occurs.size)
        return local.ordered_distance(measure.whole[occurs], measure.t), place[lane]
    assert measure.tree is not None
    return local.taxonomy_distance(measure.whole, measure.t, measure.tree), lane
