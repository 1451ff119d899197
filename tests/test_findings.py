"""What was found behind green verdicts, on made data of the same shape: it is found now, and there is an answer to it."""

import numpy as np
import pandas as pd
import pytest
from tests.equivalence.replay_attacker import as_rows, published, replay

import withhold as wh
from withhold.errors import PolicyError, TooMuchWithheldError
from withhold.report import level_of


def survey(n_rows: int = 400, share: float = 0.11) -> pd.DataFrame:
    """Return people with an answer that is sensitive, unrelated to what they are known by."""
    rng = np.random.default_rng(16)
    known = {"age": (20, 60), "county": (0, 12), "size": (1, 7)}
    columns = {name: rng.integers(*ends, n_rows).astype(str) for name, ends in known.items()}
    return pd.DataFrame({**columns, "dropout": np.where(rng.random(n_rows) < share, "Yes", "No")})


def risk(at_most: float, **fields: object) -> wh.Policy:
    known = {"age": 0.3, "county": 0.3, "size": 0.3}
    return wh.Policy([wh.Risk(known=known, sensitive={"dropout": {"Yes": 1.0}}, at_most=at_most, most_withheld=1.0,
                              **fields)])  # type: ignore[arg-type] # fmt: skip


def test_risk_blanks_point_at_the_sensitive() -> None:
    """Every row with a blank was somebody's with the sensitive answer, and some still had one compatible row."""
    frame = survey()
    is_sensitive = (frame["dropout"] == "Yes").to_numpy()
    for informed in (False, True):
        policy = risk(12.0, informed=informed)
        shown = wh.release(frame, policy, rng=1).to_frame()
        blank = (shown == "*").any(axis=1).to_numpy()
        audit = wh.audit(shown, policy, original=frame, attack=False)
        share = is_sensitive[blank].mean()
        assert audit.ok
        assert blank.sum() > 30
        if informed:
            assert abs(share - is_sensitive.mean()) < 0.05
            assert "marks" not in {each.kind for each in audit.disclosures}
        else:
            assert share == 1
            assert level_of(audit) == "red"


def test_the_star_is_the_secret() -> None:
    """All sensitive answers were `*` and only others were left: filling in was right each time."""
    frame = survey(400, 0.08)[["size", "dropout"]]
    asked: dict = {"known": {"size": 0.3}, "sensitive": {"dropout": {"Yes": 1.0}}, "at_most": 0.2}
    plain = wh.Policy([wh.Risk(**asked)])
    shown = wh.release(frame, plain, rng=1).to_frame()
    assert ((shown["dropout"] == "*") == (frame["dropout"] == "Yes")).all()
    audit = wh.audit(shown, plain, original=frame, attack=False)
    assert (audit.disclosures[0].kind, level_of(audit)) == ("constant", "red")
    with pytest.raises(TooMuchWithheldError):
        wh.release(frame, wh.Policy([wh.Risk(**asked, informed=True)]), rng=1)


def test_that_there_is_a_release_says_something() -> None:
    """A hidden `pos` was released and a hidden `neg` refused."""
    frame = pd.DataFrame({"drug": list("aabb"), "test": ["neg"] * 4})
    for value in ("pos", "neg"):
        with pytest.raises(PolicyError, match="taxonomy names the values"):
            wh.release(
                frame.assign(test=[value, *["neg"] * 3]), wh.Policy([wh.Hidden(cells=[(0, "test")], informed=True)])
            )


def test_minimality_makes_whoever_replays_the_search_certain() -> None:
    """One, two and two people, a template at one half: a coarse group shows that two who share a job are both ill."""
    jobs = {"job": ["A", "B", "B", "C", "C"]}
    asked: dict = {"given": ["job"], "hide": {"ill": ["yes"]}, "at_most": 0.5}
    plain, informed = (wh.Policy([wh.Template(**asked, **more)]) for more in ({}, {"informed": True, "groups_of": 2}))
    both = published({**jobs, "ill": ["no", "yes", "yes", "no", "no"]}, plain)
    one = published({**jobs, "ill": ["no", "yes", "no", "no", "no"]}, plain)
    assert both is not None
    assert one is not None
    assert "B" not in {row[0] for row in both}
    assert "B" in {row[0] for row in one}
    chances = [
        max(each.get("yes", 0) for _, people in replay(jobs, "ill", ["yes", "no"], as_rows(policy)) for each in people)
        for policy in (plain, informed)
    ]
    assert chances[0] == 1
    assert chances[1] <= 0.5


