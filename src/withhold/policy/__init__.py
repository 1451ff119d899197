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
from withhold.policy._interval_edges import with_interval_edges
from withhold.policy._policy import Policy, policy_schema
from withhold.policy._read_columns import (
    already_read,
    as_read,
    dates_of,
    most_days,
    move_dates,
    read_codes,
    read_dates,
    row_units,
    shifted_columns,
)
from withhold.policy._shown_numbers import mean_texts, shown_texts
from withhold.policy._target_kind import target_kind_of

__all__ = [
    "ColumnSettings",
    "Mask",
    "Policy",
    "already_read",
    "as_read",
    "bin_columns",
    "bind",
    "check_names",
    "contradictions",
    "dates_of",
    "hidden_cells",
    "mean_texts",
    "most_days",
    "move_dates",
    "policy_schema",
    "read_codes",
    "read_dates",
    "row_units",
    "shifted_columns",
    "shown_texts",
    "target_kind_of",
    "unanswered_values",
    "with_interval_edges",
]
