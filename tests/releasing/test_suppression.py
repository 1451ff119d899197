"""Releases under the weaker reading of anonymity: single cells are blanked, a blank is any value."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import withhold as wh
from withhold.errors import InfeasibleError, PolicyError
from withhold.report import verdict

WEAK = wh.Anonymity(columns=["region", "sex", "age"], k=4, blanks="any")
AGE = {"age": wh.ColumnSettings(type="number")}


def people(n_rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    regions = rng.choice(list("abcdef"), n_rows, p=[0.4, 0.3, 0.15, 0.1, 0.03, 0.02])
    frame = pd.DataFrame({"region": regions, "sex": rng.choice(["f", "m"], n_rows)})
    frame = frame.astype(object)
    frame["age"] = rng.normal(40, 12, n_rows).astype(int) // 4 * 4
    frame["ill"] = rng.choice(["flu", "none", "cold", "burn"], n_rows, p=[0.2, 0.5, 0.2, 0.1]).astype(object)
    return frame


def texts_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return every cell as text; what is withheld in a typed column is a null."""
    return frame.map(lambda cell: "*" if pd.isna(cell) else f"{cell:g}" if isinstance(cell, float) else str(cell))


def n_same(texts: pd.DataFrame) -> np.ndarray:
    """Count for each row the rows that may be the same, pair by pair."""
    cells = texts.to_numpy().astype(str)
    alike = (cells[:, None] == cells[None]) | (cells[:, None] == "*") | (cells[None] == "*")
    return alike.all(axis=2).sum(axis=1)


def assert_holds(published: pd.DataFrame, asked: wh.Anonymity) -> None:
    texts = texts_of(published[list(asked.columns)])
    assert n_same(texts).min() >= asked.k
    whole = texts[~texts.eq("*").any(axis=1)]
    assert whole.groupby(list(asked.columns)).size().min(skipna=True) >= asked.k or whole.empty


def test_only_single_cells_are_blanked_and_fewer_than_under_the_strict_reading():
    frame = people()
    made = wh.release(frame, wh.Policy([WEAK]), rng=1)
    published = texts_of(made.to_frame())
    assert_holds(published, WEAK)
    blank = published.eq("*")
    assert (published.eq(texts_of(frame)) | blank).all(axis=None)
    settings = {name: wh.ColumnSettings(type="category", suppress=True) for name in WEAK.columns}
    strict = wh.Policy([wh.Anonymity(columns=WEAK.columns, k=4)], recoding="local", columns=settings)
    n_strict = wh.release(frame, strict, rng=1).to_frame().eq("*").sum().sum()
    assert 0 < blank.sum().sum() < n_strict


def test_the_weaker_promise_is_named_wherever_it_is_stated():
    made = wh.release(people(), wh.Policy([WEAK]), rng=1)
    made.to_frame()
    assert made.checked is not None
    finding = made.checked.findings[0]
    assert "a blank is read as any value, which is a weaker promise" in finding.says
    assert "a blank read as any value: weaker" in verdict(made.checked)[1]
    assert "weaker" in WEAK.home.words.public(finding)
    assert "weaker" in WEAK.says
    assert any("a weaker promise" in note for note in made.notes)
    entry = made.report["requirements"][0]
    assert "weaker" in entry["says"]
    assert entry["reached"]["k"] >= 4
    n_cells = made.report["withheld"]["requirements"][0]["cells"]
    said = WEAK.home.words.summary(entry, 0)
    assert said == f"anonymity require[0]: {n_cells:,} cells blanked; a blank read as any value: weaker"
    Draft202012Validator(wh.record_schema()).validate(made.report)


def test_a_blank_cell_is_explained():
    made = wh.release(people(), wh.Policy([WEAK]), rng=1)
    row = int(np.flatnonzero(texts_of(made.to_frame())["age"].eq("*"))[0])
    assert "too few others that may be the same (require[0])" in str(made.explain(row, "age"))


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_files_are_proven_also_where_a_blank_is_a_null(name: str, tmp_path: Path):
    audit = wh.release(people(), wh.Policy([WEAK], columns=AGE), rng=1).write(tmp_path / name)
    assert audit.ok
    read = pd.read_parquet(tmp_path / name) if name.endswith("t") else pd.read_csv(tmp_path / name, dtype=str)
    assert_holds(read, WEAK)


