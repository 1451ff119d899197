"""Releases of samples: what is asked of the population holds on the published rows, counted by an obvious loop."""

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.cli._main import cli
from withhold.errors import InfeasibleError, PolicyError

COLUMNS = ["age", "sex", "town"]
TOWNS = {"any": {"north": {"a": {}, "b": {}, "c": {}}, "south": {"d": {}, "e": {}, "f": {}}}}


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(list("abcdef"), n, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05]),
        }
    )


def sample_of(population: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    found = population.iloc[rng.choice(len(population), n, replace=False)].reset_index(drop=True)
    return found.assign(w=rng.choice(["5", "8", "10.5", "17.25"], n))


def covers(text: str, value: object, column: str) -> bool:
    """Read a published text as a person would."""
    if text == "*" or text == str(value):
        return True
    if column == "town":
        nodes = TOWNS["any"]
        members = nodes.get(text, {}) if text in nodes else dict.fromkeys(re.findall(r"\w+", text))
        return text == "any" or (value in members and text[:1] in "{ns")
    if column == "age":
        numbers = [int(each) for each in re.findall(r"\d+", text)]
        if text[0] in "<≥":
            return (value < numbers[0]) if text[0] == "<" else (value >= numbers[0])  # type: ignore[operator]
        if len(numbers) == 2:
            return numbers[0] <= value < numbers[1] or (text.endswith("]") and value == numbers[1])  # type: ignore[operator]
    return text.startswith("{") and str(value) in re.findall(r"\w+", text)


def policy(recoding: str, known: dict[str, object], **asked: object) -> wh.Policy:
    return wh.Policy(
        [wh.Anonymity(columns=COLUMNS, k=2, **asked)],  # type: ignore[arg-type]
        columns={"town": wh.ColumnSettings(taxonomy=TOWNS)},
        recoding=recoding,  # type: ignore[arg-type]
        **known,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("recoding", ["global", "local", "levels"])
def test_every_published_combination_has_the_weights_that_were_asked_for(recoding: str) -> None:
    table = sample_of(people(3000, 1), 250, 1)
    frame = wh.release(table, policy(recoding, {"weight": "w"}, k_map=90), rng=0).to_frame()
    totals = frame.assign(w=frame["w"].map(Fraction)).groupby(COLUMNS)["w"].sum()
    assert len(totals) > 2
    assert totals.min() >= 90


@pytest.mark.parametrize("recoding", ["global", "local", "levels"])
def test_every_published_combination_is_compatible_with_enough_people(recoding: str) -> None:
    population = people(1200, 2)
    table = sample_of(population, 150, 2).drop(columns="w")
    frame = wh.release(table, policy(recoding, {"population": wh.read(population)}, k_map=40), rng=0).to_frame()
    combinations = frame[COLUMNS].drop_duplicates()
    assert len(combinations) > 2
    for texts in combinations.itertuples(index=False):
        n = sum(
            all(covers(str(text), value, name) for text, value, name in zip(texts, person, COLUMNS, strict=True))
            for person in population.itertuples(index=False)
        )
        assert n >= 40, texts


def test_a_share_asks_for_as_many_rows() -> None:
    table = sample_of(people(3000, 1), 250, 1).drop(columns="w")
    made = wh.release(table, policy("local", {"sample": 0.1}, k_map=101), rng=0)
    assert made.to_frame().groupby(COLUMNS).size().min() >= 11
    assert "an estimate, by the share of the population in the file" in " ".join(made.notes)


@pytest.mark.parametrize("estimator", ["negative-binomial", "poisson"])
def test_no_published_row_has_a_larger_individual_risk(estimator: str) -> None:
    table = sample_of(people(3000, 3), 200, 3)
    asked = {"individual_risk": 0.03, "estimator": estimator}
    frame = wh.release(table, policy("local", {"weight": "w"}, **asked), rng=0).to_frame()
    risks = wh.population.individual_risks(frame, COLUMNS, weight="w", estimator=estimator)  # type: ignore[arg-type]
    assert 0.01 < risks.max() <= 0.03


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from(["x", "y"]), st.sampled_from(["1", "2.5", "7"])),
        min_size=6,
        max_size=25,
    ),
    st.integers(2, 12),
)
def test_release_and_slow_check_agree_on_random_samples(rows: list[tuple[str, str, str]], k_map: int) -> None:
    frame = pd.DataFrame(rows, columns=["p", "q", "w"], dtype=object)
    asked = wh.Policy([wh.Anonymity(columns=["p", "q"], k=2, k_map=k_map)], weight="w", recoding="local")
    total = sum(Fraction(weight) for *_, weight in rows)
    if total < k_map:
        with pytest.raises(InfeasibleError, match="cannot be met"):
            wh.release(frame, asked)
        return
    made = wh.release(frame, asked, rng=0).to_frame()
    assert made.assign(w=made["w"].map(Fraction)).groupby(["p", "q"])["w"].sum().min() >= k_map
    found = wh.audit(frame, asked, attack=False).findings[1]
    slow = frame.assign(w=frame["w"].map(Fraction)).groupby(["p", "q"])["w"].sum().min()
    assert (found.kind, found.ok, found.reached) == ("population", slow >= k_map, float(slow))


