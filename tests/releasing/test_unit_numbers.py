"""Means, bounds and edges of numbers are shared by units: rows of one household are one."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import PolicyError, WithholdError
from withhold.releasing import Run
from withhold.table import bins_of, mean_groups, parse_interval

SLOW = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def homes(n_rows: int = 600) -> pd.DataFrame:
    """Return households of three, each with one income in all its rows."""
    rng = np.random.default_rng(7)
    home = np.arange(n_rows) // 3
    income = np.round(rng.lognormal(8, 0.5, home.max() + 1), 0)
    return pd.DataFrame(
        {
            "home": home,
            "sex": rng.choice(["f", "m"], n_rows),
            "income": income[home],
            "age": rng.integers(0, 90, n_rows),
        }
    )


def asked(unit: str | None = "home", **columns: dict[str, object]) -> wh.Policy:
    made = {name: wh.ColumnSettings(type="number", **each) for name, each in columns.items()}  # type: ignore[arg-type]
    return wh.Policy([wh.Anonymity(columns=["sex"], k=3)], columns=made, unit=unit, drop=["home"])


def n_homes(data: pd.DataFrame, shown: pd.Series) -> pd.Series:
    return data.assign(shown=shown.to_numpy()).dropna(subset=["shown"]).groupby("shown")["home"].nunique()


def test_a_mean_is_shared_by_units_not_by_rows_of_one(tmp_path: Path) -> None:
    data, policy = homes(), asked(income={"publish": "mean", "publish_k": 3})
    made = wh.release(data, policy)
    made.write(tmp_path / "out.csv")
    assert n_homes(data, made.to_frame()["income"]).min() >= 3
    result = wh.audit(tmp_path / "out.csv", policy, original=data, attack=False)
    assert result.ok
    assert any("mean of at least 3 units" in finding.says for finding in result.findings)


def test_the_audit_counts_units_in_means_that_rows_of_one_share(tmp_path: Path) -> None:
    data = homes()
    rows = wh.release(data, asked(None, income={"publish": "mean", "publish_k": 3})).to_frame()
    assert n_homes(data, rows["income"]).min() == 1
    rows.to_csv(tmp_path / "out.csv", index=False)
    result = wh.audit(
        tmp_path / "out.csv", asked(income={"publish": "mean", "publish_k": 3}), original=data, attack=False
    )
    (found,) = [finding for finding in result.findings if finding.kind == "numbers"]
    assert not found.ok
    assert found.reached == 1


def test_without_the_original_the_audit_says_that_units_were_not_counted(tmp_path: Path) -> None:
    data, policy = homes(), asked(income={"publish": "mean", "publish_k": 3})
    wh.release(data, policy).write(tmp_path / "out.csv")
    (found,) = [each for each in wh.audit(tmp_path / "out.csv", policy).findings if each.kind == "numbers"]
    assert not found.is_complete


def test_a_bound_has_enough_units_beyond_it() -> None:
    data = homes()
    data = pd.concat([data, pd.DataFrame({"home": 999, "sex": "f", "income": 1.0, "age": [97] * 12})])
    data = data.drop(columns="income")
    with pytest.raises(PolicyError, match="1 units lie beyond it"):
        wh.release(data, asked(age={"top": 95}))
    assert "≥ 95" in {*wh.release(data, asked(None, age={"top": 95})).to_frame()["age"]}


@pytest.mark.parametrize("key", ["top", "bottom"])
def test_a_bound_by_share_is_no_number_of_a_single_unit(key: str, tmp_path: Path) -> None:
    # One firm holds the quantile, and the round number there, in many rows.
    income = [*np.arange(1, 901) + 0.5, *[1_000.0] * 40, *np.arange(2_000, 2_060) + 0.25]
    income = income if key == "top" else [3_000 - value for value in income]
    home = [*range(450), *range(450), *[5_000] * 40, *range(6_000, 6_060)]
    data = pd.DataFrame({"home": home, "sex": ["f", "m"] * 500, "income": income})
    policy = asked(income={key: 0.93 if key == "top" else 0.07})
    made = wh.release(data, policy)
    made.write(tmp_path / "out.csv")
    (text,) = {each for each in made.to_frame()["income"] if each[0] in "<≥"}
    assert float(text[2:]) not in {*income}
    assert (made.to_frame()["income"] == text).mean() >= 0.07
    assert wh.audit(tmp_path / "out.csv", policy, original=data, attack=False).ok


def test_the_audit_finds_a_bound_that_is_one_units_number(tmp_path: Path) -> None:
    data = homes()
    by_income = data.groupby("income")["home"].nunique()
    top = float(by_income[by_income == 1].index[-12])
    shown = [f"≥ {top:g}" if each >= top else f"{each:g}" for each in data["income"]]
    data.assign(income=shown).drop(columns="home").to_csv(tmp_path / "out.csv", index=False)
    result = wh.audit(tmp_path / "out.csv", asked(income={"top": 0.95}), original=data, attack=False)
    (found,) = [finding for finding in result.findings if finding.kind == "numbers"]
    assert not found.ok
    assert "only 1 hold" in found.says


def test_the_edge_of_a_bin_is_no_number_of_a_single_unit() -> None:
    numbers = np.array([*range(1, 50), *[50] * 20, *range(51, 100)], dtype=float)
    units = np.array([*range(49), *[100] * 20, *range(200, 249)])
    assert 50.0 in bins_of(numbers, 2, least=5).edges
    assert 50.0 not in bins_of(numbers, 2, least=5, units=units).edges
    data = pd.DataFrame({"home": units, "sex": ["f", "m"] * 59, "pay": numbers})
    run = Run(wh.read(data), asked(pay={"bins": 2}))
    assert 50.0 not in run.table.bins["pay"].edges


def test_one_large_unit_does_not_draw_the_edges_of_local_recoding() -> None:
    rng = np.random.default_rng(2)
    numbers = [*rng.integers(0, 100_000, 500).tolist(), *(7_000 + rng.integers(0, 40, 400)).tolist()]
    units = [*range(500), *[999] * 400]
    made = {}
    for unit in (None, "home"):
        policy = wh.Policy(
            [wh.Anonymity(columns=["pay"], k=5)],
            columns={"pay": wh.ColumnSettings(type="number")},
            unit=unit,
            drop=["home"],
            recoding="local",
        )
        made[unit] = {*wh.release(pd.DataFrame({"home": units, "pay": numbers}), policy).to_frame()["pay"]}
    widths = {
        unit: min(form.high - form.low for form in map(parse_interval, texts) if form is not None)
        for unit, texts in made.items()
    }
    assert widths[None] < 1_000 <= widths["home"]


@st.composite
def held_numbers(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    n_rows = draw(st.integers(4, 40))
    values = draw(st.lists(st.integers(0, 30), min_size=n_rows, max_size=n_rows))
    units = draw(st.lists(st.integers(0, 8), min_size=n_rows, max_size=n_rows))
    return values, units, draw(st.integers(2, 4))


def least_squares(values: list[int], units: list[int], k: int) -> float:
    """Try every grouping of neighbours that keeps equal numbers together."""
    distinct = sorted(set(values))

    def cost(group: list[int]) -> float:
        rows = [i for i, value in enumerate(values) if value in group]
        cells = np.array([values[i] for i in rows], dtype=float)
        return float(np.square(cells - cells.mean()).sum()) if len({units[i] for i in rows}) >= k else np.inf

    best = [0.0] + [np.inf] * len(distinct)
    for end in range(1, len(distinct) + 1):
        best[end] = min(best[start] + cost(distinct[start:end]) for start in range(end))
    return best[-1]


@settings(max_examples=150, **SLOW)
@given(held_numbers())
def test_groups_of_means_hold_k_units_and_are_the_closest_of_all(held: tuple[list[int], list[int], int]) -> None:
    values, units, k = held
    if len(set(units)) < k:
        return
    distinct, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    holders = np.unique(np.column_stack([places, units]), axis=0)
    starts = mean_groups(distinct.astype(float), counts, k, holders=holders)
    found = 0.0
    for start, end in pairwise([*starts.tolist(), distinct.size]):
        rows = np.flatnonzero((places >= start) & (places < end))
        cells = np.array(values, dtype=float)[rows]
        assert len({units[i] for i in rows.tolist()}) >= k
        found += float(np.square(cells - cells.mean()).sum())
    assert found == pytest.approx(least_squares(values, units, k), abs=1e-6)


@settings(max_examples=60, **SLOW)
@given(held_numbers(), st.sampled_from(["mean", "top", "bottom"]), st.floats(0.05, 0.45))
def test_whatever_is_shared_is_shared_by_units(held: tuple[list[int], list[int], int], how: str, share: float) -> None:
    values, units, k = held
    how_shown: dict[str, object] = {"publish_k": k}
    how_shown |= {"publish": "mean"} if how == "mean" else {how: 1 - share if how == "top" else share}
    data = pd.DataFrame({"home": units, "sex": "f", "pay": values})
    policy = wh.Policy(
        [wh.Anonymity(columns=["sex"], k=2)],
        columns={"pay": wh.ColumnSettings(type="number", **how_shown)},  # type: ignore[arg-type]
        unit="home",
        drop=["home"],
    )
    try:
        run = Run(wh.read(data), policy)
    except WithholdError:
        return
    bins = run.table.bins["pay"]
    labels, codes = bins.labels(), bins.codes(values)
    for code, text in enumerate(labels):
        who = {unit for unit, own in zip(units, codes.tolist(), strict=True) if own == code}
        if how == "mean" or text[0] in "<≥":
            assert len(who) >= k
    for text in labels:
        form = parse_interval(text)
        if form is not None:
            end = form.low if how == "top" else form.high
            who = {unit for unit, value in zip(units, values, strict=True) if value == end}
            assert not 0 < len(who) < k
