"""Where a cluster reads and writes: Parquet, CSV, folders, the catalogue; and what it refuses."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.engines.counted import random_table, rows_of

import withhold as wh
from withhold.cli._main import cli
from withhold.engines import Cluster, open_source
from withhold.engines.spark import work_done
from withhold.engines.spark._arrow import arrow_of
from withhold.errors import DataError, OutputError, PolicyError, RowsNeededError, UnmetError
from withhold.releasing import release_file

POLICY = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=3)], drop=["note"])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    random_table(7).to_csv(path, index=False)
    return path


def read(spark: Any, path: Path) -> list[tuple[str, ...]]:
    reader = spark.read.options(header="true", quote='"', escape='"')
    frame = reader.csv(str(path)) if path.suffix == ".csv" else spark.read.parquet(str(path))
    return rows_of(arrow_of(frame).to_pandas())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_folder_holds_what_the_embedded_engine_publishes(
    spark: Any, table: Path, tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"out{suffix}"
    made, audit = release_file(table, POLICY, out, engine="spark")
    assert audit.ok
    assert out.is_dir()
    assert read(spark, out) == rows_of(wh.release(table, POLICY).to_frame("pandas"))
    assert made.summary is not None
    assert made.summary.sha256
    assert not list(tmp_path.glob(".out*"))


def test_paths_are_those_of_this_process_and_mean_what_they_say(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seed in (("part[1] of {a}*.csv", 7), ("part1 of a.csv", 8)):
        random_table(seed).to_csv(tmp_path / name, index=False)
    monkeypatch.chdir(tmp_path)
    release_file("part[1] of {a}*.csv", POLICY, "out[1].csv", engine="spark")
    assert open_source("out[1].csv", engine="spark").n_rows == len(random_table(7))
    assert read(spark, tmp_path / "out\\[1\\].csv") == rows_of(
        wh.release(tmp_path / "part[1] of {a}*.csv", POLICY).to_frame("pandas")
    )


def test_cells_with_quotes_blanks_and_nothing_stay_what_they_are(spark: Any, tmp_path: Path) -> None:
    path, out = tmp_path / "odd.csv", tmp_path / "out.csv"
    cells = [" x", "x ", '"a ""b"""', '""', "", '"1,2"', "NO", "0123"]
    path.write_text("sex,odd\n" + "\n".join(f"f,{cell}" for cell in cells) + "\n", encoding="utf-8")
    policy = wh.Policy([wh.Anonymity(columns=["sex"], k=3)])
    release_file(path, policy, out, engine="spark")
    found = open_source(out, engine="spark")
    assert found.values("odd") == open_source(path).values("odd")


def test_a_partitioned_folder_and_a_table_of_the_catalogue_are_read(spark: Any, table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    frame = spark.read.options(header="true").csv(str(table))
    frame.write.partitionBy("sex").parquet(str(folder))
    spark.sql("DROP TABLE IF EXISTS people")
    frame.write.saveAsTable("people")
    for place in (folder, "spark_catalog.default.people"):
        source = open_source(place, engine="spark")
        assert {*source.names} == {*frame.columns}
        assert source.n_rows == frame.count()
    spark.sql("DROP TABLE people")


def test_rows_come_to_the_driver_where_single_cells_are_withheld(spark: Any, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    adversary = [{"adversary": "id3"}]
    policy = wh.Policy([wh.Hidden(column="illness", where="age < 3", against=adversary, most_withheld=1)])
    made, audit = release_file(table, policy, out, engine="spark")
    assert audit.ok
    assert len(made.decision.cells) >= 1
    assert len(read(spark, out)) == made.table.n_rows


def test_too_many_rows_or_distinct_rows_are_refused_and_nothing_is_written(
    spark: Any, table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.parquet"
    try:
        spark.conf.set("spark.withhold.mostRows", "5")
        hidden = wh.Policy([wh.Hidden(column="illness", where="age < 3", against=[{"adversary": "id3"}])])
        with pytest.raises(RowsNeededError, match=r"are more than 5\. Hint: .*spark\.withhold\.mostRows"):
            release_file(table, hidden, out, engine="spark")
        spark.conf.set("spark.withhold.mostGroups", "5")
        local = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=3)], drop=["note"], recoding="local")
        with pytest.raises(
            RowsNeededError, match=r"more than 5 distinct rows over age, sex.*spark\.withhold\.mostGroups"
        ):
            release_file(table, local, out, engine="spark")
    finally:
        spark.conf.unset("spark.withhold.mostRows")
        spark.conf.unset("spark.withhold.mostGroups")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_an_audit_on_counts_alone_finds_what_rows_find(spark: Any, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    release_file(table, POLICY, out, engine="spark")
    strict = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=10_000)], drop=["note"])
    try:
        spark.conf.set("spark.withhold.mostRows", "5")
        good = wh.audit(out, POLICY, original=table, engine="spark")
        assert good.ok
        assert {attack.kind for attack in good.attacks} >= {"linkage"}
        assert not wh.audit(out, strict, engine="spark").ok
        other = tmp_path / "other.csv"
        other.write_text(table.read_text().replace("flu", "plague"), encoding="utf-8")
        assert not wh.audit(other, POLICY, original=table, engine="spark").ok
    finally:
        spark.conf.unset("spark.withhold.mostRows")


