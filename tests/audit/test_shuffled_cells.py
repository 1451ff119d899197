"""The comparison of shuffled columns: the cells of a file must all come from values of the original at once."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.auditing._assignment import n_unplaced

JOBS = {"Any": {"Food": {"Kitchen": ["cook", "baker"], "Farm": ["farmer"]}, "Office": ["clerk"]}}


def n_changed(original: list, release: list, **settings: object) -> float | None:
    policy = wh.Policy([wh.Anonymity(columns=["v"], k=2)], rows="shuffle", **settings)
    before, after = pd.DataFrame({"v": original}), pd.DataFrame({"v": release})
    found = wh.audit(after, policy, original=before, attack=False).findings
    return next(each.reached for each in found if each.kind == "cells")


def test_overlapping_and_nested_intervals_are_counted_together() -> None:
    ages = [30] * 5 + [50] * 5
    assert n_changed(ages, ["[30, 40)"] * 5 + ["[30, 35)"] * 5) == 5
    assert n_changed(ages, ["[30, 40)"] * 3 + ["[30, 35)"] * 2 + ["[40, 60]"] * 5) == 0
    assert n_changed([30] * 5 + [38] * 5, ["[30, 40)"] * 5 + ["[30, 35)"] * 5) == 0
    assert n_changed(ages, ["30"] * 2 + ["[30, 35)"] * 4 + ["*"] * 4) == 1


def test_a_node_and_the_one_above_it_are_counted_together() -> None:
    jobs = ["cook"] * 2 + ["baker"] * 2 + ["clerk"] * 4
    tree = {"v": wh.ColumnSettings(taxonomy=JOBS)}
    assert n_changed(jobs, ["Kitchen"] * 4 + ["Food"] * 4, columns=tree) == 4
    assert n_changed(jobs, ["Kitchen"] * 4 + ["Any"] * 4, columns=tree) == 0
    assert n_changed(jobs, ["Kitchen"] * 2 + ["Food"] * 2 + ["clerk"] * 3 + ["Any"], columns=tree) == 0


def test_sets_that_cross_are_counted_together() -> None:
    assert n_changed(list("aabbcc"), ["{a, b}", "{a, b}", "{b, c}", "{b, c}", "{a, c}", "{a, c}"]) == 0
    assert n_changed(list("aabbcc"), ["{a, b}"] * 3 + ["{a}"] * 2 + ["{b}"]) == 2


@pytest.mark.parametrize("settings", [{}, {"columns": {"v": wh.ColumnSettings(mask="suppress")}}])
def test_categories_that_look_like_intervals_are_values(settings: dict) -> None:
    frame = pd.DataFrame({"v": ["30-39"] * 6 + ["40-49"] * 4 + ["60+"], "x": ["a"] * 11})
    policy = wh.Policy([wh.Anonymity(columns=["v"], k=2)], rows="shuffle", **settings)
    wh.release(frame, policy, rng=1).to_frame()
    assert n_changed(list(frame["v"]), ["30-39"] * 7 + ["40-49"] * 4) == 1


@pytest.mark.parametrize("seed", range(40))
def test_as_many_cells_as_possible_find_a_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_texts, n_values = rng.integers(1, 6, 2)
    has = rng.integers(0, 4, n_values)
    asked = [(int(rng.integers(1, 5)), rng.random(n_values) < 0.5) for _ in range(n_texts)]
    # Hall: what some texts ask for beyond what their values have, at most.
    most = 0
    for chosen in range(1 << n_texts):
        some = [each for i, each in enumerate(asked) if chosen >> i & 1]
        inside = np.logical_or.reduce([each for _, each in some]) if some else np.zeros(n_values, dtype=bool)
        most = max(most, sum(n for n, _ in some) - int(has[inside].sum()))
    assert n_unplaced(asked, has) == most


@pytest.mark.parametrize("rows", ["keep", "shuffle"])
def test_a_date_at_midnight_is_the_same_day(rows: str) -> None:
    days = pd.to_datetime(["2020-01-01"] * 3 + ["2020-01-02"] * 3)
    policy = wh.Policy([wh.Anonymity(columns=["s"], k=2)], rows=rows)
    original = pd.DataFrame({"d": days, "s": list("aabbab")})
    for spelled in (days.strftime("%Y-%m-%d"), days.strftime("%Y-%m-%dT%H:%M:%S.000")):
        assert wh.audit(original.assign(d=spelled), policy, original=original, attack=False).ok
    later = original.assign(d=days.strftime("%Y-%m-%d 00:00:01"))
    assert not wh.audit(later, policy, original=original, attack=False).ok
