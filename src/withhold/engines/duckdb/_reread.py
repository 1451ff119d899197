"""The rows of a source read otherwise: codes as missing, other cells in some columns. The source stays as it is."""

import weakref
from collections.abc import Iterable, Mapping
from itertools import count

import numpy as np

from withhold.engines.duckdb._apply import is_mark_sql
from withhold.engines.duckdb._connection import Database, text
from withhold.engines.duckdb._source import DuckSource
from withhold.table import MissingCodes, NewCells

__all__ = ["with_cells", "without_codes"]

_NUMBERS = count(1)


def without_codes(source: DuckSource, database: Database, codes: Mapping[str, MissingCodes]) -> DuckSource:
    """Return the same rows, in which cells that hold one of a column's codes are missing."""
    cells = []
    for i, name in enumerate(source.names):
        marks = _marks_sql(f"c{i}::VARCHAR", codes[name]) if name in codes else ""
        cells.append(f"CASE WHEN {marks} THEN NULL ELSE c{i} END AS c{i}" if marks else f"c{i}")
    tag = f"r{next(_NUMBERS)}_"
    database.run(f"CREATE VIEW {tag}source AS SELECT {', '.join(cells)} FROM {source.relation}")
    return _like(source, database, tag, codes)


def with_cells(source: DuckSource, database: Database, columns: Mapping[str, NewCells]) -> DuckSource:
    """Return the same rows with other cells in some columns; a positional join keeps them in order."""
    tag = f"r{next(_NUMBERS)}_"
    with database.lock:
        while database.unused:
            database.run(f"DROP TABLE IF EXISTS {database.unused.pop()}")
        places = {source.place(name): np.ascontiguousarray(each.places, np.int64) for name, each in columns.items()}
        database.keep_arrays(f"{tag}fresh", {f"k{i}": each for i, each in places.items()})
        cells = [f"c{i}" for i in range(len(source.names))]
        for name, each in columns.items():
            i = source.place(name)
            source.keep_list(f"fresh{i}", each.texts)
            kind = source.types[i] if source.types[i] == "VARCHAR" or not each.is_whole else "BIGINT"
            cells[i] = f"getvariable('fresh{i}')[k{i} + 1]::{kind} AS c{i}"
        joined = f"{source.relation} POSITIONAL JOIN {tag}fresh"
        database.run(f"CREATE TABLE {tag}source AS SELECT {', '.join(cells)} FROM {joined}", what=source.description)
        database.run(f"DROP TABLE {tag}fresh")
        for i in places:
            source.keep_list(f"fresh{i}", [])
    made = _like(source, database, tag, columns)
    made.value_labels = {name: labels for name, labels in source.value_labels.items() if name not in columns}
    # A statement in a finalizer could break into another one, so the rows are freed later.
    weakref.finalize(made, database.unused.append, f"{tag}source")
    return made


def _marks_sql(cell: str, codes: MissingCodes) -> str:
    if codes.as_numbers:
        return is_mark_sql(cell, frozenset(codes.texts))
    return f"{cell} IN ({', '.join(text(code) for code in codes.texts)})"


def _like(source: DuckSource, database: Database, tag: str, columns: Iterable[str]) -> DuckSource:
    """Return a source of other rows that is known by the same names."""
    made = DuckSource(
        database,
        source.names,
        description=source.description,
        delimiter=source.delimiter,
        frame=source.frame,
        path=source.path,
        tag=tag,
    )
    made.reread = source.reread | frozenset(columns)
    made.reading, made.location = source.reading, source.location
    made.labels, made.value_labels = source.labels, source.value_labels
    made.missing_codes = source.missing_codes
    return made
