"""PDA on Adult blown up as in section 5.3 of its paper: Top1, h = 90 %, the search against one GROUP BY.

The masking columns are work class, occupation, race and native country, the sensitive values the rarer half of marital
status. The floor is DuckDB's GROUP BY over the same columns, with the sensitive one and the target, in the same process.
"""

from pathlib import Path
from typing import Any

import duckdb

import withhold as wh
from benchmarks._adult import blown_up, in_memory
from benchmarks._measure import in_child, median_seconds, peak_mb
from withhold.methods import pda

SIZES = (200_000, 400_000, 1_000_000)
GIVEN = ("workclass", "occupation", "race", "native-country")
HIDE = {"marital-status": ("Married-AF-spouse", "Married-spouse-absent", "Widowed")}


def run(*, data: Path | None, quick: bool = False) -> None:
    """Measure all sizes and print them."""
    print(f"PDA {'rows':>10} {'steps':>6} {'search s':>9} {'GROUP BY s':>11} {'ratio':>6} {'peak MB':>8}")
    for n_rows in (20_000,) if quick else SIZES:
        m = in_child(measure, data, n_rows)
        print(
            f"    {n_rows:>10,} {m['steps']:>6} {m['search']:>9.3f} {m['floor']:>11.3f} "
            f"{m['search'] / m['floor']:>6.2f} {m['peak']:>8.0f}"
        )


def measure(data: Path | None, n_rows: int) -> dict[str, Any]:
    """Time the search and the floor on the same rows."""
    frame = blown_up(data, n_rows)[[*GIVEN, *HIDE, "income"]]
    table = in_memory(frame)
    connection = duckdb.connect()
    connection.register("frame", frame)
    connection.execute("CREATE TABLE rows AS SELECT * FROM frame").fetchall()
    names = ", ".join(f'"{name}"' for name in frame.columns)
    group_by = f"SELECT count(*) FROM (SELECT count(*) FROM rows GROUP BY {names})"
    templates = [wh.Template(given=GIVEN, hide=HIDE, at_most=0.9)]

    def search() -> Any:
        return pda(table, templates, target="income")

    steps = len(search().steps)
    seconds = median_seconds(search, runs=5)
    floor = median_seconds(lambda: connection.execute(group_by).fetchall(), runs=5)
    return {"steps": steps, "search": seconds, "floor": floor, "peak": peak_mb()}
