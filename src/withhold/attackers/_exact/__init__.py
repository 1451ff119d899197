"""The adversaries of the papers, exact to the last tie: naive Bayes, ID3 and adversarial rules.

They decide whether a hidden cell is recovered; a check of a requirement rests on them.
"""

from withhold.attackers._exact._bayes_adversary import bayes_guesses, bayes_recovers, bayes_says_more
from withhold.attackers._exact._id3_adversary import id3_guesses, id3_recovers, id3_says_more
from withhold.attackers._exact._rule_adversary import RuleAttack, rules_recover
from withhold.attackers._exact._view import View

__all__ = [
    "RuleAttack",
    "View",
    "bayes_guesses",
    "bayes_recovers",
    "bayes_says_more",
    "id3_guesses",
    "id3_recovers",
    "id3_says_more",
    "rules_recover",
]
