"""Adversaries that attack a published table: naive Bayes, ID3, adversarial rules and record risk.

They read the cells of the release and nothing else, and share no code with the methods that protect against them.
"""

from withhold.audit._adversaries._bayes import bayes_recovers
from withhold.audit._adversaries._id3 import id3_recovers
from withhold.audit._adversaries._record_risk import RiskCheck, check_record_risk
from withhold.audit._adversaries._rules import RuleAttack, rules_recover
from withhold.audit._adversaries._view import View

__all__ = ["RiskCheck", "RuleAttack", "View", "bayes_recovers", "check_record_risk", "id3_recovers", "rules_recover"]
