"""Distinct rows that are too many to be held at once: the search asks for counts as it goes down, and decides alike."""

from typing import Any

import pytest
from tests.engines.counted import counted, random_policy, random_table

import real_data
import withhold as wh
from withhold.errors import InfeasibleError, RowsNeededError
from withhold.table import PartialStore


class AllHeldError(Exception):
    """All distinct rows were held."""


def released(frame: Any, policy: wh.Policy, most: int) -> wh.Release:
    made = wh.release(counted(frame, most_groups=most), policy, rng=0)
    if not isinstance(made.run.table.store, PartialStore):
        raise AllHeldError
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


def test_searches_under_low_limits_make_the_steps_that_rows_lead_to() -> None:
    n_made = 0
    for seed in range(16):
        frame, drawn = random_table(seed), random_policy(seed)
        splits: Any = ["best", "valid"][seed % 2]
        policy = wh.Policy(drawn.require, target=drawn.target, columns=drawn.columns, recoding="global", splits=splits)
        try:
            expected = wh.release(frame, policy, rng=0)
        except InfeasibleError:
            continue
        n_distinct = frame.drop(columns="note").drop_duplicates().shape[0]
        for most in (n_distinct // 2, n_distinct - 1):
            try:
                found = released(frame, policy, most)
            except (AllHeldError, RowsNeededError):  # all fit, or more groups than may come are published
                continue
            n_made += 1
            assert_alike(found, expected)
    assert n_made > 5


def test_adult_under_a_limit_far_below_its_distinct_rows() -> None:
    frame = real_data.adult().head(4_000)
    known = ["age", "workclass", "education", "marital-status", "race", "sex", "hours-per-week"]
    policy = wh.Policy([wh.Anonymity(columns=known, k=20)], target="income")
    assert len(frame[[*known, "income"]].drop_duplicates()) > 3_000
    found = released(frame, policy, 700)
    assert_alike(found, wh.release(frame, policy, rng=0))
    assert found.source.n_looks < 3 * len(found.steps)  # type: ignore[attr-defined]
    assert any("counts under coarser values" in note for note in found.notes)


def test_what_cannot_go_down_is_refused() -> None:
    policy = wh.Policy([wh.Anonymity(columns=["age", "sex", "town"], k=3)], recoding="local")
    with pytest.raises(RowsNeededError, match="more than 20 distinct rows"):
        wh.release(counted(random_table(7), most_groups=20), policy)
