"""Policies: requirements and column settings, from TOML or Python, bound to a table."""

from withhold.policy._anonymity import Anonymity
from withhold.policy._bind import bind
from withhold.policy._columns import ColumnSettings, Mask
from withhold.policy._policy import Policy, Requirement, policy_schema
from withhold.policy._redundant import redundant_templates
from withhold.policy._template import Template

__all__ = [
    "Anonymity",
    "ColumnSettings",
    "Mask",
    "Policy",
    "Requirement",
    "Template",
    "bind",
    "policy_schema",
    "redundant_templates",
]
