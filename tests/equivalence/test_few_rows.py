"""Tables of few rows are held in memory and share an engine; the engine's own questions must answer the same."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import withhold as wh
from withhold.engines import open_source
from withhold.engines.duckdb import _frames, _wide

TEXTS = [
    "é",
    "e",
    "É",
    "b",
    "B",
    "",
    " ",
    "10",
    "9",
    "1e1",
    "-0",
    "0.0",
    "nan",
    "?",
    "\U0001f600",
    "￿",
    "a\nb",
    "'",
    '"',
]
N_TABLES = 200
CHUNK = 50


def random_frame(rng: np.random.Generator) -> pd.DataFrame:
    n = int(rng.integers(1, 60))
    columns: dict[str, Any] = {}
    for i in range(int(rng.integers(1, 6))):
        kind = rng.integers(5)
        if kind == 0:
            cells = rng.integers(-3, 4, n)
        elif kind == 1:
            cells = rng.choice([0.5, -0.0, 0.0, 2, 1e300, np.nan], n)
        elif kind == 2:
            cells = rng.choice([True, False], n)
        elif kind == 3:
            cells = pd.Timestamp("2024-01-31") + pd.to_timedelta(rng.integers(0, 9, n), unit="D")
        else:
            some = rng.choice(len(TEXTS), int(rng.integers(1, 6)))
            cells = np.array([*TEXTS, None], dtype=object)[rng.choice([*some, len(TEXTS)], n)]
        columns[f"c{i}"] = cells
    return pd.DataFrame(columns)


def counted(source: Any, names: list[str]) -> Counter[tuple[int, ...]]:
    codes, weights = source.counts(names)
    found = Counter(dict(zip(zip(*(each.tolist() for each in codes), strict=True), weights.tolist(), strict=True)))
    assert len(found) == weights.size
    return found


def numbers(source: Any, name: str, missing: frozenset[str]) -> str:
    try:
        return str(source.numbers(name, missing=missing).tolist())
    except wh.errors.DataError as error:
        return str(error)


@pytest.mark.parametrize("first", range(0, N_TABLES, CHUNK))
def test_what_is_held_is_what_the_engine_answers(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(first, first + CHUNK):
        rng = np.random.default_rng(seed)
        frame = random_frame(rng)
        few = open_source(frame)
        assert few._blocks is not None
        with monkeypatch.context() as patched:
            patched.setattr(_wide, "FEW", 0)
            if seed % 5 == 0:
                patched.setattr(_frames, "MOST_COPIED", 0)  # a view of the frame
            large = open_source(frame)
            assert large._blocks is None
        names = list(few.names)
        assert few.n_rows == large.n_rows
        for name in names:
            assert few.values(name) == large.values(name), seed
            assert few.values(name) == large.values(name), seed  # kept from the first time
            assert few.cells(name).tolist() == large.cells(name).tolist(), seed
            assert few.cells(name).dtype == large.cells(name).dtype
            assert few.hashes(name).tolist() == large.hashes(name).tolist(), seed
            for missing in (frozenset[str](), frozenset({"?", "", "9"})):
                assert numbers(few, name, missing) == numbers(large, name, missing), seed
        for _ in range(2):
            some = [str(each) for each in rng.permutation(names)[: int(rng.integers(1, len(names) + 1))]]
            assert counted(few, some) == counted(large, some), seed
            assert few.small_groups(some, 3) == large.small_groups(some, 3), seed
            groups = [
                Counter(zip(*(c.tolist() for c in g.codes), g.sizes.tolist(), strict=True))
                for g in (few.groups(some), large.groups(some))
            ]
            assert groups[0] == groups[1], seed
        few.close()
        large.close()


def people(rng: np.random.Generator) -> pd.DataFrame:
    n = int(rng.integers(12, 60))
    return pd.DataFrame(
        {
            "age": rng.integers(20, 40, n),
            "sex": rng.choice(["f", "m", None], n),
            "job": rng.choice(list("abcde"), n),
            "ill": rng.choice(["flu", "hiv", "none"], n),
        }
    )


@pytest.mark.parametrize("first", range(0, 100, CHUNK))
def test_releases_of_few_rows_are_those_of_a_large_table(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same release through an engine of its own, which counts what is held in memory otherwise."""
    for seed in range(first, first + CHUNK):
        rng = np.random.default_rng(seed)
        frame = people(rng)
        promises = [wh.Anonymity(columns=["age", "sex", "job"], k=3)]
        if seed % 2:
            promises.append(wh.Template(given=["age", "job"], hide={"ill": ["hiv"]}, at_most=0.6))
        policy = wh.Policy(promises, target="ill" if seed % 3 else None, recoding=("global", "local")[seed % 4 == 1])
        few = outcome(frame, policy)
        with monkeypatch.context() as patched:
            patched.setattr(_wide, "FEW", 0)
            if seed % 5 == 0:
                patched.setattr(_frames, "is_small", lambda n_cells: False)
            assert outcome(frame, policy) == few, seed


def outcome(frame: pd.DataFrame, policy: wh.Policy) -> object:
    try:
        return wh.release(frame, policy, rng=1).to_frame().to_dict("list")
    except wh.errors.InfeasibleError as error:
        return str(error)
