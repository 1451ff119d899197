"""Suppression as a user meets it: promises, last resorts, generalisation, what is reported."""

import numpy as np
import pytest

from withhold import Table, Taxonomy, samples
from withhold.errors import InputError
from withhold.methods import high_risk, record_risk, suppress_risk
from withhold.methods.risk import _suppress
from withhold.metrics import record_ncp


@pytest.fixture(scope="module")
def registry() -> samples.Registry:
    return samples.school_registry(2_000, seed=6)


def threshold(registry: samples.Registry, share: float) -> float:
    risk = record_risk(registry.table(), registry.known, registry.sensitive, relative=0.05)
    return float(np.quantile(risk.value, 1 - share))


def test_a_registry_is_safe_afterwards_and_loses_little(registry: samples.Registry) -> None:
    at_most = threshold(registry, 0.03)
    done = suppress_risk(registry.table(), registry.known, registry.sensitive, at_most=at_most)
    assert done.still_above == 0
    assert not high_risk(done.published, registry.known, registry.sensitive, at_most=at_most).any()
    assert record_ncp(done.published, original=done.original) < 0.01
    once = suppress_risk(registry.table(), registry.known, registry.sensitive, at_most=at_most, until_safe=False)
    assert once.still_above > 0
    assert len(once.rounds) == 1


def test_a_quick_look_at_likely_records_changes_no_promise(
    registry: samples.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_most = threshold(registry, 0.03)
    monkeypatch.setattr(_suppress, "LARGE", 100)
    done = suppress_risk(registry.table(), registry.known, registry.sensitive, at_most=at_most)
    assert done.still_above == 0
    assert not high_risk(done.published, registry.known, registry.sensitive, at_most=at_most).any()


def test_what_is_reported_is_what_was_done(registry: samples.Registry) -> None:
    at_most = threshold(registry, 0.03)
    done = suppress_risk(registry.table(), registry.known, registry.sensitive, at_most=at_most)
    rows, columns = done.blanked
    assert rows.size == sum(r.blanked for r in done.rounds) - done.given_back
    assert (done.published.codes[rows, columns] == -1).all()
    kept = done.published.codes >= 0
    assert (done.published.codes[kept] == done.original.codes[kept]).all()
    assert done.rounds[0].above == done.before.above(at_most)[0]
    assert done.after.above(at_most) == (0, 0)


def test_nothing_is_withheld_where_nobody_is_above() -> None:
    table = Table.from_columns({"sex": ["f", "m"], "ill": ["yes", "no"]})
    done = suppress_risk(table, {"sex": 0.5}, {"ill": {"yes": 1.0}}, at_most=1000)
    assert done.rounds == ()
    assert done.blanked[0].size == 0


def test_sensitive_values_go_last_and_only_where_they_must() -> None:
    table = Table.from_columns({"sex": ["f", "m", "m", "m"], "ill": ["yes", "no", "no", "no"]})
    asked = {"known": {"sex": 0.5}, "sensitive": {"ill": {"yes": 1.0}}}
    done = suppress_risk(table, **asked, at_most=25)  # the empty set alone is worth 100 / 4
    assert (done.sensitive, done.blanked[1].tolist()) == (0, [0])
    done = suppress_risk(table, **asked, at_most=24)
    assert done.sensitive == 1
    assert done.still_above == 0
    dropped = suppress_risk(table, **asked, at_most=24, drop_rows=True)
    assert dropped.dropped.tolist() == [0]
    assert (dropped.sensitive, dropped.still_above) == (0, 0)


def test_a_threshold_of_zero_leaves_no_sensitive_value() -> None:
    table = Table.from_columns({"sex": ["f", "m", "m"], "ill": ["yes", "no", "yes"]})
    done = suppress_risk(table, {"sex": 0.5}, {"ill": {"yes": 1.0}}, at_most=0)
    assert done.still_above == 0
    assert (done.published.codes[[0, 2], done.published.place("ill")] == -1).all()


def test_columns_that_cost_more_are_spared() -> None:
    rows = [("f", "A"), ("m", "B"), *[("m", "A")] * 6, *[("f", "B")] * 0]
    table = Table.from_columns({"sex": [r[0] for r in rows], "town": [r[1] for r in rows], "ill": ["yes"] + ["no"] * 7})
    asked = {"known": {"sex": 0.5, "town": 0.5}, "sensitive": {"ill": {"yes": 1.0}}, "at_most": 50}
    assert suppress_risk(table, **asked).blanked[1].tolist() == [0]
    with pytest.raises(InputError, match='`costs`: there is no column "tow"'):
        suppress_risk(table, **asked, costs={"tow": 2.0})
    with pytest.raises(InputError, match='`costs` of "sex" must be a number above 0; got 0'):
        suppress_risk(table, **asked, costs={"sex": 0})


def test_values_climb_their_taxonomy_before_they_are_withheld() -> None:
    tree = Taxonomy.from_nested({"Any": {"North": {"A": {}, "B": {}, "C": {}}, "South": {"D": {}, "E": {}}}})
    towns = ["A", "B", "C", "D", "D", "D", "E", "E"] * 2
    towns[8:11] = ["D", "E", "D"]
    table = Table.from_columns({"town": towns, "ill": ["yes"] * 3 + ["no"] * 13}, domains={"town": tree})
    asked = {"known": {"town": 0.5}, "sensitive": {"ill": {"yes": 1.0}}, "at_most": 30}
    assert len(suppress_risk(table, **asked).blanked[0]) == 3
    done = suppress_risk(table, **asked, generalize=True)
    assert done.generalised == [(0, "town", "North"), (1, "town", "North"), (2, "town", "North")]
    assert done.blanked[0].size == 0
    assert done.still_above == 0
    assert sum(r.generalised for r in done.rounds) == 3
    lost = record_ncp(done.published, columns=["town"], penalties=done.penalties)
    assert lost == pytest.approx(3 / 16 * 3 / 5)


def test_a_value_that_no_climb_makes_safe_is_withheld() -> None:
    tree = Taxonomy.from_nested({"Any": {"North": {"A": {}, "B": {}}, "South": {"D": {}, "E": {}}}})
    table = Table.from_columns({"town": ["A", *"DDDDEEE"], "ill": ["yes"] + ["no"] * 7}, domains={"town": tree})
    done = suppress_risk(table, {"town": 0.5}, {"ill": {"yes": 1.0}}, at_most=30, generalize=True)
    assert done.blanked[0].tolist() == [0]
    assert [(r.generalised, r.blanked) for r in done.rounds] == [(1, 0), (0, 1)]


def test_unknown_choices_are_mistakes() -> None:
    table = Table.from_columns({"sex": ["f", "m"], "ill": ["yes", "no"]})
    with pytest.raises(InputError, match='`choose` must be "cell" or "set"; got \'row\''):
        suppress_risk(table, {"sex": 0.5}, {"ill": 1.0}, at_most=1, choose="row")  # type: ignore[arg-type]
