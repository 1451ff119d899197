"""Several columns published as means that groups of rows share."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import PolicyError
from withhold.table import mdav_groups


def slow_mdav(rows: list[tuple[float, ...]], k: int) -> list[frozenset[int]]:
    """Group rows one by one, as the paper says; rows in the order of their numbers."""
    columns = np.array(rows, dtype=float)
    spread = columns.std(axis=0)
    points = (columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    left = sorted(range(len(rows)), key=lambda i: rows[i])
    found = []

    def distance(i: int, point: np.ndarray) -> float:
        return sum(float(a - b) ** 2 for a, b in zip(points[i], point, strict=True))

    def take(point: np.ndarray) -> None:
        nonlocal left
        near = sorted(left, key=lambda i: distance(i, point))[:k]
        found.append(frozenset(near))
        left = [i for i in left if i not in near]

    while len(left) >= 2 * k:
        total = np.zeros(columns.shape[1])
        for i in left:
            total = total + points[i]
        first = points[max(left, key=lambda i: distance(i, total / len(left)))]
        second = points[max(left, key=lambda i: distance(i, first))]
        has_room = len(left) >= 3 * k
        take(first)
        if has_room:
            take(second)
    return [*found, frozenset(left)] if left else found


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), min_size=2, max_size=40), st.integers(2, 4))
def test_groups_are_those_of_the_slow_version_and_hold_k_to_2k_rows(rows: list[tuple[int, int]], k: int) -> None:
    groups = mdav_groups(np.array(rows, dtype=float), k)
    sizes = np.bincount(groups)
    assert len(rows) < k or (sizes.min() >= k and sizes.max() < 2 * k)
    slow = sorted(sorted(rows[i] for i in group) for group in slow_mdav(rows, k))
    assert sorted(sorted(rows[i] for i in np.flatnonzero(groups == g)) for g in range(sizes.size)) == slow
    order = np.random.default_rng(0).permutation(len(rows))
    moved = mdav_groups(np.array(rows, dtype=float)[order], k)
    again = sorted(sorted(rows[order[i]] for i in np.flatnonzero(moved == g)) for g in range(sizes.size))
    assert again == slow


def people(n_rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    income = np.round(rng.lognormal(8, 1, n_rows), 2)
    data = pd.DataFrame({"income": income, "wealth": np.round(income * rng.lognormal(1, 1, n_rows), 1)})
    return data.assign(age=rng.integers(18, 95, n_rows), sex=["f", "m"] * (n_rows // 2))


def policy(**options: object) -> wh.Policy:
    mean = wh.ColumnSettings(type="number", publish="mean")
    require = [wh.Anonymity(columns=["income", "wealth"], k=6), wh.Anonymity(columns=["age", "sex"], k=5)]
    return wh.Policy(require, columns={"income": mean, "wealth": mean}, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_rows_share_means_and_the_file_proves_it(recoding: str, tmp_path: Path) -> None:
    data = people()
    made = wh.release(data, policy(recoding=recoding))
    made.write(tmp_path / "out.csv")
    found = pd.read_csv(tmp_path / "out.csv")
    assert found.groupby(["income", "wealth"]).size().min() >= 6
    assert found["wealth"].mean() == pytest.approx(data["wealth"].mean(), rel=1e-4)
    assert wh.audit(tmp_path / "out.csv", made.policy, original=data, attack=False).ok
    wide = wh.unpack(tmp_path / "out.csv", tmp_path / "out.csv.codebook.csv", midpoints=True, backend="pandas")
    assert wide["income_mid"].astype(float).tolist() == pytest.approx(found["income"].tolist())
    assert {*made.apply(data)["income"]} <= {*made.to_frame()["income"]}
    forged = found.assign(wealth=found["wealth"] + 100)
    assert not wh.audit(forged, made.policy, original=data, attack=False).ok


def test_rows_that_lack_a_number_are_grouped_by_the_others_or_withheld() -> None:
    data = people()
    data.loc[data.index[:20], "wealth"] = np.nan
    data.loc[data.index[30:33], "income"] = np.nan
    found = wh.release(data, policy()).to_frame()
    assert found["income"].iloc[:20].notna().all()
    assert (found["wealth"].iloc[30:33] == "*").all()
    assert (
        found.groupby(["income", "wealth"], dropna=False).size().drop(index=[(np.nan, "*")], errors="ignore").min() >= 3
    )


def test_what_does_not_go_with_means_is_refused() -> None:
    mean = wh.ColumnSettings(type="number", publish="mean")
    with pytest.raises(PolicyError, match="for all its columns averages them together"):
        wh.release(people(), wh.Policy([wh.Anonymity(columns=["income", "sex"], k=5)], columns={"income": mean}))
    with pytest.raises(PolicyError, match="whose columns are averaged"):
        wh.release(people(), policy(most_rows_withheld=0.1))
