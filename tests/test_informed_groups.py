"""Groups that outsiders cannot read backwards: `informed` templates, diversity and closeness."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.errors import InfeasibleError, PolicyError


def staff(n_rows: int = 200, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "job": rng.choice(list("abcd"), n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
            "ill": rng.choice(["yes", "no"], n_rows, p=[0.3, 0.7]),
        }
    )


KINDS = {
    "template": wh.Template(given=["job", "sex"], hide={"ill": ["yes"]}, at_most=0.6, informed=True, groups_of=15),
    "diversity": wh.Diversity(columns=["job", "sex"], sensitive="ill", l=2, informed=True, groups_of=15),
    "closeness": wh.Closeness(columns=["job", "sex"], sensitive="ill", t=0.4, informed=True, groups_of=15),
}


@pytest.mark.parametrize("recoding", ["local", "global", "levels"])
@pytest.mark.parametrize("kind", KINDS)
def test_groups_do_not_depend_on_what_is_sensitive(kind: str, recoding: str) -> None:
    policy = wh.Policy([KINDS[kind]], recoding=recoding)
    frame = staff()
    made = wh.release(frame, policy)
    first = made.to_frame()
    other = wh.release(frame.assign(ill=np.roll(frame["ill"], 7)), policy).to_frame()
    assert first[["job", "sex"]].equals(other[["job", "sex"]])
    assert first.groupby(["job", "sex"]).size().min() >= 15
    (entry,) = made.report["requirements"]
    assert entry["informed"] is entry["ok"] is entry["proven"] is True
    assert "knows how groups were made" in policy.require[0].says


@pytest.mark.parametrize("kind", KINDS)
def test_groups_that_break_the_promise_are_refused_and_not_mended(kind: str) -> None:
    frame = staff().assign(ill=lambda each: np.where(each["job"] == "a", "yes", "no"))
    with pytest.raises(InfeasibleError, match="made without a look at what is sensitive"):
        wh.release(frame, wh.Policy([KINDS[kind]], recoding="local"))


def test_what_goes_together() -> None:
    with pytest.raises(PolicyError, match="`informed` needs `groups_of`"):
        wh.Diversity(columns=["job"], sensitive="ill", l=2, informed=True)
    with pytest.raises(PolicyError, match="goes with `informed"):
        wh.Closeness(columns=["job"], sensitive="ill", t=0.2, groups_of=10)
    with pytest.raises(PolicyError, match="exclude each other"):
        wh.Template(given=["job"], hide={"ill": "yes"}, at_most=0.5, keep=["job"], informed=True, groups_of=10)
    with pytest.raises(InfeasibleError, match="fewer than the 15 of a group"):
        wh.release(staff(9), wh.Policy([KINDS["template"]]))


def test_nothing_else_may_read_the_sensitive_column() -> None:
    with pytest.raises(PolicyError, match="nothing may be chosen by it"):
        wh.release(staff(), wh.Policy([KINDS["template"]], target="ill"))
    plain = wh.Diversity(columns=["sex"], sensitive="ill", l=2)
    with pytest.raises(PolicyError, match="make both informed"):
        wh.release(staff(), wh.Policy([KINDS["template"], plain]))
    masked = wh.Anonymity(columns=["ill"], k=2)
    with pytest.raises(PolicyError, match="on which nothing may depend"):
        wh.release(staff(), wh.Policy([KINDS["template"], masked]))