def test_a_sum_that_is_just_too_small_is_found() -> None:
    frame = pd.DataFrame({"p": ["a"] * 10, "w": ["0.1"] * 9 + ["1.0999999999999"]}, dtype=object)
    asked = wh.Policy([wh.Anonymity(columns=["p"], k=2, k_map=2)], weight="w")
    assert not wh.audit(frame, asked, attack=False).findings[1].ok
    whole = frame.assign(w=["0.1"] * 9 + ["1.1"])
    assert wh.audit(whole, asked, attack=False).findings[1].ok


def test_an_audit_without_weights_is_not_proven() -> None:
    table = sample_of(people(3000, 1), 250, 1)
    asked = wh.Policy([wh.Anonymity(columns=COLUMNS, k=2, k_map=60)], weight="w", drop=["w"], recoding="local")
    made = wh.release(table, asked, rng=0).to_frame()
    assert "w" not in made
    alone = wh.audit(made, asked, attack=False)
    assert alone.ok
    assert not alone.is_complete
    assert "not estimated" in alone.findings[1].says
    assert wh.audit(made, asked, original=table, attack=False).is_complete


def test_an_audit_reports_the_population_beside_the_sample(tmp_path: Path) -> None:
    table = sample_of(people(3000, 1), 250, 1)
    asked = policy("local", {"weight": "w"}, k_map=60)
    found = wh.audit(wh.release(table, asked, rng=0).to_frame(), asked, original=table, quick=True, rng=0)
    (risk,) = found.populations
    assert risk.before is not None
    assert risk.after.estimate("negative-binomial").expected < risk.before.estimate("negative-binomial").expected
    assert risk.after.smallest >= 60
    wh.write_audit(found, tmp_path / "audit.html")
    page = (tmp_path / "audit.html").read_text()
    assert "How exposed people are in the population" in page
    assert "Benedetti and Franconi" in page
    assert "an estimate: the sum of the weights" in page
    wh.write_audit(found, tmp_path / "audit.json")
    assert json.loads((tmp_path / "audit.json").read_text())["populations"][0]["after"]["basis"] == "weights"
    wh.write_audit(found, tmp_path / "public.json", public=True)
    assert json.loads((tmp_path / "public.json").read_text())["populations"] == []


