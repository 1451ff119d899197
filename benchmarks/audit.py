"""The audit of a release of Adult, blown up to a million rows x 15 columns: checks alone, then quick attacks.

The floor of the checks is what any check must do: DuckDB reads the same CSV files as text and counts the same groups.
The quick audit attacks 20,000 blanked cells of two columns with every attacker, and measures what analysts lose.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import withhold as wh
from benchmarks._adult import blown_up, settings
from benchmarks._measure import in_child, median_seconds, peak_mb

KNOWN = ("age", "workclass", "education", "sex", "race")
GIVEN, HIDE = ("workclass", "race"), {"marital-status": ("Widowed",)}
BLANKED = ("occupation", "relationship")


def run(*, data: Path | None, quick: bool = False) -> None:
    """Measure and print."""
    print(
        f"audit {'rows':>10} {'checks s':>9} {'floor s':>8} {'ratio':>6} {'+original':>9} {'ratio':>6} {'peak MB':>8}"
    )
    n_rows = 20_000 if quick else 1_000_000
    m = in_child(measure_checks, data, n_rows)
    print(
        f"      {n_rows:>10,} {m['checks']:>9.2f} {m['floor']:>8.2f} {m['checks'] / m['floor']:>6.2f} "
        f"{m['both']:>9.2f} {m['both'] / m['floor_of_both']:>6.2f} {m['peak']:>8.0f}"
    )
    m = in_child(measure_attacks, data, n_rows)
    parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in m["timings"].items())
    print(f"audit --quick, {m['attacks']} attacks: {m['seconds']:.1f} s ({parts}); peak {m['peak']:.0f} MB")


def measure_checks(data: Path | None, n_rows: int) -> dict[str, Any]:
    """Time the checks of a release on disk, and reading and counting alone."""
    policy = wh.Policy(
        [
            wh.Anonymity(columns=KNOWN, k=50),
            wh.Anonymity(columns=["occupation", "native-country"], k=20),
            wh.Template(given=GIVEN, hide=HIDE, at_most=0.5),
        ],
        target="income",
        columns=settings(),
    )
    with tempfile.TemporaryDirectory() as folder:
        original, made = Path(folder) / "original.csv", Path(folder) / "release.csv"
        blown_up(data, n_rows).to_csv(original, index=False)
        wh.release(original, policy).write(made)

        def floor(paths: list[Path]) -> None:
            for path in paths:
                connection = duckdb.connect()
                connection.execute(f"CREATE TABLE rows AS FROM read_csv('{path}', all_varchar=true)").fetchall()
                rest = [n for n in _names(connection) if n not in (*KNOWN, "occupation", "native-country")]
                for columns in (KNOWN, ("occupation", "native-country"), (*GIVEN, *HIDE), rest) if path == made else ():
                    names = ", ".join(f'"{name}"' for name in columns)
                    connection.execute(f"SELECT count(*) FROM (SELECT 1 FROM rows GROUP BY {names})").fetchall()
                connection.close()

        return {
            "checks": median_seconds(lambda: wh.audit(made, policy, attack=False)),
            "floor": median_seconds(lambda: floor([made])),
            "both": median_seconds(lambda: wh.audit(made, policy, original=original, attack=False)),
            "floor_of_both": median_seconds(lambda: floor([original, made])),
            "peak": peak_mb(),
        }


def _names(connection: Any) -> list[str]:
    return [row[0] for row in connection.execute("DESCRIBE rows").fetchall()]


def measure_attacks(data: Path | None, n_rows: int) -> dict[str, Any]:
    """Time a quick audit of a file whose hidden cells are only blanked."""
    frame = blown_up(data, n_rows)
    rng = np.random.default_rng(0)
    cells = [(int(row), name) for name in BLANKED for row in rng.choice(n_rows, n_rows // 100, replace=False)]
    bins = {name: wh.ColumnSettings(type="number", bins=8) for name in settings() if settings()[name].type == "number"}
    hidden = wh.Hidden(cells=cells, against=[wh.Against(adversary="naive-bayes")])
    policy = wh.Policy([hidden], target="income", columns=bins)
    with tempfile.TemporaryDirectory() as folder:
        original, made = Path(folder) / "original.csv", Path(folder) / "release.csv"
        frame.to_csv(original, index=False)
        for name in BLANKED:
            frame.loc[[row for row, column in cells if column == name], name] = "*"
        frame.to_csv(made, index=False)
        begin = time.perf_counter()
        audit = wh.audit(made, policy, original=original, quick=True, rng=0)
        seconds = time.perf_counter() - begin
    return {"seconds": seconds, "attacks": len(audit.attacks), "timings": audit.timings, "peak": peak_mb()}


if __name__ == "__main__":
    run(data=None)
