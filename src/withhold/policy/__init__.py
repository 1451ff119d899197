"""Policies: requirements and column settings, from TOML or Python, bound to a table."""

from withhold.policy._anonymity import Anonymity
from withhold.policy._bind import bind
from withhold.policy._columns import ColumnSettings
from withhold.policy._policy import Policy, Requirement, policy_schema

__all__ = ["Anonymity", "ColumnSettings", "Policy", "Requirement", "bind", "policy_schema"]
