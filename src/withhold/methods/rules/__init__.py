"""Adversarial association rules: FAiR finds them, GraDeS chooses entries to blank until there are none."""

from withhold.methods.rules._fair import fair
from withhold.methods.rules._grades import Blanking, grades
from withhold.methods.rules._rule_guard import RuleGuard
from withhold.methods.rules._rule_table import Rules

__all__ = ["Blanking", "RuleGuard", "Rules", "fair", "grades"]
