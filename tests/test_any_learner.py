"""Hidden cells and any learner: what learners recover by is withheld until none is better than a guess."""

import sys

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.errors import MissingExtraError, PolicyError, UnmetError
from withhold.methods.learned import clopper_pearson, is_beyond_luck


def ward(n_rows: int = 400, seed: int = 0) -> pd.DataFrame:
    """A table in which the ward decides the illness in 85 of 100 rows, and sex and age say nothing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(list(values), n_rows) for name, values in
                          (("sex", "fm"), ("ward", "abcd"), ("age", "12345"))})  # fmt: skip
    frame["ill"] = np.where(frame["ward"].isin(["a", "b"]) ^ (rng.random(n_rows) < 0.15), "yes", "no")
    return frame


CELLS = [(row, "ill") for row in range(90)]


def hidden(**changed: object) -> wh.Policy:
    fields: dict = {"cells": CELLS, "against": ["any"], **changed}
    return wh.Policy([wh.Hidden(**fields)])


def test_only_what_the_recovery_rests_on_is_withheld() -> None:
    made = wh.release(ward(), hidden(), rng=1)
    published = made.to_frame()
    (entry,) = made.report["requirements"]
    assert set(entry["share_withheld"]) == {"ward"}
    assert 10 < (published["ward"] == "*").sum() <= 90
    assert (published["ward"][90:] != "*").all()
    assert entry["exposed_before"]["any"] > 15
    assert {each["learner"] for each in entry["learners"]} == {
        "LogisticRegression",
        "RandomForestClassifier",
        "BernoulliNB",
    }


def test_blanks_do_not_mark_whom_learners_would_have_named() -> None:
    frame = ward()
    blank = (wh.release(frame, hidden(), rng=1).to_frame()["ward"][:90] == "*").to_numpy()
    is_ill = (frame["ill"][:90] == "yes").to_numpy()
    assert abs(is_ill[blank].mean() - is_ill.mean()) < 0.2


def test_the_check_finds_learners_that_beat_a_guess(tmp_path: object) -> None:
    frame = ward()
    bare = frame.copy()
    bare.loc[:89, "ill"] = "*"
    audit = wh.audit(bare, hidden(), original=frame, attack=False)
    found = next(each for each in audit.findings if "learners" in each.says)
    assert not found.ok
    assert "linear-svm" in found.says
    assert any(each["is_better"] for each in found.details["learners"])  # type: ignore[attr-defined]


def test_learners_by_name_and_as_objects() -> None:
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_depth=3)
    policy = hidden(against=[{"adversary": "any", "learners": ["BernoulliNB", tree]}])
    made = wh.release(ward(), policy, rng=1)
    made.to_frame()
    names = {each["learner"] for each in made.report["requirements"][0]["learners"]}
    assert names == {"BernoulliNB", "DecisionTreeClassifier"}


def test_with_informed_learners_say_nothing_of_their_own() -> None:
    frame, other = ward(), ward()
    other.loc[:89, "ill"] = np.roll(other.loc[:89, "ill"], 11)
    policy = hidden(informed=True, against=[{"adversary": "any", "learners": ["BernoulliNB"]}])
    first, second = (wh.release(each, policy, rng=1).to_frame() for each in (frame, other))
    assert first.equals(second)
    assert (first["ward"][:90] == "*").all()


def test_mistakes_are_refused_before_long_work() -> None:
    with pytest.raises(PolicyError, match='no classifier "RandomForest"'):
        wh.release(ward(50), hidden(cells=[(0, "ill")], against=[{"adversary": "any", "learners": ["RandomForest"]}]))
    with pytest.raises(PolicyError, match='goes with adversary = "any"'):
        wh.Hidden(column="ill", against=[{"adversary": "id3", "learners": ["BernoulliNB"]}])
    with pytest.raises(PolicyError, match="names of classifiers"):
        wh.Hidden(column="ill", against=[{"adversary": "any", "learners": [3]}])


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.utils", None)
    with pytest.raises(MissingExtraError, match=r"withhold\[audit\]"):
        wh.release(ward(50), hidden(cells=[(0, "ill")]))


def test_luck_is_judged_exactly() -> None:
    assert is_beyond_luck(8, 0, 100, certainty=0.95, n_tests=3)  # 1/256 < 0.05/3
    assert not is_beyond_luck(5, 0, 100, certainty=0.95, n_tests=3)  # 1/32 is not
    assert is_beyond_luck(1, 0, 2, certainty=0.95, n_tests=3)  # too few for a test: a lead of a quarter counts
    assert not is_beyond_luck(0, 0, 1, certainty=0.95, n_tests=1)
    low, high = clopper_pearson(0, 20)
    assert (low, round(high, 4)) == (0.0, 0.1684)
    assert issubclass(UnmetError, RuntimeError)
