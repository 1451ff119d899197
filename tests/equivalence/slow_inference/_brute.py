"""Brute force over all hidings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from slow_inference._base import Table
from slow_inference._models import _evidence, classify, id3_tree, nb_predicts
from slow_inference._runs import _run
from slow_inference._ties import id3_follows, nb_may_say

NAIVE_BAYES = "naive_bayes"
ID3 = "id3"
BOTH = "both"


def protecting_hidings(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    against: str = NAIVE_BAYES,
    counts_ties: bool = False,
) -> list[tuple[str, ...]]:
    """Every set of predictor cells of the tuple whose hiding, with the confidential cell, keeps it from prediction.

    The smallest sets come first. Where ties count, it must be kept from being one of equals.
    """
    run = _run(table, number, target, predictors, None, None)
    run.table.put(number, target, None)
    tree = id3_tree(run.table, number, target, run.predictors)
    found = []
    for size in range(len(run.evidence()) + 1):
        for hidden in combinations(_evidence(table, number, target, run.predictors), size):
            trial = run.table.copy()
            for column in hidden:
                trial.put(number, column, None)
            asked = (trial, number, target)
            predicted = {
                NAIVE_BAYES: nb_predicts(*asked, run.actual, run.predictors),
                ID3: classify(trial, number, tree) == run.actual,
            }
            if counts_ties:
                predicted = {
                    NAIVE_BAYES: run.actual in nb_may_say(*asked, run.predictors),
                    ID3: run.actual in id3_follows(*asked, run.predictors),
                }
            predicted[BOTH] = predicted[NAIVE_BAYES] or predicted[ID3]
            if not predicted[against]:
                found.append(hidden)
    return found


def any_hiding_in_tuple_protects(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    against: str = NAIVE_BAYES,
    counts_ties: bool = False,
) -> bool:
    """Whether hiding some predictor cells of the tuple, or none, keeps the hidden confidential cell from prediction."""
    return bool(protecting_hidings(table, number, target, predictors, against, counts_ties))
