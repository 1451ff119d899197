"""Packed text, other encodings, streams and Arrow files: the same table, whatever it is wrapped in."""

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

import withhold as wh
from withhold.errors import DataError, OutputError

TEXT = "name;city\nJürgen;Zürich\nÅsa;Malmö\nZoé;Genève\n"
ROWS = [("Jürgen", "Zürich"), ("Åsa", "Malmö"), ("Zoé", "Genève")]
POLICY = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=5)], drop=["name"])


def rows(table: wh.Table) -> list[tuple]:
    columns = [[table.store.values(name)[code] for code in table.store.cells(name)] for name in table.names]
    return list(zip(*columns, strict=True))


def zstd(data: bytes) -> bytes:
    zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed (withhold[files])")
    return zstandard.ZstdCompressor().compress(data)


@pytest.fixture
def patients() -> pd.DataFrame:
    return pd.DataFrame(wh.samples.clinic(100, seed=1))[["name", "age", "sex", "diagnosis"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_utf_8_needs_none(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "data.csv").write_bytes(TEXT.encode(encoding))
    assert rows(wh.read(tmp_path / "data.csv")) == ROWS


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-16-be", "utf-8"])
def test_a_declared_encoding_is_used_where_the_text_is_not_utf_8(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "data.csv").write_bytes(TEXT.encode(encoding))
    declared = "latin-1" if encoding == "utf-8" else encoding
    assert rows(wh.read(tmp_path / "data.csv", encoding=declared)) == ROWS


def test_text_in_another_encoding_names_the_way_out_and_no_cell(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_bytes(TEXT.encode("latin-1"))
    with pytest.raises(DataError, match=r"data\.csv, line 2: is not UTF-8.*--encoding latin-1") as caught:
        wh.read(tmp_path / "data.csv")
    assert "rgen" not in str(caught.value)
    with pytest.raises(DataError, match='there is no encoding "latin-99"'):
        wh.read(tmp_path / "data.csv", encoding="latin-99")
    with pytest.raises(DataError, match="is not ascii"):
        wh.read(tmp_path / "data.csv", encoding="ascii")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed_text_is_read(tmp_path: Path, suffix: str, encoding: str) -> None:
    packed = (gzip.compress if suffix == ".gz" else zstd)(TEXT.encode(encoding))
    (tmp_path / f"data.csv{suffix}").write_bytes(packed)
    declared = "latin-1" if encoding == "latin-1" else None
    assert rows(wh.read(tmp_path / f"data.csv{suffix}", encoding=declared)) == ROWS


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_damaged_packed_text_is_one_sentence(tmp_path: Path, suffix: str) -> None:
    packed = (gzip.compress if suffix == ".gz" else zstd)(TEXT.encode() * 1000)
    for data in (packed[: len(packed) // 2], b"plain text", b""):
        (tmp_path / f"data.csv{suffix}").write_bytes(data)
        with pytest.raises(DataError, match=r"data\.csv\.\w+: (cannot be unpacked|the file is empty)"):
            wh.read(tmp_path / f"data.csv{suffix}")


def test_nothing_unpacked_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "scratch").mkdir()
    table = wh.read(tmp_path / "data.csv.gz", scratch=tmp_path / "scratch")
    assert table.n_rows == 3
    assert list((tmp_path / "scratch").glob("text-*")) == []


@pytest.mark.parametrize("suffix", [".csv.gz", ".csv.zst", ".tsv.gz", ".arrow", ".feather", ".arrows"])
def test_a_release_is_written_and_proven_as(patients: pd.DataFrame, tmp_path: Path, suffix: str) -> None:
    if suffix.endswith(".zst"):
        zstd(b"")
    out = tmp_path / f"out{suffix}"
    release = wh.release(patients, POLICY)
    assert release.write(out).ok
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        out.name, f"{out.name}.codebook.csv", f"{out.name}.report.json", f"{out.name}.withheld.json",
    ][: 4 if (tmp_path / f"{out.name}.withheld.json").exists() else 3]  # fmt: skip
    assert rows(wh.read(out)) == rows(wh.read(release.to_frame()))
    assert wh.audit(out, POLICY, original=patients, attack=False).ok


def test_packed_releases_are_what_their_names_say(patients: pd.DataFrame, tmp_path: Path) -> None:
    release = wh.release(patients, POLICY)
    release.write(tmp_path / "out.csv")
    release.write(tmp_path / "out.csv.gz")
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == (tmp_path / "out.csv").read_bytes()


def test_only_text_may_be_packed(patients: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r'cannot write "\.parquet\.gz"'):
        wh.release(patients, POLICY).write(tmp_path / "out.parquet.gz")


def test_arrow_files_keep_types_and_drop_unused_categories(tmp_path: Path) -> None:
    table = pa.table({"age": [30, None, 41], "job": pa.array(["a", "b", "a"]).dictionary_encode()})
    pyarrow.feather.write_feather(table, tmp_path / "data.feather")
    read = wh.read(tmp_path / "data.feather")
    assert (read.store.kind("age"), read.store.kind("job")) == ("number", "category")
    assert rows(read) == [("30", "a"), (None, "b"), ("41", "a")]
    (tmp_path / "data.feather").write_bytes(b"ARROW1 but no more")
    with pytest.raises(DataError, match=r"data\.feather: cannot be read as Arrow IPC"):
        wh.read(tmp_path / "data.feather")


@pytest.mark.parametrize("kind", ["csv", "gz", "parquet", "arrow"])
def test_a_stream_is_read_by_how_it_begins(tmp_path: Path, kind: str) -> None:
    table = pa.table({"name": [row[0] for row in ROWS], "city": [row[1] for row in ROWS]})
    out = io.BytesIO()
    if kind == "parquet":
        table.to_pandas().to_parquet(out)
    elif kind == "arrow":
        pyarrow.feather.write_feather(table, out)
    else:
        out.write(TEXT.encode() if kind == "csv" else gzip.compress(TEXT.encode()))
    out.seek(0)
    assert rows(wh.read(out)) == ROWS


def test_a_text_stream_is_refused() -> None:
    with pytest.raises(DataError, match="binary mode"):
        wh.read(io.StringIO(TEXT))


def test_standard_input_and_encodings_on_the_command_line(tmp_path: Path) -> None:
    people = pd.DataFrame(wh.samples.clinic(100, seed=1)).assign(city="Zürich")
    (tmp_path / "policy.toml").write_text(
        'drop = ["name"]\n[[require]]\nkind = "anonymity"\ncolumns = ["sex", "city"]\nk = 2\n'
    )
    data = people.to_csv(index=False).encode("latin-1")
    (tmp_path / "data.csv").write_bytes(data)
    words = ["release", "-", "--policy", "policy.toml", "--out", "out.csv.gz", "--encoding", "latin-1"]
    done = subprocess.run([sys.executable, "-m", "withhold", *words], cwd=tmp_path, input=data, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Zürich" in gzip.decompress((tmp_path / "out.csv.gz").read_bytes()).decode()
    words = ["audit", "out.csv.gz", "--policy", "policy.toml", "--original", "data.csv", "--encoding", "latin-1"]
    done = subprocess.run(
        [sys.executable, "-m", "withhold", *words, "--checks-only"], cwd=tmp_path, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    shown = subprocess.run([sys.executable, "-m", "withhold", "inspect", "-"], input=b"a,b\n1,x\n", capture_output=True)
    assert b"standard input: 1 rows" in shown.stdout
