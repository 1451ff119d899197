"""Counting on several cores gives what counting on one gives."""

import pytest

import withhold as wh
from withhold import _threads
from withhold.methods import tds
from withhold.methods.refine import _top_down


@pytest.mark.parametrize("splits", ["best", "valid"])
def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch, splits: str) -> None:
    table = wh.read(_frame()).load()
    requirements = [
        wh.Anonymity(columns=["age", "sex", "postcode"], k=5),
        wh.Anonymity(columns=["age", "occupation", "stay_days"], k=20),
        wh.Anonymity(columns=["diagnosis", "stay_days"], k=3),
    ]
    alone = tds(table, requirements, target="readmitted", splits=splits)
    monkeypatch.setattr(_threads, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(_top_down, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(_threads, "n_cores", lambda: 3)
    together = tds(table, requirements, target="readmitted", splits=splits)
    assert len(alone.steps) > 10
    assert together.steps == alone.steps


def _frame() -> object:
    import pandas as pd

    return pd.DataFrame(wh.samples.clinic(5_000, seed=3))


def test_a_child_process_can_search_after_its_parent_did(monkeypatch: pytest.MonkeyPatch) -> None:
    import multiprocessing
    import warnings

    monkeypatch.setattr(_threads, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(_top_down, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(_threads, "n_cores", lambda: 2)
    _small_search()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = multiprocessing.get_context("fork").Process(target=_small_search)
        child.start()
    child.join(timeout=60)
    assert child.exitcode == 0


def _small_search() -> None:
    cells = {"a": ["x", "y"] * 50, "b": list("uvwxy") * 20, "t": ["0", "1", "1", "0"] * 25}
    tds(wh.Table.from_columns(cells), [wh.Anonymity(columns=["a", "b"], k=2)], target="t")
