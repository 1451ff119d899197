"""Local recoding and recoding by levels, as a policy asks for them."""

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.errors import InputError, PolicyError
from withhold.releasing._edges import nested_edges, round_edges

JOBS = wh.Taxonomy.from_nested({"*": {"office": ["clerk", "judge"], "outdoors": ["farmer", "guide"]}})
COLUMNS = {"job": wh.ColumnSettings(taxonomy=JOBS), "age": wh.ColumnSettings(type="number")}


def people(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    job = rng.choice(JOBS.leaves, n, p=[0.5, 0.1, 0.3, 0.1])
    age = rng.integers(18, 90, n)
    ill = np.where(rng.random(n) < 0.1 + 0.6 * (age > 60), "ill", "well")
    return pd.DataFrame({"job": job, "age": age, "town": rng.choice(list("abcdef"), n), "ill": ill})


def policy(k: int = 5, **settings: object) -> wh.Policy:
    return wh.Policy([wh.Anonymity(columns=["job", "age", "town"], k=k)], columns=COLUMNS, **settings)  # type: ignore[arg-type]


def smallest(frame: pd.DataFrame, columns: list[str]) -> int:
    return int(frame.groupby(columns, dropna=False).size().min())


def test_local_recoding_is_made_round_by_round_and_any_state_can_be_finished() -> None:
    run = wh.Run(wh.read(people()), policy(recoding="local"), rng=1)
    first, second = run.step(), run.step()
    assert first.grouped <= second.grouped <= second.rows == 400  # type: ignore[union-attr]
    assert run.back() == second
    assert run.step() == second
    run.stop()
    assert smallest(run.finish().to_frame("pandas"), ["job", "age", "town"]) >= 5


def test_more_rounds_lose_less() -> None:
    early = wh.Run(wh.read(people()), policy(recoding="local"), rng=1)
    early.step()
    early.stop()
    late = wh.Run(wh.read(people()), policy(recoding="local"), rng=1).run()
    assert early.regrouping is not None
    assert late.regrouping is not None
    assert late.regrouping.loss < early.regrouping.loss


def test_a_grouping_has_no_moves_to_choose_from() -> None:
    moves = wh.Run(wh.read(people()), policy()).candidates()
    run = wh.Run(wh.read(people()), policy(recoding="local"))
    assert run.candidates() == []
    with pytest.raises(InputError, match="no moves"):
        run.step(moves[0])


def test_steps_can_be_limited() -> None:
    made = wh.release(people(), policy(recoding="local"), max_steps=1)
    assert len([step for step in made.run.steps if hasattr(step, "grouped")]) == 1
    assert smallest(made.to_frame(), ["job", "age", "town"]) >= 5


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2])
def test_levels_publish_a_column_alike_in_all_rows(share: float) -> None:
    data = people()
    made = wh.release(data, policy(recoding="levels", most_rows_withheld=share))
    frame = made.to_frame()
    withheld = (frame[["job", "age", "town"]] == "*").all(axis=1)
    assert smallest(frame, ["job", "age", "town"]) >= 5
    assert withheld.sum() <= share * len(data) or withheld.all()
    for name in ("job", "age", "town"):
        texts = frame[name][~withheld].groupby(data[name][~withheld].astype(str)).nunique()
        assert texts.max() == 1
    assert made.run.regrouping.is_optimal  # type: ignore[union-attr]


def test_withheld_rows_let_levels_be_finer() -> None:
    losses = [
        wh.release(people(), policy(recoding="levels", most_rows_withheld=m)).metrics["ncp"]["overall"]
        for m in (0, 0.1)
    ]
    assert losses[1] < losses[0]


def test_levels_are_explained() -> None:
    made = wh.release(people(), policy(recoding="levels"))
    says = str(made.explain(0, "age"))
    assert "whole column is published at level" in says
    assert "5 people share" in says


def test_levels_stay_within_those_allowed() -> None:
    settings = {**COLUMNS, "job": wh.ColumnSettings(taxonomy=JOBS, levels=(1, 1))}
    asked = wh.Policy([wh.Anonymity(columns=["job", "town"], k=3)], columns=settings, recoding="levels")
    assert set(wh.release(people(), asked).to_frame()["job"]) == {"office", "outdoors"}


