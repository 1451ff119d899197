"""Hidden cells that learners of scikit-learn cannot bring back more often than a guess."""

from withhold.methods.learned._beyond_luck import clopper_pearson, is_beyond_luck
from withhold.methods.learned._learned_guard import HiddenColumn, LearnedGuard, LearnerScore
from withhold.methods.learned._named_learners import STANDARD, learners_of

__all__ = [
    "STANDARD",
    "HiddenColumn",
    "LearnedGuard",
    "LearnerScore",
    "clopper_pearson",
    "is_beyond_luck",
    "learners_of",
]