def test_a_url_gets_a_manifest_that_names_the_release(
    spark: Any, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, store = tmp_path / "work", tmp_path / "store"
    work.mkdir()
    monkeypatch.chdir(work)
    url = f"file://{store}/people.parquet"
    for _ in range(2):  # the second takes the place of the first
        release_file(table, POLICY, url, engine="spark")
        folders = [path.name for path in (store / "people.parquet").iterdir() if path.is_dir()]
        assert folders == [json.loads((store / "people.parquet" / "manifest.json").read_text())["release"]]
    assert open_source(url, engine="spark").n_rows == open_source(table).n_rows
    assert {path.name for path in work.iterdir()} == {"people.parquet.report.json", "people.parquet.codebook.csv"}


def test_rows_that_get_lost_on_the_way_are_found(spark: Any, table: Path, tmp_path: Path, monkeypatch: Any) -> None:
    from withhold.engines.spark import SparkSource

    def lossy(self: SparkSource, place: Path) -> SparkSource:
        frame = self.session.read.options(header="true").csv(str(place)).limit(30)
        return SparkSource(self.session, frame, description="lossy").without_rows()

    monkeypatch.setattr(SparkSource, "read_back", lossy)
    with pytest.raises(UnmetError):
        release_file(table, POLICY, tmp_path / "out.csv", engine="spark")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_a_table_is_not_read_to_see_whether_it_is_a_cluster_s(spark: Any, table: Path) -> None:
    source: Any = open_source(table, engine="spark")
    assert isinstance(source, Cluster)
    assert source.n_jobs == 0


def test_bad_places_are_refused_in_one_sentence(spark: Any, table: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        open_source(tmp_path / "none.parquet", engine="spark")
    with pytest.raises(DataError, match="no such table"):
        open_source("no.such.table", engine="spark")
    with pytest.raises(OutputError, match="cannot write"):
        release_file(table, POLICY, tmp_path / "out.xlsx", engine="spark")
    with pytest.raises(OutputError, match="no folder of parts"):
        release_file(table, POLICY, table, engine="spark")
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("age,sex\n1,f\n2,f,secret\n" * 2, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        release_file(ragged, wh.Policy([wh.Anonymity(columns=["age"], k=2)]), tmp_path / "out.csv", engine="spark")
    assert "secret" not in str(caught.value)
    with pytest.raises(PolicyError):
        release_file(table, wh.Policy([wh.Anonymity(columns=["no"], k=2)]), tmp_path / "out.csv", engine="spark")


def test_distinct_rows_that_are_too_many_to_come_are_asked_for_as_the_search_goes_down(
    spark: Any, tmp_path: Path
) -> None:
    path, out = tmp_path / "table.parquet", tmp_path / "out.parquet"
    random_table(7).to_parquet(path)
    policy = wh.Policy([wh.Anonymity(columns=["age", "sex", "town"], k=3)], target="class", drop=["note"])
    try:
        spark.conf.set("spark.withhold.mostGroups", "60")
        made, audit = release_file(path, policy, out, engine="spark")
    finally:
        spark.conf.unset("spark.withhold.mostGroups")
    here = wh.release(path, policy)
    assert audit.ok
    assert made.steps == here.steps
    assert made.decision.recodings == here.decision.recodings
    here.write(tmp_path / "here.parquet")
    assert read(spark, out) == rows_of(pd.read_parquet(tmp_path / "here.parquet"))
    assert any("counts under coarser values" in note for note in made.notes)


def test_rows_are_published_in_the_order_of_their_number(spark: Any, tmp_path: Path) -> None:
    path, out = tmp_path / "table.parquet", tmp_path / "out.parquet"
    frame = random_table(7)
    frame["number"] = np.arange(len(frame)) * 7
    mixed = frame.sample(frac=1, random_state=0)
    mixed.to_parquet(path, index=False)
    try:
        spark.conf.set("spark.withhold.rowNumber", "number")
        release_file(path, POLICY, out, engine="spark")
        spark.conf.set("spark.withhold.rowNumber", "none")
        with pytest.raises(DataError, match=r'rowNumber: there is no column "none"'):
            release_file(path, POLICY, out, engine="spark")
    finally:
        spark.conf.unset("spark.withhold.rowNumber")
    frame.to_parquet(tmp_path / "sorted.parquet")
    wh.release(tmp_path / "sorted.parquet", POLICY).write(tmp_path / "here.parquet")
    in_order = pd.read_parquet(tmp_path / "here.parquet")
    found = pd.concat([pd.read_parquet(part) for part in sorted(out.glob("part-*"))])
    assert found["number"].tolist() == in_order["number"].tolist()
    assert [rows_of(found[i : i + 1]) for i in range(len(found))] == [
        rows_of(in_order[i : i + 1]) for i in range(len(found))
    ]
    assert "job" in work_done(spark)


def test_a_large_table_is_looked_at_by_chance(spark: Any, table: Path) -> None:
    n_rows = len(random_table(7))
    for most in (n_rows, n_rows // 2):
        spark.conf.set("spark.withhold.mostRows", str(most))
        try:
            done = CliRunner().invoke(cli, ["inspect", str(table), "--engine", "spark", "--json"])
            shown = CliRunner().invoke(cli, ["inspect", str(table), "--engine", "spark"])
        finally:
            spark.conf.unset("spark.withhold.mostRows")
        found = json.loads(done.output)
        assert found["n_rows"] == n_rows
        assert 0 < found["n_seen"] <= most
        assert (found["n_seen"] == n_rows) == (most == n_rows)
        assert ("rows drawn by chance" in shown.output) == (most < n_rows)
        assert "[[require]]" in found["policy"]
