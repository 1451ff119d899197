"""What texts mean, against an obvious version that reads one text and one value at a time."""

from itertools import combinations
from typing import Any

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

import withhold as wh
from withhold.auditing import Meaning, Sight

JOBS = {"Any": {"Kitchen": ["cook", "baker"], "Office": {"Front": ["clerk"], "Back": ["boss", "typist"]}}}
BELOW = {
    "Kitchen": {"cook", "baker"},
    "Office": {"clerk", "boss", "typist"},
    "Front": {"clerk"},
    "Back": {"boss", "typist"},
}
LEAVES = {"cook", "baker", "clerk", "boss", "typist"}
BLANK = {None, "*", "**", "Any", "?", "NA"}
JOB_TEXTS = [*LEAVES, *BELOW, *BLANK, "{cook, clerk}", "{Back, cook}", "{cook, Person 0}", "{boss}", "c***", "zz"]
AGES = {"1": 1.0, "1.0": 1.0, "01": 1.0, "2": 2.0, "7.5": 7.5, "-0.0": 0.0, "0": 0.0}
AGE_TEXTS = [*AGES, "[0, 2)", "[0, 2]", "0-7", ">=2", "{1, 2}", "{2.0, 3}", "*", None, "-9", "-9.0"]


def meaning(texts: list, values: list, column: wh.ColumnSettings, missing: list[str]) -> Meaning:
    """Return what the texts of a column mean beside its original."""
    policy = wh.Policy([wh.Anonymity(columns=["v"], k=2)], columns={"v": column}, missing=missing)
    return Sight(in_memory({"v": texts}), policy, wh.Table.from_columns({"v": values})).meaning("v")


def in_memory(columns: dict[str, list]) -> Any:
    """Return a file without an engine, which is all that reading it takes."""
    return wh.Table.from_columns(columns).store


def job_stands_for(text: str | None, value: str, values: set) -> bool:
    if text in BLANK or text is None:
        return False
    known = values | LEAVES
    if text.startswith("{"):
        members = text[1:-1].split(", ")
        if not all(member in known or member in BELOW for member in members):
            return False
        return any(value == member or value in BELOW.get(member, ()) for member in members)
    if "*" in text:
        return len(text) == len(value) and all(a in ("*", b) for a, b in zip(text, value, strict=True))
    return value == text or value in BELOW.get(text, ())


def age_stands_for(text: str | None, value: str, values: set) -> bool:
    number = AGES[value]
    simple = {"[0, 2)": 0 <= number < 2, "[0, 2]": 0 <= number <= 2, "0-7": 0 <= number <= 7, ">=2": number >= 2}
    if text in simple:
        return simple[text]
    if text is not None and text.startswith("{"):
        members = {float(member) for member in text[1:-1].split(",")}
        return members <= {AGES[each] for each in values} and number in members
    return text in AGES and AGES[text] == number


def check(found: Meaning, values: list, stands_for: object, spelled: object, blank: set) -> None:
    """Compare what is covered, what can be nothing else, and what gives a value away."""
    known = {value for value in values if value not in BLANK and value not in blank}
    everything = known | (LEAVES if found.tree is not None else set())
    places = {value: place for place, value in enumerate(found.values)}
    for text, is_blank in zip(found.texts, found.is_blank.tolist(), strict=True):
        assert is_blank == (text in BLANK or text in blank), text
        if is_blank or text is None:
            continue
        covered = found.covered(text)
        for value in known:
            assert covered[places[value]] == stands_for(text, value, known), (text, value)
    shown = [text for text in found.texts if text not in BLANK and text not in blank]
    for value in known:
        (labels,) = found.truths([places[value]], as_text=True)
        own = {text for text in shown if spelled(text) == spelled(value)}
        above = {text for text in shown if stands_for(text, value, known)} - own
        width = {t: len({spelled(each) for each in everything if stands_for(t, each, known)}) for t in above}
        alone = {text for text in above if width[text] == 1 and text in BELOW}
        narrow = {text for text in above if width[text] == min(width.values())}
        assert set(labels) == ((own | alone) or narrow or set(found.truths([places[value]])[0])), (value, shown)
        holds, may_hold = found.reads(value)
        for text, is_it, may_be in zip(found.texts, holds.tolist(), may_hold.tolist(), strict=True):
            if text in BLANK or text in blank:
                assert (is_it, may_be) == (False, True)
            else:
                among = {spelled(each) for each in everything if stands_for(text, each, known)}
                is_only = text in own or among == {spelled(value)}
                assert (is_it, may_be) == (is_only, spelled(value) in among and not is_only), (text, value)


