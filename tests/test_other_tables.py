"""Other real tables: ARX's FARS with its hierarchies, sdcMicro's surveys; pyCANON as an outside witness."""

from pathlib import Path

import pytest
from pycanon import anonymity

import withhold as wh
from real_data import arx_hierarchies, arx_table, car, sdcmicro, wisconsin, wisconsin_tree


@pytest.mark.parametrize("k", [2, 5, 50])
@pytest.mark.parametrize("splits", ["best", "valid"])
def test_fars_with_the_hierarchies_of_arx(tmp_path: Path, k: int, splits: str) -> None:
    frame = arx_table("fars")
    columns = {name: wh.ColumnSettings(taxonomy=str(path)) for name, path in arx_hierarchies("fars").items()}
    names = [name for name in columns if name != "iinjury"]
    policy = wh.Policy([wh.Anonymity(columns=names, k=k)], target="iinjury", columns=columns, splits=splits)
    release = wh.release(frame, policy)
    release.write(tmp_path / "out.csv")
    assert anonymity.k_anonymity(release.to_frame().reset_index(drop=True), names) == release.reached[0] >= k


@pytest.mark.parametrize(
    ("name", "known", "numbers", "target"),
    [
        ("testdata", ["urbrur", "roof", "sex", "age", "relat"], ["age"], "water"),
        ("testdata2", ["urbrur", "roof", "sex", "age"], ["age"], None),
        ("free1", ["REGION", "SEX", "AGE", "MARSTAT"], ["AGE"], "KINDPERS"),
    ],
)
@pytest.mark.parametrize("k", [3, 10])
def test_surveys_of_sdcmicro(name: str, known: list[str], numbers: list[str], target: str | None, k: int) -> None:
    frame = sdcmicro(name)
    policy = wh.Policy(
        [wh.Anonymity(columns=known, k=k), wh.Anonymity(columns=known[:2], k=2 * k)],
        target=target,
        columns={column: wh.ColumnSettings(type="number") for column in numbers},
        splits="valid",
    )
    released = wh.release(frame, policy).to_frame().reset_index(drop=True).fillna("missing")
    assert anonymity.k_anonymity(released, known) >= k
    assert anonymity.k_anonymity(released, known[:2]) >= 2 * k


def test_every_arx_hierarchy_is_read_and_written(tmp_path: Path) -> None:
    for name in ("adult", "fars", "mach2019_int"):
        for path in arx_hierarchies(name).values():
            tree = wh.Taxonomy.read(path)
            tree.write(tmp_path / "again.csv")
            assert wh.Taxonomy.read(tmp_path / "again.csv") == tree


def test_wisconsin_has_scores_as_text_and_sixteen_gaps() -> None:
    frame = wisconsin()
    assert frame.shape == (699, 10)
    assert frame.isna().sum().to_dict()["bare_nuclei"] == frame.isna().sum().sum() == 16
    scores = set(frame.iloc[:, :-1].stack().dropna())
    assert scores == set(wh.Taxonomy.from_nested(wisconsin_tree()).leaves) == {str(i) for i in range(1, 11)}


def test_car_holds_every_combination_once() -> None:
    frame = car()
    assert frame.shape == (1728, 7)
    assert not frame.iloc[:, :-1].duplicated().any()
