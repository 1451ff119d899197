"""Diversity: every group holds well-represented sensitive values."""

from withhold.requirements.diversity._requirement import Diversity

__all__ = ["Diversity"]
