"""A proof is about the texts that are published: each of these files once passed though it broke its promise."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
import withhold.auditing
from withhold.cli._main import cli
from withhold.engines.duckdb import open_columns
from withhold.errors import InputError, PolicyError


def checked(release: object, policy: wh.Policy, original: object = None, **more: object) -> wh.Audit:
    return wh.audit(release, policy, original=original, attack=False, **more)


def of_kind(found: wh.Audit, kind: str) -> list[withhold.auditing.Finding]:
    return [each for each in found.findings if each.kind == kind]


def recovered(found: wh.Audit) -> list[float | None]:
    return [each.reached for each in found.findings if "adversary" in each.details]


# Overlapping bins


@pytest.mark.parametrize("settings", [{"type": "number"}, {"type": "number", "bins": (0, 30, 60, 99)}])
def test_of_overlapping_intervals_the_narrowest_counts(settings: dict) -> None:
    original = pd.DataFrame({"drug": ["a", "b", "c"] * 20, "age": [20, 50, 80] * 20})
    bands = ["[0, 30)", "[30, 60)", "[60, 99]"] * 20
    release = original.assign(age=["*", "*", "*", *bands[3:]])
    policy = wh.Policy(
        [wh.Hidden(cells=[(0, "age"), (1, "age"), (2, "age")], against=["naive-bayes", "id3"])],
        columns={"age": wh.ColumnSettings(**settings)},
    )
    assert recovered(checked(release, policy, original)) == [3, 3]
    wide = release.copy()
    wide.loc[59, "age"] = "[0, 99]"
    assert recovered(checked(wide, policy, original)) == [3, 3]


def test_texts_that_cover_the_same_values_give_a_value_away_alike() -> None:
    original = pd.DataFrame({"drug": ["a", "b"] * 20, "age": ["25", "71"] * 20})
    release = original.assign(age=["*", "*", *["20-39", "[60, 80]"] * 19])
    policy = wh.Policy([wh.Hidden(cells=[(0, "age"), (1, "age")], against=["naive-bayes"])])
    for rows in ([2, 4], list(range(2, 30, 2))):
        release.loc[rows, "age"] = "[20, 40)"
        assert recovered(checked(release, policy, original)) == [2]


def test_a_node_above_one_value_alone_gives_it_away() -> None:
    jobs = wh.ColumnSettings(taxonomy={"Any": {"Idle": ["none"], "Office": ["clerk", "boss"]}})
    original = pd.DataFrame({"drug": ["a", "b"] * 20, "job": ["none", "clerk"] * 20})
    release = original.assign(job=["*", "clerk", *["Idle", "clerk"] * 18, "none", "boss"])
    policy = wh.Policy([wh.Hidden(cells=[(0, "job")], against=["naive-bayes"])], columns={"job": jobs})
    assert recovered(checked(release, policy, original)) == [1]


def test_a_bin_that_is_published_nowhere_else_gives_nothing_away() -> None:
    original = pd.DataFrame({"drug": ["a", "b"] * 20, "age": [10, 50] * 20})
    original.loc[0, "age"] = 25
    release = original.assign(age=["*", *["[40, 60]", "[0, 20)"] * 19, "[40, 60]"])
    bins = wh.ColumnSettings(type="number", bins=(0, 20, 40, 60))
    policy = wh.Policy([wh.Hidden(cells=[(0, "age")], against=["naive-bayes", "id3"])], columns={"age": bins})
    assert recovered(checked(release, policy, original)) == [0, 0]


# Sets


SET = wh.Policy([wh.Anonymity(columns=["job"], k=2)], drop=["name"])
PEOPLE = pd.DataFrame({"name": [f"Person {i}" for i in range(6)], "job": ["a", "b"] * 3, "ill": ["flu", "none"] * 3})


@pytest.mark.parametrize(
    ("text", "n_changed"),
    [("{flu, none}", 0), ("{flu, Person 0}", 1), ("{flu, none, x}", 1), ("{ flu , 'none' }", 0), ("{flu, *}", 1)],
)
def test_every_member_of_a_set_is_a_value_of_its_column(text: str, n_changed: int) -> None:
    release = PEOPLE.drop(columns="name").copy()
    release.loc[0, "ill"] = text
    (found,) = of_kind(checked(release, SET, PEOPLE), "cells")
    assert found.reached == n_changed


def test_a_set_may_hold_nodes_of_the_taxonomy_and_values_that_the_table_does_not() -> None:
    tree = wh.ColumnSettings(taxonomy={"any": {"lung": ["flu", "asthma"], "none": {}}})
    policy = wh.Policy(SET.require, drop=["name"], columns={"ill": tree})
    for text, n_changed in (("{flu, asthma}", 0), ("{lung, none}", 0), ("{lung, gut}", 1), ("{asthma, none}", 1)):
        release = PEOPLE.drop(columns="name").copy()
        release.loc[0, "ill"] = text
        assert of_kind(checked(release, policy, PEOPLE), "cells")[0].reached == n_changed, text


# Templates


def template(value: str = "HIV", at_most: float = 0.3, **settings: object) -> wh.Policy:
    return wh.Policy([wh.Template(given=["s"], hide={"d": [value]}, at_most=at_most)], **settings)


@pytest.mark.parametrize(("value", "settings"), [("?", {}), ("*", {}), ("-9.0", {"type": "number"})])
def test_a_template_on_a_value_that_means_missing_is_a_mistake(value: str, settings: dict) -> None:
    frame = pd.DataFrame({"s": ["a"] * 10, "d": [value] * 9 + ["1"]})
    columns = {"d": wh.ColumnSettings(**settings)} if settings else {}
    policy = template(value, missing=["?", "-9"], columns=columns)
    for job in (
        lambda: wh.release(frame, policy),
        lambda: checked(frame, policy),
        lambda: checked(frame, policy, frame),
    ):
        with pytest.raises(PolicyError, match=r"require\[0\].hide.d: the value .* stands for"):
            job()


def test_a_weight_on_a_value_that_means_missing_is_a_mistake() -> None:
    frame = pd.DataFrame({"s": ["a", "b"] * 5, "d": ["?"] * 10})
    for weight in (1.0, 0.0):
        risk = wh.Risk(known={"s": 0.5}, sensitive={"d": {"?": weight, "1": 1.0}}, at_most=10)
        policy = wh.Policy([risk], missing=["?"])
        if weight:
            with pytest.raises(PolicyError, match=r"require\[0\].sensitive.d: the value .* stands for"):
                checked(frame, policy, frame)
        else:
            assert checked(frame, policy, frame).ok


TREE = {"d": wh.ColumnSettings(taxonomy={"Any": {"viral": ["HIV", "flu"], "none": {}}})}


@pytest.mark.parametrize("mark", ["*", None, "viral", "{HIV, flu}", "Any"])
def test_a_value_that_is_blanked_or_coarsened_just_where_it_holds_is_counted_by_the_original(mark: str | None) -> None:
    original = pd.DataFrame({"s": ["a"] * 10 + ["b"] * 10, "d": ["HIV"] * 9 + ["none"] + ["none"] * 9 + ["flu"]})
    release = original.assign(d=[mark] * 9 + ["none"] * 10 + ["flu"])
    found = checked(release, template(columns=TREE), original).findings[0]
    assert (found.ok, found.reached) == (False, 0.9)
    assert "in the original" in found.says
    alone = checked(release, template(columns=TREE))
    assert (alone.findings[0].ok, alone.findings[0].is_complete) == (True, False)
    assert "only what is published was counted" in alone.findings[0].says


def test_rows_without_an_answer_do_not_lower_a_share() -> None:
    original = pd.DataFrame({"s": ["a"] * 123, "d": ["HIV"] * 36 + ["none"] * 64 + [None, "?"] * 11 + [None]})
    policy = template(missing=["?"])
    found = checked(original, policy, original).findings[0]
    assert (found.ok, found.reached) == (False, 0.36)
    answered = original.assign(d=["HIV"] * 30 + ["none"] * 70 + [None, "?"] * 11 + [None])
    assert checked(answered, policy, answered).findings[0].reached == 0.3
    assert checked(answered, policy, answered).ok


def test_cells_that_are_hidden_from_the_informed_are_no_answers() -> None:
    original = pd.DataFrame({"s": ["a"] * 10, "d": ["HIV"] * 3 + ["none"] * 7, "u": ["x"] * 10})
    release = original.assign(d=["*", "*", "*", *["none"] * 7])
    rows = [(row, "d") for row in range(3)]
    plain = wh.Policy([*template(at_most=0.2).require, wh.Hidden(cells=rows, predictors=["u"])])
    assert not checked(release, plain, original).findings[0].ok
    informed = wh.Policy([*template(at_most=0.2).require, wh.Hidden(cells=rows, predictors=["u"], informed=True)])
    found = checked(release, informed, original).findings[0]
    assert (found.ok, found.reached) == (True, 0.0)


def test_both_readings_must_hold() -> None:
    # By the truth 3 of 10 hold it; but of those of whom something is published all do.
    original = pd.DataFrame({"s": ["a"] * 10, "d": ["HIV"] * 3 + ["none"] * 7})
    release = original.assign(d=["HIV"] * 3 + ["*"] * 7)
    found = checked(release, template(), original).findings[0]
    assert (found.ok, found.reached) == (False, 1.0)
    assert "in the original" not in found.says


# Removed rows


TOWN = pd.DataFrame({"zip": ["1", "1", "2", "2", "3"], "ill": ["flu", "none", "flu", "none", "flu"]})
ZIP = wh.Policy([wh.Anonymity(columns=["zip"], k=2)])


@pytest.mark.parametrize(
    ("rows", "changed", "n_changed"),
    [
        ([0, 1, 2, 3], {}, 0),
        ([1, 3], {}, 0),
        ([0, 1, 2, 3], {(0, "ill"): "Person 0"}, 1),
        ([0, 1, 2, 3], {(0, "ill"): "*", (2, "ill"): "{flu, none}"}, 0),
        ([0, 1], {(0, "zip"): "9", (1, "zip"): "9"}, 2),
    ],
)
def test_cells_are_compared_though_rows_were_removed(rows: list[int], changed: dict, n_changed: int) -> None:
    release = TOWN.iloc[rows].reset_index(drop=True)
    for (row, column), text in changed.items():
        release.loc[row, column] = text
    found = checked(release, ZIP, TOWN)
    (cells,) = of_kind(found, "cells")
    assert cells.reached == n_changed
    assert any("not in the file" in note for note in found.notes)


def test_rows_that_are_left_keep_their_order_or_are_said_to_be_shuffled() -> None:
    release = TOWN.iloc[[3, 2, 1, 0]]
    (found,) = of_kind(checked(release, ZIP, TOWN), "cells")
    assert not found.ok
    assert 'rows = "shuffle"' in found.says
    shuffled = wh.Policy(ZIP.require, rows="shuffle")
    assert of_kind(checked(release, shuffled, TOWN), "cells")[0].ok


def test_a_template_is_counted_by_the_original_where_the_rows_that_are_left_can_be_found() -> None:
    original = pd.DataFrame({"s": ["a"] * 12, "d": ["HIV"] * 9 + ["none"] * 3, "n": [f"{i}" for i in range(12)]})
    release = original.assign(d=["*"] * 9 + ["none"] * 3).iloc[1:]
    found = checked(release, template(), original).findings[0]
    assert (found.ok, found.is_complete) == (False, True)
    found = checked(release.assign(n="*"), template(), original).findings[0]
    assert (found.ok, found.is_complete) == (True, False), "which row was removed is not known"


# Not proven


def test_not_proven_is_no_success_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("s,d\na,*\na,none\na,none\na,none\n")
    (tmp_path / "o.csv").write_text("s,d\na,HIV\na,none\na,none\na,none\n")
    (tmp_path / "p.toml").write_text(
        '[[require]]\nkind = "template"\ngiven = ["s"]\nhide = {d = ["HIV"]}\nat_most = 0.3\n'
    )
    words = ["audit", str(tmp_path / "r.csv"), "--policy", str(tmp_path / "p.toml")]
    for more in ([], ["--json"], ["--checks-only"]):
        done = CliRunner().invoke(cli, [*words, *more])
        assert done.exit_code == 1, done.output
        assert "not proven" in done.stderr.lower()
    done = CliRunner().invoke(cli, [*words, "--original", str(tmp_path / "o.csv")])
    assert done.exit_code == 0, done.output


# Spellings


NUMBERS = {"x": wh.ColumnSettings(type="number")}


@pytest.mark.parametrize(
    ("spelled", "missing"),
    [
        (["1", "1.0"], ()),
        (["0", "-0.0"], ()),
        (["0.1", "0.10000000000000000555"], ()),
        (["01", "1"], ()),
        ([None, "?"], ("?",)),
        (["NA", "?"], ("?", "NA")),
        (["-9", "-9.0"], ("-9",)),
    ],
)
@pytest.mark.parametrize("adversary", ["naive-bayes", "id3", "rules"])
def test_spellings_of_one_value_are_seen_by_adversaries(spelled: list, missing: tuple, adversary: str) -> None:
    held = ["y", "n"] * 20
    original = pd.DataFrame({"x": spelled * 20, "ill": held}, dtype=object)
    original.loc[40] = {"x": "7", "ill": "n"}
    original.loc[41] = {"x": spelled[1], "ill": "n"}  # else both values would be tied, which counts as recovered
    release = original.copy()
    release.loc[:1, "ill"] = "*"
    against = [wh.Against(adversary="rules", support=2)] if adversary == "rules" else [adversary]
    hidden = wh.Hidden(cells=[(0, "ill"), (1, "ill")], against=against)
    policy = wh.Policy([hidden], columns=NUMBERS, missing=missing)
    assert (recovered(checked(release, policy, original))[0] or 0) >= 2
    one = "0" if spelled[0] in ("0", "0.1") else spelled[0]
    same = release.assign(x=[*[one] * 40, "7", one])
    before = original.assign(x=[*[one] * 40, "7", one])
    assert recovered(checked(same, policy, before))[0] < 2


def test_a_hidden_number_is_recovered_in_any_of_its_spellings() -> None:
    original = pd.DataFrame({"drug": ["a"] * 9 + ["b"] * 9, "x": ["1", "1.0", "2"] * 3 + ["3"] * 9})
    release = original.copy()
    release.loc[0, "x"] = "*"
    # As numbers 1 is held by 5 of 8, as texts no spelling of it by more than 3.
    policy = wh.Policy([wh.Hidden(cells=[(0, "x")], against=["naive-bayes"])], columns=NUMBERS)
    assert recovered(checked(release, policy, original)) == [1]
    spelled = original.assign(x=["*", "1.0", "1.0", "2", "1.0", "2.0", "2", "2.00", "2.000"] + ["3"] * 9)
    # As numbers 2 is held by 5 of 8; as texts 1.0 by 3, more than any spelling of 2.
    truth = spelled.assign(x=["1", *spelled["x"][1:]])
    assert recovered(checked(spelled, policy, truth)) == [1]


def test_spellings_of_a_missing_value_count_in_a_risk() -> None:
    original = pd.DataFrame({"x": [None, "?"] * 6, "y": ["a"] * 12, "d": ["HIV"] * 12}, dtype=object)
    original.loc[1, "x"] = None
    risk = wh.Risk(known={"x": 1.0, "y": 0.5}, sensitive={"d": {"HIV": 1.0}}, at_most=25)
    policy = wh.Policy([risk], missing=["?"])
    assert not checked(original, policy, original).ok, "five rows of twelve have a text of their own"
    assert checked(original.assign(x=None), policy, original).ok


# Shuffled rows with hidden cells


def shuffled(seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray, list[int]]:
    """Return people, the same published in another order with cells withheld, that order, and the hidden rows."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"drug": rng.choice(list("abc"), 60), "ward": rng.choice(list("xy"), 60)})
    frame["ill"] = [f"ill-{each}" for each in frame["drug"]]
    rows = list(range(0, 60, 6))
    made = frame.copy()
    made.loc[rows, "ill"] = "*"
    order = rng.permutation(60)
    return frame, made.iloc[order].reset_index(drop=True), order, rows


