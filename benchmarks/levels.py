"""Full-domain recoding of Adult, eight columns: its loss and time at several k and limits, and at a million rows.

The search is given the distinct rows with counts, as a GROUP BY delivers them, and is timed without any file.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._measure import in_child, median_seconds, peak_mb
from benchmarks.local import adult, blown_up
from withhold.methods.levels import LevelColumn, recode_levels
from withhold.methods.local import NumberColumn, Promise, TreeColumn, at_least


def run(*, data: Path | None, quick: bool = False) -> None:
    """Measure losses and times and print them."""
    print(
        f"{'rows':>10} {'distinct':>9} {'k':>4} {'limit':>6} {'NCP':>8} {'withheld':>9} {'tried':>6} {'s':>6} {'MB':>6}"
    )
    for n_rows in (0,) if quick else (0, 100_000, 1_000_000):
        for k in (5,) if quick else (2, 5, 10, 50, 500):
            for share in (0.0, 0.02, 0.05, 1.0):
                m = in_child(measure, data, n_rows, k, share)
                print(
                    f"{m['rows']:>10,} {m['distinct']:>9,} {k:>4} {share:>6} {m['loss']:>8.5f} {m['withheld']:>9,} "
                    f"{m['tried']:>5}{' ' if m['proven'] else '?'} {m['seconds']:>6.2f} {m['peak']:>6.0f}"
                )


def measure(data: Path | None, n_rows: int, k: int, share: float) -> dict[str, Any]:
    """Recode Adult, or as many rows made from it."""
    columns, codes = adult_levels(data)
    rows = blown_up(codes, n_rows) if n_rows else codes
    distinct, weights = np.unique(rows, axis=0, return_counts=True)
    promises = [Promise(rule=at_least(k), columns=tuple(range(len(columns))))]
    made = recode_levels(columns, distinct, weights, promises, most_withheld=share)
    seconds = median_seconds(lambda: recode_levels(columns, distinct, weights, promises, most_withheld=share))
    return {
        "rows": len(rows),
        "distinct": len(distinct),
        "loss": made.loss,
        "withheld": made.n_withheld,
        "tried": made.n_tried,
        "proven": made.is_optimal,
        "seconds": seconds,
        "peak": peak_mb(),
    }


def adult_levels(data: Path | None) -> tuple[list[LevelColumn], NDArray[np.int32]]:
    """Return Adult with ages in intervals of 5, 10 and 20 years, and the hierarchies of the other columns."""
    columns, codes = adult(data, "tight")
    found = []
    for column in columns:
        if isinstance(column, NumberColumn):
            edges = [range(0, 100, width) for width in (5, 10, 20)]
            found.append(LevelColumn.of_numbers(column.values, edges, step=1))
        else:
            assert isinstance(column, TreeColumn)
            found.append(LevelColumn.of_column(column))
    return found, codes
