"""Groups of many rows, halved round by round: each keeps every promise, and publishes the lowest node above its rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.methods.groups import Distinct, Lanes, Pool, PoolColumn, Share, Size, halve
from withhold.requirements.grouping import pool_column
from withhold.table import Draft

TREE = wh.Taxonomy.from_nested({"*": {"x": {"a": {}, "b": {}}, "y": {"c": {}, "d": {}, "e": {}}, "f": {}}})


def column(rng: np.random.Generator, n_rows: int) -> tuple[PoolColumn, np.ndarray]:
    values = [*rng.choice(list("abcdef"), n_rows), *"abcdef"]
    draft = Draft(wh.Table.from_columns({"c": values}, domains={"c": TREE}))
    return pool_column(draft.column("c")), draft.column("c").nodes[:n_rows]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 60), st.integers(1, 3))
def test_every_half_keeps_every_promise(seed: int, n_rows: int, n_columns: int) -> None:
    rng = np.random.default_rng(seed)
    columns, nodes = zip(*(column(rng, n_rows) for _ in range(n_columns)), strict=True)
    values = rng.integers(-1, 3, n_rows)
    promises = [
        Lanes(Size(int(rng.integers(2, 5))), np.zeros(n_rows, dtype=np.int64), 1),
        Lanes(Distinct(2), values, 3),
    ]
    pool = Pool(columns, np.stack(nodes, axis=1), promises, rng.integers(1, 3, n_rows))
    if not pool.is_met(np.arange(n_rows)):
        return
    found = halve(pool)
    for texts in {tuple(row) for row in found.tolist()}:
        rows = np.flatnonzero((found == texts).all(axis=1))
        assert pool.is_met(rows)
        for j, each in enumerate(columns):
            assert (each.first[texts[j]] <= each.first[pool.nodes[rows, j]]).all()
            assert (each.last[pool.nodes[rows, j]] <= each.last[texts[j]]).all()


def test_rows_that_can_stand_alone_do() -> None:
    rng = np.random.default_rng(1)
    (tree, nodes) = column(rng, 3_000)
    pool = Pool([tree], nodes.reshape(-1, 1), [Lanes(Size(5), np.zeros(3_000, dtype=np.int64), 1)], np.ones(3_000, int))
    assert (halve(pool)[:, 0] == nodes).all()


def test_a_promise_about_shares_is_kept() -> None:
    rng = np.random.default_rng(2)
    (tree, nodes) = column(rng, 400)
    lanes = (rng.random(400) < np.where(nodes == nodes.min(), 0.8, 0.2)).astype(np.int64)
    pool = Pool([tree], nodes.reshape(-1, 1), [Lanes(Share((1,), 0.5), lanes, 2)], np.ones(400, int))
    assert pool.is_met(np.arange(400))
    found = halve(pool)[:, 0]
    assert np.unique(found).size > 1
    assert all(pool.is_met(np.flatnonzero(found == node)) for node in np.unique(found))