def policy_of(rows: Sequence[int], **settings: object) -> wh.Policy:
    hidden = wh.Hidden(cells=[(row, "ill") for row in rows], against=["naive-bayes", "id3"])
    return wh.Policy([hidden], rows="shuffle", **settings)


def test_hidden_cells_of_shuffled_rows_are_found_by_the_order_that_the_owner_knows() -> None:
    frame, made, order, rows = shuffled()
    found = checked(made, policy_of(rows), frame, positions=order)
    assert recovered(found) == [len(rows), len(rows)]
    assert found.is_complete
    made.loc[np.isin(order, rows), "drug"] = "*"
    assert checked(made, policy_of(rows), frame, positions=order).findings[0].ok
    full = wh.audit(made, policy_of(rows), original=frame, positions=order, quick=True, rng=1)
    assert {each.n_cells for each in full.cell_attacks if each.scope == "hidden"} == {len(rows)}


def test_a_published_hidden_cell_of_shuffled_rows_is_found() -> None:
    frame, made, order, rows = shuffled()
    at = int(np.flatnonzero(order == rows[3])[0])
    made.loc[at, "ill"] = frame.loc[rows[3], "ill"]
    other = int(np.flatnonzero(order == 1)[0])
    made.loc[other, "ill"] = "*"
    assert checked(made, policy_of(rows), frame, positions=order).findings[0].reached == 1


