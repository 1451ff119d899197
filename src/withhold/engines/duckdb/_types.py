"""The engine's types, by what their values are."""

import re

from withhold.conditions import Kind

__all__ = ["FLOAT_TYPES", "NUMBER_TYPES", "kind_of_type"]

NUMBER_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
FLOAT_TYPES = ("FLOAT", "DOUBLE", "DECIMAL")
MOMENT_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")


def kind_of_type(sql_type: str) -> Kind:
    """Return what the values of a type are in a condition; what is nothing else is its text.

    Examples
    --------
    >>> kind_of_type("DECIMAL(10,2)"), kind_of_type("DECIMAL(10,2)[]"), kind_of_type("UBIGINT")
    ('decimal', 'text', 'whole')
    """
    if sql_type in NUMBER_TYPES:
        return "whole"
    if re.fullmatch(r"DECIMAL\([0-9, ]+\)", sql_type):
        return "decimal"
    if sql_type in ("FLOAT", "DOUBLE"):
        return "real"
    if sql_type == "BOOLEAN":
        return "truth"
    if sql_type in MOMENT_TYPES:
        return "moment"
    return "instant" if sql_type == "TIMESTAMP WITH TIME ZONE" else "text"