def test_kept_columns_stay_whole_and_dear_ones_mostly():
    frame = people()

    def blanks(**settings: wh.ColumnSettings) -> pd.Series:
        published = texts_of(wh.release(frame, wh.Policy([WEAK], columns=settings), rng=1).to_frame())
        assert_holds(published, WEAK)
        return published.eq("*").sum()

    plain = blanks()
    assert blanks(sex=wh.ColumnSettings(keep=True))["sex"] == 0
    dear = blanks(age=wh.ColumnSettings(type="number", weight=5.0))
    assert dear["age"] < plain["age"] < plain.sum() <= dear.sum()


def test_kept_columns_that_leave_a_row_alone_are_infeasible():
    policy = wh.Policy([WEAK], columns={"age": wh.ColumnSettings(type="number", keep=True)})
    with pytest.raises(InfeasibleError, match=r"require\[0\].*on the columns that are kept") as caught:
        wh.release(people(), policy)
    assert caught.value.requirement == 0


def test_too_many_columns_are_refused():
    frame = pd.DataFrame({f"c{i}": ["a", "a"] for i in range(63)})
    with pytest.raises(PolicyError, match="at most 62 columns"):
        wh.release(frame, wh.Policy([wh.Anonymity(columns=list(frame), k=2, blanks="any")]))


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_it_holds_beside_all_other_kinds_on_shared_columns(recoding: str):
    frame = people()
    settings = {"age": wh.ColumnSettings(type="number", bins=[-20, 20, 30, 40, 50, 60, 120])}
    others = [
        wh.Anonymity(columns=["region", "age"], k=6),
        wh.Template(given=["region", "sex"], hide={"ill": ["burn"]}, at_most=0.25),
        wh.Hidden(cells=[(row, "sex") for row in range(0, 100, 10)]),
        wh.Risk(known={"region": 0.5, "sex": 0.8}, sensitive={"ill": {"burn": 1.0}}, at_most=20),
    ]
    for asked in ([WEAK, *others], [WEAK, others[0]], [others[1], WEAK], [WEAK, others[2]], [others[3], WEAK]):
        made = wh.release(frame, wh.Policy(asked, columns=settings, recoding=recoding), rng=1)
        published = made.to_frame()
        assert made.checked is not None
        assert made.checked.ok
        assert_holds(published, WEAK)


def test_missing_cells_are_values_unless_their_column_says_otherwise():
    frame = pd.DataFrame({"job": ["cook"] * 4 + [None], "sex": ["f"] * 5}, dtype=object)
    asked = wh.Anonymity(columns=["job", "sex"], k=4, blanks="any")
    assert wh.release(frame, wh.Policy([asked]), rng=1).to_frame()["job"].tolist()[-1] == "*"
    settings = {"job": wh.ColumnSettings(missing="any")}
    assert wh.release(frame, wh.Policy([asked], columns=settings), rng=1).to_frame()["job"].isna().sum() == 1


@pytest.mark.parametrize(
    ("rows", "k", "is_met"),
    [
        (["cook f", "cook f", "cook *"], 2, True),
        (["cook f", "cook f", "cook *"], 3, False),  # two rows are whole, and two are too few
        (["cook f", "* f", "cook *"], 2, False),  # the first row is rare, and whole
        (["cook f", "cook f", "clerk *"], 2, False),  # nobody else may be a clerk
        (["* f", "cook *", "clerk *"], 2, True),
        (["* f", "cook *", "clerk *"], 3, False),  # the cook is no clerk
        (["* *", "* *", "clerk *"], 3, True),
    ],
)
def test_the_check_counts_what_may_be_the_same(rows: list[str], k: int, is_met: bool):
    frame = pd.DataFrame([row.split() for row in rows], columns=["job", "sex"], dtype=object)
    asked = wh.Anonymity(columns=["job", "sex"], k=k, blanks="any")
    assert wh.audit(frame, wh.Policy([asked])).findings[0].ok == is_met
