"""Ways to publish a table so that k people share what an outsider may know."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import withhold as wh
from experiments._key_tables import KeyTable
from experiments._mondrian import mondrian
from experiments._published import NumberKey, Reading, read_texts
from withhold.methods.local import Column, NumberColumn, Promise, SetColumn, TreeColumn, at_least, recode
from withhold.releasing._edges import round_edges
from withhold.table import format_number

__all__ = ["WAYS", "Way", "by_engine", "by_policy", "checked", "frame_of"]

Texts = Mapping[str, NDArray[Any]]
Way = Callable[[KeyTable, int], Texts]
"""Publishes a table at a given k."""


def frame_of(table: KeyTable) -> Any:
    """Return a table as a frame of texts."""
    import pandas as pd

    return pd.DataFrame(table.cells)


def by_policy(table: KeyTable, k: int, *, sets: bool = True, **policy: Any) -> Texts:
    """Publish as a policy asks, with its proof; without `sets`, as nodes of the given taxonomies only."""
    columns = {
        key.name: settings if sets or isinstance(key, NumberKey) else replace(settings, sets=not key.has_tree)
        for key, settings in zip(table.keys, table.settings().values(), strict=True)
    }
    asked = wh.Policy([wh.Anonymity(columns=table.names, k=k)], columns=columns, **policy)
    frame = wh.release(frame_of(table), asked, rng=0).to_frame()
    return {name: frame[name].to_numpy() for name in table.names}


def by_engine(table: KeyTable, k: int, *, sets: bool, effort: str) -> Texts:
    """Publish by the engine alone: intervals end at the values of people, categories as nodes or as sets."""
    columns: list[Column] = []
    codes = []
    for key in table.keys:
        cells = table.cells[key.name]
        if isinstance(key, NumberKey):
            values, code = np.unique(cells.astype(float), return_inverse=True)
            columns.append(NumberColumn(values))
        elif sets or not key.has_tree:
            labels, code = np.unique(cells.astype(str), return_inverse=True)
            columns.append(SetColumn(labels.tolist()))
        else:
            code = key.codes(cells)
            columns.append(TreeColumn(key.tree))
        codes.append(code)
    promises = [Promise(rule=at_least(k), columns=tuple(range(len(columns))))]
    made = recode(columns, np.stack(codes, axis=1).astype(np.int32), None, promises, effort=effort)  # type: ignore[arg-type]
    published = {}
    for place, (key, column) in enumerate(zip(table.keys, columns, strict=True)):
        found = made.published(place)
        texts = [_text(column, value) for value in found.values]
        published[key.name] = np.array(texts, dtype=object)[found.codes]
    return published


def _text(column: Column, value: Any) -> str:
    if value is None:
        return "*"
    if isinstance(column, TreeColumn):
        return str(column.taxonomy.labels[value])
    if isinstance(column, NumberColumn):
        low, high = (format_number(end) for end in value)
        return low if low == high else f"[{low}, {high}]"
    assert isinstance(column, SetColumn)
    members = [str(column.labels[each]) for each in value]
    return members[0] if len(members) == 1 else "{" + ", ".join(members) + "}"


def by_mondrian(table: KeyTable, k: int, *, categories: Any, rounded: bool = False) -> Texts:
    """Publish by Mondrian, with intervals between the same round numbers as ours where `rounded` is set."""
    edges = {}
    for key in table.keys:
        if rounded and isinstance(key, NumberKey):
            values = np.unique(table.cells[key.name].astype(float))
            edges[key.name] = round_edges(values, (key.low, key.high))
    return mondrian(table.keys, dict(table.cells), k, categories, edges)


def checked(table: KeyTable, k: int, published: Texts) -> Reading:
    """Read a published table; it must be true, and k people must share every line."""
    reading = read_texts(table.keys, published)
    if not reading.is_true_of(table.cells):
        raise RuntimeError("A published text does not cover the value that it stands for.")
    if (smallest := reading.smallest_group()) < k:
        raise RuntimeError(f"A published group has {smallest} rows, not {k}.")
    return reading


def _local(effort: str) -> Way:
    return partial(by_policy, recoding="local", effort=effort)


def _levels(share: float) -> Way:
    return partial(by_policy, recoding="levels", most_rows_withheld=share)


WAYS: Mapping[str, Way] = {
    "global": partial(by_policy, recoding="global"),
    "global, target income": partial(by_policy, recoding="global", target="income"),
    "levels, no rows": _levels(0.0),
    "levels, 2 % of rows": _levels(0.02),
    "levels, 5 % of rows": _levels(0.05),
    "local, quick": _local("quick"),
    "local, normal": _local("normal"),
    "local, thorough": _local("thorough"),
    "local, thorough, nodes only": partial(by_policy, recoding="local", effort="thorough", sets=False),
    "local, tight edges, normal": partial(by_engine, sets=False, effort="normal"),
    "local, tight edges, thorough": partial(by_engine, sets=False, effort="thorough"),
    "local, tight edges, sets, normal": partial(by_engine, sets=True, effort="normal"),
    "local, tight edges, sets, thorough": partial(by_engine, sets=True, effort="thorough"),
    "Mondrian, round edges, trees": partial(by_mondrian, categories="node", rounded=True),
    "Mondrian, tight edges, trees": partial(by_mondrian, categories="node"),
    "Mondrian, tight edges, sets": partial(by_mondrian, categories="set"),
}
"""The ways, by name."""
