"""Record risk on Spark beside DuckDB: equal cells are withheld, equal tables published, and counts alone prove it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.engines.counted import random_risk_policy, random_table, rows_of

import withhold as wh
from withhold.cli._main import cli
from withhold.engines.spark._arrow import arrow_of
from withhold.errors import RowsNeededError
from withhold.releasing import release_file

RISK: dict[str, Any] = {"known": {"sex": 0.8, "town": 0.3}, "sensitive": {"illness": {"flu": 1.0}}, "at_most": 5.0}
POLICY = """
[[require]]
kind = "risk"
known = { sex = 0.8, town = 0.3 }
sensitive = { illness = { flu = 1.0 } }
at_most = 5.0
"""


@pytest.fixture
def few_rows(spark: Any) -> Iterator[None]:
    """Let no rows come to the driver, only counts."""
    spark.conf.set("spark.withhold.mostRows", "5")
    yield
    spark.conf.unset("spark.withhold.mostRows")


def assert_equal_releases(spark: Any, path: Path, policy: wh.Policy) -> wh.Release:
    here, there = wh.release(path, policy, rng=0), wh.release(spark.read.parquet(str(path)), policy, rng=0)
    assert there.run.draft.weights is not None  # counted there
    assert there.decision.recodings == here.decision.recodings
    assert there.record.withheld == here.record.withheld
    mine, theirs = there.report["requirements"][0], here.report["requirements"][0]
    for figure in ("records_above_before", "rounds", "blanked", "coarsened", "given_back", "reached", "histogram"):
        assert mine[figure] == theirs[figure], figure
    assert mine["risk_by_column"] == pytest.approx(theirs["risk_by_column"])
    assert rows_of(arrow_of(there.to_frame()).to_pandas()) == rows_of(here.to_frame("pandas"))
    return there


@pytest.mark.parametrize("seed", [1, 4, 6])
def test_random_tables(spark: Any, few_rows: None, tmp_path: Path, seed: int) -> None:
    path, drawn = tmp_path / "table.parquet", random_risk_policy(seed)
    random_table(seed).to_parquet(path)
    made = assert_equal_releases(spark, path, wh.Policy(drawn.require[:1], columns=drawn.columns))
    assert made.report["requirements"][0]["blanked"] + made.report["requirements"][0]["coarsened"] > 0


def test_the_school_registry(spark: Any, few_rows: None, tmp_path: Path) -> None:
    registry = wh.samples.school_registry(1_500, seed=3)
    names = registry.table(9).names
    path = tmp_path / "registry.parquet"
    texts = {name: np.array(registry.dictionaries[name], dtype=object)[registry.codes[name]] for name in names}
    pd.DataFrame(texts).to_parquet(path)
    known = {name: registry.known[name] for name in names}
    sensitive = {name: weights for name, weights in registry.sensitive.items() if name in names}
    made = assert_equal_releases(
        spark, path, wh.Policy([wh.Risk(known=known, sensitive=sensitive, at_most=20.0)], rows="shuffle")
    )
    assert made.report["requirements"][0]["blanked"] > 0


def test_files_are_released_and_audited_on_counts(spark: Any, few_rows: None, tmp_path: Path) -> None:
    table, out, policy = tmp_path / "table.csv", tmp_path / "out.parquet", tmp_path / "policy.toml"
    random_table(5).to_csv(table, index=False)
    policy.write_text(POLICY, encoding="utf-8")
    made, audit = release_file(table, wh.Policy.load(policy), out, engine="spark")
    assert audit.ok
    assert made.summary is not None
    entry = made.summary.to_json()["requirements"][0]
    assert entry["proven"]
    assert entry["blanked"] > 0
    good = wh.audit(out, policy, original=table, engine="spark")
    assert good.ok
    assert good.risks[0].above_before == entry["records_above_before"]
    raw = wh.audit(table, policy, engine="spark", attack=False)
    assert not raw.ok
    assert raw.findings[0].details["above"] == good.risks[0].above_before


def test_inspect_finds_the_risks_that_the_embedded_engine_finds(spark: Any, tmp_path: Path) -> None:
    table, policy = tmp_path / "table.csv", tmp_path / "policy.toml"
    random_table(5).to_csv(table, index=False)
    policy.write_text(POLICY, encoding="utf-8")
    inspected = []
    for engine in ("spark", "duckdb"):
        words = ["inspect", str(table), "--policy", str(policy), "--json", "--engine", engine]
        done = CliRunner().invoke(cli, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        inspected.append(json.loads(done.output)["risks"][0])
    shares = [found.pop("risk_by_column") for found in inspected]
    assert shares[0] == pytest.approx(shares[1])
    assert inspected[0] == inspected[1]
    assert inspected[0]["records_above"] > 0


def test_what_is_too_much_is_refused_and_nothing_is_written(spark: Any, few_rows: None, tmp_path: Path) -> None:
    table, out = tmp_path / "table.csv", tmp_path / "out.parquet"
    random_table(8).to_csv(table, index=False)
    alone = wh.Risk(**{**RISK, "known": {"sex": 0.8, "illness": 0.1}}, informed=True)
    with pytest.raises(RowsNeededError, match=r"while `known` names the sensitive illness.*spark\.withhold\.mostRows"):
        release_file(table, wh.Policy([alone]), out, engine="spark")
    try:
        spark.conf.set("spark.withhold.mostGroups", "5")
        with pytest.raises(
            RowsNeededError, match=r"more than 5 distinct rows over sex, town, illness.*spark\.withhold\.mostGroups"
        ):
            release_file(table, wh.Policy([wh.Risk(**RISK)]), out, engine="spark")
    finally:
        spark.conf.unset("spark.withhold.mostGroups")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
