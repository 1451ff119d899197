"""Some rows of a bound table, under the domains of the whole."""

import numpy as np
from numpy.typing import NDArray

from withhold.engines import open_coded
from withhold.policy import Policy
from withhold.table import MemoryStore, Table

__all__ = ["some_rows"]

_Ints = NDArray[np.int64]


def some_rows(bound: Table, policy: Policy, rows: _Ints, *, is_published: bool = False) -> Table:
    """Return some rows of a table, under the same domains.

    Where they are grouped only, a value that no row of them holds stays known, so that a policy may name it, and
    columns that nothing depends on are empty. With `is_published` they are whole, behind an engine that can write them.
    """
    store = bound.store
    kept = {*policy.read(bound.names), *policy.counted, policy.target, policy.unit, policy.weight}
    texts, codes = {}, {}
    for name in bound.names:
        is_read = is_published or name in kept or bound.has_given_domain(name)
        texts[name] = tuple(store.values(name)) if is_read else ("",)
        codes[name] = store.cells(name)[rows] if is_read else np.zeros(rows.size, dtype=np.uint32)
    domains = {name: bound.domain(name) for name in bound.names if name in kept or bound.has_given_domain(name)}
    if is_published:
        made = open_coded(texts, {name: cells.astype(np.int64) for name, cells in codes.items()})
        return Table(made, domains=domains, missing=bound.missing)
    return Table(
        MemoryStore(texts, {name: cells.astype(np.uint32) for name, cells in codes.items()}),
        domains=domains,
        missing=bound.missing,
    )
