"""Record risk as a user meets it: results, mistakes, threads, size."""

import numpy as np
import pytest

from withhold import Table, samples
from withhold.errors import InputError
from withhold.methods import high_risk, record_risk, risk_by_column
from withhold.methods.risk import _chain
from withhold.table import Grid

TABLE = Table.from_columns(
    {
        "sex": ["f", "f", "m", "m", "m"],
        "town": ["A", "B", "A", "A", None],
        "dropout": ["no", "yes", "no", "yes", "yes"],
    }
)
KNOWN = {"sex": 0.8, "town": 0.3}
SENSITIVE = {"dropout": {"yes": 1.0}}


def test_a_table_and_its_codes_give_the_same_risks() -> None:
    one, other = record_risk(TABLE, KNOWN, SENSITIVE), record_risk(Grid.of(TABLE), KNOWN, SENSITIVE)
    np.testing.assert_array_equal(one.low, other.low)


def test_order_of_rows_and_columns_does_not_matter() -> None:
    grid = Grid.of(samples.school_registry(300, seed=4).table(14))
    registry = samples.school_registry(300, seed=4)
    known = {name: registry.known[name] for name in grid.columns}
    sensitive = {name: weights for name, weights in registry.sensitive.items() if name in grid.columns}
    shuffle, turn = np.random.default_rng(0).permutation(300), list(range(13, -1, -1))
    moved = Grid(
        tuple(grid.columns[j] for j in turn), tuple(grid.labels[j] for j in turn), grid.codes[shuffle][:, turn].copy()
    )
    one, other = record_risk(grid, known, sensitive), record_risk(moved, known, sensitive)
    np.testing.assert_allclose(other.value, one.value[shuffle], rtol=1e-9)


def test_one_weight_for_all_values_or_one_for_each() -> None:
    whole = record_risk(TABLE, KNOWN, {"dropout": 1.0})
    each = record_risk(TABLE, KNOWN, {"dropout": {"yes": 1.0, "no": 1.0}})
    np.testing.assert_array_equal(whole.value, each.value)
    assert (record_risk(TABLE, KNOWN, SENSITIVE).value[[0, 2]] == 0).all()


def test_weights_of_values_that_do_not_occur_change_nothing() -> None:
    more = {"dropout": {"yes": 1.0, "perhaps": 0.5}}
    np.testing.assert_array_equal(record_risk(TABLE, KNOWN, more).value, record_risk(TABLE, KNOWN, SENSITIVE).value)


def test_alpha_scales_all_risks() -> None:
    one, ten = record_risk(TABLE, KNOWN, SENSITIVE, alpha=1), record_risk(TABLE, KNOWN, SENSITIVE, alpha=10)
    np.testing.assert_allclose(ten.value, 10 * one.value, rtol=1e-12)


def test_an_empty_table_has_no_risk() -> None:
    empty = Table.from_columns({"sex": [], "dropout": []})
    assert record_risk(empty, {"sex": 0.5}, {"dropout": 1.0}).value.size == 0
    assert high_risk(empty, {"sex": 0.5}, {"dropout": 1.0}, at_most=1).size == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"known": {"sex": 1.2}}, 'the chance that "sex" is known must be a number from 0 to 1; got 1.2.'),
        ({"known": {"sex": -0.1}}, 'the chance that "sex" is known must be a number from 0 to 1; got -0.1.'),
        ({"known": {"sex": True}}, 'the chance that "sex" is known must be a number from 0 to 1; got True.'),
        ({"known": {"sxe": 0.5}}, 'there is no column "sxe"; did you mean "sex"?'),
        ({"sensitive": {}}, "`sensitive` names no column; at least one must be sensitive."),
        ({"sensitive": {"dropout": 2.0}}, 'the weight of "dropout" must be a number from 0 to 1; got 2.0.'),
        ({"sensitive": {"dropout": {"yes": -1.0}}}, 'a weight of "dropout" must be a number from 0 to 1; got -1.0.'),
        ({"sensitive": {"dropuot": 1.0}}, 'there is no column "dropuot"; did you mean "dropout"?'),
        ({"alpha": 0}, "`alpha` must be a number above 0; got 0."),
        ({"alpha": float("nan")}, "`alpha` must be a number above 0; got nan."),
        ({"blank": "none"}, "`blank` must be one of exclude, category, ignore, wildcard; got 'none'."),
        ({"tolerance": -1.0}, "`tolerance` must be a number of at least 0; got -1.0."),
    ],
)
def test_mistakes_get_one_sentence(change: dict, sentence: str) -> None:
    asked = {"known": KNOWN, "sensitive": SENSITIVE, **change}
    with pytest.raises(InputError) as caught:
        record_risk(TABLE, **asked)
    assert str(caught.value) == f"risk: {sentence}"


