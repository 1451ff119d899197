"""The same people twice: what two releases say together though neither says it alone."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
from withhold.auditing import Earlier
from withhold.cli.audit import command
from withhold.errors import DataError, InputError
from withhold.report import level_of

POLICY = wh.Policy([wh.Anonymity(columns=["age", "zip"], k=3)], target="ill")


def people() -> pd.DataFrame:
    ages = [str(20 + i) for i in range(12)]
    return pd.DataFrame({"id": [f"p{i}" for i in range(12)], "age": ages, "zip": "1", "ill": list("abcabcabcabc")})


def published(frame: pd.DataFrame, width: int, start: int = 20) -> pd.DataFrame:
    low = [start + (int(age) - start) // width * width for age in frame["age"]]
    return frame.drop(columns="id").assign(age=[f"[{each}, {each + width})" for each in low])


def test_intervals_that_overlap_expose_people_though_neither_release_does() -> None:
    frame = people()
    new, old = published(frame, 4), published(frame, 6)
    assert wh.audit(new, POLICY, original=frame.drop(columns="id"), attack=False).ok
    assert wh.audit(old, POLICY, original=frame.drop(columns="id"), attack=False).ok
    found = wh.audit(new, POLICY, original=frame.drop(columns="id"), earlier=[old], quick=True)
    assert found.ok
    assert found.together is not None
    (broken,) = found.together.exposed
    # [20, 24) and [24, 28) by [20, 26) and [26, 32): four, two, two and four people.
    assert (broken.reached, broken.details["rows_in_small_groups"]) == (2, 4)
    assert found.disclosures[0].kind == "earlier"
    assert "4 people are exposed though by neither alone" in found.disclosures[0].says
    assert level_of(found) == "red"
    assert (found.together.single_alone, found.together.single) == (0, 0)


def test_the_same_release_again_exposes_nobody() -> None:
    new = published(people(), 4)
    found = wh.audit(new, POLICY, earlier=[new, new], attack=False)
    assert found.together is not None
    assert (found.together.exposed, found.together.by_membership) == ((), ())
    assert (found.together.n_both, found.together.n_left, found.together.n_joined) == (12, 0, 0)
    assert found.disclosures == ()


def test_a_hidden_cell_that_was_published_before_is_exposed() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.choice(list("xy"), 60), "ill": rng.choice(list("uvw"), 60)})
    policy = wh.Policy([wh.Hidden(cells=[(3, "ill"), (9, "ill")], against=["naive-bayes"])])
    new = wh.release(frame, policy, rng=1).to_frame()
    old = frame.assign(ill=[("*" if i == 3 else each) for i, each in enumerate(frame["ill"])])
    found = wh.audit(new, policy, original=frame, earlier=[old], attack=False)
    assert found.ok
    assert found.together is not None
    assert {finding.where for finding in found.together.exposed} == {"require[0]"}
    assert level_of(found) == "red"


def test_people_are_found_by_a_key_of_the_originals() -> None:
    frame = people()
    now = frame.iloc[[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]].reset_index(drop=True)
    old = Earlier(release=published(frame, 6), original=frame)
    found = wh.audit(published(now, 4), POLICY, original=now, earlier=[old], key="id", attack=False)
    assert found.together is not None
    assert found.together.exposed[0].details["rows_in_small_groups"] == 4


def test_leavers_narrow_down_who_is_left_to_whoever_knows_them() -> None:
    frame = people()
    stayed = frame.iloc[1:].reset_index(drop=True)
    old = Earlier(release=published(frame, 4), original=frame)
    found = wh.audit(published(stayed, 4), POLICY, original=stayed, earlier=[old], key="id", attack=False)
    assert found.together is not None
    assert (found.together.n_both, found.together.n_left) == (11, 1)
    assert found.together.exposed == ()
    (narrowed,) = found.together.by_membership
    assert narrowed.reached == 1
    assert [(each.kind, each.level) for each in found.disclosures] == [("earlier", "amber")]


def test_what_one_release_breaks_by_itself_is_not_blamed_on_both() -> None:
    frame = people()
    found = wh.audit(published(frame, 4), POLICY, earlier=[frame.drop(columns="id")], attack=False)
    assert found.together is not None
    assert (found.together.broken_alone, found.together.exposed) == (("require[0]",), ())


def test_rows_that_cannot_be_linked_are_refused() -> None:
    frame = people()
    new = published(frame, 4)
    with pytest.raises(InputError, match="not those of the file, position by position"):
        wh.audit(new, POLICY, earlier=[new.iloc[:5]], attack=False)
    with pytest.raises(InputError, match='has no column "id"'):
        wh.audit(new, POLICY, original=frame, earlier=[new], key="id", attack=False)
    twice = frame.assign(id="p")
    with pytest.raises(DataError, match="holds a value twice"):
        wh.audit(new, POLICY, original=twice, earlier=[Earlier(release=new, original=twice)], key="id", attack=False)


def test_the_command_line_reports_the_pair_and_exits_with_1(tmp_path: Path) -> None:
    frame = people()
    for name, table in {"new": published(frame, 4), "old": published(frame, 6), "data": frame}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "p.toml").write_text(
        'drop = ["id"]\n[[require]]\nkind = "anonymity"\ncolumns = ["age", "zip"]\nk = 3\n'
    )
    base = [str(tmp_path / "new.csv"), "--policy", str(tmp_path / "p.toml"), "--checks-only"]
    data = str(tmp_path / "data.csv")
    pair = ["--original", data, "--with", str(tmp_path / "old.csv"), "--with-original", data, "--key", "id"]
    assert CliRunner().invoke(command, [*base, "--original", data]).exit_code == 0
    result = CliRunner().invoke(command, [*base, *pair])
    assert result.exit_code == 1
    assert "together with old.csv, 4 people are exposed though by neither alone" in result.output
    assert (
        CliRunner().invoke(command, [*base, *pair[:4], "--with-original", data, "--with-original", data]).exit_code == 2
    )


def test_texts_together_allow_what_both_allow() -> None:
    tree = wh.Taxonomy.from_paths([["cook", "hand", "*"], ["smith", "hand", "*"], ["judge", "head", "*"]])
    policy = wh.Policy([wh.Anonymity(columns=["job", "age"], k=2)], columns={"job": {"taxonomy": tree}})
    from withhold.auditing.earlier import Layer, lay_over

    def layer(jobs: list[str | None], ages: list[str | None]) -> Layer:
        codes = np.arange(len(jobs))
        texts = {"job": tuple(jobs), "age": tuple(ages)}
        return Layer(people=codes, texts=texts, codes={"job": codes, "age": codes})

    first = layer(["hand", "*", "head", "{cook, judge}", "cook"], ["[20, 40)", "30", "[20, 30]", "*", "20"])
    second = layer(["cook", "hand", None, "hand", "judge"], ["[30, 50]", "[20, 40)", "[30, 40)", None, "21"])
    found = lay_over(first, second, policy, None)
    said = {name: [found.texts[name][code] for code in found.codes[name]] for name in found.texts}
    assert said["job"] == ["cook", "hand", "head", "cook", "cook / judge"]
    assert said["age"] == ["[30, 40)", "30", "[30, 30]", "*", "20 / 21"]
