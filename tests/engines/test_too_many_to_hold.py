"""Distinct rows that are too many to be held at once: the search asks for counts as it goes down, and decides alike."""

from typing import Any

import pytest
from tests.engines.counted import counted, random_policy, random_table

import real_data
import withhold as wh
from withhold.errors import InfeasibleError, RowsNeededError
from withhold.table import PartialStore


def released(frame: Any, policy: wh.Policy, most: int) -> wh.Release:
    made = wh.release(counted(frame, most_groups=most), policy, rng=0)
    assert isinstance(made.run.table.store, PartialStore)
    assert 0 < made.source.most_asked <= most  # type: ignore[attr-defined]
    return made


def assert_alike(found: wh.Release, expected: wh.Release) -> None:
    assert found.steps == expected.steps
    assert found.decision.recodings == expected.decision.recodings
    assert found.reached == expected.reached
    assert found.codebook == expected.codebook
    assert found.record.withheld == expected.record.withheld
    assert found.metrics["ncp"] == expected.metrics["ncp"]
    assert found.metrics["groups"] == expected.metrics["groups"]


@pytest.mark.parametrize("part", range(3))
def test_a_search_under_a_low_limit_makes_the_steps_that_rows_lead_to(part: int) -> None:
    n_made = 0
    for seed in range(part * 15, part * 15 + 15):
        frame = random_table(seed)
        drawn = random_policy(seed)
        splits: Any = ["best", "valid"][seed % 2]
        policy = wh.Policy(drawn.require, target=drawn.target, columns=drawn.columns, recoding="global", splits=splits)
        try:
            expected = wh.release(frame, policy, rng=0)
        except InfeasibleError:
            continue
        for most in (len(frame) // 2, 60):
            try:
                found = released(frame, policy, most)
            except (AssertionError, RowsNeededError):
                continue
            n_made += 1
            assert_alike(found, expected)
    assert n_made > 5
