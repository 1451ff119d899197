"""A short part of `make chaos`, with fixed seeds; and the failures it has found, by name."""

import os
import random
from pathlib import Path

import pytest
from tests.chaos.fuzz import fuzz
from tests.chaos.mutate import mutate, mutate_json
from tests.chaos.pairs import one_pair
from tests.chaos.storms import OLD, state_of

READERS = ["policy", "tree-csv", "tree-json", "tree-toml", "csv", "parquet", "sidecar"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that are copied")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_reader_reads_or_refuses_whatever_it_is_given(reader: str) -> None:
    outcomes, failures = fuzz(reader, seconds=2, most=300, seed=20)
    assert failures == []
    assert set(outcomes) == {"read", "refused"}


@pytest.mark.parametrize("seed", range(6))
def test_a_random_pair_through_the_command_line_is_met_or_refused(seed: int) -> None:
    assert one_pair(seed) in {"met", "exit 2", "exit 3"}


def test_changes_depend_on_their_seed_alone() -> None:
    data = b'{"a": [1, {"b": "c"}]}'
    assert mutate(data, [data], random.Random(3)) == mutate(data, [data], random.Random(3)) != data
    assert len({mutate_json(data, random.Random(seed)) for seed in range(50)}) > 20


def test_half_a_release_is_noticed(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert state_of(out) == ""
    out.write_text(OLD)
    assert state_of(out) == ""
    out.write_text("a\n1\n")
    assert state_of(out) == "FAILED: half a release"
