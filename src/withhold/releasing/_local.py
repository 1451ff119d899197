"""Local recoding on a draft: each row is published as finely as its own group allows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods import local
from withhold.record import Regrouping, Round
from withhold.releasing._edges import interval_label
from withhold.releasing._grouping_input import GroupingInput, grouping_input
from withhold.releasing._unit_groups import Texts, apart, collapsed, with_enough_units
from withhold.releasing._wide_units import WideSearch
from withhold.table import DraftColumn, Numbers, Reason, Taxonomy

if TYPE_CHECKING:
    from withhold.releasing._run import Run

__all__ = ["LocalSearch"]


class LocalSearch:
    """Groups the rows of a draft round by round; every promise is kept while groups grow, so it may stop any time.

    Where units are counted, rows of one unit that hold the same are one row; groups that still hold too few units are
    formed anew. There, columns that no promise puts together are grouped apart. Where whole units must look alike,
    units are grouped instead of rows.
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._input = given = grouping_input(run)
        settings: dict[str, Any] = {"effort": run.policy.effort, "rng": run.seed}
        self._wide: WideSearch | None = None
        self._parts: list[_Part] = []
        if given.unit_k is not None:
            assert given.units is not None
            self._wide = WideSearch(given.columns, given.codes, given.units, given.unit_k, **settings)
            self._steps = self._wide.steps()
        else:
            every = tuple(range(len(given.names)))
            # A row is withheld as a whole, so that its columns must be looked at together.
            is_cut = given.units is not None and not run.policy.most_rows_withheld
            cut = apart([promise.columns for promise in given.promises]) if is_cut else [every]
            weights = None if given.units is not None else run.draft.weights
            for places in cut:
                self._parts.append(_Part(given, places, weights, run.policy.most_rows_withheld, settings))
            self._steps = chain.from_iterable(part.recoding.steps() for part in self._parts)
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
        if self._parts and given.units is None:
            loss = float(self._parts[0].recoding.result().loss)
        n_withheld = self._run.draft.n_cells(np.flatnonzero(texts.withheld))
        return Regrouping(rows=n_rows, withheld_rows=n_withheld, loss=loss)

    def _texts(self) -> Texts:
        """Return what all rows publish."""
        given = self._input
        if self._wide is not None:
            for _ in self._steps:  # a size that is not grouped yet is: units would be withheld otherwise
                pass
            return self._wide.texts
        texts = Texts.nothing(len(given.names), given.codes.shape[0])
        for part in self._parts:
            texts.take(part.places, part.texts())
        return texts


class _Part:
    """Columns that promises put into one group, and the search for their groups."""

    def __init__(
        self,
        given: GroupingInput,
        places: tuple[int, ...],
        weights: NDArray[np.int64] | None,
        most_withheld: float,
        settings: Mapping[str, Any],
    ) -> None:
        self.places = places
        self._units, self._settings = given.units, settings
        self._columns, self._codes = [given.columns[j] for j in places], given.codes[:, list(places)]
        self._promises = [
            replace(promise, columns=tuple(places.index(j) for j in promise.columns))
            for promise in given.promises
            if set(promise.columns) <= set(places)
        ]
        self._rows = np.arange(given.codes.shape[0])
        self._place: NDArray[np.int64] | None = None
        if given.units is not None and all(promise.lanes is None for promise in self._promises):
            self._rows, self._place = collapsed(self._codes, given.units)
        self.recoding = local.Recoding(
            self._columns,
            self._codes[self._rows],
            weights,
            self._promises,
            most_withheld=most_withheld,
            **settings,
        )

    def texts(self) -> Texts:
        """Return what all rows publish in these columns."""
        texts = Texts.nothing(len(self.places), self._rows.size)
        texts.write(np.arange(self._rows.size), self.recoding.result())
        is_one_set = len({frozenset(promise.columns) for promise in self._promises}) == 1
        if self._units is not None and is_one_set:
            codes, units = self._codes[self._rows], self._units[self._rows]
            with_enough_units(texts, self._columns, codes, self._promises, units, **self._settings)
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
