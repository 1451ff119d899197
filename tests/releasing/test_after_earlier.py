"""A release that is safe together with an earlier one: who stays, who left, who joined."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
from withhold.auditing import Earlier
from withhold.auditing.earlier import lay_over, layer_of
from withhold.cli.release import command
from withhold.engines import open_source
from withhold.errors import InfeasibleError, InputError

POLICY = wh.Policy([wh.Anonymity(columns=["age", "sex", "zip"], k=4)], drop=["id"], recoding="local")


def people(n_rows: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n_rows)],
            "age": rng.integers(20, 60, n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
            "zip": rng.choice(list("abcdef"), n_rows),
            "ill": rng.choice(["flu", "hiv", "no"], n_rows),
        }
    )


@pytest.fixture(scope="module")
def old() -> Earlier:
    data = people().iloc[:80].reset_index(drop=True)
    return Earlier(release=wh.release(data, POLICY, rng=1).to_frame(), original=data)


def test_a_release_beside_an_earlier_one_exposes_people_and_one_made_with_it_does_not(old: Earlier) -> None:
    now = people().iloc[10:].reset_index(drop=True)
    plain = wh.release(now, POLICY, rng=1).to_frame()
    beside = wh.audit(plain, POLICY, original=now, earlier=[old], key="id", attack=False)
    assert beside.ok
    assert beside.together is not None
    assert beside.together.exposed, "the finding"
    made = wh.release(now, POLICY, earlier=[old], key="id", rng=1)
    found = wh.audit(made.to_frame(), POLICY, original=now, earlier=[old], key="id", attack=False)
    assert found.ok
    assert found.together is not None
    assert found.together.exposed == ()
    assert (found.together.n_both, found.together.n_left, found.together.n_joined) == (70, 10, 40)


def test_who_stays_publishes_the_same_or_less(old: Earlier) -> None:
    now = people().iloc[10:].reset_index(drop=True)
    made = wh.release(now, POLICY, earlier=[old], key="id", rng=1).to_frame().iloc[:70].reset_index(drop=True)
    before = pd.DataFrame(old.release).iloc[10:].reset_index(drop=True)
    first, second = (layer_of(open_source(each), POLICY, np.arange(70)) for each in (made, before))
    both = lay_over(first, second, POLICY, None)
    for name in ("age", "sex", "zip"):
        said = np.array(both.texts[name], dtype=object)[both.codes[name]]
        assert (said == before[name].astype(str)).all(), "together they say what was said before"
        assert (made[name].astype(str) == before[name].astype(str)).any()


def test_newcomers_who_are_too_few_are_refused(old: Earlier) -> None:
    now = people().iloc[:82].reset_index(drop=True)
    with pytest.raises(InfeasibleError, match=r"2 people are in no earlier release.*--hold-back"):
        wh.release(now, POLICY, earlier=[old], key="id", rng=1)


def test_newcomers_are_held_back_until_they_are_enough(old: Earlier) -> None:
    now = people().iloc[:82].reset_index(drop=True)
    made = wh.release(now, POLICY, earlier=[old], key="id", hold_back=True, rng=1)
    assert (made.held_back, len(made.to_frame())) == ((80, 81), 80)
    assert any("2 rows are held back" in note for note in made.notes)
    later = people().iloc[:100].reset_index(drop=True)
    assert wh.release(later, POLICY, earlier=[old], key="id", hold_back=True, rng=1).held_back == ()


def test_a_policy_that_cannot_be_kept_with_an_earlier_release_is_refused(old: Earlier) -> None:
    policy = wh.Policy([wh.Hidden(column="ill", where="sex = 'f'", against=["naive-bayes"])], drop=["id"])
    with pytest.raises(InputError, match="requirements about groups only"):
        wh.release(people(), policy, earlier=[old], key="id")
    with pytest.raises(InputError, match="does not have as many rows"):
        wh.release(people(), POLICY, earlier=[old])


def test_the_command_line_releases_with_an_earlier_one(tmp_path: Path, old: Earlier) -> None:
    pd.DataFrame(old.release).to_csv(tmp_path / "old.csv", index=False)
    pd.DataFrame(old.original).to_csv(tmp_path / "then.csv", index=False)
    people().iloc[10:].to_csv(tmp_path / "now.csv", index=False)
    (tmp_path / "p.toml").write_text(
        'drop = ["id"]\nrecoding = "local"\n[columns.age]\ntype = "number"\n'
        '[[require]]\nkind = "anonymity"\ncolumns = ["age", "sex", "zip"]\nk = 4\n'
    )
    words = [str(tmp_path / "now.csv"), "--policy", str(tmp_path / "p.toml"), "--out", str(tmp_path / "new.csv")]
    pair = ["--with", str(tmp_path / "old.csv"), "--with-original", str(tmp_path / "then.csv"), "--key", "id"]
    result = CliRunner().invoke(command, [*words, *pair], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "who knows who left or joined" in result.output
    assert len(pd.read_csv(tmp_path / "new.csv")) == 110


BOTH = wh.Policy(
    [wh.Anonymity(columns=["age"], k=2), wh.Diversity(columns=["age"], sensitive="ill", l=2)],
    drop=["id"],
    recoding="local",
)


def table(*rows: tuple[str, int, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["id", "age", "ill"])


def test_who_stays_keeps_the_sensitive_values_that_were_possible() -> None:
    then = table(("a", 20, "flu"), ("b", 20, "hiv"), ("c", 30, "cold"), ("d", 30, "cough"))
    old = Earlier(release=wh.release(then, BOTH, rng=1).to_frame(), original=then)
    # Of 20-year-olds the one with hiv left; with the 30-year-olds, a shares only flu with the group of before.
    now = then.drop(index=1).reset_index(drop=True)
    alone = wh.release(now, BOTH, rng=1).to_frame()
    found = wh.audit(alone, BOTH, original=now, earlier=[old], key="id", attack=False)
    assert found.ok
    assert found.together is not None
    (narrowed,) = [each for each in found.together.exposed if "people_narrowed" in each.details]
    assert (narrowed.reached, narrowed.details["people_narrowed"]) == (1, 1)
    assert any("1 person is exposed though by neither alone" in each.says for each in found.disclosures)
    with pytest.raises(InfeasibleError, match=r"1 person would be left with fewer than 2 values of ill.*--hold-back"):
        wh.release(now, BOTH, earlier=[old], key="id", rng=1)
    made = wh.release(now, BOTH, earlier=[old], key="id", hold_back=True, rng=1)
    assert (made.held_back, made.narrowed) == ((0,), (0,))
    assert made.to_frame()["age"].tolist() == ["30", "30"]
    assert any("1 row is held back because both releases together" in note for note in made.notes)


def test_people_with_the_same_possible_values_are_grouped_rather_than_held_back() -> None:
    rows = [
        ("a", 20, "flu"),
        ("b", 20, "hiv"),
        ("c", 22, "flu"),
        ("d", 22, "hiv"),
        ("e", 40, "cold"),
        ("f", 40, "cough"),
    ]
    then = table(*rows)
    old = Earlier(release=wh.release(then, BOTH, rng=1).to_frame(), original=then)
    now = then.drop(index=[1, 2]).reset_index(drop=True)
    made = wh.release(now, BOTH, earlier=[old], key="id", rng=1)
    published = made.to_frame()
    assert made.held_back == ()
    assert published["age"][0] == published["age"][1]
    assert published["age"].tolist()[2:] == ["40", "40"]


def test_values_that_are_looked_at_may_not_group_people_of_an_informed_requirement() -> None:
    asked = wh.Diversity(columns=["age"], sensitive="ill", l=2, informed=True, groups_of=2)
    policy = wh.Policy([asked], drop=["id"], recoding="local")
    then = table(("a", 20, "flu"), ("b", 20, "hiv"), ("c", 30, "cold"), ("d", 30, "cough"))
    old = Earlier(release=wh.release(then, policy, rng=1).to_frame(), original=then)
    now = then.drop(index=1).reset_index(drop=True)
    with pytest.raises(InfeasibleError, match="`informed` forbids"):
        wh.release(now, policy, earlier=[old], key="id", hold_back=True, rng=1)


def test_a_value_that_only_newcomers_lack_is_no_mistake_of_the_policy() -> None:
    policy = wh.Policy([wh.Template(given=["age"], hide={"ill": ["flu"]}, at_most=0.6)], drop=["id"], recoding="local")
    then = table(("a", 20, "flu"), ("b", 20, "no"), ("c", 30, "flu"), ("d", 30, "no"))
    old = Earlier(release=wh.release(then, policy, rng=1).to_frame(), original=then)
    now = pd.concat([then, table(("e", 40, "no"), ("f", 41, "no"))], ignore_index=True)
    assert len(wh.release(now, policy, earlier=[old], key="id", rng=1).to_frame()) == 6