def test_levels_mix_with_other_promises() -> None:
    data = people()
    asked = wh.Policy(
        [
            wh.Anonymity(columns=["job", "age"], k=4),
            wh.Template(given=["age", "town"], hide={"ill": ["ill"]}, at_most=0.6),
            wh.Hidden(cells=[(3, "ill"), (9, "ill")], predictors=["job", "town"]),
        ],
        columns=COLUMNS,
        recoding="levels",
        most_rows_withheld=0.1,
    )
    frame = wh.release(data, asked, rng=0).to_frame()
    assert smallest(frame, ["job", "age"]) >= 4
    assert (frame["ill"][[3, 9]] == "*").all()


def test_the_target_is_kept_finer_than_without_it() -> None:
    rng = np.random.default_rng(4)
    n = 3000
    data = pd.DataFrame({"job": rng.choice(JOBS.leaves, n), "age": rng.integers(18, 90, n)})
    data["ill"] = np.where(data["age"] >= 54, "ill", "well")
    asked = {"columns": COLUMNS, "recoding": "local"}
    plain = wh.release(data, wh.Policy([wh.Anonymity(columns=["job", "age"], k=150)], **asked), rng=0)  # type: ignore[arg-type]
    kept = wh.release(data, wh.Policy([wh.Anonymity(columns=["job", "age"], k=150)], target="ill", **asked), rng=0)  # type: ignore[arg-type]

    def purity(frame: pd.DataFrame) -> float:
        return float(frame.groupby(["job", "age"])["ill"].agg(lambda s: s.value_counts().max()).sum() / n)

    assert purity(kept.to_frame()) > purity(plain.to_frame())
    assert purity(kept.to_frame()) > 0.99


def test_prices_do_not_depend_on_labels_that_are_hidden_from_the_informed() -> None:
    data = people()
    hidden = wh.Hidden(cells=[(i, "ill") for i in range(40)], predictors=["town"], informed=True)
    asked = wh.Policy(
        [wh.Anonymity(columns=["job", "age"], k=5), hidden], columns=COLUMNS, target="ill", recoding="local"
    )
    other = data.copy()
    other.loc[:39, "ill"] = np.where(other["ill"][:40] == "ill", "well", "ill")
    one, two = (wh.release(each, asked, rng=0).to_frame() for each in (data, other))
    assert one.equals(two)


def test_other_rows_get_the_texts_of_groups_that_cover_them() -> None:
    data, new = people(seed=1), people(60, seed=2)
    made = wh.release(data, policy(recoding="local"), rng=0)
    published, applied = made.to_frame(), made.apply(new)
    names = ["job", "age", "town"]
    known = set(map(tuple, published[names].astype(str).to_numpy())) | {("*", "*", "*")}
    assert set(map(tuple, applied[names].astype(str).to_numpy())) <= known
    assert applied["ill"].equals(new["ill"])
    for text, age in zip(applied["age"], new["age"], strict=True):
        assert text == "*" or _covers(str(text), float(age))
    assert made.apply(data)[names].astype(str).equals(published[names].astype(str))


def _covers(text: str, number: float) -> bool:
    if text.startswith("<"):
        return number < float(text[1:])
    if text.startswith("≥"):
        return number >= float(text[1:])
    if text.startswith("["):
        low, high = text[1:-1].split(",")
        return float(low) <= number < float(high)
    return number == float(text)


def test_unknown_values_are_covered_by_a_star_only() -> None:
    made = wh.release(people(), policy(recoding="local"), rng=0)
    strange = pd.DataFrame({"job": ["astronaut"], "age": [40], "town": ["a"], "ill": ["well"]})
    assert made.apply(strange)["job"].tolist() == ["*"]


