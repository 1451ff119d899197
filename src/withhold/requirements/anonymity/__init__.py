"""Anonymity: every combination of values is shared by at least k rows."""

from withhold.requirements.anonymity._requirement import Anonymity

__all__ = ["Anonymity"]
