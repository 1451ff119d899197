"""Adversaries that attack a published table.

They read the cells of the release and nothing else, and share no code with the methods that protect against them.
"""

from withhold.attackers._exact import RuleAttack, View, bayes_recovers, id3_recovers, rules_recover

__all__ = ["RuleAttack", "View", "bayes_recovers", "id3_recovers", "rules_recover"]
