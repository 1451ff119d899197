"""What an adversary tells of a hidden cell, beyond what it says of a tuple without values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from slow_inference._base import Cell, Table
from slow_inference._models import _evidence, classify, id3_tree, is_predicted, nb_posterior


def tells(table: Table, number: int, target: str, predictors: Sequence[str]) -> bool:
    """Whether naive Bayes or ID3 says something of a tuple that it would not say of one without values."""
    empty = table.copy()
    for column in predictors:
        empty.put(number, column, None)
    of_bayes = _said(table, number, target, predictors)
    if of_bayes is not None and of_bayes != _said(empty, number, target, predictors):
        return True
    tree = id3_tree(table, number, target, predictors)
    return classify(table, number, tree) != classify(empty, number, tree)


def _said(table: Table, number: int, target: str, predictors: Sequence[str]) -> Cell:
    posterior = nb_posterior(table, number, target, predictors)
    return next((label for label in posterior if is_predicted(posterior, label)), None)


def fewest_silencing(table: Table, number: int, target: str, predictors: Sequence[str]) -> int:
    """The fewest cells of a tuple whose hiding leaves nothing told of it."""
    known = _evidence(table, number, target, predictors)
    for size in range(len(known) + 1):
        for hidden in combinations(known, size):
            trial = table.copy()
            for column in hidden:
                trial.put(number, column, None)
            if not tells(trial, number, target, predictors):
                return size
    raise AssertionError("a tuple without values is like a tuple without values")