def test_a_negative_threshold_is_a_mistake() -> None:
    with pytest.raises(InputError, match="`at_most` must be a number of at least 0; got -1"):
        high_risk(TABLE, KNOWN, SENSITIVE, at_most=-1)


def test_at_most_63_columns_may_be_known() -> None:
    wide = Table.from_columns({f"c{j}": ["a", "a", "b" if j % 9 == 0 else "a"] for j in range(64)})
    chances = {f"c{j}": 0.01 for j in range(64)}
    with pytest.raises(InputError, match="at most 63 columns may have a positive chance to be known; got 64"):
        record_risk(wide, chances, {"c0": 1.0})
    chances["c5"] = 0.0
    risk = record_risk(wide, chances, {"c0": 1.0})
    # Rows 0 and 1 are alike; row 2 differs on 8 columns, so that a set distinguishes them with chance 1 - 1.01^-8.
    apart = 1 - 1.01**-7
    weight = 100 * 1.01**62
    assert risk.value[0] == pytest.approx(weight * (1.01**-7 / 3 + apart / 2), rel=1e-9)


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = samples.school_registry(3_000, seed=1)
    table = registry.table(12)
    known = {name: registry.known[name] for name in table.names}
    sensitive = {name: weights for name, weights in registry.sensitive.items() if name in table.names}
    monkeypatch.setattr(_chain, "n_cores", lambda: 1)
    alone = record_risk(table, known, sensitive, relative=0.05)
    monkeypatch.setattr(_chain, "n_cores", lambda: 3)
    together = record_risk(table, known, sensitive, relative=0.05)
    np.testing.assert_array_equal(alone.low, together.low)
    np.testing.assert_array_equal(alone.high, together.high)


def test_a_registry_of_27_columns_is_decided_as_it_is_measured() -> None:
    registry = samples.school_registry(1_500, seed=2)
    table = registry.table()
    risk = record_risk(table, registry.known, registry.sensitive, relative=0.02)
    at_most = float(np.quantile(risk.value, 0.97))
    above = high_risk(table, registry.known, registry.sensitive, at_most=at_most)
    assert above[risk.low > at_most].all()
    assert not above[risk.high <= at_most].any()
    assert 0.02 < above.mean() < 0.04


def test_histogram_and_repr() -> None:
    risk = record_risk(TABLE, KNOWN, SENSITIVE)
    counts = risk.histogram(edges=(50.0, 100.0))
    assert [n for _, _, n in counts] == [2, 1, 1, 1]
    assert repr(risk).startswith("<Risk of 5 records: median, 99 % and largest ")


def test_the_column_that_drives_risk_comes_first() -> None:
    registry = samples.school_registry(400, seed=3)
    table = registry.table(11)
    known = {name: registry.known[name] for name in table.names}
    sensitive = {name: weights for name, weights in registry.sensitive.items() if name in table.names}
    shares = risk_by_column(table, known, sensitive, relative=0.01)
    whole = record_risk(table, known, sensitive).value.sum()
    for name in ("gender", "parish", "homeless"):
        rest = record_risk(table, {**known, name: 0.0}, sensitive).value.sum()
        assert shares[name] == pytest.approx(1 - rest / whole, abs=0.02)
    assert next(iter(shares)) == max(shares, key=lambda name: shares[name])
