"""Hidden cells and families of adversaries: relatives of naive Bayes and ID3 recover none either."""

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.attackers import View, family_of
from withhold.errors import PolicyError
from withhold.methods.family import FAMILIES, FamilyGuard


def table(n_rows: int = 150, seed: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(list(values), n_rows) for name, values in
                          (("sex", "fm"), ("ward", "abc"), ("age", "1234"))})  # fmt: skip
    frame["ill"] = np.where(rng.random(n_rows) < 0.7, frame["ward"].map({"a": "flu", "b": "gout", "c": "none"}), "flu")
    return frame


CELLS = [(row, "ill") for row in range(12)]


def given_by(adversary: str, published: pd.DataFrame, frame: pd.DataFrame) -> int:
    view = View.of({name: published[name].tolist() for name in published})
    rows = np.array([row for row, _ in CELLS])
    names = [name for name in published if name != "ill"]
    alive = (published.loc[rows, names] != "*").any(axis=1).to_numpy()
    found = set()
    for relative in family_of(adversary):
        said = relative.fit(view, "ill", names, rng=np.random.default_rng(1)).guess(rows)
        labels = np.array([*view.labels[view.columns.index("ill")], None], dtype=object)[said]
        found |= {int(row) for row in rows[(labels == frame["ill"].to_numpy()[rows]) & alive]}
    return len(found)


@pytest.mark.parametrize("adversary", ["naive-bayes", "id3"])
def test_no_relative_recovers_a_cell(adversary: str) -> None:
    frame = table()
    plain = wh.Policy([wh.Hidden(cells=CELLS, against=[adversary], most_withheld=1.0)])
    asked = {"adversary": adversary, "family": True}
    whole = wh.Policy([wh.Hidden(cells=CELLS, against=[asked], most_withheld=1.0)])
    assert given_by(adversary, wh.release(frame, plain, rng=1).to_frame(), frame) > 0
    made = wh.release(frame, whole, rng=1)
    assert given_by(adversary, made.to_frame(), frame) == 0
    assert made.report["requirements"][0]["proven"]
    assert made.report["requirements"][0]["exposed_before"]["family"] > 0


def test_a_release_that_a_relative_undoes_fails_the_check() -> None:
    frame = table()
    plain = wh.Policy([wh.Hidden(cells=CELLS, against=["naive-bayes"], most_withheld=1.0)])
    asked = wh.Policy([wh.Hidden(cells=CELLS, against=[{"adversary": "naive-bayes", "family": True}])])
    audit = wh.audit(wh.release(frame, plain, rng=1).to_frame(), asked, original=frame, attack=False)
    assert not audit.ok
    assert any("naive Bayes and its relatives" in each.says and not each.ok for each in audit.findings)


def test_families_on_both_sides_have_the_same_members() -> None:
    assert {name: len(FAMILIES[name]) for name in FAMILIES} == {
        name: len(family_of(name)) for name in ("naive-bayes", "id3")
    }


def test_printed_algorithms_stay_as_printed() -> None:
    with pytest.raises(PolicyError, match="printed algorithms stay as printed"):
        wh.Hidden(column="ill", against=[{"adversary": "naive-bayes", "method": "decp", "family": True}])
    with pytest.raises(PolicyError, match="rules of any higher confidence count already"):
        wh.Hidden(column="ill", against=[{"adversary": "rules", "family": True}])
    with pytest.raises(PolicyError, match="looks at the hidden values"):
        wh.Hidden(column="ill", informed=True, against=[{"adversary": "id3", "family": True}])


def test_where_one_value_of_the_column_is_left_rows_that_hold_it_are_deleted() -> None:
    """Whoever sees one value only says it of everybody; the check does, and so must who withholds."""
    codes = np.array([[0, -1], [1, -1], [0, 0], [1, 0]], dtype=np.int32)
    guard = FamilyGuard(codes, {1: (np.array([0, 1]), np.array([0, 1]))}, {1: [0]}, FAMILIES["naive-bayes"])
    guard.run()
    assert (guard.n_exposed, guard.deleted.tolist(), codes[0].tolist()) == (1, [0], [-1, -1])
    assert codes[1, 0] == 1
