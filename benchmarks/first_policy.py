"""What is left of real tables when the first policy of `inspect` is released unedited.

Run ``python -m benchmarks.first_policy [TABLE …]`` with the tables in ``WITHHOLD_DATA``. Only the command line is used to
make the policy, so that an earlier version can be measured by putting it on ``PYTHONPATH``.
"""

import os
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import withhold as wh

TABLES = {
    "adult (ARX)": "arx/adult/adult.csv",
    "fars": "arx/fars/fars_subset.csv",
    "credit cards": "arx/creditcard_int/creditcard_int.csv",
    "mach2019": "arx/mach2019_int/mach2019_int.csv",
    "household survey": "sdcmicro/testdata.csv",
    "labour survey": "sdcmicro/free1.csv",
    "census incomes": "sdcmicro/CASCrefmicrodata.csv",
    "companies": "sdcmicro/Tarragona.csv",
    "utilities": "sdcmicro/EIA.csv",
}
MOST_ROWS = 10_000
N_MEANS = 10
NO_AMOUNTS = ("ori_hid", "UTILITYID", "WEIGHT", "AFNLWGT", "household_weights", "REGION", "COMPCODE", "OCCUCODE")
"""Codes, numbers of units and weights, whose means nobody asks for."""
SEED = 0


def main(names: list[str], purpose: str) -> None:
    """Measure the tables, and print a line of Markdown for each."""
    folder = Path(os.environ["WITHHOLD_DATA"])
    print("| table | rows | columns | dropped | lost | NCP | error of ten group means | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, path in TABLES.items():
        if not names or name in names:
            print(_line(name, measure(folder / path, purpose)), flush=True)


def measure(path: Path, purpose: str) -> dict[str, Any]:
    """Return what the first policy leaves of a table."""
    frame = pd.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=SEED).reset_index(drop=True)
    with tempfile.TemporaryDirectory() as made:
        data, policy, out = (Path(made) / each for each in ("data.csv", "policy.toml", "out.csv"))
        frame.to_csv(data, index=False)
        words = [sys.executable, "-m", "withhold", "inspect", str(data), "--policy-out", str(policy)]
        words += ["--for", purpose] if purpose else []
        subprocess.run(words, check=True, capture_output=True)
        begin = time.perf_counter()
        wh.release(data, policy).write(out)
        seconds = time.perf_counter() - begin
        shown = pd.read_csv(out, dtype=str, keep_default_na=False)
        trees = _trees(policy)
        frame = _without_codes(frame, policy)
    kept = [column for column in frame if column in shown]
    lost = [column for column in kept if set(shown[column]) <= {"*", ""} and not set(frame[column]) <= {"*", ""}]
    penalty = {column: _penalty(frame[column], shown[column], trees.get(column)) for column in kept}
    ncp = sum(penalty.values()) + (frame.shape[1] - len(kept))
    return {
        "rows": len(frame),
        "columns": frame.shape[1],
        "dropped": frame.shape[1] - len(kept),
        "lost": len(lost),
        "ncp": ncp / frame.shape[1],
        "error": _error(frame, shown),
        "seconds": seconds,
    }


def _line(name: str, found: dict[str, Any]) -> str:
    figures = (
        f"{found['dropped']} | {found['lost']} | {found['ncp']:.3f} | {found['error']:.3f} | {found['seconds']:.1f}"
    )
    return f"| {name} | {found['rows']:,} | {found['columns']} | {figures} |"


def _trees(policy: Path) -> dict[str, wh.Taxonomy]:
    columns = tomllib.loads(policy.read_text()).get("columns", {})
    return {
        name: wh.Taxonomy.read(policy.parent / each["taxonomy"]) for name, each in columns.items() if "taxonomy" in each
    }


def _without_codes(frame: pd.DataFrame, policy: Path) -> pd.DataFrame:
    """Return the table as the policy reads it: codes for a missing answer are no numbers, and nothing is lost with them."""
    columns = tomllib.loads(policy.read_text()).get("columns", {})
    codes = {name: each["missing_codes"] for name, each in columns.items() if "missing_codes" in each}
    return frame.assign(**{name: frame[name].where(~frame[name].isin(held), "") for name, held in codes.items()})


