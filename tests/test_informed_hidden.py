"""Hidden cells whose release depends on nothing that they held: not on the value, not on whether there is one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.errors import PolicyError, WithholdError

RULES = {"adversary": "rules", "confidence": 0.7, "support": 2}


def released(frame: pd.DataFrame, **fields: object) -> pd.DataFrame | str:
    policy = wh.Policy([wh.Hidden(informed=True, most_withheld=1.0, **fields)])  # type: ignore[arg-type]
    try:
        return wh.release(frame, policy, rng=1).to_frame().astype(object).fillna("")
    except WithholdError as error:
        return type(error).__name__


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("pq")), min_size=6, max_size=12),
    st.randoms(use_true_random=False),
)
def test_no_entry_is_blanked_because_of_a_hidden_value(rows: list, random: object) -> None:
    frame = pd.DataFrame(rows, columns=["drug", "ward", "ill"])
    other = frame.copy()
    cells = [(0, "ill"), (3, "ill"), (4, "ward")]
    for row, column in cells:
        other.loc[row, column] = random.choice(["p", "q", "x", "new", None])  # type: ignore[attr-defined]
    first, second = (released(each, cells=cells, against=[RULES]) for each in (frame, other))
    assert first == second if isinstance(first, str) else first.equals(second)


def test_rules_about_hidden_cells_are_broken_whether_they_are_right_or_wrong() -> None:
    frame = pd.DataFrame({"drug": ["a"] * 8 + ["b"] * 8, "ill": ["flu"] * 8 + ["none"] * 8})
    frame.loc[1, "ill"] = "none"
    made = wh.release(frame, wh.Policy([wh.Hidden(cells=[(0, "ill"), (1, "ill")], informed=True, against=[RULES])]))
    assert (made.to_frame()["drug"][:2] == "*").all()
    assert made.report["requirements"][0]["exposed_before"] == {"rules": 2}
    assert made.report["requirements"][0]["proven"]


@pytest.mark.parametrize("against", [["naive-bayes", "id3"], [RULES]])
def test_that_there_is_a_release_depends_on_no_hidden_value(against: list) -> None:
    frame = pd.DataFrame({"drug": list("aabb"), "test": ["neg"] * 4})
    results = [released(frame.assign(test=[value, *["neg"] * 3]), cells=[(0, "test")], against=against)
               for value in ("pos", "neg", None)]  # fmt: skip
    assert results == ["PolicyError"] * 3


def test_declared_values_let_a_column_of_one_value_be_hidden() -> None:
    frame = pd.DataFrame({"drug": list("aabb"), "test": ["neg"] * 4})
    tree = {"test": wh.ColumnSettings(taxonomy={"any": ["pos", "neg"]})}
    policy = wh.Policy([wh.Hidden(cells=[(0, "test")], informed=True)], columns=tree)
    shown = [wh.release(frame.assign(test=[v, *["neg"] * 3]), policy, rng=1).to_frame() for v in ("pos", "neg")]
    assert shown[0].equals(shown[1])


def test_a_hidden_cell_that_is_missing_reads_like_the_others() -> None:
    frame = pd.DataFrame({"drug": list("aabbab"), "ill": ["p", None, "q", "p", "q", "p"]})
    shown = released(frame, cells=[(0, "ill"), (1, "ill")])
    assert list(shown["ill"][:2]) == ["*", "*"]


def test_a_mistake_says_what_to_declare() -> None:
    frame = pd.DataFrame({"drug": list("aabb"), "test": ["neg"] * 4})
    with pytest.raises(PolicyError, match="a taxonomy names the values"):
        wh.release(frame, wh.Policy([wh.Hidden(cells=[(0, "test")], informed=True)]))
    assert np.all(frame["test"] == "neg")
