"""A run: stepped, sent back, stopped, finished; all kinds at once; missing cells; local recoding."""

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import withhold as wh
from withhold.errors import InputError


def policy(**more: object) -> wh.Policy:
    return wh.Policy([wh.Anonymity(columns=["Education", "Sex"], k=4)], target="Class", **more)


def test_a_run_goes_back_and_makes_the_same_steps_again() -> None:
    run = wh.Run(wh.samples.tds_table1(), policy())
    steps = [run.step() for _ in range(3)]
    assert run.back() == steps[2]
    assert run.back() == steps[1]
    assert [run.step(), run.step()] == steps[1:]
    assert run.finish().steps == wh.release(wh.samples.tds_table1(), policy()).steps


def test_a_chosen_move_is_made_and_an_invalid_one_is_refused() -> None:
    run = wh.Run(wh.samples.tds_table1(), policy())
    chosen = next(move for move in run.candidates() if move.is_valid and move.column == "Sex")
    assert run.step(chosen).column == "Sex"
    with pytest.raises(InputError, match="cannot refine"):
        run.step(chosen)


def test_a_stopped_run_is_finished_with_what_was_given_back() -> None:
    run = wh.Run(wh.samples.tds_table1(), policy())
    run.step()
    run.stop()
    with pytest.raises(InputError, match="the search is over"):
        run.step(run.candidates()[0])
    made = run.finish()
    assert len(made.steps) == 1
    assert made.reached[0] >= 4


def test_the_record_follows_its_schema_and_is_read_back() -> None:
    record = wh.release(wh.samples.tds_table1(), policy()).record
    Draft202012Validator(wh.record_schema()).validate(record.to_json())
    assert wh.Record.from_json(record.to_json()) == record


def people(n_rows: int = 5_000, n_missing: int = 7) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "region": rng.choice(list("abcdef"), n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
            "work": rng.choice(["full", "part", "none"], n_rows),
            "ill": rng.choice(["flu", "none", "cold", "burn"], n_rows, p=[0.2, 0.5, 0.2, 0.1]),
        }
    ).astype(object)
    frame.loc[rng.choice(n_rows, n_missing, replace=False), "work"] = None
    return frame


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_seven_missing_cells_do_not_withhold_a_column(recoding: str) -> None:
    anonymity = wh.Anonymity(columns=["region", "sex", "work"], k=10)
    asis = wh.release(people(), wh.Policy([anonymity]), rng=1).to_frame()
    assert (asis["work"] == "*").all(), "as a value of their own they cannot stand alone"
    settings = {"work": wh.ColumnSettings(missing="withhold")}
    made = wh.release(people(), wh.Policy([anonymity], columns=settings, recoding=recoding), rng=1).to_frame()
    assert (made["work"] == "*").sum() < 200, "of 5,000"
    assert made.groupby(["region", "sex", "work"]).size().min() >= 10


def test_missing_read_as_any_value_is_named_as_weaker() -> None:
    settings = {"work": wh.ColumnSettings(missing="any")}
    asked = wh.Policy([wh.Anonymity(columns=["region", "sex", "work"], k=10)], columns=settings)
    made = wh.release(people(), asked, rng=1)
    assert made.to_frame()["work"].isna().sum() == 7
    assert "weaker promise" in made.checked.findings[0].says


def six(frame: pd.DataFrame) -> list[object]:
    return [
        wh.Anonymity(columns=["region", "sex", "work"], k=10),
        wh.Template(given=["region", "sex"], hide={"ill": ["burn"]}, at_most=0.2),
        wh.Diversity(columns=["region", "work"], sensitive="ill", l=3),
        wh.Closeness(columns=["sex", "work"], sensitive="ill", t=0.2),
        wh.Hidden(cells=[(row, "ill") for row in range(0, 200, 10)]),
        wh.Risk(known={"region": 0.5, "sex": 0.8}, sensitive={"ill": {"burn": 1.0}}, at_most=20),
    ]


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_all_kinds_on_shared_columns_hold_at_once(recoding: str) -> None:
    frame = people(2_000)
    made = wh.release(frame, wh.Policy(six(frame), recoding=recoding), rng=1)
    published = made.to_frame()
    assert made.checked.ok
    assert made.checked.is_complete
    assert published.groupby(["region", "sex", "work"], dropna=False).size().min() >= 10
    assert (published["ill"][range(0, 200, 10)] == "*").all()
    assert {entry.kind for entry in made.record.requirements if entry.ok} == set(wh.requirements.KINDS)


@pytest.mark.parametrize("kind", ["diversity", "closeness"])
def test_sensitive_kinds_agree_with_pycanon(kind: str) -> None:
    from pycanon import anonymity as outside

    frame = people(1_000, n_missing=0)
    columns = ["region", "sex", "work"]
    asked = wh.Diversity(columns=columns, sensitive="ill", l=3) if kind == "diversity" else None
    asked = asked or wh.Closeness(columns=columns, sensitive="ill", t=0.15)
    made = wh.release(frame, wh.Policy([asked]), rng=1)
    published = made.to_frame()
    if kind == "diversity":
        assert outside.l_diversity(published, columns, ["ill"]) == made.checked.findings[0].reached
    else:
        assert outside.t_closeness(published, columns, ["ill"]) == pytest.approx(made.checked.findings[0].reached)


def test_local_recoding_keeps_more_and_repeats_with_a_seed() -> None:
    frame = people(1_000, n_missing=0)
    frame["age"] = np.random.default_rng(1).integers(18, 90, 1_000).astype(str)
    columns = {"age": wh.ColumnSettings(type="number")}
    asked = [wh.Anonymity(columns=["age", "region", "sex", "work"], k=5)]
    plain = wh.release(frame, wh.Policy(asked, columns=columns), rng=1)
    first, second = (wh.release(frame, wh.Policy(asked, columns=columns, recoding="local"), rng=1) for _ in range(2))
    assert first.to_frame().equals(second.to_frame())
    assert first.to_frame().groupby(["age", "region", "sex", "work"]).size().min() >= 5
    assert first.metrics["ncp"]["overall"] < plain.metrics["ncp"]["overall"] / 2


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"weight": -1}, "must be at least 0"),
        ({"levels": (3, 1)}, "must be [coarsest, finest]"),
        ({"missing": "some"}, "must be one of"),
    ],
)
def test_bad_settings_of_a_column_are_one_sentence(settings: dict, said: str) -> None:
    with pytest.raises(wh.errors.PolicyError) as caught:
        wh.ColumnSettings(**settings)
    assert said in str(caught.value)


@pytest.mark.parametrize("more", [{"effort": "most"}, {"most_rows_withheld": 2}, {"recoding": "both"}])
def test_bad_settings_of_local_recoding_are_one_sentence(more: dict) -> None:
    with pytest.raises(wh.errors.PolicyError, match="must be"):
        wh.Policy([wh.Anonymity(columns=["a"], k=2)], **more)
