"""Local recoding of Adult, eight columns: its loss at several k, and its time beside one GROUP BY over the same rows.

The million rows are Adult's, drawn with replacement, with every value drawn anew from its column with probability 0.15.
The search is given the distinct rows with counts, as a GROUP BY delivers them, and is timed without any file.
"""

import os
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks._measure import in_child, median_seconds, peak_mb
from withhold.methods.local import Column, NumberColumn, Promise, SetColumn, TreeColumn, at_least, recode
from withhold.table import Taxonomy

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

COLUMNS = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
EDGES = {"tight": None, "snapped": tuple(range(20, 90, 5))}


def run(*, data: Path | None, quick: bool = False) -> None:
    """Measure losses and times and print them."""
    print(f"{'age':>8} {'k':>4} {'effort':>9} {'NCP':>8} {'s':>6}")
    for kind, ks in (("tight", (2, 5, 10, 50, 500)), ("snapped", (5, 50, 500)), ("sets", (2, 5, 10))):
        for k in ks[:1] if quick else ks:
            for m in in_child(measure_loss, data, kind, k)["efforts"]:
                print(f"{kind:>8} {k:>4} {m['effort']:>9} {m['loss']:>8.5f} {m['seconds']:>6.2f}")
    print(
        f"{'rows':>10} {'distinct':>9} {'effort':>7} {'NCP':>8} {'s':>6} {'GROUP BY s':>11} {'ratio':>6} {'peak MB':>8}"
    )
    times: dict[str, list[float]] = {}
    for n_rows in (10_000, 20_000) if quick else (100_000, 1_000_000):
        for effort in ("quick", "normal"):
            m = in_child(measure_time, data, n_rows, effort)
            times.setdefault(effort, []).append(m["seconds"])
            print(
                f"{n_rows:>10,} {m['distinct']:>9,} {effort:>7} {m['loss']:>8.5f} {m['seconds']:>6.2f} "
                f"{m['floor']:>11.2f} {m['seconds'] / m['floor']:>6.1f} {m['peak']:>8.0f}"
            )
    for effort, (few, many) in times.items():
        print(f"growth over ten times the rows, {effort}: {many / few:.1f} times")


def measure_loss(data: Path | None, kind: str, k: int) -> dict[str, Any]:
    """Recode Adult with each effort."""
    columns, codes = adult(data, kind)
    promises = [Promise(rule=at_least(k), columns=tuple(range(len(COLUMNS))))]
    found = []
    for effort in ("quick", "normal", "thorough"):
        made = recode(columns, codes, None, promises, effort=effort)  # type: ignore[arg-type]
        seconds = median_seconds(lambda: recode(columns, codes, None, promises, effort=effort), runs=1)  # type: ignore[arg-type]  # noqa: B023
        found.append({"effort": effort, "loss": made.loss, "seconds": seconds})
    return {"efforts": found}


def measure_time(data: Path | None, n_rows: int, effort: str) -> dict[str, Any]:
    """Time a recoding of many rows, k = 50, and the GROUP BY."""
    columns, codes = adult(data, "tight")
    rows = blown_up(codes, n_rows)
    names = [np.array(_labels(column), dtype=object) for column in columns]
    frame = {name: names[c][rows[:, c]] for c, name in enumerate(COLUMNS)}
    floor = _group_by(frame)
    distinct, weights = np.unique(rows, axis=0, return_counts=True)
    promises = [Promise(rule=at_least(50), columns=tuple(range(len(COLUMNS))))]
    made = recode(columns, distinct, weights, promises, effort=effort)  # type: ignore[arg-type]
    seconds = median_seconds(
        lambda: recode(columns, distinct, weights, promises, effort=effort),  # type: ignore[arg-type]
        runs=3 if effort == "quick" else 1,
    )
    return {
        "distinct": distinct.shape[0],
        "loss": made.loss,
        "seconds": seconds,
        "floor": floor,
        "peak": peak_mb(),
    }


def adult(data: Path | None, kind: str) -> tuple[list[Column], NDArray[np.int32]]:
    """Return Adult's rows without missing cells: age as a number, the rest with ARX's hierarchies, or as sets."""
    from real_data import adult as read
    from real_data import data_folder

    if data is not None:
        os.environ["WITHHOLD_DATA"] = str(data)
    frame = read()
    columns: list[Column] = []
    codes = []
    for name in COLUMNS:
        texts = frame[name].to_numpy()
        if name == "age":
            values, code = np.unique(texts.astype(float), return_inverse=True)
            columns.append(NumberColumn(values, edges=EDGES.get(kind)))
        elif kind == "sets":
            labels, code = np.unique(texts.astype(str), return_inverse=True)
            columns.append(SetColumn(labels.tolist()))
        else:
            tree = _tree(data_folder() / "arx" / "adult" / f"adult_hierarchy_{name}.csv", set(texts))
            at = {label: i for i, label in enumerate(tree.leaves)}
            code = np.array([at[text] for text in texts])
            columns.append(TreeColumn(tree))
        codes.append(code)
    return columns, np.stack(codes, axis=1).astype(np.int32)


def _tree(path: Path, values: set[str]) -> Taxonomy:
    """Read a hierarchy; a country that it lacks lies in Europe."""
    tree = Taxonomy.read(path)
    lacking = sorted(values - set(tree.leaves))
    return Taxonomy.from_paths([*tree.paths(), *([name, "Europe", tree.labels[0]] for name in lacking)])


def blown_up(codes: NDArray[np.int32], n_rows: int) -> NDArray[np.int32]:
    """Return rows drawn with replacement, with every value drawn anew with probability 0.15."""
    rng = np.random.default_rng(0)
    rows = codes[rng.integers(0, len(codes), n_rows)]
    for c in range(rows.shape[1]):
        again = np.flatnonzero(rng.random(n_rows) < 0.15)
        rows[again, c] = codes[rng.integers(0, len(codes), again.size), c]
    return rows


def _labels(column: Column) -> list[str]:
    if isinstance(column, NumberColumn):
        return [str(value) for value in column.values]
    assert isinstance(column, TreeColumn)
    return [str(label) for label in column.taxonomy.leaves]


def _group_by(frame: dict[str, Any]) -> float:
    import pandas as pd

    table = pd.DataFrame(frame)
    connection = duckdb.connect()
    connection.register("frame", table)
    connection.execute("CREATE TABLE rows AS SELECT * FROM frame").fetchall()
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    group_by = f"SELECT count(*) FROM (SELECT count(*) FROM rows GROUP BY {names})"
    return median_seconds(lambda: connection.execute(group_by).fetchall(), runs=5)
