"""Read a table from wherever it lies."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from withhold.engines import Engine, Reading, open_source
from withhold.table import Domain, Table

__all__ = ["read"]


def read(
    data: object,
    *,
    domains: Mapping[str, Domain] | None = None,
    missing: Iterable[str] = (),
    engine: Engine = "duckdb",
    scratch: Path | None = None,
    encoding: str | None = None,
    decimal: Literal[".", ","] | None = None,
    values: Literal["labels", "codes"] = "labels",
    table: str | None = None,
    query: str | None = None,
) -> Table:
    """Read a file of any known kind, a database, or a frame, as a `Table`.

    Every column of a CSV file is text, as it stands in the file: ``NO``, ``0123`` and the empty string stay what
    they are. An empty cell is missing; ``""`` is not.

    Parameters
    ----------
    data
        A path, an open binary file, the URL of a database, or a pandas, polars or Arrow frame; `docs/files.md` lists
        the kinds of files.
    domains
        Taxonomies and number ranges of columns; a policy can give them later.
    missing
        Texts that stand for a missing value, besides the empty cell.
    engine
        The engine that holds the rows.
    scratch
        A folder for what does not fit in memory.
    encoding
        The encoding of a text file that is not UTF-8 and has no byte order mark, such as ``"latin-1"``.
    decimal
        ``","`` where numbers of a text file have a decimal comma, ``"."`` where they never do; by default a column of
        a file that is cut at semicolons has it where every value fits.
    values
        Whether the coded values of a statistical file are read as their ``"labels"`` or as ``"codes"``.
    table
        The table of a database, or the sheet of a workbook.
    query
        The query whose rows are read from a database.

    Raises
    ------
    DataError
        Where the file cannot be read: the message names the file and the line, never a cell.

    Examples
    --------
    >>> import pandas as pd
    >>> read(pd.DataFrame({"zip": ["01234", "01235"], "age": [34, 51]}))
    <Table: 2 rows, 2 columns>
    """
    if isinstance(data, Table):
        return data.with_domains(domains or {}, missing=missing)
    reading = Reading(encoding=encoding, decimal=decimal, values=values, table=table, query=query)
    return Table(open_source(data, engine=engine, scratch=scratch, reading=reading), domains=domains, missing=missing)
