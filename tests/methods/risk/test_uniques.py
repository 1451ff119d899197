"""Minimal sample uniques and their scores."""

import pytest

from real_data import adult
from withhold import Table, samples
from withhold.errors import InputError
from withhold.methods import minimal_uniques

QUASI = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]


def test_scores_of_a_small_table() -> None:
    table = Table.from_columns({"a": ["2", "1", "1"], "b": ["0", "3", "0"], "c": ["0", "6", "0"]})
    found = minimal_uniques(table)
    assert found.of(0) == [("a",)]
    assert found.of(1) == [("b",), ("c",)]
    assert found.of(2) == [("a", "b"), ("a", "c")]
    assert found.scores.tolist() == [2.0, 4.0, 2.0]
    assert found.by_column() == {"a": 0.5, "b": 0.375, "c": 0.375}


def test_a_missing_value_is_a_value() -> None:
    table = Table.from_columns({"a": ["x", None, "x"]})
    assert minimal_uniques(table).rows.tolist() == [1]


def test_a_single_record_and_no_record_have_no_sets() -> None:
    assert len(minimal_uniques(Table.from_columns({"a": ["x"]}))) == 0
    assert len(minimal_uniques(Table.from_columns({"a": []}))) == 0


def test_larger_sets_only_add_findings() -> None:
    table = samples.school_registry(2_000, seed=1).table(10)
    small, large = minimal_uniques(table, max_size=3), minimal_uniques(table, max_size=4)
    assert set(zip(small.rows.tolist(), small.sets.tolist(), strict=True)) == {
        (row, s)
        for row, s, size in zip(large.rows.tolist(), large.sets.tolist(), large.sizes, strict=True)
        if size <= 3
    }


def test_adult() -> None:
    frame = adult()
    found = minimal_uniques(Table.from_columns({name: frame[name].tolist() for name in QUASI}))
    assert len(frame) == 45_222
    assert len(found) == 22_579
    assert [int((found.sizes == k).sum()) for k in range(1, 9)] == [1, 336, 5346, 9879, 5554, 1310, 146, 7]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"columns": ["b"]}, 'there is no column "b"; there are: "a"'),
        ({"columns": []}, "between 1 and 62 columns can be combined; got 0."),
        ({"max_size": 0}, "`max_size` must be an integer of at least 1; got 0."),
    ],
)
def test_mistakes_get_one_sentence(asked: dict, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        minimal_uniques(Table.from_columns({"a": ["x", "y"]}), **asked)
    assert str(caught.value) == f"minimal_uniques: {sentence}"
