"""The check of hidden cells, on files that nothing of ours made."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import withhold as wh
import withhold.auditing._sight
import withhold.policy._bind
import withhold.table._draft_decision


def people(n_rows: int = 400) -> pd.DataFrame:
    """Return people of whom half do not consent; 7 of 10 hold the same illness."""
    rng = np.random.default_rng(0)
    frame = {
        "ward": rng.choice(list("xyz"), n_rows),
        "ill": rng.choice(["flu", "none"], n_rows, p=[0.7, 0.3]),
        "consent": rng.choice(["yes", "no"], n_rows),
        "age": rng.choice(list("1234"), n_rows),
    }
    return pd.DataFrame(frame).astype(object)


def without_consent(**more: object) -> wh.Hidden:
    return wh.Hidden(column="ill", where="consent = 'no'", predictors=["ward"], **more)


def test_a_row_whose_predictors_alone_are_blank_is_not_deleted() -> None:
    frame, policy = people(), wh.Policy([without_consent(against=["naive-bayes", "id3"])])
    asked = frame["consent"] == "no"
    made = frame.copy()
    made.loc[asked, ["ward", "ill"]] = "*"
    # Nothing to predict from is left, so both say what most others hold, which most hidden cells held as well.
    common = made["ill"][~asked].mode()[0]
    n_right = int((frame["ill"][asked] == common).sum())
    found = wh.audit(made, policy, original=frame, attack=False)
    attacks = [finding for finding in found.findings if "adversary" in finding.details]
    assert [finding.reached for finding in attacks] == [n_right, n_right]
    assert not found.ok
    assert "deleted" not in " ".join(finding.says for finding in attacks)


def test_a_row_of_stars_is_deleted_and_reported_as_such() -> None:
    frame, policy = people(), wh.Policy([without_consent(against=["naive-bayes"])])
    asked = frame["consent"] == "no"
    made = frame.copy()
    made.loc[asked, :] = "*"
    found = wh.audit(made, policy, original=frame, attack=False)
    attack = next(finding for finding in found.findings if "adversary" in finding.details)
    assert found.ok
    assert attack.details["deleted"]["cells"] == int(asked.sum())


def test_a_deleted_row_is_withheld_throughout() -> None:
    frame = people()
    masks = wh.Anonymity(columns=["age"], k=2)
    made = frame.copy()
    made.loc[frame["consent"] == "no"] = "*"
    apart = wh.Policy([without_consent(against=["naive-bayes"]), masks])
    assert wh.audit(made, apart, original=frame, attack=False).ok
    for kept in ("consent", "age"):
        half = made.copy()
        half.loc[0, kept] = frame.loc[0, kept]
        assert frame.loc[0, "consent"] == "no"
        assert not wh.audit(half, apart, original=frame, attack=False).ok


def test_our_own_release_says_what_it_deletes_by_the_same_words() -> None:
    frame, policy = people(), wh.Policy([without_consent(against=["naive-bayes"])])
    release = wh.release(frame, policy, rng=1)
    made = release.to_frame()
    found = wh.audit(made, policy, original=frame, attack=False)
    attack = next(finding for finding in found.findings if "adversary" in finding.details)
    n_blank = int((made.isin(["*"]) | made.isna()).all(axis=1).sum())
    assert attack.details["deleted"]["cells"] == n_blank
    assert release.report["requirements"][0]["rows_deleted"] == n_blank


@pytest.mark.parametrize("way", ["condition", "list", "file"])
def test_cells_that_the_release_loses_are_found_by_the_audit(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = people()
    asked = np.flatnonzero(frame["consent"] == "no").tolist()
    cells: dict[str, object] = {"cells": [(row, "ill") for row in asked]}
    if way == "file":
        (tmp_path / "cells.csv").write_text("row, column\n" + "".join(f'{row},"ill"\n' for row in asked))
        cells = {"cells": str(tmp_path / "cells.csv")}
    elif way == "condition":
        cells = {"column": "ill", "where": "consent = 'no'"}
    policy = wh.Policy([wh.Hidden(**cells, predictors=["ward"], against=["naive-bayes"])])
    whole = withhold.policy._bind.find_cells

    def loses_three(*question: object, **settings: object) -> np.ndarray:
        return whole(*question, **settings)[:-3]

    for module in ("policy._bind", "requirements.hidden", "requirements.hidden._list", "auditing._sight"):
        monkeypatch.setattr(f"withhold.{module}.find_cells", loses_three, raising=False)
    with pytest.raises(wh.errors.UnmetError, match=f"3 of {len(asked)} cells in ill are published"):
        wh.release(frame, policy, rng=1).to_frame()


def test_bins_that_the_release_gets_wrong_are_found_by_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = people().assign(age=np.random.default_rng(1).integers(20, 90, 400).astype(str))
    columns = {"age": wh.ColumnSettings(type="number", bins=(20.0, 40.0, 60.0, 90.0))}
    policy = wh.Policy([without_consent(against=["naive-bayes"])], columns=columns)
    wh.release(frame, policy, rng=1).to_frame()
    right = withhold.table._draft_decision._of_bins

    def turned(*question: object) -> object:
        recoding = right(*question)
        return replace(recoding, labels=(*recoding.labels[1:], recoding.labels[0]))

    monkeypatch.setattr("withhold.table._draft_decision._of_bins", turned)
    with pytest.raises(wh.errors.UnmetError, match="cells are neither what stood there"):
        wh.release(frame, policy, rng=1).to_frame()


def coarse() -> tuple[pd.DataFrame, pd.DataFrame, list[int]]:
    """Return people whose ward decides their age band and job group, the same as published, and the hidden rows."""
    rng = np.random.default_rng(0)
    ward = np.repeat(list("abcd"), 60)
    low = np.repeat([20, 40, 60, 80], 60)
    job = [f"{name}{i}" for name, i in zip(ward, rng.integers(0, 5, 240), strict=True)]
    frame = pd.DataFrame({"ward": ward, "age": (low + rng.integers(0, 20, 240)).astype(str), "job": job})
    bands = [f"{each}-{each + 19}" for each in low]
    return frame, pd.DataFrame({"ward": ward, "age": bands, "job": np.char.upper(ward)}), list(range(0, 240, 6))


@pytest.mark.parametrize(("column", "text"), [("age", "an interval"), ("job", "a node")])
def test_a_hidden_cell_of_a_coarser_column_is_judged_by_what_the_column_publishes(column: str, text: str) -> None:
    frame, made, rows = coarse()
    made.loc[rows, column] = "*"
    tree = wh.Taxonomy.from_nested({"any": {x.upper(): {f"{x}{i}": {} for i in range(5)} for x in "abcd"}})
    policy = wh.Policy(
        [wh.Hidden(cells=[(row, column) for row in rows], predictors=["ward"], against=["naive-bayes", "id3"])],
        columns={"job": wh.ColumnSettings(taxonomy=tree)},
    )
    found = wh.audit(made, policy, original=frame, attack=False)
    attacks = [finding for finding in found.findings if "adversary" in finding.details]
    assert [finding.reached for finding in attacks] == [len(rows), len(rows)], text


def test_attackers_of_a_coarser_column_are_judged_alike_before_and_after() -> None:
    frame, made, rows = coarse()
    made = made.drop(columns="job")
    made.loc[rows, "age"] = "*"
    policy = wh.Policy([wh.Hidden(cells=[(row, "age") for row in rows], against=["naive-bayes"])])
    found = wh.audit(made, policy, original=frame.drop(columns="job"), quick=True, rng=1)
    named = next(attack for attack in found.cell_attacks if attack.is_named)
    assert (named.rate, named.before_rate, named.beats_majority) == (1.0, 1.0, True)


def test_the_narrowest_text_that_covers_the_truth_is_the_one_that_counts() -> None:
    frame, made, rows = coarse()
    made["age"] = made["age"].where(np.arange(240) % 2 == 0, "0-99")
    made.loc[rows, "age"] = "*"
    made.loc[made["ward"] == "a", "age"] = "0-99"
    made.loc[rows, "age"] = "*"
    policy = wh.Policy([wh.Hidden(cells=[(row, "age") for row in rows], predictors=["ward"], against=["naive-bayes"])])
    found = wh.audit(made, policy, original=frame, attack=False)
    attack = next(finding for finding in found.findings if "adversary" in finding.details)
    # In ward a only the widest band is published; elsewhere half the rows have it, but for those that are hidden.
    n_wide = sum(frame["ward"][row] == "a" for row in rows)
    assert attack.reached == n_wide


def test_checks_and_attacks_read_a_text_that_no_tree_knows_alike() -> None:
    frame, _, rows = coarse()
    made = frame.assign(ward=[f"ward {name}" for name in frame["ward"]], job=[name[0] for name in frame["job"]])
    frame = frame.assign(job=made["job"])
    made.loc[rows, "job"] = "*"
    tree = wh.Taxonomy.from_nested({"any": {"ab": {"a": {}, "b": {}}, "cd": {"c": {}, "d": {}}}})
    against = [wh.Against(adversary="naive-bayes", modify="generalize")]
    policy = wh.Policy(
        [wh.Hidden(cells=[(row, "job") for row in rows], predictors=["ward"], against=against)],
        columns={name: wh.ColumnSettings(taxonomy=tree) for name in ("ward", "job")},
    )
    found = wh.audit(made, policy, original=frame, quick=True, rng=1)
    recovered = next(finding for finding in found.findings if "adversary" in finding.details)
    named = next(attack for attack in found.cell_attacks if attack.is_named)
    assert named.n_right == recovered.reached == len(rows)
