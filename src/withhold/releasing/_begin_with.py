"""Begin a draft with texts that were published before: each row publishes them, or something coarser."""

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from withhold.table import WITHHELD, Draft, DraftColumn, Numbers, Reason, Table, parse_interval

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
        nodes = np.array([_node(column, table, text) for text in texts], dtype=np.int32)[codes]
        own = column.finest
        covers = np.zeros(nodes.size, dtype=np.bool_)
        for node in np.unique(nodes).tolist():
            is_here = nodes == node
            inside = np.zeros(column.n_codes, dtype=np.bool_)
            inside[column.members.get(node, np.arange(*column.range(node)))] = True
            covers[is_here] = inside[column.codes[is_here]]
        nodes = np.where(covers, nodes, 0).astype(np.int32)
        rows = np.flatnonzero(nodes != own)
        draft.place(name, rows, nodes[rows], EARLIER)


def _node(column: DraftColumn, table: Table, text: str | None) -> int:
    """Return the node of a text; one is added where the text is an interval or a set; 0 where it means nothing."""
    if text == WITHHELD:
        return 0
    if text in column.labels:
        return column.labels.index(text)
    if text is None:
        return 0
    domain = table.domain(column.name)
    interval = parse_interval(text)
    if isinstance(domain, Numbers) and interval is not None:
        inside = np.flatnonzero(interval.holds(domain.values))
        # An interval around one value could not be distinguished from the value, which is finer.
        return column.add(text, int(inside[0]), int(inside[-1]) + 1) if inside.size > 1 else 0
    found = _SET.fullmatch(text)
    members = found[1].split(", ") if found else []
    places = [column.labels.index(each) for each in members if each in column.labels]
    if not places:
        return 0
    codes = np.unique(np.concatenate([np.arange(*column.range(place)) for place in places]))
    if codes.size == 1:
        return 0
    node = column.add(text, int(codes[0]), int(codes[-1]) + 1)
    column.members[node] = codes
    return node
