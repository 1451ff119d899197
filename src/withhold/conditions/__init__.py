"""Conditions on a row, as a policy writes them: parsed into a tree of allowed operations, never run as they stand."""

from withhold.conditions._bind_condition import Field, bind, columns_of
from withhold.conditions._expression import Expression, Kind
from withhold.conditions._parse import parse

__all__ = ["Expression", "Field", "Kind", "bind", "columns_of", "parse"]
