"""Files and frames through the embedded engine: text stays what it is, order stays, errors name no cell."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import withhold as wh
from withhold.engines import open_source
from withhold.engines.duckdb._connection import Database
from withhold.engines.duckdb._instance import SMALL_CELLS
from withhold.errors import DataError, InputError, PolicyError
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
    with pytest.raises(DataError, match=r'"\.docx" is not a known kind of data file'):
        open_source(csv(tmp_path, "x", name="data.docx"))
    with pytest.raises(DataError, match=r"data\.parquet: cannot be read as Parquet"):
        open_source(csv(tmp_path, "x", name="data.parquet"))


def test_counts_are_those_of_a_group_by(tmp_path: Path) -> None:
    path = csv(tmp_path, "a,b\nx,1\ny,\nx,1\nx,2\n")
    table = wh.read(path)
    found = table.distinct(["a", "b"])
    labels = [table.domain(name).leaves for name in ("a", "b")]
    counted = {(labels[0][a], labels[1][b]): int(n) for a, b, n in zip(*found.codes, found.weights, strict=True)}
    assert counted == {("x", "1"): 2, ("y", None): 1, ("x", "2"): 1}


@pytest.mark.parametrize("rows", ["keep", "shuffle"])
def test_a_lookup_keeps_every_cell_with_its_row(tmp_path: Path, rows: str) -> None:
    n = 600_000
    frame = pd.DataFrame({"i": np.arange(n), "g": [f"v{i % 97}" for i in range(n)], "n": np.arange(n) % 1000})
    lookup = CategoryRecoding(column="g", published={f"v{i}": f"w{i % 10}" for i in range(97)}, missing=None)
    interval = NumberRecoding(column="n", starts=(0, 300), labels=("low", "high"), high=999, missing=None)
    decision = Decision(recodings=(lookup, interval), rows=rows)
    frame.to_csv(tmp_path / "big.csv", index=False)
    for source in (open_source(tmp_path / "big.csv"), open_source(frame)):
        source.write(decision, tmp_path / "out.csv", key="k")
        back = pd.read_csv(tmp_path / "out.csv")
        if rows == "keep":
            assert (back["i"] == np.arange(n)).all()
        assert sorted(back["i"]) == list(range(n))
        assert (back["g"] == [f"w{i % 97 % 10}" for i in back["i"]]).all()
        assert (back["n"] == np.where(back["i"] % 1000 < 300, "low", "high")).all()
        cells = source.published(decision, key="k", columns=["g"])["g"]
        assert (cells == back["g"]).all()


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
        DataError, match='column "age" is a number column, but 4 of its distinct values are none, the first in row 1'
    ) as caught:
        wh.read(path).numbers("age")
    assert "secret" not in str(caught.value)
    good = wh.read(csv(tmp_path, "age\n3\n?\n1.50\n"), missing=["?"])
    assert good.numbers("age").values.tolist() == [1.5, 3.0]


def test_a_file_whose_name_looks_like_a_pattern_is_the_one_that_is_read(tmp_path: Path) -> None:
    for name, cell in (("data[1].csv", "right"), ("data1.csv", "wrong"), ("q?.csv", "right"), ("qa.csv", "wrong")):
        csv(tmp_path, f"a\n{cell}\n", name=name)
    assert rows(tmp_path / "data[1].csv") == rows(tmp_path / "q?.csv") == [("right",)]
    (tmp_path / "year=2020").mkdir()
    pq.write_table(pa.table({"a": ["right"]}), tmp_path / "year=2020" / "p[1]*.parquet")
    source = open_source(tmp_path / "year=2020" / "p[1]*.parquet")
    assert source.names == ("a",)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_land_in_the_interval_that_was_chosen_for_them(tmp_path: Path, dtype: str) -> None:
    values = np.array([0.1, 0.7, 0.8, 0.9, 1.1], dtype=dtype)
    source = open_source(pd.DataFrame({"x": np.repeat(values, 2)}))
    known = source.numbers("x", missing=frozenset())
    for start in known[1:]:
        coarse = NumberRecoding(
            column="x", starts=(known[0], start), labels=("low", "high"), high=known[-1], missing=None
        )
        found = source.published(Decision(recodings=(coarse,)), key="")["x"]
        assert found.tolist() == ["low" if number < start else "high" for number in np.repeat(known, 2)]


def test_unused_categories_are_not_published(tmp_path: Path) -> None:
    names = [f"patient-{i}" for i in range(60)]
    frame = pd.DataFrame(
        {
            "who": pd.Categorical(names),
            "kept": pd.Categorical(["a", "b"] * 30, categories=["a", "b", "removed-patient"]),
        }
    )
    policy = wh.Policy([wh.Anonymity(columns=["who"], k=5)])
    release = wh.release(frame, policy)
    release.write(tmp_path / "out.parquet")
    content = (tmp_path / "out.parquet").read_bytes()
    assert b"patient-" not in content
    released = release.to_frame()
    assert set(released["who"]) == {"*"}
    assert not hasattr(released["kept"], "cat")


def test_missing_marks_of_typed_columns_are_missing_everywhere(tmp_path: Path) -> None:
    frame = pa.table(
        {
            "n": pa.array([-9.0, -9.0, None, None, None, 1.0, 2.0, 3.0, 4.0, 5.0]),
            "i": pa.array([-9, -9, None, None, None, 1, 1, 1, 1, 1]),
        }
    )
    pq.write_table(frame, tmp_path / "in.parquet")
    policy = wh.Policy(
        [wh.Anonymity(columns=["n"], k=5), wh.Anonymity(columns=["i"], k=5)],
        missing=["-9"],
        columns={"i": wh.ColumnSettings(type="category"), "n": wh.ColumnSettings(type="number", edges="exact")},
    )
    for suffix in ("csv", "parquet"):
        assert wh.release(tmp_path / "in.parquet", policy).write(tmp_path / f"out.{suffix}").ok
    assert pq.read_table(tmp_path / "out.parquet").column("i").to_pylist() == [None] * 5 + [1] * 5
    assert wh.release(tmp_path / "in.parquet", policy).refinement.cuts["n"][0] == "[1, 5]"


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "pandas"])
def test_columns_of_every_type_survive_a_release(kind: str) -> None:
    import datetime as dt

    data = {
        "day": [dt.date(2020, 1, 1)] * 4,
        "flag": [True, True, False, False],
        "n": [1, 1, 1, 1],
        "left": [dt.date(2021, 1, i) for i in range(1, 5)],
    }
    frame = {"polars": pl.DataFrame, "pyarrow": pa.table, "pandas": pd.DataFrame}[kind](data)
    policy = wh.Policy(
        [wh.Anonymity(columns=["day", "flag", "n"], k=2)], columns={"n": wh.ColumnSettings(type="category")}
    )
    released = wh.release(frame, policy).to_frame()
    assert list(released["left"]) == list(frame["left"])
    assert list(released["flag"]) == list(frame["flag"])


def test_frames_with_numbers_for_names_and_notes_beside_their_cells() -> None:
    frame = pd.DataFrame([["x", 1], ["x", 2]])
    frame.attrs["note"] = "patient Alice"
    released = wh.release(frame, wh.Policy([wh.Anonymity(columns=["0"], k=2)])).to_frame()
    assert list(released.columns) == [0, 1]
    assert released.attrs == {}
    arrow = pa.table({"a": ["x", "x"]}).replace_schema_metadata({"note": "patient Alice"})
    assert wh.release(arrow, wh.Policy([wh.Anonymity(columns=["a"], k=2)])).to_frame().schema.metadata is None


def test_a_source_that_changes_underneath_tells_no_cell(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["x"] * 3 + ["y"] * 3, "b": ["p", "q", "r"] * 2}), tmp_path / "in.parquet")
    tree = wh.Taxonomy.from_nested({"*": {"G": ["x", "y"], "H": ["z"]}})
    policy = wh.Policy([wh.Anonymity(columns=["a"], k=4)], columns={"a": wh.ColumnSettings(taxonomy=tree)})
    release = wh.release(tmp_path / "in.parquet", policy)
    pq.write_table(pa.table({"a": ["secret-name"] * 6, "b": ["p", "q", "r"] * 2}), tmp_path / "in.parquet")
    with pytest.raises(wh.errors.WithholdError) as caught:
        release.write(tmp_path / "out.csv")
    assert "secret" not in str(caught.value)
    assert not (tmp_path / "out.csv").exists()


def test_what_does_not_fit_in_memory_goes_to_a_private_folder_that_is_removed() -> None:
    import stat

    source = open_source(pd.DataFrame({"a": np.arange(SMALL_CELLS + 1)}))
    folder = Path(source._fetch("SELECT current_setting('temp_directory')")[0][0])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    source.close()
    assert not folder.exists()


def test_a_wide_header_and_decimal_commas_are_read(tmp_path: Path) -> None:
    names = [f"a_rather_long_column_name_{i}" for i in range(12_000)]
    path = csv(tmp_path, ",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    assert len(open_source(path).names) == 12_000
    assert open_source(csv(tmp_path, "id;height,cm\n1;1,80\n")).names == ("id", "height,cm")


def test_a_file_of_one_column_is_not_cut(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("note\na; b\na; b\nc, d\nc, d\n")
    policy = wh.Policy([wh.Anonymity(columns=["note"], k=2)])
    assert wh.release(tmp_path / "notes.csv", policy).write(tmp_path / "out.csv").ok
    assert pd.read_csv(tmp_path / "out.csv")["note"].tolist() == ["a; b", "a; b", "c, d", "c, d"]


@pytest.mark.parametrize("line", ["Alice,Smith,42,HIV", "Alice,42,42,HIV"])
def test_a_file_without_a_header_is_not_read_out(tmp_path: Path, line: str) -> None:
    (tmp_path / "people.csv").write_text(f"{line}\nBob,Jones,43,flu\n")
    with pytest.raises(InputError) as error:
        wh.audit(tmp_path / "people.csv", wh.Policy([wh.Anonymity(columns=["age"], k=2)]))
    assert "hold the names of the columns?" in str(error.value)
    assert not {"Alice", "Smith", "42", "HIV"} & set(re.findall(r"\w+", str(error.value)))


def test_long_numbers_are_names() -> None:
    """2⁵³ and 2⁵³ + 1 are one floating number: as one value they would not be distinguished by each other's rows."""
    frame = pd.DataFrame({"code": [2**53 + 1, 2**53] * 20, "ill": ["flu", "none"] * 20})
    policy = wh.Policy([wh.Hidden(cells=[(0, "ill")], against=["naive-bayes", "id3"])])
    published = wh.release(frame, policy, rng=1).to_frame()
    assert published.loc[0].tolist() == ["*", "*"]
    with pytest.raises(PolicyError, match="rather names"):
        wh.release(frame, wh.Policy(policy.require, columns={"code": wh.ColumnSettings(type="number", bins=2)}))


def test_a_lack_of_memory_in_the_engine_is_a_lack_of_memory() -> None:
    """It was reported as a file that cannot be read."""
    database = Database()
    database.run("SET memory_limit = '1 MB'")
    database.run("SET temp_directory = ''")
    with pytest.raises(MemoryError):
        database.run("SELECT list(range) FROM range(10_000_000)")
    with pytest.raises(MemoryError):
        database.arrays("SELECT list(range) AS found FROM range(10_000_000)")
    database.close()


def test_the_engine_keeps_to_the_addresses_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("withhold.engines.duckdb._connection.memory_limit_of_process", lambda: 4 << 30)
    database = Database()
    threads, memory = database.run("SELECT current_setting('threads'), current_setting('memory_limit')")[0]
    assert (threads, memory) == (1, "1.0 GiB")
    database.close()
