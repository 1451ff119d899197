"""Closeness: the sensitive values of every group are distributed as in the table."""

from withhold.requirements.closeness._requirement import Closeness

__all__ = ["Closeness"]
