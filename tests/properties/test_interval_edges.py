"""No end of a published interval is a number that few people hold."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import PolicyError
from withhold.releasing import Run
from withhold.table import Table, bins_of, cuts_at, parse_interval, round_cuts

AMOUNTS = st.one_of(st.integers(-5, 60), st.sampled_from([0, 10, 10, 20]), st.integers(900, 1_000_000)).map(float)
PARTS = st.decimals(-5, 60, places=2).map(float)
SLOW = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def ends_of(texts: set) -> set[float]:
    """Return the finite ends of the intervals among some texts."""
    forms = [parse_interval(text) for text in texts if text is not None]
    return {end for form in forms if form is not None for end in (form.low, form.high) if math.isfinite(end)}


def published(columns: dict, policy: wh.Policy) -> dict[str, list]:
    run = Run(Table.from_columns(columns), policy)
    while run.step() is not None:
        pass
    return {name: run.draft.texts(name) for name in columns}


@settings(max_examples=60, **SLOW)
@given(st.lists(st.one_of(AMOUNTS, PARTS), min_size=8, max_size=60), st.integers(2, 9), st.booleans())
def test_no_end_of_an_interval_is_a_number_that_fewer_than_k_hold(ages: list[float], k: int, has_range: bool) -> None:
    if k > len(ages):
        return
    bounds = (-10.0, 2_000_000.0)
    columns = {"age": wh.ColumnSettings(type="number", range=bounds)} if has_range else {}
    policy = wh.Policy([wh.Anonymity(columns=["age"], k=k)], columns=columns, splits="valid")
    texts = published({"age": ages}, policy)["age"]
    held = Counter(ages)
    for end in ends_of({*texts}) - ({*bounds} if has_range else set()):
        assert held[end] == 0 or held[end] >= k
    for age, text in zip(ages, texts, strict=True):
        form = parse_interval(text)
        assert text == "*" if form is None else form.holds(np.array([age])).all()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(AMOUNTS, PARTS, st.floats(-1e6, 1e6)), min_size=2, max_size=40), st.integers(1, 4))
def test_cuts_lie_between_neighbours_and_are_values_only_where_enough_hold_them(numbers: list, least: int) -> None:
    values, counts = np.unique(np.array(numbers) + 0.0, return_counts=True)
    cuts = round_cuts(values, counts, least=least)
    assert np.isnan(cuts[0])
    for low, high, count, cut in zip(values[:-1], values[1:], counts[1:], cuts[1:], strict=True):
        if not np.isnan(cut):
            assert low < cut < high or (cut == high and count >= least)
        else:
            assert high - low < 1e-9 * max(abs(low), abs(high), 1)


def test_the_smallest_the_largest_and_an_outlier_are_not_shown() -> None:
    ages = [17, *range(20, 60), *[40] * 10, 93]
    texts = {*published({"age": ages}, wh.Policy([wh.Anonymity(columns=["age"], k=5)]))["age"]}
    assert not {17.0, 93.0} & ends_of(texts)
    assert any(text.startswith("< ") for text in texts)
    assert any(text.startswith("≥ ") for text in texts)


def test_exact_edges_are_those_of_the_papers_and_declared_ones_are_the_only_ones() -> None:
    ages = [17, *range(20, 60), 93]
    anonymity = [wh.Anonymity(columns=["age"], k=5)]
    exact = {"age": wh.ColumnSettings(type="number", edges="exact")}
    texts = {*published({"age": ages}, wh.Policy(anonymity, columns=exact))["age"]}
    assert {17.0, 93.0} <= ends_of(texts)
    declared = {"age": wh.ColumnSettings(type="number", edges=(0, 25, 50, 75, 100))}
    assert ends_of({*published({"age": ages}, wh.Policy(anonymity, columns=declared))["age"]}) <= {25.0, 50.0}
    with pytest.raises(PolicyError, match='"exact" for recoding = "global" alone'):
        published({"age": ages}, wh.Policy(anonymity, columns=exact, recoding="local"))


def test_edges_do_not_depend_on_hidden_cells() -> None:
    ages, consent = [*range(20, 60)] * 3, ["yes"] * 119 + ["no"]
    hidden = wh.Hidden(column="age", where="consent = 'no'", against=["naive-bayes"])
    settings_ = {"age": wh.ColumnSettings(type="number", bins=4)}
    found = []
    for last in (20, 57):
        ages[-1] = last
        policy = wh.Policy([hidden], columns=settings_, drop=["consent"])
        run = Run(wh.read(pd.DataFrame({"age": ages, "consent": consent, "job": ["a", "b"] * 60})), policy)
        found.append(run.table.bins["age"])
    assert found[0] == found[1]
    assert found[0].labels()[0].startswith("< ")
    assert found[0].labels()[-1].startswith("≥ ")


def test_bins_by_number_show_neither_ends_nor_single_values() -> None:
    numbers = np.concatenate([np.arange(100) * 7.0 + 3, [50.0] * 9])
    made = bins_of(numbers, 4, least=5)
    assert not {*ends_of({*made.labels()})} & ({*numbers} - {50.0})
    plain = bins_of(numbers, 4)
    assert np.array_equal(made.codes(numbers), plain.codes(numbers))
    assert cuts_at(np.array([1.0, 2.0]), np.array([])).tolist() == pytest.approx([np.nan, np.nan], nan_ok=True)


def test_open_intervals_are_read_again_by_audit_and_unpack(tmp_path) -> None:
    rng = np.random.default_rng(5)
    people = pd.DataFrame({"age": rng.integers(17, 91, 300), "sex": rng.choice(["f", "m"], 300)})
    made = wh.release(people, wh.Policy([wh.Anonymity(columns=["age", "sex"], k=5)]))
    made.write(tmp_path / "out.csv")
    assert wh.audit(tmp_path / "out.csv", made.policy, original=people, attack=False).ok
    wide = wh.unpack(tmp_path / "out.csv", tmp_path / "out.csv.codebook.csv", midpoints=True, backend="pandas")
    low = wide["age_low"].astype(float).fillna(-np.inf)
    high = wide["age_high"].astype(float).fillna(np.inf)
    assert ((low <= people["age"]) & (people["age"] < high)).all()
    assert wide["age_low"].isna().any()
    assert wide["age_high"].isna().any()
