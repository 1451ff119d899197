"""Columns of text in memory as a source."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.engines.duckdb._connection import Database
from withhold.engines.duckdb._files import check_names
from withhold.engines.duckdb._instance import is_small
from withhold.engines.duckdb._source import DuckSource

__all__ = ["open_coded", "open_columns"]


def open_columns(columns: Mapping[str, Sequence[str | None]]) -> DuckSource:
    """Open columns of text, all of the same length."""
    names = tuple(columns)
    check_names(names, "the table")
    n_rows = len(next(iter(columns.values()), ()))
    database = Database(is_small=is_small(n_rows * len(names)))
    chosen = ", ".join(f"unnest(?::VARCHAR[]) AS c{i}" for i in range(len(names)))
    database.run(f"CREATE TABLE source AS SELECT {chosen}", [list(cells) for cells in columns.values()])
    return DuckSource(database, names, description="the table")


def open_coded(texts: Mapping[str, Sequence[str | None]], codes: Mapping[str, NDArray[np.int64]]) -> DuckSource:
    """Open columns of text that are given as their distinct texts, and for each row the place among these."""
    names = tuple(texts)
    check_names(names, "the table")
    cells = {f"k{i}": np.ascontiguousarray(codes[name], dtype=np.int64) for i, name in enumerate(names)}
    n_rows = next(iter(cells.values())).size
    database = Database(is_small=is_small(n_rows * len(names)))
    database.register("coded", {**cells, "place": np.arange(n_rows, dtype=np.int64)})
    for i, name in enumerate(names):
        database.run(f"CREATE TABLE texts{i} AS SELECT ?::VARCHAR[] AS texts", [list(texts[name])])
    chosen = ", ".join(f"(SELECT texts FROM texts{i})[k{i} + 1] AS c{i}" for i in range(len(names)))
    # A join may move rows.
    database.run(f"CREATE TABLE source AS SELECT {chosen} FROM coded ORDER BY place")
    return DuckSource(database, names, description="the table")
