"""A column that is published undoes the masking of another one: the audit and the release say so."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from real_data import adult
from withhold.report import audit_report, report_page, verdict

TREE = {"Any": {"School": ["9th", "10th", "11th"], "University": ["Bachelors", "Masters"]}}
YEARS = {"9th": "5", "10th": "6", "11th": "7", "Bachelors": "13", "Masters": "14"}


def people(n_rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    degree = rng.choice(list(YEARS), n_rows)
    frame = {
        "degree": degree,
        "sex": rng.choice(["f", "m"], n_rows),
        "years": [YEARS[each] for each in degree],
        "cost": [f"{i}.5" for i in range(n_rows)],
        "ward": rng.choice(["a", "b", "c"], n_rows),
    }
    return pd.DataFrame(frame).astype(object)


def policy(*columns: str, k: int = 60, **more: Any) -> wh.Policy:
    settings = {"degree": wh.ColumnSettings(taxonomy=wh.Taxonomy.from_nested(TREE))}
    return wh.Policy([wh.Anonymity(columns=columns, k=k)], columns=settings, target="ward", **more)


def test_a_forgotten_copy_is_reported_by_the_release_and_makes_the_verdict_red(tmp_path: Path) -> None:
    asked = policy("degree", "sex")
    made = wh.release(people(), asked)
    checked = made.write(tmp_path / "out.csv")
    (found,) = checked.undone
    n_cells = made.report["withheld"]["columns"]["degree"]["coarsened"]
    assert (found.column, found.by, found.n_cells, found.is_exact) == ("degree", "years", n_cells, True)
    said = f"degree is coarsened in {n_cells} cells, but years, as published, determines it exactly. "
    said += "Hint: drop years, or add it to require[0]."
    assert said in made.report["notes"]
    audit = wh.audit(tmp_path / "out.csv", asked, original=people(), attack=False)
    assert audit.undone == (found,)
    assert said in verdict(audit)
    assert 'class="verdict broken"' in report_page(audit_report(audit, "out.csv"))


def test_what_a_requirement_names_or_a_policy_drops_undoes_nothing() -> None:
    for asked in (policy("degree", "sex", "years"), policy("degree", "sex", drop=["years"])):
        made = wh.release(people(), asked)
        made.to_frame()
        assert made.checked is not None
        assert made.checked.undone == ()


def test_unique_values_and_columns_that_have_nothing_to_do_with_it_tell_nothing() -> None:
    made = wh.release(people().drop(columns="years"), policy("degree", "sex"))
    made.to_frame()
    assert made.checked is not None
    assert made.checked.undone == ()


def test_shuffled_rows_hide_no_copy() -> None:
    made = wh.release(people(), policy("degree", "sex", rows="shuffle"))
    made.to_frame()
    assert made.checked is not None
    assert [(each.column, each.by) for each in made.checked.undone] == [("degree", "years")]


def test_a_column_that_determines_most_of_it_is_reported_with_its_share() -> None:
    frame = people(2_000)
    frame.loc[:99, "years"] = "5"
    asked = policy("degree", "sex", k=300)
    made = wh.release(frame, asked)
    after = made.to_frame()
    assert made.checked is not None
    (found,) = made.checked.undone
    assert not found.is_exact
    assert found.share == pytest.approx(_share(frame, after))
    assert f"determines it in {found.share:.0%} of them" in found.says


def _share(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """Count by hand how many changed cells hold the most frequent value of their group."""
    changed = before["degree"] != after["degree"]
    keys = [after["years"][changed], after["degree"][changed]]
    return float(before["degree"][changed].groupby(keys).agg(lambda group: group.value_counts().max()).sum()) / int(
        changed.sum()
    )


def test_adult_without_its_years_of_education_in_the_requirement() -> None:
    frame = adult()
    asked = wh.Policy([wh.Anonymity(columns=["education", "sex", "race"], k=100)], drop=["fnlwgt"])
    made = wh.release(frame, asked)
    made.to_frame()
    assert made.checked is not None
    pairs = [(each.column, each.by) for each in made.checked.undone if each.is_exact]
    assert pairs == [("education", "education-num")]
