"""Groups formed anew: every promise kept, every node above what its rows held, never coarser than one group of all."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.methods.groups import Lanes, Pool, PoolColumn, Size, UnitLanes, Units, regroup

# Codes 0 to 3; node 0 covers all, 1 and 2 two codes each, 3 to 6 one, and 7 is the set {0, 3} below the root.
PARENT = np.array([-1, 0, 0, 1, 1, 2, 2, 0], dtype=np.int32)
FIRST = np.array([0, 0, 2, 0, 1, 2, 3, 0], dtype=np.int32)
LAST = np.array([4, 2, 4, 1, 2, 3, 4, 4], dtype=np.int32)
PRICES = np.array([1.0, 0.4, 0.4, 0, 0, 0, 0, 0.5])
COVERS = [{0, 1, 2, 3}, {0, 1}, {2, 3}, {0}, {1}, {2}, {3}, {0, 3}]
TREE = PoolColumn(PARENT, FIRST, LAST, PRICES, sets=frozenset({7}))


def test_a_set_is_not_what_lies_between_its_ends() -> None:
    assert TREE.common(np.array([7, 7], dtype=np.int32)) == 7
    # The set {0, 3} spans codes 1 and 2 without covering them.
    assert TREE.common(np.array([7, 4], dtype=np.int32)) == 0
    assert TREE.common(np.array([7, 3], dtype=np.int32)) == 0
    assert TREE.common(np.array([4, 7], dtype=np.int32)) == 0
    assert TREE.common(np.array([3, 4], dtype=np.int32)) == 1


@settings(max_examples=150, deadline=None)
@given(data=st.data(), k=st.integers(2, 4), counts_units=st.booleans())
def test_groups_keep_every_promise_and_cover_what_their_rows_held(
    data: st.DataObject, k: int, counts_units: bool
) -> None:
    n_rows = data.draw(st.integers(k, 14))
    nodes = np.array(data.draw(st.lists(st.tuples(*[st.integers(3, 7)] * 2), min_size=n_rows, max_size=n_rows)))
    # At least k units, so that all rows together keep the promise.
    units = np.concatenate(
        [np.arange(k), data.draw(st.lists(st.integers(0, 9), min_size=n_rows - k, max_size=n_rows - k))]
    )
    units = units.astype(np.int64)
    promise = UnitLanes(Units(k), units, 1) if counts_units else Lanes(Size(k), np.zeros(n_rows, dtype=np.int64), 1)
    pool = Pool([TREE, TREE], nodes.astype(np.int32), [promise], np.ones(n_rows, dtype=np.int64))
    found = regroup(pool)
    for before, after in zip(nodes.ravel(), found.ravel(), strict=True):
        assert COVERS[before] <= COVERS[after]
    for published in np.unique(found, axis=0):
        rows = np.flatnonzero((found == published).all(axis=1))
        held = np.unique(units[rows]).size if counts_units else rows.size
        assert held >= k
    assert PRICES[found].sum() <= pool.loss(np.arange(n_rows)) + 1e-9
