"""Numbers in bins."""

import numpy as np
import pytest

from withhold.errors import InputError
from withhold.table import Bins, bins_of


def test_the_last_bin_contains_its_upper_edge_and_missing_is_in_none() -> None:
    bins = Bins(edges=(0, 10, 25, 60))
    assert bins.codes([0, 9.9, 10, 60, np.nan]).tolist() == [0, 0, 1, 2, -1]
    assert bins.labels() == ("[0, 10)", "[10, 25)", "[25, 60]")
    assert bins.labels("midpoint") == ("5", "17.5", "42.5")


def test_edges_do_not_depend_on_private_values() -> None:
    values = np.arange(100.0)
    private = np.zeros(100, dtype=bool)
    private[[0, 99]] = True
    other = values.copy()
    other[[0, 99]] = [-1e6, 1e6]
    assert bins_of(values, 5, private=private) == bins_of(other, 5, private=private)
    codes = bins_of(values, 5, private=private).codes(other)
    assert codes[[0, 99]].tolist() == [0, 4]


def test_quantiles_that_fall_together_are_one_edge() -> None:
    assert bins_of([0, 0, 0, 0, 1, 2], 4).edges == (0.0, 1.0, 2.0)
    assert bins_of([0, 10], 4, how="width").edges == (0.0, 2.5, 5.0, 7.5, 10.0)
    assert bins_of([0, 10], (0, 3, 10)).n_bins == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bins(edges=(1,)), "at least two finite numbers"),
        (lambda: Bins(edges=(1, 1)), "each larger than the one before"),
        (lambda: Bins(edges=(1, 2)).labels("middle"), '"interval" or "midpoint"'),
        (lambda: bins_of([1, 2], 0), "at least 1"),
        (lambda: bins_of([1, 2], 2, how="equal"), '"quantile" or "width"'),
        (lambda: bins_of([1, 2], 2, private=[True, False]), "two different values"),
    ],
)
def test_bad_bins_get_one_clear_sentence(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_quantiles_of_whole_numbers_are_whole_and_part_them_as_before() -> None:
    numbers = np.random.default_rng(3).integers(1925, 2010, 500)
    made = bins_of(numbers, 8)
    assert all(edge == int(edge) for edge in made.edges)
    plain = bins_of(numbers + 0.0, np.unique(np.quantile(numbers, np.linspace(0, 1, 9))).tolist())
    assert np.array_equal(made.codes(numbers), plain.codes(numbers))
    assert "." in "".join(bins_of(numbers + 0.25, 8).labels())
