"""What a table looks like before its policy is written: identifiers, numbers, dates, decimal commas."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
from withhold._inspect import ColumnProfile, first_policy, inspect_table
from withhold.cli._main import cli
from withhold.errors import DataError, PolicyError

N_ROWS = 200


def profile(values: object) -> ColumnProfile:
    return inspect_table(wh.read(pd.DataFrame({"x": values}).astype("string")))[0]


def test_whole_numbers_of_people_are_identifiers_even_where_some_come_twice() -> None:
    rng = np.random.default_rng(0)
    assert profile(range(N_ROWS)).looks == "identifier"
    numbers = rng.choice(10_000_000, N_ROWS, replace=False)
    numbers[:20] = numbers[20:40]
    found = profile(numbers)
    assert (found.looks, found.n_distinct) == ("identifier", 180)
    assert "if it is an amount, take it out of `drop`" in found.note


def test_ages_and_unique_decimals_are_numbers() -> None:
    rng = np.random.default_rng(0)
    assert profile([f"{cost:.2f}" for cost in rng.lognormal(8, 0.7, N_ROWS)]).looks == "number"
    assert profile(rng.permutation(100)[:60].tolist() + [3] * 3).looks == "number"


def test_most_rows_is_said_only_where_it_is_true() -> None:
    names = [f"name {i}" for i in range(N_ROWS)]
    assert profile(names).note == "most rows have their own value"
    pairs = [f"name {i // 2}" for i in range(N_ROWS)]
    pairs[:50] = [f"other {i}" for i in range(50)]
    found = profile(pairs)
    assert found.n_distinct > N_ROWS / 2
    assert (found.looks, found.note) == ("category", "many values: give it a taxonomy")


def test_the_first_policy_says_what_it_guessed() -> None:
    frame = pd.DataFrame({"id": range(N_ROWS), "sex": ["f", "m"] * 100, "ill": ["a", "b", "c", "d"] * 50})
    text = first_policy(inspect_table(wh.read(frame.astype("string"))), n_rows=N_ROWS)
    assert 'target = "ill"  # a guess: the last column with few values' in text
    assert tomllib.loads(text)["drop"] == ["id"]


def dates(n: int = N_ROWS, *, form: str = "%Y-%m-%d") -> list[str]:
    return [day.strftime(form) for day in pd.date_range("2023-01-01", periods=n)]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y %H:%M"])
def test_dates_are_reported_with_what_to_do(form: str) -> None:
    twice = [*dates(N_ROWS // 2, form=form)] * 2
    found = profile(twice)
    assert (found.looks, found.note) == (
        "category",
        'dates: declare type = "date", and the format where it is not 2024-03-05',
    )
    alone = profile(dates(form=form))
    assert alone.looks == "identifier"
    assert "year or month" in alone.note


def test_dates_and_commas_as_numbers_are_refused_with_what_to_do() -> None:
    policy = wh.Policy([wh.Anonymity(columns=["x"], k=2)], columns={"x": wh.ColumnSettings(type="number")})
    for values, hint in ((dates(), "declare type"), (["1,5", "2,5"] * 20, "need a point")):
        with pytest.raises((DataError, PolicyError), match=hint):
            wh.release(pd.DataFrame({"x": values}).astype(object), policy)


def test_decimal_commas_are_seen_between_blanks_and_marks() -> None:
    values = [f"{i % 90},{i % 7}" for i in range(N_ROWS)]
    values[:5] = ["NA"] * 5
    found = profile([*values, None, None])
    assert (found.looks, found.note) == ("category", "most values have a decimal comma; numbers need a point")


def shown(folder: Path, *words: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(cli, ["inspect", str(folder / "data.csv"), *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_the_table_breaks_no_word_and_notes_stand_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"Aufnahmedatum der Person": dates(100) * 2, "Kosten in Euro und Cent": ["1,5", "2,5"] * 100})
    frame.to_csv(tmp_path / "data.csv", index=False)
    output = shown(tmp_path, monkeypatch=monkeypatch)
    lines = output.splitlines()
    assert max(map(len, lines[:5])) <= 80
    assert any(line.startswith("Aufnahmedatum der Person   category") for line in lines)
    assert (
        'note     Aufnahmedatum der Person: dates: declare type = "date", and the format where it is not 2024-03-05'
        in lines
    )


def test_rules_about_private_cells_are_the_shortest_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ward = rng.choice(["eye", "ear", "heart"], 300)
    frame = pd.DataFrame({"ward": ward, "ill": np.char.add("ill of the ", ward), "sex": rng.choice(["f", "m"], 300)})
    frame.to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "cells.csv").write_text("row,column\n0,ill\n1,ill\n2,ill\n")
    private = ("--private", str(tmp_path / "cells.csv"))
    output = shown(tmp_path, *private, monkeypatch=monkeypatch)
    assert f"ward = {ward[0]} → ill = ill of the {ward[0]}: 100% of" in output
    assert "sex =" not in output
    reported = json.loads(shown(tmp_path, *private, "--json", monkeypatch=monkeypatch))["strongest"]
    assert all(" and " not in left for left in reported["if"])
    assert len(reported["if"]) == len(set(ward[:3]))
