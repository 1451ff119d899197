"""The same table, policy and seed give the same bytes in every process, whatever order its sets have."""

import os
import re
import subprocess
import sys

import pandas as pd
import pytest

import withhold as wh
from withhold.errors import PolicyError

SEEDS = (30, 58, 293, 327)
"""Mixtures that withhold cells because of rules; the last three delete rows, too."""

RELEASE = """
import sys, tempfile
from pathlib import Path
from tests.equivalence.mixtures import generate, run

for seed in map(int, sys.argv[1:]):
    with tempfile.TemporaryDirectory() as folder:
        run.released(generate.case_of(seed), Path(folder), seed)
        sys.stdout.buffer.write((Path(folder) / "release.csv").read_bytes())
"""


def output(code: str, *words: object, hash_seed: int) -> bytes:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, check=True).stdout


def test_mixtures_are_released_alike_in_every_process() -> None:
    first, second = (output(RELEASE, *SEEDS, hash_seed=seed) for seed in (1, 2))
    assert len(first.splitlines()) > 20 * len(SEEDS)
    assert first == second


def test_a_refusal_names_columns_in_the_order_of_the_policy() -> None:
    names = list("hcafbged")
    frame = pd.DataFrame({name: ["1", "2"] for name in sorted(names)} | {"ill": ["flu", "cold"]})
    keeps = wh.Template(given=names, hide={"ill": ["flu"]}, at_most=0.5, keep=names)
    with pytest.raises(PolicyError) as caught:
        wh.release(frame, wh.Policy([keeps, wh.Anonymity(columns=names, k=2)]))
    assert re.findall(r'column "(.)" is kept here', str(caught.value)) == names