def test_without_the_order_hidden_cells_of_shuffled_rows_are_not_proven() -> None:
    frame, made, _, rows = shuffled()
    found = checked(made, policy_of(rows), frame)
    assert (found.ok, found.is_complete) == (True, False)
    assert recovered(found) == []
    assert "not checked" in found.findings[0].says
    at = made.index[made["ill"] == "*"][0]
    made.loc[at, "ill"] = made.loc[at, "drug"].replace(made.loc[at, "drug"], f"ill-{made.loc[at, 'drug']}")
    found = checked(made, policy_of(rows), frame)
    assert not found.findings[0].ok, "fewer cells are withheld than were hidden"
    assert "at least 1 of 10" in found.findings[0].says


def test_positions_must_be_an_order_of_the_rows() -> None:
    frame, made, order, rows = shuffled()
    for wrong in (order[:-1], np.zeros(60, dtype=int), order + 1):
        with pytest.raises(InputError, match="positions"):
            checked(made, policy_of(rows), frame, positions=wrong)


def test_a_shuffled_template_is_counted_by_the_original_in_the_order_that_the_owner_knows() -> None:
    original = pd.DataFrame({"s": ["a"] * 10 + ["b"] * 10, "d": ["HIV"] * 9 + ["none"] * 11})
    order = np.random.default_rng(2).permutation(20)
    made = original.assign(d=["*"] * 9 + ["none"] * 11).iloc[order]
    policy = template(rows="shuffle")
    assert checked(made, policy, original, positions=order).findings[0].reached == 0.9
    found = checked(made, policy, original)
    assert (found.ok, found.is_complete) == (True, False)
    whole = checked(original.iloc[order], template(at_most=0.9, rows="shuffle"), original)
    assert (whole.ok, whole.is_complete) == (True, True), "nothing of the column is withheld"


