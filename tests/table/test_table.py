"""Tables in memory: domains, codes, missing values."""

import numpy as np
import pytest

from withhold import Numbers, Table, Taxonomy
from withhold.errors import DataError, TaxonomyError


def test_a_column_without_a_taxonomy_is_flat_and_sorted() -> None:
    table = Table.from_columns({"zip": ["02", "01", None, "01"]})
    assert table.domain("zip").leaves == ("01", "02", None)
    assert table.distinct(["zip"]).codes[0].tolist() == [1, 0, 2, 0]


def test_numbers_are_ranked_and_missing_comes_last() -> None:
    table = Table.from_columns({"age": [40, 7.5, None, 40]})
    assert table.domain("age").values.tolist() == [7.5, 40]
    assert table.distinct(["age"]).codes[0].tolist() == [1, 0, 2, 1]


def test_codes_take_the_smallest_type_that_fits() -> None:
    table = Table.from_columns({"a": [str(i) for i in range(300)], "b": ["x"] * 300})
    assert [codes.dtype for codes in table.distinct(["a", "b"]).codes] == [np.uint16, np.uint8]


def test_a_value_missing_from_its_taxonomy_is_counted_not_named() -> None:
    with pytest.raises(TaxonomyError) as caught:
        Table.from_columns({"sex": ["f", "m", "secret"]}, domains={"sex": Taxonomy.flat(["f", "m"])})
    assert 'column "sex": 1 distinct value is missing' in str(caught.value)
    assert "row 2 (from 0)" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_texts_that_mean_missing_are_missing() -> None:
    table = Table.from_columns({"sex": ["f", "?", None]}, missing=["?"])
    assert table.domain("sex").leaves == ("f", None)
    assert table.distinct(["sex"]).codes[0].tolist() == [0, 1, 1]


def test_numbers_outside_their_bounds_are_refused() -> None:
    table = Table.from_columns({"age": [3, 130]})
    with pytest.raises(DataError, match=r'column "age": 1 distinct values lie outside the range \[0, 120\]'):
        table.numbers("age", bounds=(0, 120))


def test_text_in_a_number_column_is_refused_without_the_text() -> None:
    table = Table.from_columns({"age": ["3", "about forty"]})
    with pytest.raises(DataError, match='column "age" is a number column') as caught:
        table.numbers("age")
    assert "forty" not in str(caught.value)


def test_an_unknown_column_gets_a_hint() -> None:
    table = Table.from_columns({"education": ["a"]})
    with pytest.raises(DataError, match='there is no column "edcation"; did you mean "education"'):
        table.domain("edcation")


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(DataError, match="same number of rows"):
        Table.from_columns({"a": [1], "b": [1, 2]})


def test_interval_labels_close_at_the_upper_bound_only() -> None:
    numbers = Numbers([10, 50, 99], bounds=(1, 99))
    assert [numbers.interval(0, 1), numbers.interval(1, 2), numbers.interval(2, 3)] == [
        "[1, 50)",
        "[50, 99)",
        "[99, 99]",
    ]
    assert Numbers([0.5, 1.25]).interval(0, 2) == "[0.5, 1.25]"
