"""The rows behind a table that was read by an engine."""

from typing import cast

from withhold.engines import Source
from withhold.table import Table

__all__ = ["source_of"]


def source_of(table: Table) -> Source:
    """Return the source of a table; the audit opens its tables with an engine, so that each has one."""
    return cast(Source, table.store)