def test_cells_of_shuffled_rows_are_compared_one_by_one_where_the_order_is_known() -> None:
    frame, made, order, rows = shuffled()
    made.loc[0, "ward"], made.loc[1, "ward"] = "x", "y"
    was = frame.loc[order[:2], "ward"].tolist()
    made.loc[[0, 1], "ward"] = was[::-1]
    n_wrong = 2 * (was[0] != was[1])
    (found,) = of_kind(checked(made, policy_of(rows), frame, positions=order), "cells")
    assert found.reached == n_wrong


# Odd originals


def test_a_star_in_the_original_is_nothing_that_stood_there() -> None:
    original = pd.DataFrame({"drug": ["a", "b"] * 10, "ill": ["*", "n"] * 10})
    policy = wh.Policy([wh.Hidden(cells=[(0, "ill"), (1, "ill")], predictors=["drug"], against=["naive-bayes"])])
    table = wh.Table(open_columns(original.to_dict("list")))
    original.loc[1, "ill"] = "*"
    found = withhold.auditing.check_source(open_columns(original.to_dict("list")), policy, original=table)
    assert found.findings[0].details == {"cells": 1, "published": 0}


def test_a_number_that_is_spelled_unlike_its_missing_mark_is_missing() -> None:
    original = pd.DataFrame({"drug": ["a", "b"] * 10, "x": ["-9.0", "1"] * 10})
    policy = wh.Policy(
        [wh.Hidden(cells=[(0, "x"), (1, "x")], against=["naive-bayes"])], missing=["-9"], columns=NUMBERS
    )
    release = original.copy()
    release.loc[1, "x"] = "*"
    assert checked(release, policy, original).findings[0].details == {"cells": 1, "published": 0}


