"""Adversaries that differ from the papers' in a detail: smoothing, priors, pruning. Hidden cells are kept from all."""

from withhold.methods.family._family_guard import FamilyGuard
from withhold.methods.family._members import FAMILIES, Member

__all__ = ["FAMILIES", "FamilyGuard", "Member"]
