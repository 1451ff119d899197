"""A target is a class or a number; what is kept of it is reported."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.errors import PolicyError
from withhold.releasing import Run


def people(n_rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    age, hours = rng.integers(20, 70, n_rows), rng.integers(1, 60, n_rows)
    pay = np.round(50.0 * age + rng.normal(0, 100, n_rows), 2)
    return pd.DataFrame({"age": age, "hours": hours, "pay": pay, "sex": ["f", "m"] * (n_rows // 2)})


def policy(**options: object) -> wh.Policy:
    return wh.Policy([wh.Anonymity(columns=["age", "hours"], k=8)], **({"target": "pay"} | options))  # type: ignore[arg-type]


def test_many_numbers_are_a_number_and_few_are_classes() -> None:
    table = wh.read(people())
    assert Run(table, policy()).target_kind == "number"
    assert Run(table, policy(target="sex")).target_kind == "class"
    assert Run(table, policy(target_kind="class")).target_kind == "class"
    few = wh.read(people().assign(pay=lambda data: (data["pay"] > 2_000).astype(int)))
    assert Run(few, policy()).target_kind == "class"
    assert Run(few, policy(target_kind="number")).target_kind == "number"
    assert Run(table, policy(target=None)).target_kind is None


@pytest.mark.parametrize("recoding", ["global", "local", "levels"])
def test_the_variance_of_the_target_is_kept_and_reported(recoding: str, tmp_path: Path) -> None:
    data = people()
    made = wh.release(data, policy(recoding=recoding))
    kept = made.metrics["target_variance"]["together"]
    assert 0.7 < kept["after"] <= kept["before"] <= 1
    text = made.to_frame()["age"]
    within = data["pay"].groupby([text, made.to_frame()["hours"]]).transform("mean")
    explained = np.square(within - data["pay"].mean()).sum() / np.square(data["pay"] - data["pay"].mean()).sum()
    assert kept["after"] == pytest.approx(explained)
    report = made.write(tmp_path / "out.csv")
    assert report.ok


def test_variance_keeps_the_column_that_explains_the_number() -> None:
    data = people().assign(age=lambda each: each["age"].to_numpy())
    by_variance = wh.release(data, policy(splits="valid")).metrics["ncp"]["columns"]
    assert by_variance["age"] < by_variance["hours"]


def test_rows_without_a_number_count_nothing() -> None:
    data = people()
    data.loc[data.index[:50], "pay"] = np.nan
    kept = wh.release(data, policy()).metrics["target_variance"]["together"]
    assert 0 < kept["after"] <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "sex", "target_kind": "number"}, 'column "sex" holds no numbers'),
        ({"target": None, "target_kind": "number"}, "needs a `target`"),
        (
            {"target_kind": "number", "columns": {"pay": wh.ColumnSettings(type="number", bins=4)}},
            "makes classes of it",
        ),
    ],
)
def test_a_kind_that_the_target_has_not_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        wh.release(people(), policy(**options))
