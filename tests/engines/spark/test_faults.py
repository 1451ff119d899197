"""Two executors in processes of their own: one is killed, and a disk that cannot be written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.engines.counted import random_table

import withhold as wh
from withhold.engines.spark import open_session

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed (extra `spark`)")

WORK = """
import os, signal, sys, threading, time
from pathlib import Path
import withhold as wh
from withhold.engines.spark import SparkSource, open_session
from withhold.errors import WithholdError
from withhold.releasing import release_file

data, out, mode = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
conf = {"spark.sql.shuffle.partitions": "2", "spark.driver.memory": "1g", "spark.driver.host": "127.0.0.1"}
for side in ("driver", "executor"):
    conf[f"spark.{side}.extraJavaOptions"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
session = open_session(master="local-cluster[2,1,1024]", conf=conf)


def executors():
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\\0")
            session_of = int((place / "stat").read_text().rsplit(")", 1)[1].split()[3])
        except OSError:
            continue
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and session_of == os.getsid(0):
            found.append(int(place.name))
    return found


if mode == "kill":
    write_to = SparkSource.write_to

    def killed(self, *words, **named):
        pids = executors()
        assert len(pids) == 2, pids
        os.kill(pids[0], signal.SIGKILL)
        write_to(self, *words, **named)

    SparkSource.write_to = killed
policy = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=3)], recoding="local")
try:
    made, audit = release_file(data, policy, out, engine="spark")
    print("proven" if audit.ok else "not met")
except WithholdError as error:
    print(type(error).__name__, error)
session.stop()
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    random_table(11).to_parquet(path)
    return path


def home_of_its_own(folder: Path) -> Path:
    """Return a home of Spark whose workers leave what they write in a folder, and not in the installed package."""
    folder.mkdir()
    for part in Path(pyspark.__file__).parent.iterdir():
        (folder / part.name).symlink_to(part)
    return folder


def work(table: Path, out: Path, mode: str) -> str:
    asked = [sys.executable, "-c", WORK, str(table), str(out), mode]
    env = {**os.environ, "SPARK_HOME": str(home_of_its_own(out.parent / "spark")), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(asked, capture_output=True, text=True, timeout=580, start_new_session=True, env=env)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Bern" not in done.stderr
    return done.stdout.strip()


def test_an_executor_that_is_killed_leaves_a_proven_release(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    said = work(table, out, "kill")
    assert said == "proven"
    assert json.loads((tmp_path / "out.parquet.report.json").read_text())["requirements"][0]["proven"]


def test_a_disk_that_executors_cannot_write_leaves_the_destination_as_it_was(
    table: Path, tmp_path: Path, spark: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from withhold.engines.spark import SparkSource
    from withhold.errors import OutputError
    from withhold.releasing import release_file

    out = tmp_path / "out.parquet"
    policy = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=3)])
    release_file(table, policy, out, engine="spark")
    before = sorted((path.name, path.stat().st_mtime_ns) for path in out.iterdir())
    write_to = SparkSource.write_to

    def full(self: SparkSource, decision: object, place: str, **named: object) -> None:
        write_to(self, decision, "/dev/full/release.parquet", **named)  # type: ignore[arg-type]

    monkeypatch.setattr(SparkSource, "write_to", full)
    with pytest.raises(OutputError, match=r"cannot be written by the cluster .*Hint: is the disk full"):
        release_file(table, policy, out, engine="spark")
    assert sorted((path.name, path.stat().st_mtime_ns) for path in out.iterdir()) == before
    assert {path.name for path in tmp_path.iterdir()} == {
        "table.parquet",
        "out.parquet",
        "out.parquet.report.json",
        "out.parquet.codebook.csv",
    }


def test_a_full_disk_leaves_the_destination_as_it_was(tmp_path: Path, spark: object) -> None:
    from withhold.errors import OutputError
    from withhold.releasing import release_file

    disk, policy = tmp_path / "disk", wh.Policy([wh.Anonymity(columns=["age", "sex"], k=3)])
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk can be mounted only by root")
    try:
        small, large, out = tmp_path / "small.parquet", tmp_path / "large.parquet", disk / "out.parquet"
        random_table(11).to_parquet(small)
        many = pd.concat([random_table(11)] * 2_000, ignore_index=True).head(40_000)
        noise = np.random.default_rng(0).integers(0, 2**63, (len(many), 2))
        many["note"] = [f"{first:x}{second:x}" for first, second in noise.tolist()]
        many.to_parquet(large)
        release_file(small, policy, out, engine="spark")
        before = sorted((path.name, path.stat().st_mtime_ns) for path in out.iterdir())
        with pytest.raises(OutputError, match=r"cannot be written by the cluster .*Hint: is the disk full"):
            release_file(large, policy, out, engine="spark")
        assert sorted((path.name, path.stat().st_mtime_ns) for path in out.iterdir()) == before
        assert {path.name for path in disk.iterdir()} == {
            "out.parquet",
            "out.parquet.report.json",
            "out.parquet.codebook.csv",
        }
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_spark_connect_without_its_packages_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from withhold.engines.spark import _connection
    from withhold.errors import DataError

    monkeypatch.setattr(_connection, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r'Hint: pip install "pyspark\[connect\]"\.$'):
        open_session(master="sc://127.0.0.1:1")


def test_a_machine_without_java_is_told_which_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from withhold.engines.spark import _connection
    from withhold.errors import DataError

    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    _connection.java_version.cache_clear()
    try:
        with pytest.raises(DataError, match="Spark needs Java 17 or later, and there is no Java here"):
            open_session(master="local[1]")
    finally:
        _connection.java_version.cache_clear()
