"""Read a table from wherever it lies."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from withhold.engines import Engine, open_source
from withhold.table import Domain, Table

__all__ = ["read"]


def read(
    data: object,
    *,
    domains: Mapping[str, Domain] | None = None,
    missing: Iterable[str] = (),
    engine: Engine = "duckdb",
    scratch: Path | None = None,
) -> Table:
    """Read a CSV or Parquet file, or a frame, as a `Table`.

    Every column of a CSV file is text, as it stands in the file: ``NO``, ``0123`` and the empty string stay what
    they are. An empty cell is missing; ``""`` is not.

    Parameters
    ----------
    data
        A path to a ``.csv``, ``.tsv``, ``.txt``, ``.parquet`` or ``.pq`` file, or a pandas, polars or Arrow frame.
    domains
        Taxonomies and number ranges of columns; a policy can give them later.
    missing
        Texts that stand for a missing value, besides the empty cell.
    engine
        The engine that holds the rows.
    scratch
        A folder for what does not fit in memory.

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
    return Table(open_source(data, engine=engine, scratch=scratch), domains=domains, missing=missing)
