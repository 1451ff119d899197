"""Outsiders who replay the method on every possible table infer no more than an informed policy promises."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tests.equivalence.replay_attacker import Posteriors, as_rows, replay

import withhold as wh

JOBS = {"job": ["A", "B", "B", "C", "C", "C"]}
TEMPLATE = {"given": ["job"], "hide": {"ill": ["yes"]}, "at_most": 0.5}


def largest(found: list) -> Fraction:
    return max(each.get("yes", Fraction(0)) for _, people in found for each in people)


def test_without_informed_a_coarse_group_gives_people_away() -> None:
    found = replay(JOBS, "ill", ["yes", "no"], as_rows(wh.Policy([wh.Template(**TEMPLATE)])))
    assert largest(found) == 1


def is_kept(requirement: object, people: Posteriors, table: tuple[str, ...]) -> bool:
    """Return whether what is inferred about every person is within what was promised."""
    n_all = Counter(table)
    for each in people:
        if isinstance(requirement, wh.Template) and each.get("yes", 0) > Fraction(requirement.at_most):
            return False
        if isinstance(requirement, wh.Diversity) and len(each) < requirement.l:
            return False
        if isinstance(requirement, wh.Closeness):
            apart = sum(abs(each.get(v, 0) - Fraction(n, len(table))) for v, n in n_all.items()) / 2
            if apart > Fraction(requirement.t):
                return False
    return True


@pytest.mark.parametrize("recoding", ["local", "global"])
@pytest.mark.parametrize(
    "requirement",
    [
        wh.Template(**TEMPLATE, informed=True, groups_of=2),
        wh.Diversity(columns=["job"], sensitive="ill", l=2, informed=True, groups_of=2),
        wh.Closeness(columns=["job"], sensitive="ill", t=0.25, informed=True, groups_of=2),
    ],
    ids=lambda each: each.kind,
)
def test_informed_keeps_its_bound_on_every_table(requirement: object, recoding: str) -> None:
    found = replay(JOBS, "ill", ["yes", "no"], as_rows(wh.Policy([requirement], recoding=recoding)))
    assert len(found) > 1
    assert sum(len(tables) for tables, _ in found) > 2
    assert all(is_kept(requirement, people, tables[0]) for tables, people in found)


def test_the_chance_that_smaller_groups_fail_is_bounded_from_below() -> None:
    """Six people in one group, three of them ill: pairs fail wherever two ill people meet."""
    from withhold.methods.groups import Lanes, Share
    from withhold.requirements._replayed import chance_of_failing

    pairs = np.array([0, 0, 1, 1, 2, 2])
    deals = [set(each) for each in combinations(range(6), 3)]
    exact = Fraction(sum(any({2 * i, 2 * i + 1} <= each for i in range(3)) for each in deals), len(deals))
    ill = Lanes(Share((0,), 0.5), np.array([0, 1, 0, 1, 0, 1]), 2)
    found = chance_of_failing(np.zeros(6, dtype=np.int64), [pairs], [ill])
    assert exact - Fraction(1, 5) < found <= exact
    shuffled = Lanes(Share((0,), 0.5), np.array([1, 1, 1, 0, 0, 0]), 2)
    assert chance_of_failing(np.zeros(6, dtype=np.int64), [pairs], [shuffled]) == found
