"""Classifiers by which an analyst would judge a table: a decision tree after Quinlan, naive Bayes, boosted trees."""

from withhold.learners._boosting import GradientBoosting
from withhold.learners._c45 import C45
from withhold.learners._features import Features
from withhold.learners._naive_bayes import NaiveBayes

__all__ = ["C45", "Features", "GradientBoosting", "NaiveBayes"]
