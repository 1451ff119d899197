"""Classifiers by which an analyst would judge a table: a decision tree after Quinlan, and naive Bayes."""

from withhold.learners._bayes import NaiveBayes
from withhold.learners._c45 import C45
from withhold.learners._features import Features

__all__ = ["C45", "Features", "NaiveBayes"]