def _penalty(was: pd.Series, shown: pd.Series, tree: wh.Taxonomy | None) -> float:
    """Return how much of a column is lost: 0 where it is published as it was, 1 where it is withheld."""
    if was.equals(shown):
        return 0.0
    numbers = pd.to_numeric(was, errors="coerce")
    span = float(numbers.max() - numbers.min()) if numbers.notna().mean() > 0.5 else 0.0
    n_values = max(was.nunique() - 1, 1)
    costs = {}
    for text, rows in was.groupby(shown):
        if text == "*":
            costs[text] = 1.0
        elif rows.nunique() == 1:
            costs[text] = 0.0
        elif tree is not None and text in tree.labels:
            node = tree.node(str(text))
            costs[text] = (int(tree.last[node] - tree.first[node]) - 1) / n_values
        elif str(text).startswith("{"):
            costs[text] = str(text).count(",") / n_values
        else:
            low, high = _ends(str(text), numbers, rows.index)
            costs[text] = min((high - low) / span, 1.0) if span > 0 else 1.0
    return float(shown.map(costs).mean())


def _ends(text: str, numbers: pd.Series, rows: pd.Index) -> tuple[float, float]:
    """Return the ends of an interval, or what a number that stands for others covers."""
    if text[:1] == "<":
        return float(numbers.min()), float(text[1:])
    if text[:1] == "≥":
        return float(text[1:]), float(numbers.max())
    if text[:1] == "[":
        low, high = text[1:-1].split(",")
        return float(low), float(high)
    return float(numbers[rows].min()), float(numbers[rows].max())


def _error(frame: pd.DataFrame, shown: pd.DataFrame) -> float:
    """Return by how much ten means of groups are wrong on average, 1 at most, as an analyst would compute them.

    Groups are common values of columns with few values, means are of columns of numbers; withheld cells are left out,
    intervals count by their middle. A mean that cannot be computed any more is wrong by 1.
    """
    number_of = {name: pd.to_numeric(frame[name], errors="coerce") for name in frame}
    usable = {name: each for name, each in number_of.items() if name not in NO_AMOUNTS}
    amounts = [name for name, each in usable.items() if each.notna().mean() > 0.9 and each.nunique() > 20]
    groups: list[tuple[str, Any]] = [(name, value) for name in frame for value in _common(frame[name])]
    if not groups:
        thirds = {name: number_of[name].quantile([1 / 3, 2 / 3]).tolist() for name in amounts}
        groups = [(name, ends) for name in amounts for ends in ((-np.inf, thirds[name][0]), (thirds[name][1], np.inf))]
    rng = np.random.default_rng(SEED)
    pairs = [(name, value, amount) for name, value in groups for amount in amounts if amount != name]
    chosen = [pairs[i] for i in rng.permutation(len(pairs))[:N_MEANS]]
    errors = []
    for name, value, amount in chosen:
        true = float(number_of[amount][_members(frame[name], value)].mean())
        spread = float(number_of[amount].std()) or 1.0
        if name not in shown or amount not in shown:
            errors.append(1.0)
            continue
        found = _middles(shown[amount])[_members(shown[name], value)].mean()
        errors.append(1.0 if np.isnan(found) else min(abs(found - true) / max(abs(true), 0.1 * spread), 1.0))
    return float(np.mean(errors)) if errors else float("nan")


def _members(column: pd.Series, value: Any) -> pd.Series:
    """Return which rows hold a value, or a number between two ends."""
    if not isinstance(value, str):
        return _middles(column).between(*value)
    number = pd.to_numeric(value, errors="coerce")
    return (column == value) | (pd.to_numeric(column, errors="coerce") == number)


def _common(column: pd.Series) -> list[str]:
    if not 2 <= column.nunique() <= 20:
        return []
    shares = column.value_counts(normalize=True)
    return list(shares.index[shares >= 0.05])


def _middles(column: pd.Series) -> pd.Series:
    texts = column.unique()
    found = {}
    for text in texts:
        number = pd.to_numeric(text, errors="coerce")
        if text[:1] == "[":
            low, high = text[1:-1].split(",")
            number = (float(low) + float(high)) / 2
        elif text[:1] in ("<", "≥"):
            number = float(text[1:])
        found[text] = number
    return column.map(found).astype(float)


if __name__ == "__main__":
    given = sys.argv[1:]
    asked = next((word.removeprefix("--for=") for word in given if word.startswith("--for=")), "")
    main([word for word in given if not word.startswith("--")], asked)
