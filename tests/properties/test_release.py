"""What must never matter (row order, labels, column order), and sizes at the edge."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.methods import tds

SETTINGS = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
COLUMNS = {"n": wh.ColumnSettings(type="number")}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    n_rows = draw(st.integers(4, 30))
    cells = {
        "g": st.sampled_from(["a", "b", "c", None]),
        "n": st.one_of(st.none(), st.integers(0, 6)),
        "h": st.sampled_from(["x", "y"]),
        "t": st.sampled_from(["yes", "no"]),
    }
    columns = {name: draw(st.lists(values, min_size=n_rows, max_size=n_rows)) for name, values in cells.items()}
    columns["n"][0] = 3
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    return frame.assign(n=frame["n"].astype("Int64"))


def policy(splits: str = "valid", **changes: object) -> wh.Policy:
    requirements = [wh.Anonymity(columns=["g", "n"], k=3), wh.Anonymity(columns=["h", "n"], k=2)]
    return wh.Policy(requirements, target="t", columns=COLUMNS, splits=splits, **changes)


def as_rows(frame: pd.DataFrame) -> list[tuple]:
    columns = [frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in ("g", "n", "h", "t")]
    return list(zip(*columns, strict=True))


@SETTINGS
@given(frames(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_only_the_order(frame: pd.DataFrame, random) -> None:
    order = list(range(len(frame)))
    random.shuffle(order)
    straight = as_rows(wh.release(frame, policy()).to_frame())
    shuffled = as_rows(wh.release(frame.iloc[order], policy()).to_frame())
    assert shuffled == [straight[i] for i in order]


@SETTINGS
@given(frames(), st.data())
def test_labels_of_the_index_change_nothing(frame: pd.DataFrame, data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(0, 3), min_size=len(frame), max_size=len(frame)))
    assert as_rows(wh.release(frame.set_axis(labels), policy()).to_frame()) == as_rows(
        wh.release(frame, policy()).to_frame()
    )


@SETTINGS
@given(frames(), st.permutations(["g", "n", "h", "t"]))
def test_the_order_of_columns_changes_only_the_order(frame: pd.DataFrame, order: list[str]) -> None:
    released = wh.release(frame[order], policy()).to_frame()
    assert list(released.columns) == order
    assert as_rows(released) == as_rows(wh.release(frame, policy()).to_frame())


@SETTINGS
@given(frames(), st.sampled_from(["best", "valid"]))
def test_every_release_is_k_anonymous_and_generalises_each_cell(frame: pd.DataFrame, splits: str) -> None:
    released = as_rows(wh.release(frame, policy(splits)).to_frame())
    for columns, k in (((0, 1), 3), ((2, 1), 2)):
        sizes = Counter(tuple(row[i] for i in columns) for row in released)
        assert min(sizes.values()) >= k
    for original, row in zip(as_rows(frame), released, strict=True):
        assert row[3] == original[3]
        assert row[0] in (original[0], "*")
        assert row[2] in (original[2], "*")
        assert _covers(row[1], original[1])


def _covers(published: str | None, number: int | None) -> bool:
    if published == "*" or number is None:
        return published == "*" or published is None
    if published.startswith(("< ", "≥ ")):
        return number < float(published[2:]) if published[0] == "<" else number >= float(published[2:])
    low, high = (float(edge) for edge in published.strip("[])").split(", "))
    return low <= number <= high if published.endswith("]") else low <= number < high


@SETTINGS
@given(frames())
def test_rows_with_weights_are_rows_repeated(frame: pd.DataFrame) -> None:
    columns = {name: frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame}
    twice = wh.Table.from_columns({name: [cell for cell in cells for _ in range(2)] for name, cells in columns.items()})
    weighted = wh.Table.from_columns(columns, weights=[2] * len(frame))
    requirements = [wh.Anonymity(columns=["g", "n"], k=4)]
    assert tds(twice, requirements, target="t").steps == tds(weighted, requirements, target="t").steps


def test_k_equal_rows_stay_as_they_are() -> None:
    frame = pd.DataFrame({"a": ["x"] * 5, "t": ["y", "n", "y", "n", "y"]})
    released = wh.release(frame, wh.Policy([wh.Anonymity(columns=["a"], k=5)], target="t")).to_frame()
    assert released.equals(frame)


def test_one_row_cannot_hide() -> None:
    with pytest.raises(wh.errors.InfeasibleError):
        wh.release(pd.DataFrame({"a": ["x"]}), wh.Policy([wh.Anonymity(columns=["a"], k=2)]))


def test_one_column() -> None:
    frame = pd.DataFrame({"a": ["x", "x", "y", "y", "z"]})
    released = wh.release(frame, wh.Policy([wh.Anonymity(columns=["a"], k=2)])).to_frame()
    assert released["a"].tolist() == ["*"] * 5


def test_two_hundred_columns() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{i}": rng.choice(["a", "b", "c"], 400, p=[0.9, 0.08, 0.02]) for i in range(200)})
    names = list(frame.columns[:-1])
    release = wh.release(frame, wh.Policy([wh.Anonymity(columns=names, k=5)], target="c199"))
    assert release.to_frame().groupby(names).size().min() >= 5


def test_a_hundred_thousand_distinct_values() -> None:
    n = 250_000
    values = np.where(np.arange(n) < 100_000, np.arange(n), np.arange(n) % 100)
    frame = pd.DataFrame({"v": values.astype(str), "s": np.where(np.arange(n) % 3 == 0, "f", "m"), "t": values % 2})
    flat = wh.release(frame, wh.Policy([wh.Anonymity(columns=["v", "s"], k=10)], target="t"))
    assert set(flat.to_frame()["v"]) == {"*"}
    numbers = wh.Policy(
        [wh.Anonymity(columns=["v", "s"], k=500)],
        target="t",
        columns={"v": wh.ColumnSettings(type="number")},
        splits="valid",
    )
    assert wh.release(frame, numbers).to_frame().groupby(["v", "s"]).size().min() >= 500


def test_many_distinct_values_that_may_all_stay() -> None:
    frame = pd.DataFrame({"v": np.repeat([f"v{i}" for i in range(50_000)], 4), "t": ["y", "n"] * 100_000})
    release = wh.release(frame, wh.Policy([wh.Anonymity(columns=["v"], k=4)], target="t"))
    assert release.to_frame()["v"].tolist() == frame["v"].tolist()
