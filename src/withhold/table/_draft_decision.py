"""From a draft to the decision that an engine applies: by value where that is enough, by cell where not."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from withhold.table._cell_recoding import CellRecoding
from withhold.table._decision import WITHHELD, CategoryRecoding, Decision, NumberRecoding, Recoding
from withhold.table._draft import Draft
from withhold.table._draft_column import DraftColumn
from withhold.table._numbers import Numbers, format_number
from withhold.table._store import CountedStore
from withhold.table._table import Table
from withhold.table._taxonomy import Taxonomy

__all__ = ["decision_of"]


def decision_of(
    draft: Draft, *, read: Sequence[str], refined: Sequence[str] = (), rows: Literal["keep", "shuffle"] = "keep"
) -> Decision:
    """Return what to publish.

    Parameters
    ----------
    draft
        The release as it stands.
    read
        The columns that some proof reads: every value of them is published under one text.
    refined
        The columns that a search gave back in part; their recodings stand first, in this order.
    rows
        Whether rows keep their order.

    Examples
    --------
    >>> from withhold.table import Reason
    >>> draft = Draft(Table.from_columns({"town": ["Bern", "Biel", "Bern"]}))
    >>> _ = draft.blank("town", [2], Reason(0, "hidden"))
    >>> decision_of(draft, read=["town"]).cells[0].rows.tolist()
    [2]
    """
    read = [*read, *(name for name in draft.table.bins if name in draft.names)]
    touched = [column.name for column in draft.columns if not column.is_by_value]
    names = [*refined, *(name for name in draft.names if name not in refined and name in {*read, *touched})]
    recodings, cells = [], []
    for name in names:
        column = draft.column(name)
        recoding = _recoding(column, draft.table) if name in read or name in refined else None
        if recoding is not None and (name in refined or not _is_identity(recoding)):
            recodings.append(recoding)
        single = _cells(column)
        if single is not None:
            cells.append(single)
    drop = tuple(name for name in draft.table.names if name not in draft.names)
    store = draft.table.store
    over = store.counted if isinstance(store, CountedStore) else ()
    return Decision(recodings=tuple(recodings), drop=drop, rows=rows, cells=tuple(cells), over=over)


def _is_identity(recoding: Recoding) -> bool:
    return isinstance(recoding, CategoryRecoding) and recoding.is_identity


def _recoding(column: DraftColumn, table: Table) -> Recoding | None:
    domain = table.domain(column.name)
    if column.name in table.bins:
        return _of_bins(column, table) if table.bins[column.name].texts is None else _of_texts(column, table)
    if isinstance(domain, Taxonomy):
        return _of_categories(column, domain, table)
    if np.array_equal(column.cut, column.leaves):
        return _of_spellings(column, table)
    return _of_intervals(column, domain, table)


def _of_categories(column: DraftColumn, domain: Taxonomy, table: Table) -> CategoryRecoding:
    labels = [column.labels[node] for node in column.cut.tolist()]
    published = {leaf: str(label) for leaf, label in zip(domain.leaves, labels, strict=True) if leaf is not None}
    missing = labels[domain.missing] if domain.missing is not None else None
    if not column.cut.any():
        missing = WITHHELD
    return CategoryRecoding(column=column.name, published=published, missing=missing, missing_marks=table.missing)


def _of_bins(column: DraftColumn, table: Table) -> NumberRecoding:
    bins = table.bins[column.name]
    labels = [column.labels[node] for node in column.cut.tolist()]
    has_missing = len(labels) > bins.n_bins
    return NumberRecoding(
        column=column.name,
        starts=bins.edges[:-1],
        labels=tuple(str(label) for label in labels[: bins.n_bins]),
        high=bins.edges[-1],
        missing=labels[-1] if has_missing else WITHHELD if not column.cut.any() else None,
        missing_marks=table.missing,
        is_open=True,
    )


def _of_texts(column: DraftColumn, table: Table) -> CategoryRecoding:
    """Return a text for each number: there may be too many for a search among intervals."""
    texts, codes = table.store.values(column.name), table.lookup(column.name).tolist()
    labels = [column.labels[node] for node in column.cut.tolist()]
    shown = {str(text): labels[code] for text, code in zip(texts, codes, strict=True) if text is not None}
    marks = frozenset(text for text, label in shown.items() if label is None)
    published = {text: str(label) for text, label in shown.items() if label is not None}
    return CategoryRecoding(column=column.name, published=published, missing=None, missing_marks=table.missing | marks)


def _of_spellings(column: DraftColumn, table: Table) -> CategoryRecoding | None:
    """Return the one spelling of each number; None where every cell has it already."""
    numbers = table.store.numbers(column.name, missing=table.missing)
    texts = table.store.values(column.name)
    spelled = {
        str(text): format_number(number)
        for text, number in zip(texts, numbers.tolist(), strict=True)
        if text is not None and number == number
    }
    marks = frozenset(text for text, number in zip(texts, numbers.tolist(), strict=True) if text and number != number)
    is_plain = table.store.kind(column.name) == "number" and len(set(spelled.values())) == len(spelled)
    if is_plain and not marks:
        return None  # a type spells its numbers in one way
    return CategoryRecoding(column=column.name, published=spelled, missing=None, missing_marks=table.missing | marks)


def _of_intervals(column: DraftColumn, domain: Numbers, table: Table) -> NumberRecoding:
    nodes = column.cut[: domain.n_values]
    starts = np.flatnonzero(np.diff(nodes, prepend=-1)).tolist()
    missing: str | None = None if column.cut.any() else WITHHELD
    if domain.missing_code is not None:
        missing = column.labels[int(column.cut[domain.missing_code])]
    return NumberRecoding(
        column=column.name,
        starts=tuple(domain.edges(first, domain.n_values)[0] for first in starts),
        labels=tuple(str(column.labels[int(nodes[first])]) for first in starts),
        high=domain.high,
        missing=missing,
        missing_marks=table.missing,
        is_open=domain.is_open,
    )


def _cells(column: DraftColumn) -> CellRecoding | None:
    """Return the cells that differ from what their value publishes."""
    if column.is_by_value:
        return None
    rows = np.flatnonzero(column.nodes != column.finest)
    if not rows.size:
        return None
    used, picks = np.unique(column.nodes[rows], return_inverse=True)
    # The root stands first: it is node 0.
    return CellRecoding(column.name, rows, tuple(str(column.labels[node]) for node in used.tolist()), picks.reshape(-1))
