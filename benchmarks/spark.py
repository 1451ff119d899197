"""A release on Spark beside Spark's own read + GROUP BY + write of the same rows, and beside DuckDB.

``python -m benchmarks.spark --rows 1000000 10000000`` prints a table in Markdown: seconds by phase, the largest memory
of the driver's Python and of Java (driver and executors share one process in local mode), the ratio to the floor, and
how often the cluster was asked. Rows lie in a temporary folder (TMPDIR), about 12 bytes each and as much for each copy.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["main"]

KNOWN = ("age", "sex", "region", "education")
POLICY: dict[str, Any] = {"columns": KNOWN, "k": 50}
CORES = 2


def main(arguments: list[str] | None = None) -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--engine", choices=["spark", "duckdb"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.engine:
        print(json.dumps(_measure(asked.engine, asked.folder, asked.rows[0])))
        return
    print(
        "| rows | engine | floor | read | search | write | check | all | ratio | Python MB | Java MB | distinct rows "
        "| questions |"
    )
    print("| ---: | --- | " + "---: | " * 11)
    for n_rows in asked.rows:
        with tempfile.TemporaryDirectory() as folder:
            for engine in ("spark", "duckdb"):
                print(_line(n_rows, engine, _run(engine, Path(folder), n_rows)), flush=True)


def _run(engine: str, folder: Path, n_rows: int) -> dict[str, Any]:
    asked = [
        sys.executable,
        "-m",
        "benchmarks.spark",
        "--engine",
        engine,
        "--folder",
        str(folder),
        "--rows",
        str(n_rows),
    ]
    printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    found: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return found


def _line(n_rows: int, engine: str, found: dict[str, Any]) -> str:
    phases = [f"{found[phase]:.1f}" for phase in ("floor", "read", "search", "write", "check", "all")]
    ratio = f"{found['all'] / found['floor']:.2f}"
    memory = [f"{found['python_mb']:.0f}", f"{found['java_mb']:.0f}" if found["java_mb"] else "–"]
    counted = [f"{found['n_entries']:,}", str(found["n_jobs"] or "–")]
    return "| " + " | ".join([f"{n_rows:,}", engine, *phases, ratio, *memory, *counted]) + " |"


def _measure(engine: str, folder: Path, n_rows: int) -> dict[str, Any]:
    data = folder / "people.parquet"
    if not data.exists():
        _make(data, n_rows)
    session = _session() if engine == "spark" else None
    floor = _spark_floor(session, data, folder) if session is not None else _duckdb_floor(data, folder)
    begin = time.perf_counter()
    timings, n_entries, n_jobs = _release(engine, data, folder / f"{engine}.parquet")
    return {
        **{phase: timings.get(phase, 0.0) for phase in ("read", "search", "write", "check")},
        "all": time.perf_counter() - begin,
        "floor": floor,
        "n_entries": n_entries,
        "n_jobs": n_jobs,
        "python_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "java_mb": _java_mb(),
    }


def _release(engine: Any, data: Path, out: Path) -> tuple[dict[str, float], int, int]:
    import withhold as wh
    from withhold.releasing import release_file

    policy = wh.Policy([wh.Anonymity(**POLICY)], target="class", drop=["id"])
    made, _ = release_file(data, policy, out, engine=engine)
    return made.timings, made.run.table.n_entries, getattr(made.source, "n_jobs", 0)


def _session() -> Any:
    from withhold.engines.spark import open_session

    conf = {"spark.sql.shuffle.partitions": str(CORES), "spark.driver.memory": "2g", "spark.driver.host": "127.0.0.1"}
    session = open_session(master=f"local[{CORES}]", conf=conf)
    session.range(1).count()  # what starts once is not the job's
    return session


def _spark_floor(session: Any, data: Path, folder: Path) -> float:
    from withhold.engines.spark._arrow import arrow_of

    begin = time.perf_counter()
    frame = session.read.parquet(str(data))
    arrow_of(frame.groupBy(*KNOWN, "class").count())
    frame.drop("id").write.option("compression", "zstd").parquet(str(folder / "floor"))
    seconds = time.perf_counter() - begin
    shutil.rmtree(folder / "floor")
    return seconds


def _duckdb_floor(data: Path, folder: Path) -> float:
    import duckdb

    database = duckdb.connect()
    database.execute(f"SET threads = {CORES}")
    out = folder / "floor.parquet"
    begin = time.perf_counter()
    database.execute(f"SELECT {', '.join(KNOWN)}, class, count(*) FROM '{data}' GROUP BY ALL").fetchall()
    database.execute(f"COPY (SELECT * EXCLUDE id FROM '{data}') TO '{out}' (FORMAT parquet, COMPRESSION zstd)")
    seconds = time.perf_counter() - begin
    out.unlink()
    return seconds


def _make(path: Path, n_rows: int) -> None:
    """Make people of whom the same combinations occur however many rows there are."""
    import duckdb

    database = duckdb.connect()
    database.execute(f"SET threads = {CORES}")
    database.execute(
        "COPY (SELECT range AS id, (hash(range * 7919 + 1000003) % 73 + 17)::INTEGER AS age, "
        "CASE WHEN hash(range * 7919 + 2000003) % 2 = 0 THEN 'f' ELSE 'm' END AS sex, 'r' || hash(range * 7919 + 3000003) % 26 AS region, "
        "'e' || hash(range * 7919 + 4000003) % 12 AS education, (hash(range * 7919 + 5000003) % 80)::INTEGER AS hours, "
        "'o' || hash(range * 7919 + 6000003) % 40 AS occupation, CASE WHEN hash(range * 7919 + 7000003) % 4 = 0 THEN 'yes' ELSE 'no' END AS class "
        f"FROM range({int(n_rows)})) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 250000)"
    )


def _java_mb() -> float:
    """Return the largest memory of the Java process below this one; driver and executors are one there."""
    found = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if lines.get("Name", "").strip() == "java" and int(lines["PPid"]) == os.getpid():
            found = max(found, int(lines["VmHWM"].split()[0]) / 1024)
    return found


if __name__ == "__main__":
    main()
