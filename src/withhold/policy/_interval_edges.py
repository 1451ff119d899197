"""Where the intervals of global recoding end: at declared or round numbers, never at what few people hold."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.policy._column_settings import ColumnSettings
from withhold.policy._policy import Policy
from withhold.table import Numbers, Table, cuts_at, round_cuts, units_of

__all__ = ["with_interval_edges"]

Cells = NDArray[Any]


def with_interval_edges(table: Table, policy: Policy, hidden: Mapping[int, Cells]) -> Table:
    """Return the table with number columns whose intervals may be published.

    Parameters
    ----------
    table
        The table under the policy's domains.
    policy
        Its settings: ``edges`` are the only ends of intervals, or ``"exact"`` the values themselves, as in the papers;
        ``range`` is shown, else the outermost intervals are open.
    hidden
        The cells that requirements hide: where intervals end does not depend on them.
    """
    if policy.recoding != "global":
        return table
    domains = {}
    for name in policy.refined:
        domain, settings = table.domain(name), policy.columns.get(name, ColumnSettings())
        if not isinstance(domain, Numbers) or settings.edges == "exact" or name in policy.averaged_columns:
            continue
        if settings.edges is not None:
            cuts = cuts_at(domain.values, np.asarray(settings.edges, dtype=np.float64))
        else:
            held = _people(table, policy, name, _hidden_rows(table, name, hidden.values()))
            cuts = _cuts(domain, held, policy.least_shown(name))
        domains[name] = domain.with_cuts(cuts, is_open=settings.range is None)
    return table.with_domains(domains) if domains else table


def _cuts(domain: Numbers, held: NDArray[np.int64], least: int) -> NDArray[np.float64]:
    """Return where intervals may begin among the values that some cell holds which is not hidden."""
    cuts = np.full(domain.n_values, np.nan)
    is_held = held > 0
    cuts[is_held] = round_cuts(domain.values[is_held], held[is_held], least=least)
    return cuts


def _hidden_rows(table: Table, name: str, hidden: Iterable[Cells]) -> NDArray[np.int64]:
    place = table.names.index(name)
    rows = [cells["row"][cells["column"] == place] for cells in hidden]
    return np.concatenate([np.empty(0, dtype=np.int64), *rows]).astype(np.int64)


def _people(table: Table, policy: Policy, name: str, hidden: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many people hold each number: rows, or units where the policy names them."""
    n_values = table.domain(name).n_values  # type: ignore[union-attr]
    if policy.unit is None and not hidden.size:
        rows = table.distinct([name])
        return np.bincount(rows.codes[0], weights=rows.weights, minlength=n_values)[:n_values].astype(np.int64)
    codes = table.codes(name).astype(np.int64)
    is_seen = np.ones(codes.size, dtype=bool)
    is_seen[hidden] = False
    if policy.unit is not None:
        pairs = np.unique(np.column_stack([codes, units_of(table, policy.unit)])[is_seen], axis=0)
        return np.bincount(pairs[:, 0], minlength=n_values)[:n_values].astype(np.int64)
    weights = None if table.weights is None else table.weights[is_seen]
    return np.bincount(codes[is_seen], weights=weights, minlength=n_values)[:n_values].astype(np.int64)