def test_nothing_stands_for_a_value_that_means_missing() -> None:
    original = pd.DataFrame({"x": ["-9", "1"] * 5, "s": ["a"] * 10})
    policy = wh.Policy([wh.Anonymity(columns=["s"], k=2)], missing=["-9"], columns=NUMBERS)
    release = original.assign(x=["[-10, 0)", *original["x"][1:]])
    assert of_kind(checked(release, policy, original), "cells")[0].reached == 1


def test_columns_that_another_requirement_masks_are_no_cover_where_adversaries_predict_from_them() -> None:
    frame = pd.DataFrame({"band": ["x", "y"] * 20, "city": ["p", "q"] * 20, "ill": ["flu", "none"] * 20})
    made = frame.copy()
    made.loc[[0, 1], ["city", "ill"]] = "*"
    hidden = wh.Hidden(cells=[(0, "ill"), (1, "ill")], predictors=["band", "city"], against=["naive-bayes"])
    table = wh.Table(open_columns(frame.to_dict("list")))
    policy = wh.Policy([hidden, wh.Anonymity(columns=["band"], k=2)])
    source = open_columns(made.to_dict("list"))
    found = withhold.auditing.check_source(source, policy, original=table)
    assert recovered(found) == [2], "a row of which the masked column is published is not deleted"
