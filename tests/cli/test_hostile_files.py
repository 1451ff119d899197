"""Hostile or unlucky files are refused in one sentence: no traceback, nothing written."""

import errno
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import withhold as wh
from withhold import _memory
from withhold._private import open_private
from withhold.cli._main import _places_of, cli
from withhold.engines.duckdb import _wide
from withhold.errors import DataError, OutputError
from withhold.record import _record
from withhold.releasing import explain_file
from withhold.report import read_making

POLICY = wh.Policy([wh.Anonymity(columns=["Education", "Sex"], k=4)], target="Class", recoding="local")


def test_a_small_file_of_very_many_rows_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "constant.parquet"
    duckdb.connect().execute(f"COPY (SELECT 1 AS a FROM range(3_000_000)) TO '{path}' (FORMAT parquet)")
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(_memory, "memory_limit", lambda: 50_000_000)
    (tmp_path / "p.toml").write_text('[[require]]\nkind = "anonymity"\ncolumns = ["a"]\nk = 2\n')
    command = ["release", str(path), "--policy", str(tmp_path / "p.toml"), "--out", str(tmp_path / "o.csv")]
    done = CliRunner().invoke(cli, command)
    assert isinstance(done.exception, DataError)
    assert str(done.exception) == "constant.parquet: its 3,000,000 rows do not fit in memory. Hint: --engine spark."
    assert sorted(each.name for each in tmp_path.iterdir()) == ["constant.parquet", "p.toml"]


