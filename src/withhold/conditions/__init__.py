"""Conditions on a row, as a policy writes them: parsed into a tree of allowed operations, never run as they stand."""

from withhold.conditions._bind import Field, bind, columns_of
from withhold.conditions._parse import parse
from withhold.conditions._tree import Expression, Kind

__all__ = ["Expression", "Field", "Kind", "bind", "columns_of", "parse"]