def test_all_hidden_cells_hold_one_value() -> None:
    """Incomes above a bound were hidden: every star was the top bin."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"income": rng.integers(0, 6000, 300), "sex": rng.choice(["f", "m"], 300)})
    hidden = wh.Hidden(column="income", where="income > 5000", against=["naive-bayes"], most_withheld=1.0)
    bins = {"income": wh.ColumnSettings(type="number", bins=(0.0, 1000.0, 2500.0, 5000.0, 6000.0))}
    policy = wh.Policy([hidden], columns=bins)
    made = wh.release(frame, policy, rng=1)
    audit = wh.audit(made.to_frame(), policy, original=frame, attack=False)
    assert audit.ok
    assert [each.kind for each in audit.disclosures][:1] == ["constant"]
    assert level_of(audit) == "red"
    assert any("all of them hold one value" in note for note in made.report["notes"])


def wards(n_rows: int = 160) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    ill = rng.choice(["flu", "gout", "none"], n_rows)
    near = {
        name: np.where(rng.random(n_rows) < 0.8, ill, rng.choice(["flu", "gout", "none"], n_rows)) for name in "abc"
    }
    return pd.DataFrame({**near, "ill": ill})


def test_a_relative_of_a_named_adversary_recovers_what_that_does_not() -> None:
    """Ties and smoothing: naive Bayes as printed was wrong on every cell, with smoothing it was right on some."""
    frame, cells = wards(), [(row, "ill") for row in range(40)]
    relative = [{"adversary": "naive-bayes", "family": True}]
    family = wh.Policy([wh.Hidden(cells=cells, against=relative, most_withheld=1.0)])  # type: ignore[list-item]
    plain = wh.Policy([wh.Hidden(cells=cells, against=["naive-bayes"], most_withheld=1.0)])
    shown = wh.release(frame, plain, rng=1).to_frame()
    assert wh.audit(shown, plain, original=frame, attack=False).ok
    assert not wh.audit(shown, family, original=frame, attack=False).ok
    answered = wh.release(frame, family, rng=1).to_frame()
    assert wh.audit(answered, family, original=frame, attack=False).ok


def test_a_hidden_column_is_not_erased_silently() -> None:
    """Rows that are alike in all but the hidden column: to hide some cells all others would go."""
    frame = pd.DataFrame({"key": [str(i) for i in range(20)] * 4, "ill": [f"d{i}" for i in range(20)] * 4})
    cells = [(row, "ill") for row in range(20)]
    with pytest.raises(TooMuchWithheldError, match="column"):
        wh.release(frame, wh.Policy([wh.Hidden(cells=cells, against=[wh.Against(adversary="rules", confidence=0.5,
                                                                                support=1)], most_withheld=0.05)]))  # fmt: skip


def test_the_same_people_twice() -> None:
    """Two releases keep k each, and together leave people alone; made with the first, the second does not."""
    rng = np.random.default_rng(4)
    people = pd.DataFrame({"person": np.arange(60), "age": rng.integers(20, 80, 60), "zip": rng.integers(0, 9, 60)})
    policy = wh.Policy(
        [wh.Anonymity(columns=["age", "zip"], k=3)],
        drop=["person"],
        recoding="local",
        columns={"age": wh.ColumnSettings(type="number"), "zip": wh.ColumnSettings(type="category")},
    )
    then, now = people.iloc[:50], people.iloc[8:58]
    old = wh.Earlier(release=wh.release(then, policy, rng=1).to_frame(), original=then)
    beside: dict = {"earlier": [old], "key": "person"}
    alone = wh.audit(wh.release(now, policy, rng=2).to_frame(), policy, original=now, attack=False, **beside)
    assert alone.together is not None
    assert alone.together.exposed
    assert level_of(alone) == "red"
    made = wh.release(now, policy, rng=2, **beside)
    found = wh.audit(made.to_frame(), policy, original=now, attack=False, **beside).together
    assert found is not None
    assert not found.exposed
