"""Classifiers by which an analyst would judge a table: a decision tree after Quinlan, naive Bayes, boosted trees."""

from withhold.learners._bayes import NaiveBayes
from withhold.learners._boosting import BoostedTrees
from withhold.learners._c45 import C45
from withhold.learners._features import Features

__all__ = ["C45", "BoostedTrees", "Features", "NaiveBayes"]
