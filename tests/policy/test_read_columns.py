"""Columns that a policy reads otherwise: codes as missing, birth dates as ages, dates moved together."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import InputError, PolicyError
from withhold.policy import as_read
from withhold.policy._read_columns import draw_shifts
from withhold.taxonomies import ages_between, days_of

DAYS = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31))


def people(n_rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(5)

    def days(first: date, span: int) -> list[str]:
        return [(first + timedelta(days=int(day))).isoformat() for day in rng.integers(0, span, n_rows)]

    return pd.DataFrame(
        {
            "home": [f"h{i // 3}" for i in range(n_rows)],
            "born": days(date(1940, 1, 1), 25_000),
            "came": days(date(2023, 1, 1), 300),
            "left": days(date(2024, 1, 1), 300),
            "income": [str(each) for each in rng.choice([-8, 9999, *range(1000, 1020)], n_rows)],
            "sex": rng.choice(["f", "m"], n_rows),
        }
    )


def policy(columns: dict[str, wh.ColumnSettings], require: list[Any] | None = None, **words: Any) -> wh.Policy:
    asked = require or [wh.Anonymity(columns=["sex"], k=3)]
    return wh.Policy(asked, columns=columns, recoding="local", **words)


# Codes for a missing answer.

CODED = {"income": wh.ColumnSettings(type="number", missing_codes=["-8", "9999"])}  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["text", "whole", "decimal"])
def test_codes_are_missing_cells_and_never_the_edge_of_an_interval(kind: str, tmp_path: Path) -> None:
    data = people()
    data["income"] = data["income"].astype({"text": str, "whole": int, "decimal": float}[kind])
    data.to_parquet(tmp_path / "data.parquet")
    asked = policy(CODED, [wh.Anonymity(columns=["income", "sex"], k=12)])
    wh.release(tmp_path / "data.parquet", asked).write(tmp_path / "out.csv")
    shown = pd.read_csv(tmp_path / "out.csv", dtype=str)["income"]
    is_code = data["income"].astype(float).isin([-8, 9999]).to_numpy()
    assert set(shown[is_code].dropna()) <= {"*"}
    ends = shown.dropna().str.extractall(r"(-?\d+)")[0].astype(int)
    assert ends.between(900, 1100).all()
    assert wh.audit(tmp_path / "out.csv", asked, original=tmp_path / "data.parquet", quick=True).ok


def test_means_and_bounds_leave_codes_out() -> None:
    for how in ({"publish": "mean"}, {"top": 0.9}, {"round": 10}):
        settings_of = wh.ColumnSettings(type="number", missing_codes=["-8", "9999"], **how)  # type: ignore[arg-type]
        shown = wh.release(people(), policy({"income": settings_of})).to_frame()["income"]
        numbers = shown.dropna().astype(str).str.extract(r"(\d+)")[0].astype(float)
        assert numbers.between(990, 1030).all()
        assert shown.isna().sum() == people()["income"].isin(["-8", "9999"]).sum()


def test_a_column_that_no_requirement_counts_loses_its_codes_too_and_another_keeps_them() -> None:
    data = people()
    data["rooms"] = data["income"]
    shown = wh.release(data, policy(CODED)).to_frame()
    assert not set(shown["income"].dropna()) & {"-8", "9999"}
    assert shown["rooms"].tolist() == data["rooms"].tolist()


def test_another_tool_that_kept_the_codes_passes_the_audit() -> None:
    data = people()
    asked = policy(CODED, [wh.Anonymity(columns=["sex"], k=3)])
    assert wh.audit(data, asked, original=data, quick=True, attack=False).ok


def test_texts_are_codes_letter_by_letter_and_numbers_as_numbers() -> None:
    table = wh.read(pd.DataFrame({"code": ["099", "99", "x"], "number": ["99.0", "99", "98"]}))
    number = wh.ColumnSettings(type="number", missing_codes=[99])  # type: ignore[arg-type]
    read = as_read(policy({"code": wh.ColumnSettings(missing_codes=["99"]), "number": number}), table)  # type: ignore[arg-type]
    held = {name: np.array(read.store.values(name), dtype=object)[read.store.cells(name)] for name in table.names}
    assert held["code"].tolist() == ["099", None, "x"]
    assert held["number"].tolist() == [None, None, "98"]
    assert None not in table.store.values("code")  # the table itself stays as it is


# Ages.


@given(born=DAYS, until=DAYS)
@settings(max_examples=60, deadline=None)
def test_ages_are_those_that_a_calendar_counts(born: date, until: date) -> None:
    born, until = min(born, until), max(born, until)
    slow = sum((born.month, born.day) <= (d.month, d.day) for d in [until]) + until.year - born.year - 1
    found = ages_between(days_of([born.isoformat()]).numbers, days_of([until.isoformat()]).numbers)
    assert found.tolist() == [slow]


@pytest.mark.parametrize(
    ("day", "age"), [("2024-02-28", "23"), ("2024-02-29", "24"), ("2025-02-28", "24"), ("2025-03-01", "25")]
)
def test_who_was_born_on_29_february_is_older_on_1_march_of_other_years(day: str, age: str) -> None:
    data = pd.DataFrame({"born": ["2000-02-29"] * 3, "sex": ["f"] * 3})
    asked = policy({"born": wh.ColumnSettings(type="number", age_at=day)})
    assert wh.release(data, asked).to_frame()["born"].astype(str).tolist() == [age] * 3


def test_ages_are_coarsened_as_numbers_are_and_proven(tmp_path: Path) -> None:
    data = people()
    data["born"] = pd.to_datetime(data["born"]).dt.strftime("%d.%m.%Y")
    data.to_csv(tmp_path / "data.csv", index=False)
    columns = {"born": wh.ColumnSettings(type="number", age_at="left", format="%d.%m.%Y")}
    asked = policy(columns, [wh.Anonymity(columns=["born", "sex"], k=10)], drop=["left"])
    wh.release(tmp_path / "data.csv", asked).write(tmp_path / "out.csv")
    shown = pd.read_csv(tmp_path / "out.csv", dtype=str)["born"]
    assert shown.str.contains(r"\[|<|≥").any()
    assert not shown.str.contains(r"\.").any()
    assert wh.audit(tmp_path / "out.csv", asked, original=tmp_path / "data.csv", quick=True).ok
    dates = pd.read_csv(tmp_path / "out.csv", dtype=str).assign(born=data["born"])
    dates.to_csv(tmp_path / "dates.csv", index=False)
    wrong = wh.audit(tmp_path / "dates.csv", asked, original=tmp_path / "data.csv", attack=False)
    assert not wrong.ok  # the dates themselves


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"type": "number", "age_at": "1990-01-01"}, "rows have a date after that day. Hint: a later day"),
        ({"type": "number", "age_at": "levt"}, 'must be a day such as "2024-12-31", or another column'),
        ({"type": "number", "age_at": "sex"}, "name no day"),
        ({"type": "number", "age_at": "2024-12-31", "format": "%d.%m.%Y"}, "name no day"),
        ({"type": "date", "age_at": "2024-12-31"}, '`age_at` needs type = "number"'),
        ({"type": "number", "shift": 30}, '`shift` needs type = "date"'),
        ({"type": "date", "shift": 0}, "`shift` must be an integer of at least 1; got 0"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(how: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as error:
        wh.release(people(), policy({"born": wh.ColumnSettings(**how)})).write(tmp_path / "out.csv")
    assert says in str(error.value)
    assert not list(tmp_path.iterdir())


# Dates moved together.


def moved(most: int = 60, **words: Any) -> wh.Policy:
    columns = {name: wh.ColumnSettings(type="date", shift=most) for name in ("came", "left")}
    return policy(columns, **words)


def differences(data: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({n: (pd.to_datetime(shown[n]) - pd.to_datetime(data[n])).dt.days for n in ("came", "left")})


def test_the_dates_of_a_unit_are_moved_by_one_number_and_intervals_stay() -> None:
    data = people()
    asked = moved(unit="home", drop=["home"])
    shown = wh.release(data, asked, rng=3).to_frame()
    days = differences(data, shown)
    by_home = days.assign(home=data["home"]).groupby("home")
    assert (by_home[["came", "left"]].nunique() == 1).all(axis=None)
    assert (days["came"] == days["left"]).all()
    assert days["came"].abs().max() <= 60
    assert by_home["came"].first().nunique() > 20
    again = wh.release(data, asked, rng=3).to_frame()
    assert again["came"].tolist() == shown["came"].tolist()
    assert wh.release(data, asked).to_frame()["came"].tolist() != shown["came"].tolist()


def test_without_units_each_row_is_moved_by_itself() -> None:
    data = people()
    days = differences(data, wh.release(data, moved()).to_frame())
    assert (days["came"] == days["left"]).all()
    assert (days.assign(home=data["home"]).groupby("home")["came"].nunique() > 1).any()


def test_no_file_holds_the_days(tmp_path: Path) -> None:
    wh.release(people(), moved(unit="home", drop=["home"]), rng=1).write(tmp_path / "out.csv")
    report = (tmp_path / "out.csv.report.json").read_text()
    assert "2023-" not in report
    assert '"seeded": true' in report


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y %H:%M"])
def test_the_audit_finds_what_was_moved_and_compares_the_rest(form: str, tmp_path: Path) -> None:
    data = people()
    for name in ("came", "left"):
        data[name] = pd.to_datetime(data[name] + " 08:30").dt.strftime(form)
    data.to_csv(tmp_path / "data.csv", index=False)
    given_form = None if form == "%Y-%m-%d" else form
    columns = {n: wh.ColumnSettings(type="date", shift=60, format=given_form) for n in ("came", "left")}
    asked = policy(columns, [wh.Anonymity(columns=["came"], k=6)], unit="home", drop=["home"])
    wh.release(tmp_path / "data.csv", asked).write(tmp_path / "out.csv")
    found = wh.audit(tmp_path / "out.csv", asked, original=tmp_path / "data.csv", quick=True)
    assert found.ok
    assert any(each.kind == "shift" and each.ok for each in found.findings)
    shown = pd.read_csv(tmp_path / "out.csv", dtype=str)
    row = shown["left"].first_valid_index()
    later = pd.to_datetime(shown.loc[row, "left"], format=form) + pd.Timedelta(days=400)
    shown.loc[row, "left"] = later.strftime(form)
    shown.to_csv(tmp_path / "wrong.csv", index=False)
    wrong = wh.audit(tmp_path / "wrong.csv", asked, original=tmp_path / "data.csv", attack=False)
    assert [each.kind for each in wrong.findings if not each.ok] == ["cells", "shift"]


def test_where_rows_are_shuffled_moved_dates_are_not_compared() -> None:
    data = people()
    asked = moved(rows="shuffle")
    found = wh.audit(wh.release(data, asked).to_frame(), asked, original=data, quick=True)
    assert found.ok
    assert any(note.startswith("not compared with the original: came, left") for note in found.notes)


def test_types_of_dates_stay(tmp_path: Path) -> None:
    data = people().astype({"came": "datetime64[us]"})
    data.to_parquet(tmp_path / "data.parquet")
    columns = {"came": wh.ColumnSettings(type="date", shift=9)}
    wh.release(tmp_path / "data.parquet", policy(columns)).write(tmp_path / "out.parquet")
    days = (pd.read_parquet(tmp_path / "out.parquet")["came"] - data["came"]).dt.days
    assert days.nunique() > 9
    assert days.abs().max() <= 9


def test_any_number_of_days_is_as_likely() -> None:
    found = draw_shifts(21_000, moved(10), None)
    counts = np.bincount(found + 10, minlength=21)
    assert (found.min(), found.max(), counts.size) == (-10, 10, 21)
    assert ((counts - 1000) ** 2 / 1000).sum() < 60  # 99.9999 % of fair draws


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"came": 30, "left": 40}, "must be the same for all columns"),
        ({"sex": 30}, "name no day. Hint: 2024-03-05 is read without `format`"),
    ],
)
def test_dates_that_cannot_be_moved_are_refused(columns: dict[str, int], says: str) -> None:
    given_columns = {name: wh.ColumnSettings(type="date", shift=most) for name, most in columns.items()}
    with pytest.raises(PolicyError, match=says.replace(".", r"\.")):
        wh.release(people(), policy(given_columns, [wh.Anonymity(columns=["born"], k=3)]))


def test_a_date_at_the_end_of_the_calendar_is_a_code() -> None:
    data = people()
    data.loc[0, "left"] = "9999-12-31"
    with pytest.raises(PolicyError, match=r'`missing_codes` lists texts .*"9999-12-31"'):
        wh.release(data, moved())
    columns = {"left": wh.ColumnSettings(type="date", shift=60, missing_codes=["9999-12-31"])}  # the hint, followed
    assert wh.release(data, policy(columns)).to_frame()["left"].isna().sum() == 1


def test_moved_dates_are_refused_beside_an_earlier_release() -> None:
    with pytest.raises(InputError, match="dates cannot be moved"):
        wh.release(people(), moved(), earlier=[people()])
