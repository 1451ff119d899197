"""Local recoding on a draft: each row is published as finely as its own group allows."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods import local
from withhold.record import Regrouping, Round
from withhold.releasing._edges import interval_label
from withhold.releasing._grouping_input import grouping_input
from withhold.releasing._unit_groups import Texts, collapsed, with_enough_units
from withhold.releasing._wide_units import WideSearch
from withhold.table import DraftColumn, Numbers, Reason, Taxonomy

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["LocalSearch"]


class LocalSearch:
    """Groups the rows of a draft round by round; every promise is kept while groups grow, so it may stop any time.

    Where units are counted, rows of one unit that hold the same are one row; groups that still hold too few units are
    formed anew. Where whole units must look alike, units are grouped instead of rows.
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._input = given = grouping_input(run)
        self._settings: dict[str, Any] = {"effort": run.policy.effort, "rng": run.seed}
        self._place: NDArray[np.int64] | None = None
        self._rows = np.arange(given.codes.shape[0])
        self._wide: WideSearch | None = None
        self._recoding: local.Recoding | None = None
        if given.unit_k is not None:
            assert given.units is not None
            self._wide = WideSearch(given.columns, given.codes, given.units, given.unit_k, **self._settings)
            self._steps = self._wide.steps()
        else:
            if given.units is not None and all(promise.lanes is None for promise in given.promises):
                self._rows, self._place = collapsed(given.codes, given.units)
            self._recoding = local.Recoding(
                given.columns,
                given.codes[self._rows],
                None if given.units is not None else run.draft.weights,
                given.promises,
                most_withheld=run.policy.most_rows_withheld,
                **self._settings,
            )
            self._steps = self._recoding.steps()
        self.rounds: list[Round] = []

    def step(self) -> Round | None:
        """Make the next round and return it, or None after the last."""
        for n_grouped, n_rows in islice(self._steps, 1):
            self.rounds.append(Round(grouped=n_grouped, rows=n_rows))
            return self.rounds[-1]
        return None

    def finish(self) -> Regrouping:
        """Publish in the draft what all groups, and the rest as groups of its own, have in common."""
        given, n_rows = self._input, self._run.table.n_rows
        texts = self._texts()
        prices = np.zeros(self._run.draft.n_rows)
        for j, name in enumerate(given.names):
            reason = Reason(given.requirement[name], "group")
            prices += _publish(self._run, name, texts.values[j], texts.codes[j], texts.withheld, reason)
        loss = float(prices.mean()) / len(given.names) if n_rows else 0.0
        if self._recoding is not None and given.units is None:
            loss = float(self._recoding.result().loss)
        n_withheld = self._run.draft.n_cells(np.flatnonzero(texts.withheld))
        return Regrouping(rows=n_rows, withheld_rows=n_withheld, loss=loss)

    def _texts(self) -> Texts:
        """Return what all rows publish."""
        given = self._input
        if self._wide is not None:
            for _ in self._steps:  # a size that is not grouped yet is: units would be withheld otherwise
                pass
            return self._wide.texts
        assert self._recoding is not None
        texts = Texts.nothing(len(given.names), self._rows.size)
        texts.write(np.arange(self._rows.size), self._recoding.result())
        is_one_set = len({frozenset(promise.columns) for promise in given.promises}) == 1
        if given.units is not None and is_one_set:
            rows, settings = self._rows, self._settings
            codes, units = given.codes[rows], given.units[rows]
            with_enough_units(texts, given.columns, codes, given.promises, units, **settings)
        return texts if self._place is None else texts.of(self._place)


def _publish(
    run: "Run",
    name: str,
    values: Sequence[Any],
    codes: NDArray[np.int64],
    withheld: NDArray[np.bool_],
    reason: Reason,
) -> NDArray[np.float64]:
    """Write what the groups publish in a column to the draft; return what each row loses."""
    column = run.draft.column(name)
    domain = run.table.domain(name)
    used = np.unique(codes)
    nodes = np.zeros(len(values), dtype=np.int32)
    nodes[used] = [_node(column, domain, values[code]) for code in used.tolist()]
    found = np.where(withheld, 0, nodes[codes]).astype(np.int32)
    rows = np.flatnonzero(found != column.nodes)
    run.draft.coarsen(name, rows, found[rows], reason)
    return np.asarray(column.prices()[found])


def _node(column: DraftColumn, domain: Taxonomy | Numbers, value: Any) -> int:
    """Return the node for what the engine publishes, a new one for an interval or a set."""
    if value is None or value == ():
        return 0 if value is None or column.missing is None else column.missing
    if isinstance(domain, Numbers):
        low, high = value
        if low == high:
            return int(column.leaves[int(np.searchsorted(domain.values, low))])
        first, last = np.searchsorted(domain.values, [low, high])
        last = max(int(last), int(np.searchsorted(domain.values, high, side="right")) if high >= domain.high else 0)
        return column.add(interval_label(low, high, domain), int(first), int(last))
    if isinstance(value, tuple):
        return _set_node(column, value)
    return int(value) if int(value) < len(column.labels) else (column.missing or 0)


def _set_node(column: DraftColumn, members: Sequence[int]) -> int:
    if len(members) == 1:
        return int(column.leaves[members[0]]) if members[0] < column.n_codes else 0
    label = "{" + ", ".join(sorted(str(column.labels[column.leaves[code]]) for code in members)) + "}"
    node = column.add(label, min(members), max(members) + 1)
    column.members[node] = np.array(sorted(members), dtype=np.int64)
    return node