@given(st.sets(st.sampled_from(sorted(LEAVES)), min_size=1), st.sets(st.sampled_from(JOB_TEXTS), min_size=1))
@settings(max_examples=120, deadline=None)
def test_texts_of_a_taxonomy_mean_what_one_by_one_they_mean(values: set, texts: set) -> None:
    held = [*sorted(values), None, "?"]
    found = meaning([*texts], held, wh.ColumnSettings(taxonomy=JOBS), ["?", "NA"])
    check(found, held, job_stands_for, lambda text: text.strip("{}") if text.count(",") == 0 else text, set())


@given(st.sets(st.sampled_from(sorted(AGES)), min_size=1), st.sets(st.sampled_from(AGE_TEXTS), min_size=1))
@settings(max_examples=120, deadline=None)
def test_texts_of_numbers_mean_what_one_by_one_they_mean(values: set, texts: set) -> None:
    held = [*sorted(values), None]
    found = meaning([*texts], held, wh.ColumnSettings(type="number"), ["-9"])
    check(found, held, age_stands_for, lambda text: AGES.get(text, text), {"-9", "-9.0"})


@given(st.lists(st.tuples(st.sampled_from("aabc"), st.sampled_from("xy")), min_size=1, max_size=7), st.data())
@settings(max_examples=120, deadline=None)
def test_rows_that_are_left_are_found_as_by_trying_all_choices(rows: list, data: st.DataObject) -> None:
    texts = [st.sampled_from(["a", "b", "c", "*", "{a, b}"]), st.sampled_from(["x", "y", "*"])]
    release = data.draw(st.lists(st.tuples(*texts), min_size=1, max_size=len(rows)))
    policy = wh.Policy([wh.Anonymity(columns=["p"], k=2)])

    def table(lines: list) -> dict[str, list]:
        return {name: [line[i] for line in lines] for i, name in enumerate("pq")}

    sight = Sight(in_memory(table(release)), policy, wh.Table.from_columns(table(rows)))
    members = {line[0] for line in rows}

    def fits(text: str, value: str) -> bool:
        if text == "{a, b}":
            return value in "ab" and {"a", "b"} <= members
        return text in ("*", value)

    choices = [
        chosen
        for chosen in combinations(range(len(rows)), len(release))
        if all(fits(t, v) for new, at in zip(release, chosen, strict=True) for t, v in zip(new, rows[at], strict=True))
    ]
    first, last = sight.alignment
    if not choices:
        assert first is None
    else:
        assert first is not None
        assert last is not None
        assert first.tolist() == np.min(choices, axis=0).tolist()
        assert last.tolist() == np.max(choices, axis=0).tolist()
        if len(release) < len(rows):
            assert (sight.rows is not None) == (len(choices) == 1)


def test_a_column_varies_where_texts_differ_that_mean_the_same() -> None:
    plain = wh.ColumnSettings(type="number")
    for texts, varies in (
        (["1", "2", "*", None], False),
        (["1", "1.0"], True),
        (["*", "**"], True),
        ([None, "?", "1"], True),
        (["?", "1"], False),
        (["[0, 2)", "[0,2["], True),
    ):
        assert meaning(texts, ["1", "2"], plain, ["?"]).varies == varies, texts
