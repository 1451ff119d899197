"""Who is found again through his household: a survey with and without protection of households.

An outsider knows age, sex and region of everybody in a household. He looks for people whose row, or whose household
as far as its rows can be joined again, is the only one that fits.

    python examples/households.py [HOUSEHOLDS]
"""

import sys
from collections import Counter, defaultdict

import numpy as np
import pandas as pd

import withhold as wh

KNOWN = ["age", "sex", "region"]


def main(n_homes: int = 2_000) -> None:
    table = wh.samples.survey(n_homes, seed=1)
    frame = pd.DataFrame(
        {name: np.array(table.store.values(name), dtype=object)[table.store.cells(name)] for name in table.names}
    ).drop(columns=["born", "job", "income", "weight"])
    homes = frame["household"].to_numpy()
    print(f"{len(frame):,} people in {n_homes:,} households")
    print(f"{'':44}{'NCP':>7}{'people alone':>14}{'in a household alone':>22}")
    show("as collected", frame, homes, 0.0)
    anonymity = {"columns": KNOWN, "k": 5}
    settings = {"recoding": "local", "columns": {"age": wh.ColumnSettings(type="number")}}
    ways = {
        "k = 5 rows, household income published": wh.Policy(
            [wh.Anonymity(**anonymity)], drop=["household"], **settings
        ),
        "k = 5 households, without the income": wh.Policy(
            [wh.Anonymity(**anonymity)], drop=["household", "household_income"], unit="household", **settings
        ),
        "unit_k = 5, household income published": wh.Policy(
            [wh.Anonymity(**anonymity, unit_k=5)], drop=["household"], unit="household", **settings
        ),
    }
    for name, policy in ways.items():
        release = wh.release(frame, policy, rng=1)
        show(name, release.to_frame(), homes, release.metrics["ncp"]["overall"])


def show(name: str, frame: pd.DataFrame, homes: np.ndarray, ncp: float) -> None:
    """Print how many people are alone with what is known of them, and of their household."""
    texts = list(map(tuple, frame[KNOWN].astype(str).to_numpy()))
    rows = Counter(texts)
    alone = sum(rows[text] == 1 for text in texts)
    print(f"{name:44}{ncp:7.3f}{alone:14,}{through_households(frame, texts, homes):22,}")


def through_households(frame: pd.DataFrame, texts: list[tuple[str, ...]], homes: np.ndarray) -> int:
    """Return how many people live in a household that can be joined again and that no other one looks like."""
    if "household_income" not in frame:
        return 0
    joined = defaultdict(list)
    of_value = defaultdict(set)
    for value, text, home in zip(frame["household_income"], texts, homes, strict=True):
        joined[value].append(text)
        of_value[value].add(home)
    alike = Counter(tuple(sorted(members)) for members in joined.values())
    found = [key for key, members in joined.items() if len(of_value[key]) == 1 and alike[tuple(sorted(members))] == 1]
    return sum(len(joined[key]) for key in found)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