def test_a_codebook_says_what_every_text_means_and_unpacks_the_release(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    made = wh.release(people(), policy(recoding="local"), rng=0)
    made.write(out)
    with (tmp_path / "out.csv.codebook.csv").open(encoding="utf-8") as file:
        lines = {(line["column"], line["text"]): line for line in csv.DictReader(file)}
    published = pd.read_csv(out, dtype=str)
    for name in ("job", "age", "town"):
        counts = published[name].value_counts()
        assert {text for column, text in lines if column == name} == set(counts.index)
        for text, n in counts.items():
            assert lines[name, str(text)]["rows"] == (str(n) if n >= 10 else "")
    wide = wh.unpack(out, tmp_path / "out.csv.codebook.csv", backend="pandas")
    assert list(wide.columns) == ["job", "job_level", "age_low", "age_high", "town", "town_level", "ill"]
    age = people()["age"]
    low, high = wide["age_low"].astype(float), wide["age_high"].astype(float)
    assert ((low <= age) | low.isna()).all()
    assert ((age < high) | (age == low) | high.isna()).all()


def test_a_release_without_groups_has_no_codebook(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    wh.release(people(), policy(recoding="local")).write(out)
    assert (tmp_path / "out.csv.codebook.csv").exists()
    wh.release(people(), wh.Policy([wh.Hidden(cells=[(0, "ill")], predictors=["job"])])).write(out)
    assert not (tmp_path / "out.csv.codebook.csv").exists()


def test_a_foreign_file_is_no_codebook(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    wh.release(people(), policy(recoding="local")).write(out)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="is not a codebook"):
        wh.unpack(out, tmp_path / "other.csv")
    with pytest.raises(InputError, match="no such file"):
        wh.unpack(out, tmp_path / "nothing.csv")


def test_levels_of_round_edges_are_nested_and_round() -> None:
    levels = nested_edges(round_edges(np.arange(17.0, 91.0), (17.0, 90.0)))
    for fine, coarse in pairwise(levels):
        assert set(coarse) < set(fine)
    assert set(levels[2]) <= set(np.arange(0, 100, 8.0))


def _global(column: str, **settings: object) -> dict[str, object]:
    return {"recoding": "global", "columns": {column: wh.ColumnSettings(**settings)}}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"columns": {"job": wh.ColumnSettings(taxonomy=JOBS, levels=(0, 9))}}, "there is no level 9"),
        ({"columns": {"town": wh.ColumnSettings(levels=(0, 1))}}, "needs a taxonomy"),
        ({"recoding": "levels", "effort": "quick"}, 'effort: is for recoding = "local"; this one would ignore it'),
        ({"splits": "valid"}, 'splits: is for recoding = "global"'),
        ({"score": "gain"}, 'score: is for recoding = "global"'),
        (_global("town", keep=True), 'columns.town.keep: is for recoding = "local" or "levels"'),
        (_global("town", weight=2.0), "columns.town.weight"),
        (_global("town", suppress=True), "columns.town.suppress"),
        (_global("town", sets=False), "columns.town.sets"),
        ({"columns": {"town": wh.ColumnSettings(mask="suppress")}}, "Hint: suppress = true"),
        ({"most_rows_withheld": 1.5}, "most_rows_withheld"),
        ({"most_rows_withheld": -0.1}, "most_rows_withheld"),
        ({"effort": "heroic"}, "effort"),
        ({"recoding": "loacl"}, "recoding"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(settings: dict[str, object], says: str) -> None:
    asked = {"recoding": "local", **settings}
    with pytest.raises(PolicyError) as error:
        wh.release(people(), wh.Policy([wh.Anonymity(columns=["job", "town"], k=3)], **asked))  # type: ignore[arg-type]
    assert says in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("settings", [{"weight": -1.0}, {"levels": (3, 1)}, {"weight": float("nan")}])
def test_settings_of_a_column_that_make_no_sense_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(PolicyError, match=next(iter(settings))):
        wh.ColumnSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [0.02, 0.1])
def test_rows_in_the_way_of_the_papers_search_are_withheld_up_to_the_limit(share: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"job": rng.choice(["clerk", "judge"], 1_000), "town": rng.choice(list("abcd"), 1_000)})
    frame.loc[:9, "town"] = [f"village {i}" for i in range(10)]  # ten people keep all others from being told apart

    def released(most: float) -> wh.Release:
        require = [wh.Anonymity(columns=["job", "town"], k=5)]
        return wh.release(frame, wh.Policy(require, most_rows_withheld=most), rng=1)

    without, made = released(0.0), released(share)
    assert set(without.to_frame()["town"]) == {"*"}
    audit = made.write(tmp_path / "out.csv")
    assert audit.ok
    is_withheld = (made.to_frame() == "*").all(axis=1)
    assert 5 <= is_withheld.sum() <= share * 1_000
    assert made.metrics["ncp"]["overall"] < without.metrics["ncp"]["overall"]
    assert made.to_frame()["town"].nunique() == 5


def test_a_limit_that_helps_nobody_changes_nothing() -> None:
    frame = people(200)
    with_limit = wh.release(frame, policy(most_rows_withheld=0.005), rng=1)  # fewer than k rows
    assert with_limit.to_frame().equals(wh.release(frame, policy(), rng=1).to_frame())
