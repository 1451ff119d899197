"""Groups of rows that publish the means of their numbers, for requirements all of whose columns ask for it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.policy import mean_texts
from withhold.table import WITHHELD, CellRecoding, Draft, Numbers, Reason, Table, mdav_groups

if TYPE_CHECKING:
    from withhold.policy import Policy
    from withhold.releasing._run import Run

__all__ = ["mean_cells", "write_means"]

Places = NDArray[np.int64]
AT_ONCE = 4_000_000
"""How many distances are computed at a time."""


def write_means(draft: Draft, table: Table, policy: "Policy") -> None:
    """Write to a draft the means of groups of rows, for each requirement that is kept by averaging.

    Rows with the same columns missing are grouped by the others; where there are too few of them, they are withheld.
    """
    for number in policy.averaged:
        names = policy.require[number].columns
        k = max([policy.columns[name].publish_k for name in names] + [policy.least_shown(name) for name in names])
        columns = [draft.column(name) for name in names]
        known = np.column_stack([column.codes != _missing(table, column.name) for column in columns])
        for pattern in np.unique(known, axis=0):
            rows = np.flatnonzero((known == pattern).all(axis=1))
            used = [name for name, is_there in zip(names, pattern.tolist(), strict=True) if is_there]
            if rows.size < k:
                for name in used:
                    draft.blank(name, rows, Reason(number, "group"))
            elif used:
                _average(draft, table, used, rows, k, Reason(number, "group"))


def _missing(table: Table, name: str) -> int:
    domain = table.domain(name)
    assert isinstance(domain, Numbers)
    return -1 if domain.missing_code is None else domain.missing_code


def _average(draft: Draft, table: Table, names: list[str], rows: Places, k: int, reason: Reason) -> None:
    """Publish the means of groups of some rows."""
    domains = {name: table.domain(name) for name in names}
    codes = {name: draft.column(name).codes[rows].astype(np.int64) for name in names}
    values = {name: domain.values[codes[name]] for name, domain in domains.items() if isinstance(domain, Numbers)}
    groups = mdav_groups(np.column_stack([values[name] for name in names]), k)
    sizes = np.bincount(groups)
    for name in names:
        column = draft.column(name)
        texts = mean_texts(np.bincount(groups, weights=values[name]) / sizes, values[name])
        first, last = np.full(sizes.size, column.n_codes), np.zeros(sizes.size, dtype=np.int64)
        np.minimum.at(first, groups, codes[name])
        np.maximum.at(last, groups, codes[name] + 1)
        nodes = column.add_all(texts, first.tolist(), last.tolist(), [0] * sizes.size)
        draft.place(name, rows, nodes[groups], reason)


def mean_cells(run: "Run", table: Table) -> Iterator[CellRecoding]:
    """Yield what rows of another table publish in averaged columns: the means that lie nearest to their numbers.

    A row that lacks one of the numbers is withheld.
    """
    for number in run.policy.averaged:
        names = run.policy.require[number].columns
        columns = [run.draft.column(name) for name in names]
        nodes = np.unique(np.column_stack([column.nodes for column in columns]), axis=0)
        labels = [[str(columns[c].labels[node]) for node in nodes[:, c].tolist()] for c in range(len(names))]
        means = np.column_stack([[_number(text) for text in texts] for texts in labels])
        whole = np.flatnonzero(np.isfinite(means).all(axis=1))
        store = table.store
        rows = np.column_stack([store.numbers(n, missing=table.missing)[store.cells(n)] for n in names])
        nearest = _nearest(rows, means[whole])
        for c, name in enumerate(names):
            texts = (WITHHELD, *(labels[c][at] for at in whole.tolist()))
            cells = np.flatnonzero(np.isfinite(rows[:, c]))
            yield CellRecoding(name, cells, texts, nearest[cells] + 1)


def _number(text: str) -> float:
    return float(text) if text not in (WITHHELD, "None") else np.nan


def _nearest(rows: NDArray[np.float64], means: NDArray[np.float64]) -> Places:
    """Return for each row the nearest of some means, the first of several; -1 where a number is missing."""
    found = np.full(len(rows), -1, dtype=np.int64)
    if not len(means):
        return found
    spread = means.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    known = np.flatnonzero(np.isfinite(rows).all(axis=1))
    for begin in range(0, known.size, max(AT_ONCE // len(means), 1)):
        here = known[begin : begin + max(AT_ONCE // len(means), 1)]
        apart = (rows[here, None, :] - means[None, :, :]) / scale
        found[here] = np.argmin((apart**2).sum(axis=2), axis=1)
    return found
