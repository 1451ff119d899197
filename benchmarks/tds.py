"""TDS on Adult blown up as in section 6.3 of the paper: the search against one GROUP BY, the command against a copy.

(a) one requirement over all 14 columns, k = 50; (b) ten random policies of several requirements, drawn as in section 6.1:
3 to 7 column sets of one length between 2 and 9, k = 50. The search is timed without any file, as the paper does; the
floor is DuckDB's GROUP BY over the same 14 columns of the same rows, in the same process.
"""

import random
import statistics
import tempfile
from pathlib import Path
from typing import Any

import duckdb

import withhold as wh
from benchmarks._adult import blown_up, in_memory, settings
from benchmarks._measure import in_child, median_seconds, peak_mb
from withhold.methods import tds
from withhold.releasing import release_file

SIZES = (100_000, 200_000, 1_000_000)
N_RANDOM = 10


def run(*, data: Path | None, quick: bool = False) -> None:
    """Measure all sizes and print them."""
    sizes = (10_000, 20_000) if quick else SIZES
    print(
        f"{'rows':>10} {'policy':>9} {'splits':>6} {'steps':>6} {'search s':>9} {'GROUP BY s':>11} {'ratio':>6} {'peak MB':>8}"
    )
    times: dict[tuple[str, str], list[float]] = {}
    for n_rows in sizes:
        for policy, splits in (("all", "best"), ("all", "valid"), ("several", "best")):
            m = in_child(measure_search, data, n_rows, policy, splits)
            times.setdefault((policy, splits), []).append(m["search"])
            print(
                f"{n_rows:>10,} {policy:>9} {splits:>6} {m['steps']:>6} {m['search']:>9.2f} {m['floor']:>11.2f} "
                f"{m['search'] / m['floor']:>6.2f} {m['peak']:>8.0f}"
                + (
                    f"   (mean of {N_RANDOM} policies; the slowest: {m['worst'] / m['floor']:.2f})"
                    if policy == "several"
                    else ""
                )
            )
    for (policy, splits), each in times.items():
        print(f"growth {sizes[0]:,} to {sizes[-1]:,} rows, {policy}, {splits}: {each[-1] / each[0]:.1f} times")
    m = in_child(measure_command, data, sizes[-1])
    print(
        f"CSV to CSV, {sizes[-1]:,} x 15: release {m['whole']:.2f} s, of it search {m['search']:.2f} s; DuckDB alone reads, "
        f"groups and writes it in {m['copy']:.2f} s; ratio without the search {(m['whole'] - m['search']) / m['copy']:.2f}; "
        f"peak {m['peak']:.0f} MB"
    )


def policies(kind: str, columns: tuple[str, ...]) -> list[list[wh.Anonymity]]:
    """Return the policies to measure: one over all columns, or random ones as in section 6.1."""
    if kind == "all":
        return [[wh.Anonymity(columns=columns, k=50)]]
    draw = random.Random(0)
    found = []
    for _ in range(N_RANDOM):
        n_sets, length = draw.randint(3, 7), draw.randint(2, 9)
        sets = {tuple(sorted(draw.sample(columns, length))) for _ in range(n_sets)}
        found.append([wh.Anonymity(columns=each, k=50) for each in sorted(sets)])
    return found


def measure_search(data: Path | None, n_rows: int, kind: str, splits: str) -> dict[str, Any]:
    """Time the search and the floor on the same rows."""
    frame = blown_up(data, n_rows)
    columns = tuple(frame.columns[:-1])
    table = in_memory(frame)
    connection = duckdb.connect()
    connection.register("frame", frame)
    connection.execute("CREATE TABLE rows AS SELECT * FROM frame").fetchall()
    names = ", ".join(f'"{name}"' for name in columns)
    group_by = f"SELECT count(*) FROM (SELECT count(*) FROM rows GROUP BY {names})"
    n_steps, seconds = [], []
    for requirements in policies(kind, columns):

        def search() -> Any:
            return tds(table, requirements, target="income", splits=splits)  # type: ignore[arg-type]  # noqa: B023

        n_steps.append(len(search().steps))
        seconds.append(median_seconds(search))
    floor = median_seconds(lambda: connection.execute(group_by).fetchall(), runs=5)
    mean = statistics.mean(seconds)
    return {
        "steps": round(statistics.mean(n_steps)),
        "search": mean,
        "worst": max(seconds),
        "floor": floor,
        "peak": peak_mb(),
    }


def measure_command(data: Path | None, n_rows: int) -> dict[str, Any]:
    """Time the whole job from CSV to CSV, and DuckDB reading, grouping and writing the same file."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "in.csv", Path(folder) / "out.csv"
        frame = blown_up(data, n_rows)
        columns = tuple(frame.columns[:-1])
        frame.to_csv(source, index=False)
        del frame
        policy = wh.Policy([wh.Anonymity(columns=columns, k=50)], target="income", columns=settings())
        searches: list[float] = []

        def whole() -> None:
            made, _ = release_file(source, policy, out)
            searches.append(made.timings["search"])

        def copy() -> None:
            connection = duckdb.connect()
            names = ", ".join(f'"{name}"' for name in columns)
            connection.execute(f"CREATE TABLE t AS SELECT * FROM read_csv('{source}', all_varchar = true)").fetchall()
            connection.execute(f"SELECT count(*) FROM (SELECT count(*) FROM t GROUP BY {names})").fetchall()
            connection.execute(f"COPY t TO '{out}' (FORMAT csv, HEADER true)").fetchall()
            connection.close()

        whole()
        searches.clear()
        seconds = median_seconds(whole)
        return {"whole": seconds, "search": sorted(searches)[1], "copy": median_seconds(copy), "peak": peak_mb()}
