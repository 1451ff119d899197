"""Begin a draft with texts that were published before: each row publishes them, or something coarser."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.table import WITHHELD, Draft, DraftColumn, Numbers, Reason, Table, Taxonomy, parse_interval

__all__ = ["Cells", "begin_with"]

_Ints = NDArray[np.int64]
Cells = tuple[tuple[str | None, ...], _Ints]
"""Distinct texts, and for each row the place among them."""
EARLIER = Reason(-1, "earlier")
_SET = re.compile(r"\{(.*)\}")


def begin_with(draft: Draft, table: Table, cells: Mapping[str, Cells]) -> None:
    """Publish texts of another release in the rows of a draft.

    A text becomes the node of the same name, or a new one that covers the values that it may stand for here. One that
    does not cover what a row holds now, and one that means nothing here, is withheld: that is coarser than any.
    """
    for name, (texts, codes) in cells.items():
        column = draft.column(name)
        column.is_begun = True
        nodes = _nodes(column, table, texts)[codes]
        nodes = np.where(_covers(column, nodes), nodes, 0).astype(np.int32)
        rows = np.flatnonzero(nodes != column.finest)
        draft.place(name, rows, nodes[rows], EARLIER)


def _covers(column: DraftColumn, nodes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return for each row whether a node covers what it holds."""
    own = column.codes.astype(np.int64)
    inside = (column.first[nodes] <= own) & (own < column.last[nodes])
    if column.members:
        members = np.sort(np.concatenate([node * column.n_codes + codes for node, codes in column.members.items()]))
        some = np.flatnonzero(np.isin(nodes, list(column.members)))
        wanted = nodes[some].astype(np.int64) * column.n_codes + own[some]
        place = np.minimum(np.searchsorted(members, wanted), members.size - 1)
        inside[some] = members[place] == wanted
    return np.asarray(inside)


def _nodes(column: DraftColumn, table: Table, texts: Sequence[str | None]) -> NDArray[np.int32]:
    """Return the node of each text; one is added where the text is an interval or a set; 0 where it means nothing."""
    number = {label: len(column.labels) - 1 - i for i, label in enumerate(reversed(column.labels))}
    domain = table.domain(column.name)
    found = np.array([0 if text == WITHHELD else number.get(text, 0) for text in texts], dtype=np.int32)
    new = [
        (place, text, codes)
        for place, text in enumerate(texts)
        if text is not None and text != WITHHELD and text not in number
        for codes in [_codes(column, domain, number, text)]
        # An interval around one value could not be distinguished from the value, which is finer.
        if codes.size > 1
    ]
    labels, first, last = [text for _, text, _ in new], [int(c[0]) for *_, c in new], [int(c[-1]) + 1 for *_, c in new]
    added = column.add_all(labels, first, last, [0] * len(new))
    for node, (place, _, codes) in zip(added.tolist(), new, strict=True):
        found[place] = node
        if codes[-1] - codes[0] >= codes.size or not isinstance(domain, Numbers):
            column.members[node] = codes
    return found


def _codes(
    column: DraftColumn, domain: Taxonomy | Numbers, number: Mapping[str | None, int], text: str
) -> NDArray[np.int64]:
    """Return the codes that an interval or a set covers, in order; none where the text means nothing here."""
    interval = parse_interval(text)
    if isinstance(domain, Numbers) and interval is not None:
        return np.flatnonzero(interval.holds(domain.values)).astype(np.int64)
    found = _SET.fullmatch(text)
    places = [number[each] for each in (found[1].split(", ") if found else []) if each in number]
    if not places:
        return np.zeros(0, dtype=np.int64)
    return np.unique(np.concatenate([np.arange(*column.range(place)) for place in places]))
