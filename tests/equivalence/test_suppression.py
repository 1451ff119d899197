"""Cell suppression, a blank being any value, against loops over all pairs and all sets of blanks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.equivalence.slow_suppression import Row, is_valid, least_cost, may_be_same

from withhold.errors import InfeasibleError
from withhold.methods.suppression import compatible, suppress

MOST_TIMES = 1.5
"""How much dearer than the cheapest solution one of a tiny table may be, beyond one cell."""


def distinct(rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the codes, weights and blanks of distinct rows, and for each row its place among them."""
    marked = np.array([[-1 if cell is None else cell for cell in row] for row in rows])
    codes, place, weights = np.unique(marked, axis=0, return_inverse=True, return_counts=True)
    return np.maximum(codes, 0).astype(np.int32), weights.astype(np.int64), codes < 0, place.reshape(-1)


def suppressed(rows: list[Row], k: int, costs: list[float] | None = None, keep: tuple[int, ...] = ()) -> list[Row]:
    """Return the rows with what is blanked."""
    codes, weights, blank, place = distinct(rows)
    found = suppress(codes, weights, k, blanked=blank, costs=costs, keep=keep)
    assert (found | ~blank).all()
    return [
        tuple(None if is_blank else int(code) for code, is_blank in zip(codes[i], found[i], strict=True)) for i in place
    ]


def price(before: list[Row], after: list[Row], costs: list[float]) -> float:
    """Return what the new blanks cost."""
    pairs = zip(before, after, strict=True)
    return sum(c for b, a in pairs for c, x, y in zip(costs, b, a, strict=True) if x is not None and y is None)


@st.composite
def tables(draw: st.DrawFn, most_rows: int, most_columns: int, percent_blank: int = 0) -> list[Row]:
    n_columns = draw(st.integers(1, most_columns))
    value = st.integers(0, draw(st.integers(0, 4)))
    cell = st.integers(0, 99).flatmap(lambda chance: st.none() if chance < percent_blank else value)
    return draw(st.lists(st.tuples(*[cell] * n_columns), min_size=1, max_size=most_rows))


@settings(max_examples=300, deadline=None)
@given(tables(40, 5, percent_blank=10), st.integers(2, 6), st.data())
def test_what_is_suppressed_is_always_valid_or_infeasible(rows: list[Row], k: int, data: st.DataObject):
    n_columns = len(rows[0])
    keep = tuple(data.draw(st.sets(st.integers(0, n_columns - 1), max_size=1)))
    costs = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n_columns, max_size=n_columns))
    try:
        made = suppressed(rows, k, costs, keep)
    except InfeasibleError:
        free = [column not in keep for column in range(n_columns)]
        most = [tuple(None if f else c for f, c in zip(free, row, strict=True)) for row in rows]
        assert not is_valid(most, k)
        return
    assert is_valid(made, k)
    assert all(row[column] == was[column] for row, was in zip(made, rows, strict=True) for column in keep)


@settings(max_examples=60, deadline=None)
@given(tables(5, 3), st.integers(2, 3), st.data())
def test_blanks_are_few(rows: list[Row], k: int, data: st.DataObject):
    costs = data.draw(st.lists(st.sampled_from([1.0, 2.0]), min_size=len(rows[0]), max_size=len(rows[0])))
    least = least_cost(rows, k, costs)
    if least is None:
        with pytest.raises(InfeasibleError):
            suppressed(rows, k, costs)
        return
    assert price(rows, suppressed(rows, k, costs), costs) <= MOST_TIMES * least + 2


@settings(max_examples=100, deadline=None)
@given(tables(30, 5, percent_blank=30))
def test_compatible_rows_are_counted_exactly(rows: list[Row]):
    codes, weights, blank, place = distinct(rows)
    found = compatible(codes, weights, blank)[place]
    assert found.tolist() == [sum(may_be_same(row, other) for other in rows) for row in rows]


def test_a_blank_goes_where_it_costs_least():
    rows: list[Row] = [(0, 0), (0, 0), (1, 1), (1, 1), (0, 1)]
    assert suppressed(rows, 2, [5.0, 1.0])[-1] == (0, None)
    assert suppressed(rows, 2, [1.0, 5.0])[-1] == (None, 1)
    # Only a blank in the dear column leaves the row with others.
    assert suppressed([(0, 0), (0, 0), (1, 0)], 2, [5.0, 1.0])[-1] == (None, 0)


def test_a_rare_row_is_never_published_whole_because_others_have_blanks():
    rows: list[Row] = [(None, None)] * 3 + [(0, 1)]
    made = suppressed(rows, 3)
    assert sum(may_be_same(made[-1], other) for other in rows) >= 3
    assert None in made[-1]


def test_a_column_that_costs_nothing_is_not_blanked_without_need():
    made = suppressed([(0, 0, 0), (0, 0, 0), (1, 0, 0)], 2, [0.0, 0.0, 0.0])
    assert made == [(0, 0, 0), (0, 0, 0), (None, 0, 0)]


def test_kept_columns_that_leave_a_row_alone_are_infeasible():
    with pytest.raises(InfeasibleError, match="1 rows have fewer than 2"):
        suppressed([(0, 0), (0, 1), (1, 0)], 2, keep=(0,))


def test_many_columns_are_solved_column_by_column():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 3, size=(200, 30))
    rows: list[Row] = [tuple(row.tolist()) for row in table]
    assert is_valid(suppressed(rows, 3), 3)
