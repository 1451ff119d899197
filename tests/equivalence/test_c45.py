"""The tree learner against a plain one, on random tables with categories, numbers and unknown cells."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from slow_c45 import SlowC45, as_cells

from withhold.learners import C45


def shape(node, values):
    """Return a tree of the learner in the words of the plain one."""
    if not node.branches:
        return ("leaf", node.label, node.held.round(6).tolist())
    known = values[node.attribute]
    names = list(range(len(node.branches))) if known is None else ["low", "high"]
    branches = {name: shape(branch, values) for name, branch in zip(names, node.branches, strict=True)}
    cut = None if known is None else known[node.cut]
    return ("test", node.label, node.held.round(6).tolist(), node.attribute, cut, branches)


def slow_shape(tree, classes):
    label, held = classes.index(tree[1]), np.array([tree[2][name] for name in classes]).round(6).tolist()
    if tree[0] == "leaf":
        return ("leaf", label, held)
    branches = {name: slow_shape(branch, classes) for name, branch in tree[5].items()}
    return ("test", label, held, tree[3], tree[4], branches)


def random_table(seed: int, n_rows: int, n_columns: int, unknown: float, noise: float):
    """Return columns and classes that depend on some of them, so that trees have something to find."""
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(n_columns):
        if rng.random() < 0.5:
            column = rng.integers(0, rng.integers(2, 6), n_rows)
            column[rng.random(n_rows) < unknown] = -1
        else:
            column = rng.integers(0, rng.integers(3, 40), n_rows) / 4
            column[rng.random(n_rows) < unknown] = np.nan
        columns.append(column)
    n_classes = int(rng.integers(2, 4))
    score = sum(np.nan_to_num(column) * rng.normal() for column in columns[:3])
    labels = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes)) * 2
    drawn = rng.random(n_rows) < noise
    labels[drawn] = rng.integers(0, n_classes, int(drawn.sum())) * 2
    return columns, labels


@pytest.mark.parametrize("raising", [True, False])
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 160),
    n_columns=st.integers(1, 5),
    unknown=st.sampled_from([0.0, 0.1, 0.3]),
    noise=st.sampled_from([0.0, 0.1, 0.4]),
    minimum=st.sampled_from([1, 2, 5]),
    confidence=st.sampled_from([0.25, 0.1]),
)
@settings(max_examples=200, deadline=None)
@example(seed=4, n_rows=24, n_columns=4, unknown=0.3, noise=0.4, minimum=2, confidence=0.25)  # shares that sum to 4
def test_the_tree_is_that_of_the_plain_version(
    raising: bool, seed: int, n_rows: int, n_columns: int, unknown: float, noise: float, minimum: int, confidence: float
) -> None:
    columns, labels = random_table(seed, n_rows, n_columns, unknown, noise)
    fast = C45(minimum=minimum, confidence=confidence, raising=raising).fit(columns, labels)
    slow = SlowC45(minimum, confidence, raising)
    cells = [as_cells(column.tolist()) for column in columns]
    kinds = ["number" if column.dtype.kind == "f" else "category" for column in columns]
    slow.fit(cells, kinds, labels.tolist())
    assert shape(fast._root, fast._values) == slow_shape(slow.tree, slow.classes)

    others, _ = random_table(seed + 1, 40, n_columns, unknown, noise)
    others = [
        other + 0.1 if kind == "number" and other.dtype.kind == "f" else np.resize(column, 40)
        for other, column, kind in zip(others, columns, kinds, strict=True)
    ]
    rows = list(zip(*(as_cells(column.tolist()) for column in others), strict=True))
    assert fast.predict(others).tolist() == [slow.predict(row) for row in rows]
