"""Policies: requirements and column settings, from TOML or Python, bound to a table."""

from withhold.policy._anonymity import Anonymity
from withhold.policy._bind import bind
from withhold.policy._columns import ColumnSettings, Mask
from withhold.policy._hidden import Against, Hidden
from withhold.policy._policy import Masking, Policy, Requirement, policy_schema
from withhold.policy._redundant import redundant_templates
from withhold.policy._risk import Risk
from withhold.policy._template import Template

__all__ = [
    "Against",
    "Anonymity",
    "ColumnSettings",
    "Hidden",
    "Mask",
    "Masking",
    "Policy",
    "Requirement",
    "Risk",
    "Template",
    "bind",
    "policy_schema",
    "redundant_templates",
]
