"""Odd input gets one sentence, and no long wait."""

import time
from pathlib import Path

import pandas as pd
import pytest

import withhold as wh
from withhold.errors import DataError, PolicyError
from withhold.table import parse_interval


@pytest.mark.parametrize("entry", ["{}", "[]", "3", '{"may_stand_for": 3, "others": 1}'])
def test_a_broken_list_beside_a_release_gets_one_sentence(tmp_path: Path, entry: str) -> None:
    (tmp_path / "w.csv").write_text("age,x\n*,1\n*,1\n")
    (tmp_path / "w.csv.withheld.json").write_text(f'{{"columns": {{"age": {entry}}}}}')
    with pytest.raises(DataError, match=r"w\.csv\.withheld\.json: is no list that a release wrote\."):
        wh.audit(tmp_path / "w.csv", wh.Policy([wh.Anonymity(columns=["age"], k=2)]))


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_numbers_that_are_none_are_refused_when_a_policy_is_made(number: float) -> None:
    with pytest.raises(PolicyError, match=r"`against\[0\]\.support` must be a finite number; got (inf|nan)\."):
        wh.Hidden(cells=[(0, "d")], against=[{"adversary": "rules", "support": number}])
    with pytest.raises(PolicyError, match="`alpha` must be a finite number"):
        wh.Risk(known={"g": 0.8}, sensitive={"d": 1.0}, at_most=1, alpha=number)
    with pytest.raises(PolicyError, match="`bins` must be an integer of at least 2, or a list of edges"):
        wh.ColumnSettings(type="number", bins=(number, 1.0))
    with pytest.raises(PolicyError, match="must be a finite number"):
        wh.ColumnSettings(type="number", range=(0.0, number))


@pytest.mark.parametrize("field", ["alpha", "at_most"])
def test_risks_that_could_not_be_written_down_are_refused(field: str) -> None:
    with pytest.raises(PolicyError, match=rf"`{field}` must be below 1e\+200; got 1e\+308\."):
        wh.Risk(**{"known": {"g": 0.8}, "sensitive": {"d": 1.0}, "at_most": 1.0} | {field: 1e308})


@pytest.mark.parametrize("text", ["1" * 16_000, "1" * 16_000 + "-", "[" + "1" * 16_000 + ", 2", "1." * 8_000])
def test_long_texts_are_read_at_once(text: str) -> None:
    begin = time.perf_counter()
    assert parse_interval(text) is None
    assert time.perf_counter() - begin < 1
    assert parse_interval("1..5") == parse_interval("1.-5.0") == parse_interval("[1, 5]")


def test_columns_of_long_codes_are_audited_at_once() -> None:
    codes = ["1" * 16_000, "2" * 15_000, "3*" * 8_000, "4"]
    original, release = pd.DataFrame({"v": codes}), pd.DataFrame({"v": [*codes[:3], "*"]})
    begin = time.perf_counter()
    found = wh.audit(release, wh.Policy([wh.Anonymity(columns=["v"], k=2)]), original=original, attack=False)
    assert time.perf_counter() - begin < 10
    assert next(each for each in found.findings if each.kind == "cells").ok
