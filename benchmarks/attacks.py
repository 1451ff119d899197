"""Times that are asked for: `release --with` and `audit --with`, compatible linkage, hidden cells and any learner.

    python -m benchmarks.attacks [--data FOLDER] [--rows 1000000] [--only release-with audit-with linkage any]

The first two are of made-up people with an id, as many in either release; a ninth of them leaves, and as many join.
`any` needs Adult in the folder. Each is measured in a process of its own, the time of loading what is compiled left out.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import withhold as wh
from benchmarks._measure import in_child, peak_mb
from benchmarks.linkage import measure_candidates

COLUMNS = ("age", "sex", "zip", "education")
ASKED = {"release-with": 60, "audit-with": 60, "linkage": 30, "any": 300}


def main() -> None:
    """Measure what is asked for and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with Adult, for `any`")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cells", type=int, default=1_000, help="how many cells are hidden for `any`")
    parser.add_argument("--only", nargs="+", choices=ASKED, default=list(ASKED))
    given = parser.parse_args()
    run(data=given.data, n_rows=given.rows, n_cells=given.cells, only=given.only)


def run(
    *, data: Path | None, quick: bool = False, n_rows: int = 1_000_000, n_cells: int = 1_000, only: Any = tuple(ASKED)
) -> None:
    """Measure and print everything; `quick` takes a tenth of the rows and leaves Adult out."""
    n_rows = n_rows // 10 if quick else n_rows
    if {"release-with", "audit-with"} & {*only}:
        for line in in_child(measure_with, n_rows)["lines"]:
            print(line, flush=True)
    if "linkage" in only:
        m = in_child(measure_candidates, n_rows, "blanks")
        print(_line("linkage", f"{n_rows:,} x 8, cells blanked", m["seconds"], m["cpu"], m["peak"]), flush=True)
    if "any" in only and data is not None and not quick:
        print(in_child(measure_any, data, n_cells)["line"], flush=True)


def people(n_rows: int) -> Any:
    """Return made-up people."""
    import pandas as pd

    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "id": np.arange(n_rows),
            "age": rng.integers(18, 90, n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
            "zip": rng.choice([f"z{i:02}" for i in range(50)], n_rows),
            "education": rng.choice(list("abcdefgh"), n_rows),
            "illness": rng.choice([f"i{i}" for i in range(8)], n_rows),
        }
    )


def measure_with(n_rows: int) -> dict[str, Any]:
    """Release people twice, the second time with the first release; audit both."""
    asked = [wh.Anonymity(columns=COLUMNS, k=5), wh.Diversity(columns=COLUMNS, sensitive="illness", l=3)]
    policy = wh.Policy(asked, drop=["id"], recoding="local", effort="quick")
    _twice(people(3_000), policy)  # loads what is compiled
    return {"lines": _twice(people(n_rows * 10 // 9), policy)}


def _twice(frame: Any, policy: wh.Policy) -> list[str]:
    n_people, tenth = len(frame), len(frame) // 10
    then, now = frame[:-tenth].reset_index(drop=True), frame[tenth:].reset_index(drop=True)
    begin, cpu = time.perf_counter(), time.process_time()
    old = wh.Earlier(release=wh.release(then, policy, rng=1).to_frame(), original=then)
    alone = time.perf_counter() - begin, time.process_time() - cpu
    begin, cpu = time.perf_counter(), time.process_time()
    made = wh.release(now, policy, earlier=[old], key="id", hold_back=True, rng=1)
    new = made.to_frame()
    pair = time.perf_counter() - begin, time.process_time() - cpu
    kept = now.drop(index=list(made.held_back)).reset_index(drop=True)
    begin, cpu = time.perf_counter(), time.process_time()
    found = wh.audit(new, policy, original=kept, earlier=[old], key="id", attack=False)
    audit = time.perf_counter() - begin, time.process_time() - cpu
    assert found.together is not None
    assert not found.together.exposed
    what = f"{n_people - tenth:,} rows, {tenth:,} left and {tenth:,} joined"
    return [
        f"release alone: {alone[0]:.1f} s ({alone[1]:.1f} computing)",
        _line("release-with", f"{what}, {len(made.held_back):,} held back", *pair, peak_mb()),
        _line("audit-with", what, *audit, peak_mb()),
    ]


def measure_any(data: Path, n_cells: int) -> dict[str, Any]:
    """Hide cells of Adult from any learner."""
    from benchmarks._adult import original

    frame = original(data)
    rng = np.random.default_rng(3)
    rows = np.sort(rng.choice(len(frame), n_cells, replace=False))
    cells = [(int(row), "occupation") for row in rows]
    numbers = [name for name in frame.columns if frame[name].dtype.kind in "if"]
    columns = {name: wh.ColumnSettings(type="number", bins=10) for name in numbers}
    policy = wh.Policy([wh.Hidden(cells=cells, against=["any"])], columns=columns)
    begin, cpu = time.perf_counter(), time.process_time()
    wh.release(frame, policy, rng=1).to_frame()
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    return {"line": _line("any", f"Adult, {len(frame):,} rows, {n_cells:,} cells", seconds, cpu, peak_mb())}


def _line(name: str, what: str, seconds: float, cpu: float, peak: float) -> str:
    return f"{name}: {what}: {seconds:.1f} s ({cpu:.1f} computing; asked: below {ASKED[name]} s), peak {peak:.0f} MB"


if __name__ == "__main__":
    main()
