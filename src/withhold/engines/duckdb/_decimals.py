"""Decimal commas in text files: columns of such numbers get a point, so that they are numbers."""

from collections.abc import Sequence
from typing import Literal

from withhold.engines.duckdb._connection import Database

__all__ = ["read_decimal_commas"]

WHOLE = r"[-+]?(0|[1-9]\d*)"
NUMBER = rf"{WHOLE}(,\d+)?([eE][-+]?\d+)?"
DECIMAL = rf"{WHOLE},\d+([eE][-+]?\d+)?"
THOUSANDS = rf"{WHOLE},\d{{3}}"
"""What may be a decimal comma, or a comma between thousands."""


def read_decimal_commas(database: Database, columns: Sequence[str], decimal: Literal[","] | None) -> list[str]:
    """Replace the comma by a point in columns of numbers with decimal commas; return these columns.

    Where the comma is declared, a column counts whose every value with a digit is such a number, whatever ``NA`` is.
    Otherwise every value must be one, and in one of them the comma cannot stand between thousands.
    """
    counts = [count for column in columns for count in _counts(column, is_declared=decimal is not None)]
    if not counts:
        return []
    row = database.run(f"SELECT {', '.join(counts)} FROM source")[0]
    found = [c for c, n_odd, n_sure in zip(columns, row[::2], row[1::2], strict=True) if n_odd == 0 and n_sure > 0]
    if found:
        pointed = ", ".join(f"{_pointed(c)} AS {c}" if c in found else c for c in columns)
        database.run(f"CREATE TABLE pointed AS SELECT {pointed} FROM source")
        database.run("DROP TABLE source")
        database.run("ALTER TABLE pointed RENAME TO source")
    return found


def _counts(column: str, *, is_declared: bool) -> tuple[str, str]:
    """Return how many cells speak against a decimal comma, and how many prove one."""
    matters = rf"regexp_matches({column}, '\d')" if is_declared else f"{column} IS NOT NULL"
    proves = f"regexp_full_match({column}, '{DECIMAL}')"
    if not is_declared:
        proves += f" AND NOT regexp_full_match({column}, '{THOUSANDS}')"
    odd = f"count(*) FILTER (WHERE {matters} AND NOT regexp_full_match({column}, '{NUMBER}'))"
    return odd, f"count(*) FILTER (WHERE {proves})"


def _pointed(column: str) -> str:
    return f"CASE WHEN regexp_full_match({column}, '{NUMBER}') THEN replace({column}, ',', '.') ELSE {column} END"
