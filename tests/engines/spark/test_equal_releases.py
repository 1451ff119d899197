"""Spark beside DuckDB: equal decisions and equal tables."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.engines.counted import random_policy, random_table, rows_of

import real_data
import withhold as wh
from withhold.cli.demo import write_clinic
from withhold.engines import Holding, open_source
from withhold.engines.spark._arrow import arrow_of
from withhold.errors import InfeasibleError


def frame_of(spark: Any, path: Path) -> Any:
    return spark.read.parquet(str(path))


def published(frame: Any) -> list[tuple[str, ...]]:
    return rows_of(arrow_of(frame).to_pandas())


def assert_equal_releases(spark: Any, path: Path, policy: wh.Policy) -> wh.Release:
    here, there = wh.release(path, policy, rng=0), wh.release(frame_of(spark, path), policy, rng=0)
    assert there.decision.recodings == here.decision.recodings
    assert there.reached == pytest.approx(here.reached)
    assert published(there.to_frame()) == rows_of(here.to_frame("pandas"))
    return there


@pytest.mark.parametrize("seed", range(500, 506))
def test_random_tables(spark: Any, tmp_path: Path, seed: int) -> None:
    path, policy = tmp_path / "table.parquet", random_policy(seed)
    random_table(seed).to_parquet(path)
    try:
        wh.release(path, policy, rng=0)
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            wh.release(frame_of(spark, path), policy, rng=0)
        return
    assert_equal_releases(spark, path, policy)


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_adult(spark: Any, tmp_path: Path, recoding: Any) -> None:
    path = tmp_path / "adult.parquet"
    real_data.adult().head(3_000).to_parquet(path)
    known = ["age", "education", "sex", "native-country"]
    policy = wh.Policy([wh.Anonymity(columns=known, k=20)], target="income", recoding=recoding)
    made = assert_equal_releases(spark, path, policy)
    assert made.run.table.n_entries < 3_000
    assert any("distinct rows that the cluster counted" in note for note in made.notes)


def test_credit_approval_with_a_template_and_missing_numbers(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "crx.parquet"
    real_data.crx().to_parquet(path)
    policy = wh.Policy([wh.Template(given=["A1", "A4", "A5"], hide={"A16": ["+"]}, at_most=0.8)], target="A9")
    assert_equal_releases(spark, path, policy)


def test_the_clinic_with_taxonomies_as_text(spark: Any, tmp_path: Path) -> None:
    write_clinic(tmp_path, rows=800, seed=0)
    policy, path = wh.Policy.load(tmp_path / "policy.toml"), tmp_path / "patients.csv"
    here, there = wh.release(path, policy, rng=0), wh.release(wh.read(path, engine="spark"), policy, rng=0)
    assert there.decision.recodings == here.decision.recodings
    assert published(there.to_frame()) == rows_of(here.to_frame("pandas"))


def test_both_engines_answer_one_question_about_groups(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    random_table(3).to_parquet(path)
    asked = [Holding(column="illness", texts=("flu", None)), Holding(column="town", texts=(None,))]
    found = []
    for source in (open_source(path), open_source(frame_of(spark, path))):
        groups = source.groups(["sex", "town"], asked)
        places = zip(*[codes.tolist() for codes in groups.codes], strict=True)
        figures = zip(groups.sizes.tolist(), *[each.tolist() for each in groups.held], strict=True)
        found.append(sorted(zip(places, figures, strict=True)))
        assert source.small_groups(["sex", "town"], 5) == open_source(path).small_groups(["sex", "town"], 5)
        assert source.small_groups(["note", "age"], 5) == open_source(path).small_groups(["note", "age"], 5)
        assert source.values("town") == open_source(path).values("town")
    assert found[0] == found[1]


def test_types_are_spelled_as_the_embedded_engine_spells_them(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "typed.parquet"
    days = pd.to_datetime(["2020-01-01", "2021-12-31"] * 10).date
    numbers = np.array([1.5, 1e10] * 10)
    pd.DataFrame({"day": days, "number": numbers, "is": [True, False] * 10}).to_parquet(path)
    here, there = open_source(path), open_source(frame_of(spark, path))
    for name in ("day", "number", "is"):
        assert there.values(name) == here.values(name)
        assert there.kind(name) == here.kind(name)
        assert there.is_typed(name) == here.is_typed(name)
    policy = wh.Policy([wh.Anonymity(columns=["day", "number"], k=10)])
    assert_equal_releases(spark, path, policy)


def test_codes_ages_and_dates_are_read_as_the_embedded_engine_reads_them(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "coded.parquet"
    data = pd.DataFrame({"income": [-8.0, 9999.0, 10.0, 20.0] * 10, "town": ["u", "a", "b", "a"] * 10})
    data["born"] = ["2000-02-29", "1980-07-01"] * 20
    data.to_parquet(path)
    columns = {
        "income": wh.ColumnSettings(type="number", missing_codes=["-8", "9999"]),  # type: ignore[arg-type]
        "town": wh.ColumnSettings(missing_codes=["u"]),  # type: ignore[arg-type]
    }
    policy = wh.Policy([wh.Anonymity(columns=["income", "town"], k=5)], columns=columns)
    made = assert_equal_releases(spark, path, policy)
    assert made.run.table.n_entries < 40  # counted there
    aged = {"born": wh.ColumnSettings(type="number", age_at="2023-02-28")}
    made = wh.release(frame_of(spark, path), wh.Policy([wh.Anonymity(columns=["born"], k=5)], columns=aged))
    assert made.source.values("born") == ["22", "42"]
