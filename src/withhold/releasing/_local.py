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
from withhold.table import DraftColumn, Numbers, Reason, Taxonomy

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["LocalSearch"]


class LocalSearch:
    """Groups the rows of a draft round by round; every promise is kept while groups grow, so it may stop any time."""

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._input = grouping_input(run)
        self._recoding = local.Recoding(
            self._input.columns,
            self._input.codes,
            run.draft.weights,
            self._input.promises,
            effort=run.policy.effort,
            most_withheld=run.policy.most_rows_withheld,
            rng=run.seed,
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
        done = self._recoding.result()
        for j, name in enumerate(self._input.names):
            reason = Reason(self._input.requirement[name], "group")
            _publish(self._run, name, done.published(j), done.withheld, reason)
        n_withheld = self._run.draft.n_cells(np.flatnonzero(done.withheld))
        return Regrouping(rows=self._run.table.n_rows, withheld_rows=n_withheld, loss=float(done.loss))


def _publish(run: "Run", name: str, published: local.Published, withheld: NDArray[np.bool_], reason: Reason) -> None:
    """Write what the groups publish in a column to the draft."""
    column = run.draft.column(name)
    domain = run.table.domain(name)
    nodes = np.array([_node(column, domain, value) for value in published.values], dtype=np.int32)
    found = np.where(withheld, 0, nodes[published.codes]).astype(np.int32)
    rows = np.flatnonzero(found != column.nodes)
    run.draft.coarsen(name, rows, found[rows], reason)


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
