"""The cluster's types, by what their values are."""

from typing import Any

from withhold.errors import DataError
from withhold.table import Kind

__all__ = ["check_types", "hashed_as_typed", "kind_of_field", "spelled"]

NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")
EXACT = ("byte", "short", "integer", "long", "string", "boolean", "date", "char", "varchar")
PLAIN = (*NUMBERS, "string", "boolean", "date", "timestamp", "timestamp_ntz", "char", "varchar")


def check_types(fields: Any, what: str) -> None:
    """Refuse a column whose cells are no plain values."""
    for field in fields:
        if _base(field) not in PLAIN:
            raise DataError(f'{what}: column "{field.name}" holds no plain values ({_base(field)}). Hint: drop it.')


def kind_of_field(field: Any) -> Kind:
    """Return whether a column is typed as a number."""
    return "number" if _base(field) in NUMBERS else "category"


def spelled(field: Any) -> bool:
    """Return whether a column is text."""
    return _base(field) in ("string", "char", "varchar")


def hashed_as_typed(fields: Any) -> frozenset[str]:
    """Return the columns whose cells have one form, in memory and in a file that is typed."""
    return frozenset(str(field.name) for field in fields if _base(field) in EXACT)


def _base(field: Any) -> str:
    return str(field.dataType.typeName()).split("(")[0]
