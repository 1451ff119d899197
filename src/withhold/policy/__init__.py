"""Policies: requirements and column settings, from TOML or Python, bound to a table."""

from withhold.policy._bind import (
    bin_columns,
    bind,
    check_names,
    contradictions,
    hidden_cells,
    unanswered_values,
)
from withhold.policy._column_settings import ColumnSettings, Mask
from withhold.policy._policy import Policy, policy_schema

__all__ = [
    "ColumnSettings",
    "Mask",
    "Policy",
    "bin_columns",
    "bind",
    "check_names",
    "contradictions",
    "hidden_cells",
    "policy_schema",
    "unanswered_values",
]
