"""What adversaries may say when ties can go either way.

Brute force over every order of columns and of values; and, for larger tables, a walk that follows all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from slow_inference._base import GAIN_TOLERANCE, Cell, Table
from slow_inference._models import (
    _groups,
    _matching,
    classify,
    id3_tree,
    information_gain,
    nb_posterior,
    nb_posterior_g,
)

Groups = dict[str, list[int]]


def in_every_order(table: Table, names: Sequence[str]) -> Iterator[Table]:
    """The table with its columns, and the values of these columns, in every order."""
    for columns in permutations(table.columns):
        places = [table.columns.index(column) for column in columns]
        rows = [[row[place] for place in places] for row in table.rows]
        for orders in product(*(permutations(table.domains[name]) for name in names)):
            domains = table.domains | {name: list(order) for name, order in zip(names, orders, strict=True)}
            yield Table(list(columns), rows, domains, table.taxonomies)


def id3_may_say(
    table: Table, number: int, target: str, predictors: Sequence[str], labels: Sequence[str] | None = None
) -> set[Cell]:
    """Every label that ID3 gives a tuple in some order."""
    found = set()
    for other in in_every_order(table, [*predictors, target]):
        chosen = None if labels is None else [label for label in other.domains[target] if label in labels]
        found.add(classify(other, number, id3_tree(other, number, target, predictors, chosen)))
    return found


def id3_may_say_more(table: Table, number: int, target: str, predictors: Sequence[str]) -> bool:
    """Whether in some order ID3 says something else of a tuple than of one without values."""
    for other in in_every_order(table, [*predictors, target]):
        empty = other.copy()
        for column in predictors:
            empty.put(number, column, None)
        tree = id3_tree(other, number, target, predictors)
        if classify(other, number, tree) != classify(empty, number, tree):
            return True
    return False


def nb_may_say(table: Table, number: int, target: str, predictors: Sequence[str]) -> set[str]:
    """The most probable values; none where all are impossible."""
    return _best(nb_posterior(table, number, target, predictors))


def nb_may_say_g(table: Table, number: int, target: str, predictors: Sequence[str]) -> set[str]:
    """The most probable candidates; a single one is no secret."""
    posterior = nb_posterior_g(table, number, target, predictors)
    return set(posterior) if len(posterior) == 1 else _best(posterior)


def _best(posterior: dict[str, object]) -> set[str]:
    most = max(posterior.values(), default=0)  # type: ignore[type-var]
    return {value for value, p in posterior.items() if p == most and p != 0}


def id3_follows(table: Table, number: int, target: str, predictors: Sequence[str]) -> set[Cell]:
    """Every label that ID3 may give a tuple, found by following all ties."""
    training = [other for other in table.others(number) if table.get(other, target) in table.domains[target]]
    return may_reach(table, number, target, list(predictors), training) if training else set()


def id3_follows_g(table: Table, number: int, target: str, predictors: Sequence[str]) -> set[Cell]:
    """As `id3_follows`, over the values below the generalised one; a single one is no secret."""
    labels = table.leaves_below(target, table.get(number, target))
    training = [other for other in table.others(number) if table.get(other, target) in labels]
    if len(labels) == 1:
        return set(labels)
    return may_reach(table, number, target, list(predictors), training) if training else set()


def may_reach(table: Table, number: int | None, target: str, columns: list[str], training: list[int]) -> set[Cell]:
    """The labels that ID3 may give a tuple, or one without values, from a node down."""
    splits = list(_splits(table, target, columns, training))
    if not splits:
        return set(_largest(_groups(table, training, target)))
    found = set()
    for column, groups in splits:
        rest = [other for other in columns if other != column]
        for branch in _routes(table, column, None if number is None else table.get(number, column), groups):
            found |= may_reach(table, number, target, rest, groups[branch])
    return found


def _splits(table: Table, target: str, columns: Sequence[str], training: list[int]) -> Iterator[tuple[str, Groups]]:
    """Every way to split a node: by each column of the largest gain, tuples without a branch in each of the largest.

    All tuples with the same cell join the same one.
    """
    if len(_groups(table, training, target)) < 2:
        return
    gains = {column: information_gain(table, training, target, column) for column in columns}
    most = max(gains.values(), default=0.0)
    for column in columns:
        if gains[column] > GAIN_TOLERANCE and gains[column] >= most - GAIN_TOLERANCE:
            groups = _groups(table, training, column)
            lost: dict[Cell, list[int]] = {}
            for number in training:
                cell = table.get(number, column)
                if cell not in groups:
                    lost.setdefault(cell if _matching(table, column, cell, groups) else None, []).append(number)
            for chosen in product(*(_routes(table, column, cell, groups) for cell in lost)):
                grown = {value: list(members) for value, members in groups.items()}
                for branch, members in zip(chosen, lost.values(), strict=True):
                    grown[branch] += members
                yield column, grown


def _routes(table: Table, column: str, cell: Cell, groups: Groups) -> list[str]:
    """The branches a cell may follow: the largest that match it, else the largest."""
    matching = _matching(table, column, cell, groups)
    return _largest({value: groups[value] for value in matching or groups})


def _largest(groups: Groups) -> list[str]:
    most = max(map(len, groups.values()))
    return [value for value, members in groups.items() if len(members) == most]
