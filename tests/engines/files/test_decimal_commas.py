"""Numbers with a decimal comma: read where that is sure or declared, and left alone otherwise."""

from pathlib import Path

import pytest

import withhold as wh
from withhold.engines import open_source
from withhold.table import Decision


def column(path: Path, **words) -> list[str | None]:
    table = wh.read(path, **words)
    return [table.store.values("x")[code] for code in table.store.cells("x")]


def write(tmp_path: Path, *cells: str, cut: str = ";") -> Path:
    path = tmp_path / "data.csv"
    path.write_text(f"x{cut}y\n" + "".join(f"{cell}{cut}a\n" for cell in cells))
    return path


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1,5", "-2,25", "3"], ["1.5", "-2.25", "3"]),
        (["1,5", "", "0,75"], ["1.5", None, "0.75"]),
        (["1,5e-3", "2"], ["1.5e-3", "2"]),
        (["1,500", "2,250"], ["1,500", "2,250"]),  # perhaps thousands
        (["1,5", "NA"], ["1,5", "NA"]),
        (["1,5", "1.5"], ["1,5", "1.5"]),
        (["1,2,3", "4,5"], ["1,2,3", "4,5"]),
        (["01,5", "2,5"], ["01,5", "2,5"]),
        (["1", "2"], ["1", "2"]),
    ],
)
def test_semicolon_files_have_decimal_commas_where_every_value_fits(tmp_path: Path, cells: list, read: list) -> None:
    assert column(write(tmp_path, *cells)) == read


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1,500", "2,250"], ["1.500", "2.250"]),
        (["1,5", "NA", "?"], ["1.5", "NA", "?"]),
        (["1,5", "flat 3"], ["1,5", "flat 3"]),
        (["1.5", "2"], ["1.5", "2"]),
    ],
)
def test_a_declared_comma_needs_no_more_than_numbers(tmp_path: Path, cells: list, read: list) -> None:
    assert column(write(tmp_path, *cells, cut="\t"), decimal=",") == read


def test_a_declared_point_leaves_every_cell_as_it_stands(tmp_path: Path) -> None:
    assert column(write(tmp_path, "1,5", "2,5"), decimal=".") == ["1,5", "2,5"]


def test_comma_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text('x,y\n"1,5",a\n"2,5",a\n')
    assert column(tmp_path / "data.csv") == ["1,5", "2,5"]


def test_rows_stay_in_order_and_the_release_has_points(tmp_path: Path) -> None:
    path = write(tmp_path, *(f"{i},5" for i in range(200_000)))
    source = open_source(path)
    source.write(Decision(), tmp_path / "out.csv", key="")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "x;y"
    assert lines[1:] == [f"{i}.5;a" for i in range(200_000)]


def test_a_release_of_a_file_with_decimal_commas_is_proven(tmp_path: Path) -> None:
    path = write(tmp_path, *(f"{20 + i % 30},5" for i in range(60)))
    policy = wh.Policy([wh.Anonymity(columns=["x"], k=5)], columns={"x": wh.ColumnSettings(type="number")})
    assert wh.release(path, policy).write(tmp_path / "out.csv").ok
    assert wh.audit(tmp_path / "out.csv", policy, original=path, attack=False).ok
    mixed = write(tmp_path, *(["1,5"] * 30 + ["NA"] * 30))
    assert wh.release(mixed, wh.Policy([wh.Anonymity(columns=["x"], k=5)])).write(tmp_path / "out.csv").ok