def test_inspect_shows_the_estimators(tmp_path: Path) -> None:
    population = people(800, 4)
    sample_of(population, 80, 4).to_csv(tmp_path / "sample.csv", index=False)
    population.to_csv(tmp_path / "register.csv", index=False)
    toml = 'population = "register.csv"\n[[require]]\nkind = "anonymity"\ncolumns = ["age", "sex"]\nk = 2\n'
    (tmp_path / "policy.toml").write_text(toml)
    runner = CliRunner()
    shown = runner.invoke(cli, ["inspect", str(tmp_path / "sample.csv"), "--weight", "w"])
    assert shown.exit_code == 0, shown.output
    assert "Among an estimated" in shown.output
    assert 'weight = "w"' in shown.output
    as_json = runner.invoke(cli, ["inspect", str(tmp_path / "sample.csv"), "--sample", "0.1", "--json"])
    (found,) = json.loads(as_json.output)["population"]
    assert (found["basis"], found["n_people"]) == ("share", 800)
    counted = runner.invoke(
        cli, ["inspect", str(tmp_path / "sample.csv"), "--policy", str(tmp_path / "policy.toml"), "--json"]
    )
    assert json.loads(counted.output)["population"][0]["n_people"] == 800


@pytest.mark.parametrize(
    ("given_as", "message"),
    [
        ({"weight": "ww"}, 'weight: no column "ww"; did you mean "w"?'),
        ({"weight": "ww", "drop": ["ww"]}, 'drop: no column "ww"; did you mean "w"?'),
        ({"weight": "sex"}, 'weight: column "sex": a weight must be a positive number in every row'),
        ({"weight": "holes"}, "but one is missing"),
        ({"weight": "w", "drop": ["w"], "rows": "shuffle"}, "weight: the weights are dropped and rows are shuffled"),
        ({}, "require[0].k_map: needs `weight`, `sample` or `population`"),
        ({"population": "nowhere.csv"}, "population: "),
        ({"population": wh.Table.from_columns({"age": [1]})}, 'population: has no column "sex", "town"'),
        ({"weight": "w", "sample": 0.1}, "`weight` and `sample` say the same in different ways: give one of them."),
        ({"sample": 1.2}, "`sample` must be above 0 and at most 1; got 1.2."),
        ({"population": 3}, "must be the name of a file, or in Python a `Table`; got 3."),
    ],
)
def test_a_policy_that_cannot_be_used_is_refused(given_as: dict[str, object], message: str, tmp_path: Path) -> None:
    table = sample_of(people(300, 1), 40, 1).assign(holes=["1", None] * 20)

    def write() -> None:
        asked = wh.Policy(
            [wh.Anonymity(columns=COLUMNS, k=2, k_map=10)],
            columns={"town": wh.ColumnSettings(taxonomy=TOWNS)},
            folder=tmp_path,
            **given_as,  # type: ignore[arg-type]
        )
        wh.release(table, asked).write(tmp_path / "out.csv")

    with pytest.raises(PolicyError) as caught:
        write()
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_weights_cannot_be_coarsened_and_blanks_cannot_be_any_value() -> None:
    table = sample_of(people(300, 1), 40, 1)
    with pytest.raises(PolicyError, match="holds the weights, so require"):
        wh.release(table, wh.Policy([wh.Anonymity(columns=["w"], k=2)], weight="w"))
    with pytest.raises(PolicyError, match="neither blanks nor missing cells may be any value"):
        wh.release(table, wh.Policy([wh.Anonymity(columns=["sex"], k=2, k_map=9, blanks="any")], weight="w"))


def test_more_people_than_there_are_is_infeasible() -> None:
    table = sample_of(people(300, 1), 40, 1)
    with pytest.raises(InfeasibleError, match="with everything withheld the table reaches"):
        wh.release(table, policy("global", {"weight": "w"}, k_map=100_000))
    with pytest.raises(InfeasibleError):
        wh.release(table, policy("local", {"population": wh.read(people(300, 1))}, k_map=301))


def test_a_file_that_breaks_the_promise_is_not_met() -> None:
    population = people(500, 5)
    asked = policy("local", {"population": wh.read(population)}, individual_risk=0.1)
    table = sample_of(population, 60, 5)
    found = wh.audit(table, asked, attack=False)
    assert not found.ok
    assert "fewer than 10 people of the population (counted among 500)" in found.findings[1].says
