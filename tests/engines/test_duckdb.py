"""Files and frames through the embedded engine: text stays what it is, order stays, errors tell no cell."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import withhold as wh
from withhold.engines import open_source
from withhold.errors import DataError
from withhold.table import CategoryRecoding, Decision, NumberRecoding

NOTHING = Decision()


def csv(tmp_path: Path, text: str | bytes, name: str = "data.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def rows(path: Path) -> list[tuple]:
    source = open_source(path)
    found = source.published(NOTHING, key="")
    return list(zip(*(column.tolist() for column in found.values()), strict=True))


def test_every_cell_stays_text(tmp_path: Path) -> None:
    path = csv(tmp_path, "zip,flag,day\n01234,NO,2024-01-01\n1e5,T, x \n")
    assert rows(path) == [("01234", "NO", "2024-01-01"), ("1e5", "T", " x ")]


def test_an_empty_cell_is_missing_and_an_empty_string_is_not(tmp_path: Path) -> None:
    assert rows(csv(tmp_path, 'a,b\n,x\n"",y\n')) == [(None, "x"), ("", "y")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ("a", "b")),
        ("a;b\n1;2\n", ("a", "b")),
        ("a\tb\n1\t2\n", ("a", "b")),
        ("a|b\n1|2\n", ("a", "b")),
        ("\ufeffa,b\n1,2\n", ("a", "b")),
        ("a,b\r\n1,2\r\n", ("a", "b")),
        ('"a,x";b\n"1,5";2\n"2,5";3\n', ("a,x", "b")),
        (" a ,b\n1,2\n", (" a ", "b")),
        ('"a\nb",c\n1,2\n', ("a\nb", "c")),
        ("alone\n1\n", ("alone",)),
    ],
)
def test_delimiters_and_headers_are_found(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    source = open_source(csv(tmp_path, text))
    assert source.names == names


def test_quotes_newlines_and_delimiters_inside_cells_survive(tmp_path: Path) -> None:
    text = 'a,b\n"x, ""y""","line\nbreak"\n'
    path = csv(tmp_path, text)
    assert rows(path) == [('x, "y"', "line\nbreak")]
    open_source(path).write(NOTHING, tmp_path / "out.csv", key="")
    assert rows(tmp_path / "out.csv") == rows(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "data.csv: the file is empty"),
        ("\n\n", "data.csv: the file is empty"),
        ("a,b\n", "data.csv: there is a header but no row"),
        ("a,b\n1,2\n3,4,secret\n", "data.csv, line 3: has 3 cells, but the header has 2"),
        ("a,b\n1,2\nsecret\n", "data.csv, line 3: has 1 cells, but the header has 2"),
        ("a,a\n1,2\n", 'data.csv: columns 1 and 2 are both called "a"'),
        ("a,A\n1,2\n", "data.csv: columns 1 and 2 differ only in case"),
        ("a,\n1,2\n", "data.csv: column 2 has no name"),
        (b"a,b\n1,secret\xff\n", "data.csv, line 2: is not UTF-8"),
        ("a,b\r1,secret\r", "data.csv: its lines end in a lone carriage return"),
        ('a,b\n1,"secret\n', "data.csv.*quoted cell does not end|data.csv, line 2: cannot be read"),
    ],
)
def test_what_is_no_table_is_refused_without_a_cell(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        open_source(csv(tmp_path, text))
    assert "secret" not in str(caught.value)


def test_bytes_that_are_not_utf8_far_down_are_found(tmp_path: Path) -> None:
    path = csv(tmp_path, b"a,b\n" + b"1,2\n" * 100_000 + b"3,\xe9\n")
    with pytest.raises(DataError, match=r"data\.csv, line 100002: is not UTF-8"):
        open_source(path)


def test_folders_absent_files_and_unknown_suffixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder, not a data file"):
        open_source(tmp_path)
    with pytest.raises(DataError, match=r"gone\.csv: there is no such file"):
        open_source(tmp_path / "gone.csv")
    with pytest.raises(DataError, match=r'"\.xlsx" is not a known kind of data file'):
        open_source(csv(tmp_path, "x", name="data.xlsx"))
    with pytest.raises(DataError, match=r"data\.parquet: cannot be read as Parquet"):
        open_source(csv(tmp_path, "x", name="data.parquet"))


def test_counts_are_those_of_a_group_by(tmp_path: Path) -> None:
    path = csv(tmp_path, "a,b\nx,1\ny,\nx,1\nx,2\n")
    table = wh.read(path)
    found = table.distinct(["a", "b"])
    labels = [table.domain(name).leaves for name in ("a", "b")]
    counted = {(labels[0][a], labels[1][b]): int(n) for a, b, n in zip(*found.codes, found.weights, strict=True)}
    assert counted == {("x", "1"): 2, ("y", None): 1, ("x", "2"): 1}


def test_untouched_columns_and_row_order_are_kept(tmp_path: Path) -> None:
    n = 300_000
    frame = pd.DataFrame(
        {"i": np.arange(n), "g": np.where(np.arange(n) % 7 == 0, "a", "b"), "t": [f"0{i}" for i in range(n)]}
    )
    frame.to_csv(tmp_path / "big.csv", index=False)
    coarse = CategoryRecoding(column="g", published={"a": "*", "b": "*"}, missing="*")
    source = open_source(tmp_path / "big.csv")
    source.write(Decision(recodings=(coarse,), drop=()), tmp_path / "out.csv", key="")
    back = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert back["i"].tolist() == [str(i) for i in range(n)]
    assert back["t"].tolist() == frame["t"].tolist()
    assert set(back["g"]) == {"*"}


def test_values_are_mapped_by_lookup_and_numbers_by_interval(tmp_path: Path) -> None:
    path = csv(tmp_path, "job,age\ncook,30\n,x\nclerk,45.5\ncook,90\n")
    decision = Decision(
        recodings=(
            CategoryRecoding(column="job", published={"cook": "Kitchen", "clerk": "clerk"}, missing=None),
            NumberRecoding(
                column="age", starts=(0, 40), labels=("[0, 40)", "[40, 90]"), high=90, missing=None, missing_marks={"x"}
            ),
        )
    )
    source = open_source(path)
    source.write(decision, tmp_path / "out.csv", key="")
    assert (tmp_path / "out.csv").read_text() == (
        'job,age\nKitchen,"[0, 40)"\n,\nclerk,"[40, 90]"\nKitchen,"[40, 90]"\n'
    )


def test_the_delimiter_is_that_of_the_input_and_tsv_means_tabs(tmp_path: Path) -> None:
    source = open_source(csv(tmp_path, "a;b\n1;2\n"))
    source.write(NOTHING, tmp_path / "out.csv", key="")
    source.write(NOTHING, tmp_path / "out.tsv", key="")
    assert (tmp_path / "out.csv").read_text() == "a;b\n1;2\n"
    assert (tmp_path / "out.tsv").read_text() == "a\tb\n1\t2\n"


def test_typed_parquet_columns_keep_their_type(tmp_path: Path) -> None:
    frame = pa.table({"zip": [123, 456, None], "kept": [1.5, None, 2.5], "age": [1, 2, 3], "day": [True, False, None]})
    pq.write_table(frame, tmp_path / "in.parquet")
    source = open_source(tmp_path / "in.parquet")
    assert [source.kind(name) for name in source.names] == ["number", "number", "number", "category"]
    decision = Decision(
        recodings=(
            CategoryRecoding(column="zip", published={"123": "123", "456": "*"}, missing=None),
            NumberRecoding(column="age", starts=(1, 2), labels=("[1, 2)", "[2, 3]"), high=3, missing="*"),
        )
    )
    source.write(decision, tmp_path / "out.parquet", key="")
    back = pq.read_table(tmp_path / "out.parquet")
    assert back.schema.field("zip").type == pa.int64()
    assert back.column("zip").to_pylist() == [123, None, None]
    assert back.column("kept").to_pylist() == [1.5, None, 2.5]
    assert back.column("age").to_pylist() == ["[1, 2)", "[2, 3]", "[2, 3]"]
    assert back.column("day").to_pylist() == [True, False, None]


def test_a_shuffle_is_a_permutation_that_its_key_repeats(tmp_path: Path) -> None:
    source = open_source(pd.DataFrame({"i": range(1000)}))
    shuffled = Decision(rows="shuffle")
    first = source.published(shuffled, key="one")["i"].tolist()
    assert sorted(first) == list(range(1000))
    assert (
        first
        == source.published(shuffled, key="one")["i"].tolist()
        == source.row_positions(shuffled, key="one").tolist()
    )
    assert first != source.published(shuffled, key="two")["i"].tolist() != list(range(1000))


FRAMES = {
    "pandas": pd.DataFrame({"a": ["x", None, "y"], "n": [1.5, None, 2.0]}, index=[7, 7, 9]),
    "pandas-object": pd.DataFrame({"a": pd.Series(["x", None, "y"], dtype=object), "n": [1.5, None, 2.0]}),
    "pandas-category": pd.DataFrame({"a": pd.Categorical(["x", None, "y"]), "n": [1.5, None, 2.0]}),
    "polars": pl.DataFrame({"a": ["x", None, "y"], "n": [1.5, None, 2.0]}),
    "polars-lazy": pl.LazyFrame({"a": ["x", None, "y"], "n": [1.5, None, 2.0]}),
    "arrow": pa.table({"a": ["x", None, "y"], "n": [1.5, None, 2.0]}),
}


@pytest.mark.parametrize("name", sorted(FRAMES))
def test_frames_of_every_kind_read_alike(name: str) -> None:
    table = wh.read(FRAMES[name])
    assert table.domain("a").leaves == ("x", "y", None)
    assert table.domain("n").values.tolist() == [1.5, 2.0]
    assert table.domain("n").missing_code == 2
    assert [table.domain("a").leaves[code] for code in table.distinct(["a"]).codes[0]].count(None) == 1


def test_a_column_of_mixed_python_objects_is_not_lost() -> None:
    table = wh.read(pd.DataFrame({"m": pd.Series(["p", None, 3], dtype=object)}))
    assert table.domain("m").leaves == ("3", "p", None)


def test_not_a_number_in_a_float_column_is_missing() -> None:
    table = wh.read(pl.DataFrame({"n": [1.0, float("nan"), None]}))
    assert table.domain("n").values.tolist() == [1.0]
    assert table.distinct(["n"]).weights.sum() == 3


def test_what_is_no_table_at_all_is_refused() -> None:
    with pytest.raises(DataError, match="cannot read a table from int"):
        wh.read(3)
    with pytest.raises(DataError, match="the frame has no row"):
        wh.read(pd.DataFrame({"a": []}))


def test_numbers_of_a_text_column_are_checked(tmp_path: Path) -> None:
    path = csv(tmp_path, "age\n3\nsecret\nnan\ninf\n?\n")
    with pytest.raises(
        DataError, match='column "age" is a number column, but 4 of its distinct values are none, the first in row 2'
    ) as caught:
        wh.read(path).numbers("age")
    assert "secret" not in str(caught.value)
    good = wh.read(csv(tmp_path, "age\n3\n?\n1.50\n"), missing=["?"])
    assert good.numbers("age").values.tolist() == [1.5, 3.0]