def test_memory_that_runs_out_is_one_sentence(tmp_path: Path) -> None:
    code = (
        "import sys, click, withhold.cli._main as m\n"
        "def full(*a, **k): raise MemoryError\n"
        "m.cli.main = full\n"
        "m.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("withhold: there is not enough memory for this table; nothing was published.")


def test_bytes_in_a_frame_are_refused_by_the_name_of_their_column() -> None:
    frame = pd.DataFrame({"sex": ["f", "m"] * 4, "photo": [b"\xff\x82", b"\x00\xaa"] * 4})
    with pytest.raises(DataError, match='column "photo" holds bytes that are no text'):
        wh.release(frame, wh.Policy([wh.Anonymity(columns=["sex"], k=2)]))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_of_bytes_in_a_file_is_published_as_it_is(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "photos.parquet"
    rows = (
        "SELECT (i % 2)::VARCHAR AS sex, ('\\xFF' || chr((65 + i % 5)::INTEGER))::BLOB AS photo FROM range(20) AS t(i)"
    )
    duckdb.connect().execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    made = wh.release(path, wh.Policy([wh.Anonymity(columns=["sex"], k=2)], recoding="local"))
    assert made.write(tmp_path / f"o.{kind}").ok


def forged(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return records with the right fingerprint that no release wrote."""
    first = record["requirements"][0]
    return [
        {**record, "metrics": {}},
        {**record, "metrics": {"distinct_values": {"Education": 3}, "ncp": None}},
        {**record, "requirements": [{**first, "kind": "unheard-of"}]},
        {**record, "requirements": [], "cells": {"Education": [{"requirement": 7, "why": "x", "rows": [0]}]}},
        {**record, "requirements": [{"kind": "hidden"}]},
        {**record, "steps": [{}]},
    ]


def test_a_forged_report_with_the_right_hash_is_no_report(tmp_path: Path) -> None:
    out, page = tmp_path / "out.csv", tmp_path / "page.html"
    frame = wh.samples.tds_table1()
    wh.release(frame, POLICY).write(out)
    sidecar = tmp_path / "out.csv.report.json"
    audit = wh.audit(out, POLICY)
    for fake in forged(json.loads(sidecar.read_text())):
        sidecar.write_text(json.dumps(fake))
        wh.write_audit(audit, page, release=out)
        with suppress(wh.errors.InputError):
            explain_file(out, out, row=0, column="Education")


def test_a_disk_that_is_full_at_the_report_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, mode: str = "w") -> Any:
        with open_private(path, mode):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    made = wh.release(wh.samples.tds_table1(), POLICY)
    monkeypatch.setattr(_record, "open_private", full)
    with pytest.raises(OutputError, match=r"out\.csv: cannot be written \(No space left on device\)"):
        made.write(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("header", ['"row","column"', '"row\n","column"', "row,column,note", "row , column"])
def test_a_list_of_cells_is_read_alike_by_the_release_and_its_check(header: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(["a", "b"], 30) for name in ("job", "home", "ill")})
    (tmp_path / "cells.csv").write_text(f'{header}\n0,ill\n\n"3",ill\n')
    (tmp_path / "p.toml").write_text('[[require]]\nkind = "hidden"\ncells = "cells.csv"\nagainst = ["naive-bayes"]\n')
    policy = wh.Policy.load(tmp_path / "p.toml")
    made = wh.release(frame, policy, rng=0)
    assert made.to_frame().loc[[0, 3], "ill"].fillna("*").eq("*").all(), "the check reads the same cells"


def test_wide_tables_read_as_narrow_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from withhold.engines import open_source

    rng = np.random.default_rng(1)
    columns = {f"x{i}": rng.choice(["é", "b", "B", "", "10", "9"], 40).astype(object) for i in range(7)}
    frame = pd.DataFrame(columns | {"age": rng.integers(0, 9, 40), "weight": rng.choice([0.5, -0.0, 2], 40)})
    frame.loc[[1, 5], "x3"] = None
    monkeypatch.setattr(_wide, "FEW", 0)
    narrow = open_source(frame)
    assert narrow._blocks is None
    monkeypatch.setattr("withhold.engines.duckdb._wide.WIDE", 2)
    monkeypatch.setattr(_wide, "BLOCK", 4)
    wide = open_source(frame)
    assert wide._blocks is not None
    for name in narrow.names:
        assert wide.values(name) == narrow.values(name), name
        assert wide.cells(name).tolist() == narrow.cells(name).tolist()
        assert wide.hashes(name).tolist() == narrow.hashes(name).tolist()
    for n in range(1, 5):
        for k in (2, 5, 50):
            assert wide.small_groups(narrow.names[:n], k) == narrow.small_groups(narrow.names[:n], k)


def test_where_an_error_arose_is_shown_without_what_it_quotes() -> None:
    try:
        int("MARKED-CELL")
    except ValueError as error:
        shown = _places_of(error)
    assert "test_where_an_error_arose" in shown
    assert "MARKED" not in shown


DIGITS = "9" * 5_000


@pytest.mark.parametrize(
    "text",
    [
        f'[[require]]\nkind = "anonymity"\ncolumns = ["a"]\nk = {DIGITS}\n',
        f'[[require]]\nkind = "template"\ngiven = ["a"]\nhide = {{ b = ["x"] }}\nat_most = {DIGITS}\n',
        f'[columns.a]\ntype = "number"\nrange = [0, {DIGITS}]\n[[require]]\nkind = "anonymity"\ncolumns = ["a"]\nk = 2\n',
        "a = " + "[" * 20_000,
        "a = " + "{x = " * 20_000,
    ],
    ids=["k", "share", "range", "lists", "tables"],
)
def test_a_policy_of_many_digits_or_depths_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(wh.errors.PolicyError, match=r"p\.toml"):
        wh.Policy.load(tmp_path / "p.toml")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", '{"*": {"a": ' + DIGITS + "}}"),
        ("t.json", '{"*":' * 20_000),
        ("t.json", '{"*": ' + "[" * 20_000),
        ("t.toml", f'"*" = {DIGITS}\n'),
        ("t.toml", '"*" = ' + "[" * 20_000),
        ("t.toml", "[" + ".".join(["a"] * 20_000) + "]\n"),
    ],
)
def test_a_taxonomy_of_many_digits_or_depths_is_read_or_refused(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with suppress(wh.errors.TaxonomyError):
        wh.Taxonomy.read(tmp_path / name)


def test_a_report_of_many_digits_or_depths_is_no_report(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    wh.release(wh.samples.tds_table1(), POLICY).write(out)
    for text in ('{"withhold": ' + DIGITS + "}", '{"withhold":' * 20_000, "[" * 20_000, "[]", "null", ""):
        (tmp_path / "out.csv.report.json").write_text(text)
        assert read_making(out) is None
        with pytest.raises(wh.errors.InputError, match="is not the private report"):
            explain_file(out, out, row=0, column="Sex")
