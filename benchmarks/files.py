"""What each kind of file costs: read, release and write a table, beside DuckDB copying the same rows from CSV to CSV.

Run ``python -m benchmarks.files [--rows N] [KIND …]``. The release is the same in every kind and is proven on what was
written; files of SAS can be read and not written, so their release is a CSV file.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, chdir
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

import withhold as wh
from benchmarks._measure import in_child, median_seconds, peak_mb
from withhold.engines.files import kind_of, save

MOST_IN_A_SHEET = 1_048_575
REGIONS, JOBS, ILLNESSES = 9, 40, 12
KINDS = {
    "CSV": "csv",
    "CSV, gzip": "csv.gz",
    "CSV, zstd": "csv.zst",
    "Parquet": "parquet",
    "Arrow IPC": "arrow",
    "Stata": "dta",
    "SPSS": "sav",
    "SAS transport": "xpt",
    "Excel": "xlsx",
    "SQLite": "sqlite",
    "PostgreSQL": "postgresql",
}
UNWRITTEN = ("xpt",)


def main(n_rows: int, names: list[str]) -> None:
    """Measure the kinds, and print a line of Markdown for each."""
    table = people(n_rows)
    with tempfile.TemporaryDirectory(prefix="files-") as made, ExitStack() as stack:
        folder = Path(made)
        write_csv(table, folder / "people.csv")
        floor = median_seconds(lambda: copy_csv(folder / "people.csv", folder / "copy.csv"))
        wh.release(people(1_000), policy()).to_frame()  # compiles what is compiled once
        print(f"{n_rows:,} rows, {table.num_columns} columns; DuckDB copies the CSV in {floor:.2f} s\n")
        print("| kind | read | decide | write | prove | seconds | times DuckDB's CSV | peak MB |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for name, suffix in KINDS.items():
            if names and name not in names:
                continue
            try:
                places = _places(table, suffix, folder, stack)
            except (ImportError, LookupError) as error:
                print(f"| {name} | not measured: {error} |", flush=True)
                continue
            print(_line(name, in_child(measure, *places), floor), flush=True)


def people(n_rows: int) -> pa.Table:
    """Return a table of invented people."""
    rng = np.random.default_rng(0)
    day = np.datetime64("2023-01-01") + rng.integers(0, 730, n_rows)
    return pa.table(
        {
            "age": rng.integers(18, 90, n_rows),
            "sex": pa.array(np.array(["f", "m"])[rng.integers(0, 2, n_rows)]),
            "region": pa.array(np.array([f"region {i}" for i in range(REGIONS)])[rng.integers(0, REGIONS, n_rows)]),
            "job": pa.array(np.array([f"job {i}" for i in range(JOBS)])[rng.integers(0, JOBS, n_rows)]),
            "admitted": pa.array(day.astype("datetime64[D]")),
            "days": rng.integers(1, 60, n_rows),
            "cost": rng.integers(100, 20_000, n_rows).astype(np.float64) / 10,
            "illness": pa.array(np.array([f"illness {i}" for i in range(ILLNESSES)])[rng.integers(0, 12, n_rows)]),
        }
    )


def policy() -> wh.Policy:
    """Return a policy that counts groups over three columns, one of them numbers."""
    columns = {"age": wh.ColumnSettings(type="number")}
    return wh.Policy([wh.Anonymity(columns=["age", "sex", "region"], k=20)], columns=columns, target="illness")


def measure(source: str, out: str) -> dict[str, Any]:
    """Return how long reading, releasing and writing took, proof included."""
    wh.release(people(1_000), policy()).to_frame()  # imports, and loads what was compiled
    # What belongs beside a table of a server is written into the working folder.
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        begin = time.perf_counter()
        made = wh.release(source, policy())
        made.write(out)
        return {"seconds": time.perf_counter() - begin, "peak": peak_mb(), **made.timings}


def copy_csv(source: Path, out: Path) -> None:
    """Let DuckDB read a CSV file as text and write it again."""
    with duckdb.connect() as connection:
        rows = f"SELECT * FROM read_csv('{source}', all_varchar = true)"
        connection.execute(f"COPY ({rows}) TO '{out}' (HEADER)")


def write_csv(table: pa.Table, path: Path, options: str = "") -> None:
    """Write a table as CSV."""
    with duckdb.connect() as connection:
        connection.register("people", table)
        connection.execute(f"COPY people TO '{path}' (FORMAT csv, HEADER{options})")


def _places(table: pa.Table, suffix: str, folder: Path, stack: ExitStack) -> tuple[str, str]:
    """Write the table as a kind of file or into a database; return where it lies and where its release goes."""
    if suffix in ("sqlite", "postgresql"):
        return _database(table, suffix, folder, stack)
    path = folder / f"people.{suffix}"
    _WRITERS[suffix](table, path)
    return str(path), str(folder / f"release.{'csv' if suffix in UNWRITTEN else suffix}")


def _database(table: pa.Table, system: str, folder: Path, stack: ExitStack) -> tuple[str, str]:
    if system == "sqlite":
        from adbc_driver_sqlite import dbapi

        url = f"sqlite:///{folder / 'people.db'}"
        address = str(folder / "people.db")
    else:
        from adbc_driver_postgresql import dbapi
        from tests.engines.files.postgres_server import find_programs, running_server

        programs = find_programs()
        if programs is None:
            raise LookupError("there is no PostgreSQL server")
        address = url = stack.enter_context(running_server(programs))
    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("people", table, mode="create")
        connection.commit()
    mark = "&" if "?" in url else "?"
    return f"{url}{mark}table=people", f"{url}{mark}table=published"


def _write_sheet(table: pa.Table, path: Path) -> None:
    kind = kind_of(path)
    assert kind is not None
    save(path, kind, table.slice(0, MOST_IN_A_SHEET).to_reader(), labels={}, value_labels={})


def _write_statistical(writer: str) -> Callable[[pa.Table, Path], None]:
    def write(table: pa.Table, path: Path) -> None:
        import pyreadstat

        getattr(pyreadstat, writer)(table.to_pandas(date_as_object=True), str(path))

    return write


_WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "csv": write_csv,
    "csv.gz": lambda table, path: write_csv(table, path, ", COMPRESSION gzip"),
    "csv.zst": lambda table, path: write_csv(table, path, ", COMPRESSION zstd"),
    "parquet": lambda table, path: pyarrow.parquet.write_table(table, path),
    "arrow": lambda table, path: pyarrow.feather.write_feather(table, path),
    "dta": _write_statistical("write_dta"),
    "sav": _write_statistical("write_sav"),
    "xpt": _write_statistical("write_xport"),
    "xlsx": _write_sheet,
}


def _line(name: str, found: dict[str, Any], floor: float) -> str:
    parts = [f"{found.get(part, 0.0):.1f}" for part in ("read", "search", "write", "check")]
    whole = f"{found['seconds']:.1f} | {found['seconds'] / floor:.1f} | {found['peak']:,.0f}"
    return f"| {name} | {' | '.join(parts)} | {whole} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"kinds to measure: {', '.join(KINDS)}")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    main(options.rows, options.kinds)
