"""Outsiders who replay the method on every possible table infer no more than an informed policy promises."""

from fractions import Fraction
from itertools import combinations, islice

import numpy as np
import pytest
from tests.equivalence.replay_attacker import as_rows, replay
from tests.equivalence.replay_promises import close, confident, diverse
from tests.equivalence.replay_scenes import KINDS, attack, scenes

import withhold as wh

JOBS = {"job": ["A", "B", "B", "C", "C"]}
TEMPLATE = {"given": ["job"], "hide": {"ill": ["yes"]}, "at_most": 0.5}


def test_without_informed_a_coarse_group_gives_people_away() -> None:
    found = replay(JOBS, "ill", ["yes", "no"], as_rows(wh.Policy([wh.Template(**TEMPLATE)])))
    assert max(confident(0.5)(*each) for each in found) == 2


@pytest.mark.parametrize("recoding", ["local", "global"])
@pytest.mark.parametrize(
    ("requirement", "used"),
    [
        (wh.Template(**TEMPLATE, informed=True, groups_of=2), confident(0.5)),
        (wh.Diversity(columns=["job"], sensitive="ill", l=2, informed=True, groups_of=2), diverse("distinct", 2)),
        (wh.Closeness(columns=["job"], sensitive="ill", t=0.25, informed=True, groups_of=2), close(0.25)),
    ],
    ids=["template", "diversity", "closeness"],
)
def test_informed_keeps_its_bound_on_every_table(requirement: object, used: object, recoding: str) -> None:
    found = replay(JOBS, "ill", ["yes", "no"], as_rows(wh.Policy([requirement], recoding=recoding)))
    assert len(found) > 1
    assert sum(len(tables) for tables, _ in found) > 2
    assert all(used(*each) <= 1 for each in found)  # type: ignore[operator]


@pytest.mark.parametrize("kind", KINDS)
def test_some_tables_of_every_kind_are_safe_with_informed_and_not_without(kind: str) -> None:
    """A few of the thousand tables that ``run_replay`` tries."""
    plain = islice(scenes(kind, informed=False, seed=16), 20)
    assert any(attack(each).n_broken for each in plain)
    found = [attack(each) for each in islice(scenes(kind, informed=True, seed=16), 2)]
    assert sum(each.n_tables for each in found) > 5
    assert not any(each.n_broken for each in found)


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
