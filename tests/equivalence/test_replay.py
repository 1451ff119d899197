"""Outsiders who replay the method on every possible table infer no more than an informed policy promises."""

from collections import Counter
from fractions import Fraction

import pytest

import withhold as wh
from tests.equivalence.replay_attacker import Posteriors, as_rows, replay

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
    assert all(is_kept(requirement, people, tables[0]) for tables, people in found)
