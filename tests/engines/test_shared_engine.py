"""Small tables share a running engine, and nothing else."""

import gc
import multiprocessing
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import withhold as wh
from withhold.engines import open_source
from withhold.engines.duckdb._connection import Database
from withhold.engines.duckdb._instance import SMALL_CELLS


def databases(of: Database) -> set[str]:
    return {str(row[0]) for row in of.run("SELECT database_name FROM duckdb_databases()")}


def place(of: Database) -> str:
    return str(of.run("SELECT current_database()")[0][0])


def test_two_small_tables_have_the_same_names_inside_and_do_not_meet() -> None:
    first = open_source(pd.DataFrame({"a": ["x", "y"]}))
    second = open_source(pd.DataFrame({"a": ["p", "q", "r"]}))
    assert (first.n_rows, second.n_rows) == (2, 3)
    assert first.values("a") == ["x", "y"]
    assert second.values("a") == ["p", "q", "r"]
    first.close()
    assert second.cells("a").tolist() == [0, 1, 2]
    second.close()


def test_a_table_that_is_closed_or_forgotten_leaves_nothing_in_the_engine() -> None:
    watching, closed, forgotten = Database(is_small=True), Database(is_small=True), Database(is_small=True)
    names = {place(closed), place(forgotten)}
    assert names < databases(watching)
    closed.close()
    closed.close()
    del forgotten
    gc.collect()
    Database(is_small=True).close()
    assert not names & databases(watching)
    with pytest.raises(wh.errors.DataError, match="was closed"):
        closed.run("SELECT 1")
    watching.close()


def test_what_was_registered_or_set_is_seen_by_one_table_only() -> None:
    first, second = Database(is_small=True), Database(is_small=True)
    first.register("frame", pd.DataFrame({"a": [1]}))
    first.run("SET VARIABLE fresh = 'secret'")
    assert first.run("SELECT a, getvariable('fresh') FROM frame") == [(1, "secret")]
    with pytest.raises(duckdb.CatalogException):
        second.try_run("SELECT * FROM memory.frame")
    assert second.run("SELECT getvariable('fresh')") == [(None,)]
    for each in (first, second):
        each.close()


def test_the_shared_engine_keeps_everything_in_memory_and_loads_nothing() -> None:
    small, own = Database(is_small=True), Database()
    for name in ("autoinstall_known_extensions", "autoload_known_extensions", "preserve_insertion_order"):
        settings = {str(each.run(f"SELECT current_setting('{name}')")[0][0]) for each in (small, own)}
        assert settings == {"True" if name.startswith("preserve") else "False"}
    assert small.run("SELECT current_setting('temp_directory'), current_setting('threads')") == [("", 1)]
    assert small.run("SELECT current_setting('enable_external_file_cache')") == [(False,)]
    for each in (small, own):
        each.close()


def test_only_small_tables_share_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = np.zeros(SMALL_CELLS + 1, dtype=np.int64)
    pq.write_table(pa.table({"a": large}), tmp_path / "large.parquet")
    pq.write_table(pa.table({"a": large[:9]}), tmp_path / "small.parquet")
    (tmp_path / "small.csv").write_text("a\n1\n")
    (tmp_path / "large.csv").write_text("a\n" + "1234567\n" * (SMALL_CELLS + 1))
    assert (tmp_path / "large.parquet").stat().st_size < SMALL_CELLS  # rows that are alike take no room
    for suffix in ("parquet", "csv"):
        assert open_source(tmp_path / f"small.{suffix}")._database.is_small
        assert not open_source(tmp_path / f"large.{suffix}")._database.is_small
    assert not open_source(pd.DataFrame({"a": large}))._database.is_small
    monkeypatch.setattr("withhold.engines.duckdb._instance.memory_limit_of_process", lambda: 4 << 30)
    assert not open_source(tmp_path / "small.csv")._database.is_small


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"a": ["x", "y"]}), path)
    time = path.stat().st_mtime_ns
    assert open_source(path).values("a") == ["x", "y"]
    pq.write_table(pa.table({"a": ["p", "q"]}), path)
    os.utime(path, ns=(time, time))
    assert open_source(path).values("a") == ["p", "q"]


def test_a_dictionary_that_is_changed_by_its_reader_stays_what_it_is() -> None:
    source = open_source(pd.DataFrame({"a": [3, 1, 2]}))
    values, numbers = source.values("a"), source.numbers("a", missing=frozenset())
    values.clear()  # type: ignore[attr-defined]
    numbers[:] = 0
    assert source.values("a") == ["1", "2", "3"]
    assert source.numbers("a", missing=frozenset()).tolist() == [1, 2, 3]
    assert source.numbers("a", missing=frozenset({"2"})).tolist()[::2] == [1, 3]


def released(seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 60), "sex": rng.choice(["f", "m"], 60)})
    policy = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=4)])
    return list(wh.release(frame, policy, rng=1).to_frame()["age"])


def test_threads_share_the_engine() -> None:
    one_by_one = [released(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(released, range(8))) == one_by_one


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_starts_its_own() -> None:
    here = released(3)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(released, (3,)).get(timeout=60) == here
    assert released(3) == here
