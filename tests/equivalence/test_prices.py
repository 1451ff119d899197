"""The prices that the compiled search reads are those that each column states, for every range of codes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.methods.local import NumberColumn
from withhold.methods.local._prices import prices_of, prices_of_lines


@st.composite
def numbers(draw: st.DrawFn) -> NumberColumn:
    values = sorted(draw(st.sets(st.integers(-5, 30), min_size=1, max_size=7)))
    bounds = draw(st.sampled_from([None, (-8, 40)]))
    edges = draw(st.none() | st.sets(st.integers(-8, 40), max_size=6).map(sorted))
    column = NumberColumn(
        values,
        bounds=bounds,
        edges=edges,
        missing=draw(st.booleans()),
        weight=draw(st.sampled_from([0.0, 1.0, 2.5])),
        step=draw(st.sampled_from([0.0, 1.0])) if edges is not None else 0.0,
    )
    if edges is None or not draw(st.booleans()):
        return column
    n_edges = column.all_edges().size
    table = np.array(draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=n_edges**2, max_size=n_edges**2)))
    given_prices = table.reshape(n_edges, n_edges)
    return NumberColumn(
        values, bounds, edges, missing=column.missing, weight=column.weight, step=column.step, prices=given_prices
    )


@settings(max_examples=300, deadline=None)
@given(column=numbers())
def test_intervals_cost_what_their_column_states(column: NumberColumn) -> None:
    pairs = [(low, high) for low in range(column.n_leaves) for high in range(low, column.n_leaves)]
    # A line holds the upper ends of its columns, then their lower ends below zero.
    lines = np.array([[high, -low] for low, high in pairs], dtype=np.int32)
    found = prices_of_lines(prices_of([column]), lines, np.zeros((len(pairs), 1), dtype=np.uint64))
    stated = [column.weight * column.price(low, high) for low, high in pairs]
    assert found == pytest.approx(stated, abs=1e-12)
