"""Promises about single cells: hidden ones are not inferred, and no record is at too much risk."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, islice
from math import prod
from typing import Any

from tests.equivalence.mixtures.adversaries import (
    View,
    adversarial_rules,
    bayes_scores,
    said_by_bayes,
    shared_bayes_scores,
)
from tests.equivalence.mixtures.groups import Cell, Requirement, Row, Tables, is_deleted
from tests.equivalence.mixtures.id3 import Id3
from tests.equivalence.mixtures.meaning import BLANKS, MISSING, WITHHELD, Column

IN_SOME_ORDER = "in some order of ties"
"""How a sentence ends where the order of columns and values decides what a tree says."""
MOST_TREES = 50_000
"""How many ways to break ties are tried for a cell. Where there are more, those that were tried count."""
CLASSIFIERS = ("naive-bayes", "id3")


def adversaries_of(requirement: Requirement) -> list[dict[str, Any]]:
    """Return the adversaries of a requirement with their settings; a name alone has the defaults."""
    named = requirement.get("against", CLASSIFIERS)
    return [{"adversary": each} if isinstance(each, str) else each for each in named]


def generalizes(requirement: Requirement) -> bool:
    """Return whether cells may be published as coarser nodes instead of withheld."""
    return any(each.get("modify") == "generalize" for each in adversaries_of(requirement))


def named_cells(requirement: Requirement, original: Sequence[Row]) -> list[Cell]:
    """Return the cells that a requirement hides; a condition reads `column = 'value'`."""
    if "cells" in requirement:
        return [(row, name) for row, name in requirement["cells"]]
    rows: Sequence[int] = range(len(original))
    if "where" in requirement:
        found = re.fullmatch(r"\"?([^\"]+?)\"? = '([^']*)'", requirement["where"])
        assert found is not None, requirement["where"]
        rows = [i for i, row in enumerate(original) if row[found[1]] == found[2]]
    return [(row, requirement["column"]) for row in rows]


def hidden(tables: Tables, requirement: Requirement, named: Sequence[Cell]) -> Iterator[str]:
    """Yield what is wrong with the hidden cells `named`."""
    cells = [
        (row, name) for row, name in named if tables.columns[name].value(tables.original[row][name]) != MISSING
    ]  # a missing cell holds nothing to hide
    for row, name in cells:
        text, value = tables.published[row][name], tables.columns[name].value(tables.original[row][name])
        is_coarser = generalizes(requirement) and tables.columns[name].is_coarser(text, value)
        if text != WITHHELD and not is_coarser:
            yield f"hidden cell {row}, {name} is published as {text!r}"
    left = [cell for cell in cells if not is_deleted(tables.published[cell[0]])]
    for against in adversaries_of(requirement):
        if against["adversary"] == "rules":
            yield from _rules(tables, requirement, against, left)
        elif requirement.get("informed"):
            yield from _informed(tables, requirement, against["adversary"], left)
        else:
            yield from _recovered(tables, requirement, against["adversary"], left)


def predictors_of(tables: Tables, requirement: Requirement, target: str) -> list[str]:
    """Return the columns that predict: those named, or all that are published; never the hidden one."""
    names = requirement.get("predictors", list(tables.published[0]))
    return [name for name in tables.published[0] if name in names and name != target]


def _recovered(tables: Tables, requirement: Requirement, adversary: str, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the cells of which a classifier gives what stood there."""
    with_trees = generalizes(requirement)
    view = View(tables.published, tables.columns, with_trees=with_trees)
    for row, name in cells:
        predictors, column = predictors_of(tables, requirement, name), tables.columns[name]
        true = column.read_as(column.value(tables.original[row][name]), view.texts(name))
        labels = None
        if with_trees:
            if column.tree is not None:
                true = {column.value(tables.original[row][name])}
            labels = view.trees[name].leaves_below(view.get(row, name) or view.trees[name].root)
            if len(labels) == 1:
                yield f"hidden cell {row}, {name} can hold only one value"
                continue
        if adversary == "naive-bayes":
            if with_trees:
                said = {said_by_bayes(shared_bayes_scores(view, row, name, predictors))}
            else:
                said = {said_by_bayes(bayes_scores(view, row, name, predictors, but=row))}
        else:
            trees = Id3(view, name, predictors, but=row, labels=labels)
            said = {answer for answer, _ in islice(trees.answers(row), MOST_TREES)}
        if said & true:
            yield f"{adversary} recovers hidden cell {row}, {name}{'' if said <= true else ' ' + IN_SOME_ORDER}"


