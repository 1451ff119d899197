"""Naive Bayes: against the formula, and unknown cells."""

from fractions import Fraction

import numpy as np
import pytest

from withhold.errors import DataError
from withhold.learners import NaiveBayes


def best(columns: list[list[int]], labels: list[int], row: list[int]) -> int:
    """Return the class of a row by the formula, in fractions; -1 is unknown."""
    scores = {}
    for label in sorted(set(labels)):
        score = Fraction(labels.count(label), len(labels))
        for column, cell in zip(columns, row, strict=True):
            inside = [other for other, own in zip(column, labels, strict=True) if own == label and other >= 0]
            if 0 <= cell <= max(column):
                score *= Fraction(inside.count(cell) + 1, len(inside) + max([*column, 0]) + 1)
        scores[label] = score
    return max(scores, key=lambda label: (scores[label], -label))


def test_predictions_are_those_of_the_formula() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        n_columns, n_rows = rng.integers(1, 5), int(rng.integers(2, 40))
        columns = [rng.integers(-1, 4, n_rows) for _ in range(n_columns)]
        labels = rng.integers(0, 3, n_rows)
        others = [rng.integers(-1, 6, 20) for _ in range(n_columns)]
        found = NaiveBayes().fit(columns, labels).predict(others).tolist()
        lists = [column.tolist() for column in columns]
        assert found == [best(lists, labels.tolist(), list(row)) for row in zip(*others, strict=True)]


def test_numbers_are_put_into_intervals_of_equally_many_rows() -> None:
    learner = NaiveBayes(n_intervals=4).fit([np.arange(100.0)], np.arange(100) // 25)
    assert learner.predict([np.array([-5.0, 24.0, 25.0, 74.0, 75.0, 1e9])]).tolist() == [0, 0, 1, 2, 3, 3]


def test_a_number_that_is_always_unknown_says_nothing() -> None:
    assert NaiveBayes().fit([np.full(3, np.nan)], [1, 1, 0]).predict([np.array([2.0])]).tolist() == [1]


def test_no_interval_is_refused() -> None:
    with pytest.raises(DataError, match="n_intervals"):
        NaiveBayes(n_intervals=0)
