"""Errors of models that learn from a published table, on rows whose label nobody knew when it was made."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import withhold as wh
from experiments._key_tables import KeyTable
from experiments._published import Reading, read_texts
from experiments._registry import Results
from experiments._ways import frame_of

__all__ = ["LEARNERS", "MODELS", "PROTOCOLS", "fold_errors", "folds_of", "raw_errors"]

TARGET, POSITIVE = "income", ">50K"
MIN_LEAF = 20
MODELS: Mapping[str, Mapping[str, Any]] = {
    "global, target income": {"recoding": "global", "target": TARGET},
    "levels, 5 % of rows": {"recoding": "levels", "most_rows_withheld": 0.05},
    "local": {"recoding": "local"},
    "local, target income": {"recoding": "local", "target": TARGET},
}
"""The policies that are compared."""
PROTOCOLS: Mapping[str, str] = {
    "A": "the whole table is published, the labels of the test rows missing",
    "B": "the training rows are published, and the test rows get their texts by `Release.apply`",
}
LEARNERS = ("tree", "boosting")


def folds_of(n_rows: int, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row."""
    return np.random.default_rng(seed).permutation(np.arange(n_rows) % n_folds)


def raw_errors(table: KeyTable, is_test: NDArray[np.bool_]) -> Results:
    """Return the errors of models that see the table as it is."""
    reading = read_texts(table.keys, table.cells)
    return _errors(reading, reading, table, is_test, rows=(~is_test, is_test))


def fold_errors(table: KeyTable, k: int, way: str, protocol: str, is_test: NDArray[np.bool_]) -> Results:
    """Return the errors of models that learn from a published table, and how many test rows read ``*`` throughout."""
    policy = wh.Policy([wh.Anonymity(columns=table.names, k=k)], columns=table.settings(), **MODELS[way])
    frame = frame_of(table)
    if protocol == "A":
        frame.loc[is_test, TARGET] = None
        whole = read_texts(table.keys, _texts(wh.release(frame, policy, rng=0).to_frame(), table.names))
        _check(whole, k)
        return _errors(whole, whole, table, is_test, rows=(~is_test, is_test))
    made = wh.release(frame[~is_test].reset_index(drop=True), policy, rng=0)
    learned = read_texts(table.keys, _texts(made.to_frame(), table.names))
    _check(learned, k)
    tested = read_texts(table.keys, _texts(made.apply(frame[is_test].reset_index(drop=True)), table.names))
    return _errors(learned, tested, table, is_test, rows=(slice(None), slice(None)))


def _texts(frame: Any, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    return {name: frame[name].to_numpy() for name in names}


def _check(reading: Reading, k: int) -> None:
    if reading.smallest_group() < k:
        raise RuntimeError(f"A published group has fewer than {k} rows.")


def _errors(
    learned: Reading, tested: Reading, table: KeyTable, is_test: NDArray[np.bool_], rows: tuple[Any, Any]
) -> Results:
    """Train each learner on the training rows of one table, and test it on the test rows of the other."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.tree import DecisionTreeClassifier

    classes = table.cells[TARGET] == POSITIVE
    learners = {
        "tree": DecisionTreeClassifier(min_samples_leaf=MIN_LEAF, random_state=0),
        "boosting": HistGradientBoostingClassifier(random_state=0),
    }
    found: Results = {"ncp": learned.ncp()}
    for name in LEARNERS:
        learners[name].fit(learned.features()[rows[0]], classes[~is_test].astype(int))
        guesses = learners[name].predict(tested.features()[rows[1]])
        found[name] = float((guesses != classes[is_test]).mean())
    return found