def _informed(tables: Tables, requirement: Requirement, adversary: str, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the cells of which a classifier says something that it does not say of a row without values."""
    view = View(tables.published, tables.columns)
    for row, name in cells:
        predictors = predictors_of(tables, requirement, name)
        if adversary == "naive-bayes":
            said = said_by_bayes(bayes_scores(view, row, name, predictors, but=row))
            of_nobody = said_by_bayes(bayes_scores(view, None, name, predictors, but=row))
            if said not in (None, of_nobody):
                yield f"{adversary} says more of hidden cell {row}, {name} than of a row without values"
        else:
            trees = Id3(view, name, predictors, but=row)
            both = ((said, nobody) for said, order in trees.answers(row) for nobody, _ in trees.answers(None, order))
            differ = {said not in (None, nobody) for said, nobody in islice(both, MOST_TREES)}
            if True in differ:
                order = f" {IN_SOME_ORDER}" if False in differ else ""
                yield f"{adversary} says more of hidden cell {row}, {name} than of a row without values{order}"


def _rules(tables: Tables, requirement: Requirement, against: dict[str, Any], cells: Sequence[Cell]) -> Iterator[str]:
    view = View(tables.published, tables.columns)
    for target in sorted({name for _, name in cells}):
        column = tables.columns[target]
        true = {
            row: column.read_as(column.value(tables.original[row][target]), view.texts(target))
            for row, name in cells
            if name == target
        }
        predictors = predictors_of(tables, requirement, target)
        limits = against.get("confidence", 0.8), against.get("support", 0.01)
        for rule in adversarial_rules(view, true, target, predictors, *limits):
            yield f"an adversarial rule is left: {rule}"


def risk(tables: Tables, requirement: Requirement) -> Iterator[str]:
    """Yield the records whose risk is too high (Orooji and Knapp 2019), summed over all known sets."""
    at_most = Fraction(str(requirement["at_most"]))
    for row in range(len(tables.published)):
        found = record_risk(tables, requirement, row)
        if found > at_most:
            yield f"row {row} is at risk {float(found):.6g}, more than {requirement['at_most']}"


def record_risk(tables: Tables, requirement: Requirement, row: int) -> Fraction:
    """Return alpha · Σ over sets K of Π chances / (rows like it on K) · (weight outside K).

    A blank is in no known set, is like nothing, and weighs nothing.
    """
    chances = {name: Fraction(str(chance)) for name, chance in requirement["known"].items()}
    mine = tables.published[row]
    weights = {
        name: weight_of(tables.columns[name], given, mine[name]) for name, given in requirement["sensitive"].items()
    }
    names = [name for name in chances if mine[name] not in BLANKS]
    total = Fraction(0)
    for known in chain.from_iterable(combinations(names, size) for size in range(len(names) + 1)):
        n_alike = sum(all(other[name] == mine[name] for name in known) for other in tables.published)
        outside = sum(weight for name, weight in weights.items() if name not in known)
        total += prod((chances[name] for name in known), start=Fraction(1)) * outside / n_alike
    return total * Fraction(str(requirement.get("alpha", 100)))


def weight_of(column: Column, given: float | dict[str, float], text: str) -> Fraction:
    """Return how sensitive a published text is: a coarser one as much as the heaviest value below it."""
    if text in BLANKS:
        return Fraction(0)
    if not isinstance(given, dict):
        return Fraction(str(given))
    heavy = [Fraction(str(weight)) for value, weight in given.items() if column.may_be(text, column.value(value))]
    return max(heavy, default=Fraction(0))
