"""What an adversary may say of a hidden cell, beyond what it says of a tuple without values, whichever way ties go."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from slow_inference._base import Table
from slow_inference._models import _evidence
from slow_inference._ties import _largest, _splits, may_reach, nb_may_say


def infers(table: Table, number: int, target: str, predictors: Sequence[str]) -> bool:
    """Whether naive Bayes or ID3 may say something of a tuple that it would not say of one without values."""
    empty = table.copy()
    for column in predictors:
        empty.put(number, column, None)
    said = nb_may_say(table, number, target, predictors)
    if said and said != nb_may_say(empty, number, target, predictors):
        return True
    training = [other for other in table.others(number) if table.get(other, target) is not None]
    return bool(training) and _departs(table, number, target, list(predictors), training)


def _departs(table: Table, number: int, target: str, columns: list[str], training: list[int]) -> bool:
    for column, groups in _splits(table, target, columns, training):
        rest = [other for other in columns if other != column]
        for common in _largest(groups):
            own = table.get(number, column)
            if own not in groups or own == common:
                if _departs(table, number, target, rest, groups[common]):
                    return True
                continue
            said = may_reach(table, number, target, rest, groups[str(own)])
            if len(said | may_reach(table, None, target, rest, groups[common])) > 1:
                return True
    return False


def fewest_silencing(table: Table, number: int, target: str, predictors: Sequence[str]) -> int:
    """The fewest cells of a tuple whose hiding leaves nothing to infer of it."""
    known = _evidence(table, number, target, predictors)
    for size in range(len(known) + 1):
        for hidden in combinations(known, size):
            trial = table.copy()
            for column in hidden:
                trial.put(number, column, None)
            if not infers(trial, number, target, predictors):
                return size
    raise AssertionError("a tuple without values is like a tuple without values")
