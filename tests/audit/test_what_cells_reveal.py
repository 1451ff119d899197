"""Cells in other spellings, coarser or blank: what can be inferred from them about a value, in every check that asks."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh


def checked(release: object, policy: wh.Policy, original: object = None) -> wh.Audit:
    return wh.audit(release, policy, original=original, attack=False)


def template(value: str, **settings: object) -> wh.Policy:
    return wh.Policy([wh.Template(given=["s"], hide={"d": [value]}, at_most=0.3)], **settings)


@pytest.mark.parametrize("mark", ["*", "?", None, "***", "*****", "{HIV}", "{HIV, flu}", "H**", "Any"])
def test_no_way_to_withhold_a_sensitive_value_lowers_a_share(mark: str | None) -> None:
    tree = wh.ColumnSettings(taxonomy={"Any": ["HIV", "flu"]})
    policy = template("HIV", missing=["?"], columns={"d": tree})
    original = pd.DataFrame({"s": ["a"] * 10, "d": ["HIV"] * 9 + ["flu"]})
    release = original.assign(d=["HIV"] * 2 + [mark] * 7 + ["flu"])
    alone = checked(release, policy).findings[0]
    assert not alone.ok
    assert alone.reached == (0.9 if mark in ("{HIV}", "H**") else pytest.approx(2 / 3))
    assert alone.is_complete == (mark in ("{HIV}", "H**"))
    found = checked(release, policy, original).findings[0]
    assert (found.ok, found.reached, found.is_complete) == (False, 0.9, True)


def test_the_finding_says_that_missing_values_lower_no_share() -> None:
    frame = pd.DataFrame({"s": ["a"] * 10, "d": ["HIV"] * 2 + [None] * 7 + ["flu"]})
    found = checked(frame, template("HIV")).findings[0]
    assert not found.ok
    assert "7 rows are withheld, missing or coarser there, and lower no share (only what is published" in found.says
    assert found.details["rows_unknown"] == 7
    known = checked(frame, template("HIV"), frame).findings[0]
    assert (known.ok, known.reached, known.is_complete) == (False, pytest.approx(2 / 3), True)


def test_blanks_are_compared_row_by_row_so_that_totals_cannot_fool() -> None:
    place = ["a"] * 10 + ["b"] * 10
    original = pd.DataFrame({"s": place, "d": ["HIV"] * 9 + ["flu"] + [None] * 7 + ["flu"] * 3})
    fooling = original.assign(d=["HIV"] * 2 + [None] * 7 + ["flu"] + ["*"] * 7 + ["flu"] * 3)
    found = checked(fooling, template("HIV"), original).findings[0]
    assert (found.ok, found.reached) == (False, 0.9)
    shuffled = wh.Policy(template("HIV").require, rows="shuffle")
    assert not checked(fooling, shuffled, original).ok


def test_both_shares_are_those_of_counting_by_hand() -> None:
    rng = np.random.default_rng(4)
    original = pd.DataFrame({"s": rng.choice(list("abc"), 60), "d": rng.choice(["HIV", "flu", "?"], 60)})
    for share, by_original in ((0.4, False), (0.0, False), (1.0, True)):
        release = original.assign(d=np.where(rng.random(60) < share, "?", original["d"]))
        found = checked(release, template("HIV", missing=["?"]), original).findings[0]
        shares = []
        for table in (release, original):
            kept = table[table["d"] != "?"]
            shares.append((kept["d"] == "HIV").groupby(release["s"][kept.index]).mean())
        largest = [each.max() if len(each) else 0 for each in shares]
        assert found.reached == pytest.approx(max(largest))
        assert found.details["published"] == pytest.approx(largest[0])
        assert found.details["groups_above"] == (shares[by_original] > 0.3).sum()
        assert found.details["rows_unknown"] == (release["d"] == "?").sum()


@pytest.mark.parametrize("rows", ["keep", "shuffle"])
def test_a_release_with_missing_sensitive_values_passes_its_own_check(rows: str) -> None:
    frame = pd.DataFrame({"s": list("aaaabbbb") * 3, "d": ["HIV", None, "?", "H**"] * 6})
    policy = wh.Policy([wh.Template(given=["s"], hide={"d": ["HIV"]}, at_most=0.6)], rows=rows, missing=["?"])
    assert list(wh.release(frame, policy, rng=1).to_frame()["s"].unique()) != ["*"]


@pytest.mark.parametrize(
    ("held", "value"), [([1.0, 0.0], "1"), ([1, 0], "1"), ([True, False], "True"), (["True", "False"], "true")]
)
def test_a_template_finds_its_value_in_any_type(held: list, value: str) -> None:
    text = {1.0: "1", 0.0: "0", "True": "true", "False": "false"}
    release = pd.DataFrame({"s": ["a"] * 10, "d": [held[0]] * 9 + [held[1]]})
    original = release.assign(d=[text[each] for each in release["d"]])
    assert checked(release, template(value), original).findings[0].reached == 0.9
    assert checked(release, template(value), release).findings[0].reached == 0.9
    assert checked(release, template(value)).findings[0].reached == 0.9


@pytest.mark.parametrize("held", [[1.0, 0.0], [True, False], ["True", "False"], ["{true}", "{false}"]])
def test_a_risk_weighs_its_values_in_any_type(held: list) -> None:
    value, other = ("1", "0") if held[0] == 1.0 and held[0] is not True else ("true", "false")
    original = pd.DataFrame({"g": ["a", "b"] * 3, "d": [value, other] * 3})
    policy = wh.Policy([wh.Risk(known={"g": 0.8}, sensitive={"d": {value: 1.0}}, at_most=10)])
    release = original.assign(d=held * 3)
    reached = checked(original, policy, original).findings[0].reached
    assert reached is not None
    assert reached > 10
    for known in (original, release, None):
        found = checked(release, policy, known)
        assert found.findings[0].reached == reached
        assert not any("no row" in note for note in found.notes)


def test_long_whole_numbers_are_distinguished() -> None:
    release = pd.DataFrame({"s": ["a"] * 4, "d": [2**53, 2**53 + 1] * 2})
    policy = wh.Policy([wh.Template(given=["s"], hide={"d": [f"{2**53 + 1}.0"]}, at_most=0.6)])
    assert checked(release, policy).findings[0].reached == 0.5


def test_a_weight_of_a_value_that_no_row_holds_is_reported() -> None:
    frame = pd.DataFrame({"g": ["a", "b"] * 3, "d": ["1", "0"] * 3})
    policy = wh.Policy([wh.Risk(known={"g": 0.8}, sensitive={"d": {"typo": 1.0, "no": 0.0}, "g": 0.1}, at_most=99)])
    sentence = 'require[0]: no row of the file holds d = "typo"; any file keeps a promise about it.'
    assert [note for note in checked(frame, policy, frame).notes if "no row" in note] == [sentence]
    assert sentence in checked(frame, policy).notes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["true", "false"], ["True", "False"]),
        (["1", "0"], [1.0, 0.0]),
        (["y", "n"], ["{y}", "{n}"]),
        (["2020-01-01 00:00:00", "2020-02-01 00:00:00"], ["2020-01-01", "2020-02-01"]),
    ],
)
def test_a_hidden_value_is_recovered_in_any_spelling(before: list, after: list) -> None:
    original = pd.DataFrame({"drug": ["a", "b"] * 20, "hiv": before * 20})
    release = original.assign(hiv=pd.Series([None, *(after * 20)[1:]], dtype=object).infer_objects())
    hidden = wh.Hidden(cells=[(0, "hiv")], against=["naive-bayes", "id3", "rules"])
    found = checked(release, wh.Policy([hidden]), original)
    assert [each.ok for each in found.findings[:4]] == [True, False, False, False]
    assert all(each.ok for each in found.findings if each.kind == "cells")


def test_a_hidden_bin_is_recovered_in_any_spelling() -> None:
    original = pd.DataFrame({"drug": ["a", "b"] * 20, "age": [20, 50] * 20})
    bins = wh.ColumnSettings(type="number", bins=(0, 30, 60))
    policy = wh.Policy([wh.Hidden(cells=[(0, "age")], against=["naive-bayes", "id3"])], columns={"age": bins})
    for labels in (["[0, 30)", "[30, 60]"], ["[0,30[", "[30;60]"]):
        release = original.assign(age=["*", *(labels * 20)[1:]])
        assert [each.ok for each in checked(release, policy, original).findings[:3]] == [True, False, False]


def test_attackers_read_a_file_in_the_spelling_of_the_original() -> None:
    original = pd.DataFrame({"drug": ["a", "b"] * 20, "hiv": ["true", "false"] * 20})
    release = original.assign(hiv=["*", *(["True", "False"] * 20)[1:]])
    policy = wh.Policy([wh.Hidden(cells=[(0, "hiv")], against=["naive-bayes"])])
    attacks = {each.attacker: each for each in wh.audit(release, policy, original=original, quick=True).cell_attacks}
    assert attacks["naive-bayes"].n_right == 1
