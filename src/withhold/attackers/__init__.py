"""Adversaries that attack a published table.

They read the cells of the release and nothing else, and share no code with the methods that protect against them.

`attack_cells` lets many attackers guess withheld cells and counts how often each is right, against the most frequent
value and against the same attack on a table in which only these cells are blank. An attacker has one life-cycle: `fit`
on the release, `guess` cells. The functions `bayes_recovers`, `id3_recovers` and `rules_recover` are the exact checks
on which a requirement rests.
"""

from withhold.attackers._attack import attack_cells
from withhold.attackers._attack_problem import with_leaves
from withhold.attackers._attacker import Attacker, ScoringAttacker
from withhold.attackers._bayes_attackers import KnownBayes, PapersBayes, SmoothedBayes
from withhold.attackers._exact import (
    RuleAttack,
    View,
    bayes_guesses,
    bayes_recovers,
    bayes_says_more,
    id3_guesses,
    id3_recovers,
    id3_says_more,
    rules_recover,
)
from withhold.attackers._family import family_of
from withhold.attackers._fill_in import FillIn
from withhold.attackers._id3_attacker import DecisionTree
from withhold.attackers._informed import SecondGuess, SecondGuessWhereBlanked
from withhold.attackers._judge import are_too_few, judge_together
from withhold.attackers._learners import Boosting, Forest, LinearMachine, LogisticRegression
from withhold.attackers._neighbours import Neighbours
from withhold.attackers._outcome import Attack, ColumnAttack, Target
from withhold.attackers._reduced import ReducedModel
from withhold.attackers._rule_attacker import Rules
from withhold.attackers._set_guess import set_guess
from withhold.attackers._simulate import Simulate
from withhold.attackers._standard import standard_attackers
from withhold.attackers._statistics import holm_p_values, mcnemar_p_value, wilson_interval

__all__ = [
    "Attack",
    "Attacker",
    "Boosting",
    "ColumnAttack",
    "DecisionTree",
    "FillIn",
    "Forest",
    "KnownBayes",
    "LinearMachine",
    "LogisticRegression",
    "Neighbours",
    "PapersBayes",
    "ReducedModel",
    "RuleAttack",
    "Rules",
    "ScoringAttacker",
    "SecondGuess",
    "SecondGuessWhereBlanked",
    "Simulate",
    "SmoothedBayes",
    "Target",
    "View",
    "are_too_few",
    "attack_cells",
    "bayes_guesses",
    "bayes_recovers",
    "bayes_says_more",
    "family_of",
    "holm_p_values",
    "id3_guesses",
    "id3_recovers",
    "id3_says_more",
    "judge_together",
    "mcnemar_p_value",
    "rules_recover",
    "set_guess",
    "standard_attackers",
    "wilson_interval",
    "with_leaves",
]
