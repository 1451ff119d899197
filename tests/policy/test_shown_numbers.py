"""Numbers are published as means of groups, rounded, or up to a bound; the file is checked for it."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import PolicyError
from withhold.table import mean_groups


def people(n_rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    income = np.round(rng.lognormal(8, 1, n_rows), 2)
    return pd.DataFrame({"sex": ["f", "m"] * (n_rows // 2), "income": income, "age": rng.integers(18, 95, n_rows)})


def policy(**columns: dict[str, object]) -> wh.Policy:
    made = {name: wh.ColumnSettings(type="number", **each) for name, each in columns.items()}  # type: ignore[arg-type]
    return wh.Policy([wh.Anonymity(columns=["sex"], k=5)], columns=made)


def least_squares(values: list[int], k: int) -> float:
    """Try every grouping that keeps equal numbers together."""
    distinct = sorted(set(values))
    rows = {value: values.count(value) for value in distinct}

    def cost(group: list[int]) -> float:
        cells = [value for value in group for _ in range(rows[value])]
        return float(np.square(np.array(cells) - np.mean(cells)).sum()) if len(cells) >= k else np.inf

    best = [0.0] + [np.inf] * len(distinct)
    for end in range(1, len(distinct) + 1):
        best[end] = min(best[start] + cost(distinct[start:end]) for start in range(end))
    return best[-1]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(0, 60), min_size=4, max_size=40), st.integers(2, 4))
def test_groups_of_means_are_the_closest_of_all(values: list[int], k: int) -> None:
    distinct, counts = np.unique(values, return_counts=True)
    starts = mean_groups(distinct.astype(float), counts, k)
    found = 0.0
    for start, end in pairwise([*starts.tolist(), distinct.size]):
        cells = np.repeat(distinct[start:end], counts[start:end])
        assert cells.size >= k
        found += float(np.square(cells - cells.mean()).sum())
    assert found == pytest.approx(least_squares(values, k), abs=1e-6)


def test_means_are_shared_and_keep_the_mean_of_the_column(tmp_path: Path) -> None:
    data = people()
    data.loc[[1, 2], "income"] = np.nan
    asked = policy(income={"publish": "mean", "publish_k": 4})
    wh.release(data, asked).write(tmp_path / "out.csv")
    shown = pd.read_csv(tmp_path / "out.csv")["income"]
    assert shown.value_counts().min() >= 4
    assert shown.mean() == pytest.approx(data["income"].mean(), rel=1e-4)
    assert shown.isna().sum() == 2
    data.to_csv(tmp_path / "data.csv", index=False)
    assert wh.audit(tmp_path / "out.csv", asked, original=tmp_path / "data.csv").ok


@pytest.mark.parametrize("spoil", ["alone", "wrong", "plain"])
def test_a_file_that_does_not_hold_means_fails_the_audit(spoil: str, tmp_path: Path) -> None:
    data, asked = people(), policy(income={"publish": "mean"})
    made = wh.release(data, asked).to_frame()
    if spoil == "alone":
        made.loc[3, "income"] = str(data.loc[3, "income"])
    elif spoil == "wrong":
        made["income"] = (made["income"].astype(float) * 1.01).astype(str)
    else:
        made["income"] = data["income"]
    made.to_csv(tmp_path / "out.csv", index=False)
    data.to_csv(tmp_path / "data.csv", index=False)
    assert not wh.audit(tmp_path / "out.csv", asked, original=tmp_path / "data.csv", attack=False).ok


def test_rounding_and_bounds_stand_together(tmp_path: Path) -> None:
    data, asked = people(), policy(income={"round": 100, "top": 0.97}, age={"top": 85, "bottom": 21})
    made = wh.release(data, asked)
    made.write(tmp_path / "out.csv")
    shown = made.to_frame()
    assert {"≥ 85", "< 21"} <= set(shown["age"])
    ages = {int(text) for text in shown["age"] if text[0] not in "<≥"}
    assert min(ages) >= 21
    assert max(ages) < 85
    (top,) = {text for text in shown["income"] if text[0] == "≥"}
    assert (shown["income"] == top).sum() >= 0.03 * len(data)
    assert float(top[2:]) not in set(data["income"])
    assert all(float(text) % 100 == 0 for text in shown["income"] if text[0] != "≥")
    data.to_csv(tmp_path / "data.csv", index=False)
    assert wh.audit(tmp_path / "out.csv", asked, original=tmp_path / "data.csv").ok
    shown.loc[0, "age"] = "93"
    shown.to_csv(tmp_path / "wrong.csv", index=False)
    assert not wh.audit(tmp_path / "wrong.csv", asked, original=tmp_path / "data.csv", attack=False).ok


@pytest.mark.parametrize("how", [{"publish": "mean"}, {"round": 100.0}])
def test_shuffled_rows_are_proven_too(how: dict[str, object]) -> None:
    asked = policy(income=how)
    shuffled = wh.Policy(asked.require, columns=asked.columns, rows="shuffle")
    assert len(wh.release(people(), shuffled).to_frame()) == 400


def test_settings_that_contradict_are_refused() -> None:
    with pytest.raises(PolicyError, match="counts the column"):
        wh.release(people(), wh.Policy([wh.Anonymity(columns=["age"], k=5)], columns=policy(age={"top": 85}).columns))
    with pytest.raises(PolicyError, match="0 rows lie beyond it"):
        wh.release(people(), policy(age={"top": 120}))
    with pytest.raises(PolicyError, match="needs no `top`"):
        wh.ColumnSettings(type="number", publish="mean", top=0.9)
    with pytest.raises(PolicyError, match='need type = "number"'):
        wh.ColumnSettings(round=10)


def test_unpacking_gives_midpoints_where_they_are_asked_for(tmp_path: Path) -> None:
    ages = pd.DataFrame({"age": [20, 21, 22, 30, 31, 32, 40, 41, 43]})
    wh.release(ages, wh.Policy([wh.Anonymity(columns=["age"], k=3)], recoding="local")).write(tmp_path / "out.csv")
    wide = wh.unpack(tmp_path / "out.csv", tmp_path / "out.csv.codebook.csv", midpoints=True)
    inner = wide["age_low"].notna() & wide["age_high"].notna()
    assert inner.any()
    assert (wide["age_mid"] == (wide["age_low"] + wide["age_high"]) / 2)[inner].all()
    assert (wide["age_mid"] == wide["age_low"].fillna(wide["age_high"]))[~inner].all()


def test_the_codebook_says_what_means_and_rounded_and_bounded_numbers_stand_for(tmp_path: Path) -> None:
    data = people()
    asked = policy(income={"publish": "mean"}, age={"round": 5, "top": 85})
    made = wh.release(data, asked)
    made.write(tmp_path / "out.csv")
    book = pd.read_csv(tmp_path / "out.csv.codebook.csv", dtype={"text": str})
    assert {*book.loc[book["column"] == "income", "kind"]} == {"mean"}
    assert {*book.loc[book["column"] == "age", "kind"]} == {"rounded", "interval"}
    wide = wh.unpack(tmp_path / "out.csv", tmp_path / "out.csv.codebook.csv", midpoints=True, backend="pandas")
    low, high = wide["age_low"].astype(float), wide["age_high"].astype(float).fillna(np.inf)
    assert ((low <= data["age"]) & (data["age"] < high)).all()
    assert (wide["age_mid"][wide["age_high"].isna()] == 85).all()
    assert wide["income_mid"].astype(float).mean() == pytest.approx(data["income"].mean(), rel=1e-4)
    assert wide["income_mid"].tolist() == wide["income_low"].tolist() == wide["income_high"].tolist()


def test_other_rows_get_means_rounded_and_bounded_numbers_too() -> None:
    data = people()
    asked = policy(income={"publish": "mean"}, age={"round": 5, "top": 85})
    made = wh.release(data, asked)
    assert made.apply(data)[["income", "age"]].equals(made.to_frame()[["income", "age"]])
    other = pd.DataFrame({"sex": ["f", "m", "f"], "income": [0.5, 3_000.0, np.nan], "age": [33, 120, 17]})
    shown = made.apply(other)
    assert shown["age"].tolist() == ["35", "≥ 85", "15"]
    assert shown["income"].iloc[0] in {*made.to_frame()["income"]}
    assert pd.isna(shown["income"].iloc[2])


@pytest.mark.parametrize("share", [0.99500001, 0.987654321987654, 1 / 3, 0.1])
@pytest.mark.parametrize("key", ["top", "bottom"])
def test_a_bound_by_a_share_with_many_decimals_is_proven_and_nobodys_number(
    share: float, key: str, tmp_path: Path
) -> None:
    data = people(2_000)
    asked = policy(income={key: share})
    made = wh.release(data, asked)
    made.write(tmp_path / "out.csv")
    (text,) = {each for each in made.to_frame()["income"] if each[0] in "<≥"}
    assert float(text[2:]) not in set(data["income"])
    assert wh.audit(tmp_path / "out.csv", asked, original=data, attack=False).ok


def test_a_bottom_by_share_among_equal_numbers_holds_that_share() -> None:
    data = people(300)
    data["age"] = [1] * 29 + [2] * 200 + [3] * 71
    shown = wh.release(data, policy(age={"bottom": 0.1})).to_frame()["age"]
    assert (shown == "< 3").sum() == 229


def test_a_bound_that_shows_no_single_number_is_asked_for_where_there_is_none() -> None:
    data = people(300)
    data["age"] = 5
    for key in ("top", "bottom"):
        with pytest.raises(PolicyError, match="no bound near it leaves numbers on both sides"):
            wh.release(data, policy(age={key: 0.5}))
