"""Whole releases against brute force: no adversarial rule, no predicted cell is left in what is published."""

from fractions import Fraction

import numpy as np
import pandas as pd
import slow_inference as slow
import slow_rules
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import withhold as wh


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**9), n_rows=st.integers(4, 12), n_columns=st.integers(2, 4))
def test_no_adversary_is_right_after_a_release(seed: int, n_rows: int, n_columns: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"c{j}" for j in range(n_columns)]
    cells = rng.choice(list("abc"), (n_rows, n_columns), p=[0.6, 0.3, 0.1])
    cells[0], cells[1] = "a", "b"
    frame = pd.DataFrame(cells, columns=names)
    every = [(i, name) for i in range(n_rows) for name in names]
    hidden = [every[k] for k in rng.choice(len(every), int(rng.integers(1, 4)), replace=False)]
    confidence, support = [0.6, 0.8, 1.0][int(rng.integers(3))], int(rng.integers(1, 3))
    against = [
        wh.Against(adversary="rules", confidence=confidence, support=support),
        wh.Against(adversary="naive-bayes"),
        wh.Against(adversary="id3"),
    ]
    made = wh.release(
        frame, wh.Policy([wh.Hidden(cells=hidden, against=against, most_withheld=1.0)]), rng=int(rng.integers(1000))
    )
    published = made.to_frame()
    rows = [tuple(row) for row in cells.tolist()]
    private = frozenset((i, names.index(name)) for i, name in hidden)
    blanked = frozenset(
        (int(i), int(j)) for i, j in np.argwhere((published == "*").to_numpy()) if (int(i), int(j)) not in private
    )
    assert slow_rules.is_safe(rows, private, blanked, confidence=Fraction(str(confidence)), support=support)
    assert {(i, names.index(name)) for i, name in hidden} <= {
        tuple(c) for c in np.argwhere((published == "*").to_numpy()).tolist()
    }
    domains = {name: list(dict.fromkeys(frame[name])) for name in names}
    table = slow.Table(
        names, [[None if v == "*" else v for v in row] for row in published.to_numpy().tolist()], domains, {}
    )
    deleted = {row for row in range(n_rows) if all(value == "*" for value in published.iloc[row])}
    for i, name in hidden:
        if i in deleted:
            continue
        others = [other for other in names if other != name]
        assert not slow.nb_predicts(table, i + 1, name, frame.loc[i, name], others)
        assert not slow.id3_predicts(table, i + 1, name, frame.loc[i, name], others)
