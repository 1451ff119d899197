"""Columns of dates are parsed, coarsened along the calendar, proven and audited."""

from pathlib import Path

import pandas as pd
import pytest

import withhold as wh
from withhold.errors import PolicyError


def visits(n_rows: int = 240, form: str = "%Y-%m-%d") -> pd.DataFrame:
    days = pd.date_range("2021-01-03", periods=n_rows, freq="5D")
    return pd.DataFrame({"visit": days.strftime(form), "sex": ["f", "m"] * (n_rows // 2)})


def policy(recoding: str = "local", k: int = 12, **settings: object) -> wh.Policy:
    return wh.Policy(
        [wh.Anonymity(columns=["visit", "sex"], k=k)],
        columns={"visit": wh.ColumnSettings(type="date", **settings)},  # type: ignore[arg-type]
        recoding=recoding,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("recoding", ["global", "local", "levels"])
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y"])
def test_dates_are_published_as_periods_and_proven(recoding: str, form: str, tmp_path: Path) -> None:
    data = visits(form=form)
    asked = policy(recoding, **({} if form == "%Y-%m-%d" else {"format": form}))
    wh.release(data, asked).write(tmp_path / "out.csv")
    shown = set(pd.read_csv(tmp_path / "out.csv")["visit"].astype(str))
    known = {"2021", "2022", "2023", "2024", "2020–2024", "2020–2029", "*"}
    known |= {f"{year}-Q{q}" for year in range(2021, 2025) for q in range(1, 5)}
    known |= {f"{year}-{month:02d}" for year in range(2021, 2025) for month in range(1, 13)}
    assert shown <= known
    assert shown != {"*"}
    assert wh.audit(tmp_path / "out.csv", asked).ok  # without the original
    data.to_csv(tmp_path / "data.csv", index=False)
    assert wh.audit(tmp_path / "out.csv", asked, original=tmp_path / "data.csv").ok


def test_a_period_that_does_not_hold_the_date_fails_the_audit(tmp_path: Path) -> None:
    data = visits()
    data.to_csv(tmp_path / "data.csv", index=False)
    made = wh.release(data, policy()).to_frame()
    made["visit"] = ["1999"] * len(made)
    made.to_csv(tmp_path / "wrong.csv", index=False)
    assert not wh.audit(tmp_path / "wrong.csv", policy(), original=tmp_path / "data.csv").ok


def test_text_that_is_no_date_is_counted_by_rows() -> None:
    data = visits()
    data.loc[[3, 7], "visit"] = "soon"
    with pytest.raises(PolicyError, match=r"2 rows hold texts that no date can be read from; the first is row 3"):
        wh.release(data, policy())
    marked = wh.Policy(policy().require, columns=policy().columns, missing=["soon"], recoding="local")
    assert wh.release(data, marked).reached == (12,) or wh.release(data, marked).reached[0] >= 12


def test_levels_of_dates_are_counted_from_the_root() -> None:
    shown = set(wh.release(visits(), policy("levels", levels=(2, 3))).to_frame()["visit"])
    assert shown <= {"2020–2024", "2021", "2022", "2023", "2024"}
    with pytest.raises(PolicyError, match="there is no level 7"):
        wh.release(visits(), policy("levels", levels=(2, 7)))


def test_times_of_day_and_typed_columns_are_dates_too(tmp_path: Path) -> None:
    data = visits()
    data["visit"] = pd.to_datetime(data["visit"]) + pd.to_timedelta(range(len(data)), unit="h")
    made = wh.release(data, policy())
    made.write(tmp_path / "out.parquet")
    data.to_parquet(tmp_path / "data.parquet")
    assert wh.audit(tmp_path / "out.parquet", policy(), original=tmp_path / "data.parquet").ok


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"type": "number", "format": "%Y"}, 'needs type = "date"'),
        ({"type": "date", "format": "dd.mm.yyyy"}, "must name a year"),
        ({"type": "date", "taxonomy": "t.csv"}, "not both"),
        ({"type": "date", "range": (1, 2)}, 'needs type = "number"'),
    ],
)
def test_settings_that_do_not_fit_dates_are_refused(settings: dict[str, object], what: str) -> None:
    with pytest.raises(PolicyError, match=what):
        wh.ColumnSettings(**settings)  # type: ignore[arg-type]
