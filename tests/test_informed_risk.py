"""Record risk where outsiders know the policy: what is withheld does not depend on who is sensitive."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import withhold as wh
from withhold.errors import PolicyError, TooMuchWithheldError

KNOWN = {"gender": 0.8, "parish": 0.4, "grade": 0.4}


def survey(n_rows: int = 400, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "gender": rng.choice(["f", "m"], n_rows),
            "parish": rng.choice([f"p{i}" for i in range(9)], n_rows, p=np.arange(1, 10) / 45),
            "grade": rng.choice([str(i) for i in range(1, 7)], n_rows),
            "dropout": np.where(np.arange(n_rows) % 13 == 0, "Yes", "No"),
        }
    )


def release(frame: pd.DataFrame, **changed: object) -> wh.Release:
    fields: dict = {"known": KNOWN, "sensitive": {"dropout": {"Yes": 1.0}}, "at_most": 12.0, **changed}
    return wh.release(frame, wh.Policy([wh.Risk(**fields)]))


def test_without_informed_every_blank_marks_a_sensitive_person() -> None:
    frame = survey()
    blank = (release(frame).to_frame() == "*").any(axis=1)
    assert blank.any()
    assert (frame["dropout"][blank] == "Yes").all()


def test_informed_blanks_say_nothing_of_whom_they_protect() -> None:
    frame = survey()
    made = release(frame, informed=True)
    blank = (made.to_frame() == "*").any(axis=1).to_numpy()
    is_sensitive = (frame["dropout"] == "Yes").to_numpy()
    share = is_sensitive.mean()
    interval = binomtest(int(is_sensitive[blank].sum()), int(blank.sum())).proportion_ci(0.95)
    assert blank.sum() > 100
    assert interval.low <= share <= interval.high
    (entry,) = made.report["requirements"]
    assert entry["informed"] is entry["ok"] is entry["proven"] is True
    assert 0 < entry["withheld_if_seen"] < entry["blanked"]
    assert "whoever is sensitive" in made.policy.require[0].says


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from("abc")] * 3, st.sampled_from(["Yes", "No", None])), min_size=3, max_size=14),
    st.randoms(use_true_random=False),
    st.sampled_from([5.0, 20.0, 60.0]),
    st.booleans(),
)
def test_what_is_withheld_does_not_depend_on_the_sensitive_column(
    rows: list, random: object, most: float, is_known: bool
) -> None:
    frame = pd.DataFrame(rows, columns=["gender", "parish", "grade", "dropout"])
    other = frame.copy()
    other["dropout"] = [random.choice(["Yes", "No", "Never", None]) for _ in rows]  # type: ignore[attr-defined]
    known = KNOWN | ({"dropout": 0.2} if is_known else {})
    weights = {"dropout": {"Yes": 1.0, "No": 0.2}, "grade": 0.1}
    asked: dict = {"known": known, "sensitive": weights, "at_most": most, "informed": True, "most_withheld": 1.0}
    first, second = (release(each, **asked).to_frame() for each in (frame, other))
    names = ["gender", "parish"]
    assert first[names].equals(second[names])
    assert ((first == "*") == (second == "*")).all(axis=None)


def test_a_value_that_nobody_holds_does_not_stop_an_informed_release() -> None:
    frame = survey().assign(dropout="No")
    with pytest.raises(PolicyError, match="does not occur"):
        release(frame)
    assert release(frame, informed=True).report["requirements"][0]["blanked"] > 0


def test_informed_needs_a_column_that_is_known_and_not_sensitive() -> None:
    with pytest.raises(PolicyError, match="needs a `known` column"):
        wh.Risk(known={"dropout": 0.5}, sensitive={"dropout": 1.0}, at_most=1, informed=True)


def test_a_star_that_is_the_secret_becomes_a_star_for_all_or_an_error() -> None:
    frame = survey()
    asked: dict = {"known": {"gender": 0.1}, "at_most": 0.2}
    starred = release(frame, **asked).to_frame()["dropout"] == "*"
    assert (starred == (frame["dropout"] == "Yes")).all()  # filling in is right on all of them
    with pytest.raises(TooMuchWithheldError, match='400 of 400 cells of column "dropout"'):
        release(frame, **asked, informed=True)
