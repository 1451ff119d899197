"""No hint is refused when it is followed, and notes name what matters once."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.errors import DataError


def narrow(n_rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n_rows),
            "town": [f"town {i}" for i in rng.integers(0, 30, n_rows)],
            "ill": rng.choice(["a", "b"], n_rows),
        }
    )


def lost_note(policy: wh.Policy) -> str:
    notes = wh.release(narrow(), policy).notes
    found = [note for note in notes if note.startswith("withheld altogether: ")]
    assert notes.index(found[0]) == 0
    assert len(found) == 1
    return found[0]


def test_splits_are_offered_only_where_they_are_not_set() -> None:
    require = [wh.Anonymity(columns=["age", "town"], k=55)]
    assert 'splits = "valid"' in lost_note(wh.Policy(require, target="ill"))
    followed = lost_note(wh.Policy(require, target="ill", splits="valid"))
    assert "splits" not in followed
    assert "recoding" not in followed  # would be refused: that recoding ignores `splits`


def test_local_recoding_names_a_column_that_lost_every_value() -> None:
    columns = {"town": wh.ColumnSettings(sets=False)}
    note = lost_note(wh.Policy([wh.Anonymity(columns=["town"], k=55)], recoding="local", columns=columns))
    assert note.startswith("withheld altogether: town. Hint: ")
    assert "splits" not in note


def test_missing_cells_are_too_few_only_where_they_are() -> None:
    data = narrow(400)
    data["age"] = data["age"].astype("Float64")
    policy = wh.Policy([wh.Anonymity(columns=["age", "town"], k=20)], target="ill")
    for n_missing, is_said in ((3, True), (300, False)):
        spoiled = data.copy()
        spoiled.loc[: n_missing - 1, "age"] = pd.NA
        notes = wh.release(spoiled, policy).notes
        assert any("missing cells are too few" in note for note in notes) <= is_said


def test_a_target_of_very_many_texts_is_refused_and_one_of_numbers_is_kept_by_its_variance() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"age": rng.integers(18, 30, 3_000), "income": np.arange(3_000), "town": np.arange(3_000)})
    data["town"] = "t" + data["town"].astype(str)
    require = [wh.Anonymity(columns=["age"], k=5)]
    with pytest.raises(DataError, match="choose a target with fewer values"):
        wh.release(data, wh.Policy(require, target="town"))
    made = wh.release(data, wh.Policy(require, target="income"))
    assert made.run.target_kind == "number"
    with pytest.raises(DataError, match='target_kind = "number" keeps its variance'):
        wh.release(data, wh.Policy(require, target="income", target_kind="class"))
    binned = {"income": wh.ColumnSettings(type="number", bins=10)}
    wh.release(data, wh.Policy(require, target="income", columns=binned)).to_frame()  # the hint, followed


def test_dropping_is_not_offered_for_a_column_that_the_policy_needs() -> None:
    data = narrow(200)
    data["twin"] = data["town"]
    for target, is_offered in ((None, True), ("twin", False)):
        policy = wh.Policy([wh.Anonymity(columns=["town"], k=12)], target=target)
        made = wh.release(data, policy)
        made.to_frame()
        (hint,) = [note for note in made.notes if "determines it" in note]
        assert ("drop twin" in hint) == is_offered


def test_hidden_cells_that_hold_one_value_are_a_disclosure_in_the_audit_too() -> None:
    data = narrow(100)
    rows = data.index[data["ill"] == "a"][:5].tolist()
    hide = wh.Hidden(cells=[(row, "ill") for row in rows], against=["rules"])
    policy = wh.Policy([hide], drop=["age", "town"])
    made = wh.release(data, policy)
    audit = wh.audit(made.to_frame(), policy, original=data, attack=False)
    assert [(each.kind, each.columns) for each in audit.disclosures] == [("constant", ("ill",))]
    assert len(made.notes) == len(set(made.notes))


def test_values_with_commas_are_published_or_withheld_but_never_in_sets() -> None:
    firms = [f"Firm {i}, Inc." for i in range(12)] * 10
    data = pd.DataFrame({"firm": [*firms, *(f"Shop {i}, Ltd." for i in range(20))]})
    shown = wh.release(data, wh.Policy([wh.Anonymity(columns=["firm"], k=5)], recoding="local")).to_frame()["firm"]
    assert set(shown) == {*firms, "*"}
