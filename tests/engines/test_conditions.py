"""Conditions of a policy: what the grammar holds works as in SQL."""

import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slow_conditions import random_condition, random_table
from tests.engines.condition_cases import FRAME, met, refused

import withhold as wh
from withhold.engines import Source, open_source
from withhold.engines.duckdb import _source
from withhold.errors import ConditionError, PolicyError


def test_what_is_nested_as_deeply_as_allowed_runs(source: Source) -> None:
    assert met(source, "(" * 98 + "age = 30" + ")" * 98) == [0]
    assert met(source, "1" + " + 0" * 97 + " = 1") == [0, 1, 2, 3]
    assert met(source, "NOT " * 96 + "age = 30") == [0]


def test_long_conditions_run(source: Source) -> None:
    listed = ", ".join(f"'p{i}'" for i in range(2_000))
    assert met(source, f"job IN ({listed}, 'clerk')") == [3]
    assert met(source, " OR ".join(["age = 7"] * 500)) == [3]
    assert met(source, f"job <> '{'x' * 90_000}'") == [0, 1, 3]


def test_deep_stacks_are_no_trouble(source: Source) -> None:
    def below(depth: int) -> list[int]:
        return below(depth - 1) if depth else met(source, "(" * 98 + "age = 30" + ")" * 98)

    assert sys.getrecursionlimit() >= 1000
    assert below(300) == [0]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("age > 30", [2]),
        ("NOT age > 30", [0, 3]),
        ('AGE >= 30 aNd "Age" <= 40', [0, 2]),
        ("age = '30'", [0]),
        ("age = -7 OR age = 7", [3]),
        ("age = 30.0", [0]),
        ("age / 4 = 7.5", [0]),
        ("age / 0 IS NULL", [0, 1, 2, 3]),
        ("age % 0 = 0", []),
        ("- age % 7 = -2", [0]),
        ("age - - 1 = 31", [0]),
        ("age * 0.1 = 3", [0]),
        ("share = 0.1", [3]),
        ("share = 1e-1", [3]),
        ("abs(share - 3) < 1", [2]),
        ("job LIKE '%k%' AND job NOT LIKE 'b%'", [0, 3]),
        ("job IS NULL", [2]),
        ("job IN ('cook', 'clerk')", [0, 3]),
        ("job NOT IN ('cook', 'clerk')", [1]),
        ("age NOT BETWEEN 8 AND 35", [2, 3]),
        ("zip = 1", [0]),
        ("zip = '01'", [0]),
        ("zip < 3", [0, 1]),
        ("zip + 1 = 3", [1]),
        ("note = '1'", [0]),
        ("smokes", [0, 3]),
        ("NOT smokes", [1]),
        ("smokes = 'false'", [1]),
        ("smokes <> (age = 30)", [3]),
        ("born < '2001-06-01'", [0, 3]),
        ("born = '2002-02-02 12:00'", [1]),
        ("born BETWEEN '1990-01-01' AND '2001-01-01'", [0, 3]),
        ("\"größe\" = 'S'", [0, 3]),
        ("\"GRÖSSE\" = 'S'", [0, 3]),
        ("upper(substr(job, 1, 2)) = 'CO'", [0]),
        ("substring(job, -2) = 'ok'", [0]),
        ("starts_with(job, 'c') AND contains(job, 'l')", [3]),
        ("coalesce(job, 'none') = 'none'", [2]),
        ("coalesce(age, 0) = 0", [1]),
        ("length(trim('  ab ')) = 2", [0, 1, 2, 3]),
        ("true", [0, 1, 2, 3]),
        ("FALSE", []),
        ("1 = 1", [0, 1, 2, 3]),
        ("job = 'it''s; -- /* \" \u200b SELECT'", []),
        ("age = 30 OR age = 40 AND false", [0]),
        ("(age = 30 OR age = 40) AND false", []),
    ],
)
def test_conditions_choose_rows(source: Source, condition: str, rows: list[int]) -> None:
    assert met(source, condition) == rows


def test_texts_hold_any_character() -> None:
    cells = ["a\u200bb", "it's", '"', "x;--", "\x1b[31m", "a\x00b", "\U0001f600", "C:\\", "?", "$1", "%s", "{0}", None]
    source = open_source(pa.table({"t": pa.array(cells)}))
    for i, cell in enumerate(cells[:-1]):
        assert met(source, "t = '" + cell.replace("'", "''") + "'") == [i]


def test_names_hold_any_character() -> None:
    names = [
        '"',
        "a b",
        "select",
        "a\u200bb",
        "'; DROP TABLE source --",
        "?",
        "Ω",
        "{0}",
        "%s",
        "true",
        "not",
        "v1",
        "place",
    ]
    source = open_source(pd.DataFrame({name: [str(i), "x"] for i, name in enumerate(names)}))
    for i, name in enumerate(names):
        assert met(source, '"' + name.replace('"', '""') + f"\" = '{i}'") == [0]


def test_asking_piece_by_piece_is_the_same(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in (1, 2, 3, 4, 5):
        monkeypatch.setattr(_source, "ROWS_AT_A_TIME", n)
        assert met(source, "age > 30 OR job = 'clerk'") == [2, 3]
        assert met(source, "false") == []


def test_long_whole_numbers_are_compared_exactly(tmp_path: Path) -> None:
    path = tmp_path / "ids.csv"
    path.write_text(f"id,a\n{2**53},x\n{2**53 + 1},y\n?,z\n,u\n-{10**30},v\n")
    source = open_source(path)
    assert met(source, f"id = {2**53 + 1}", ("id",)) == [1]
    assert met(source, f"id < {2**53 + 1}", ("id",)) == [0, 4]
    assert met(source, f"id > {2**53}.5", ("id",)) == [1]
    assert met(source, f"id = -{10**30}", ("id",)) == [4]
    assert met(source, "id % 2 = 1", ("id",)) == [1]
    assert met(source, "id = '?'") == [2]
    with pytest.raises(ConditionError, match="not all cells"):
        source.rows_where("id = 5", ())


def test_fractions_in_a_column_of_text_make_it_a_column_of_fractions(tmp_path: Path) -> None:
    path = tmp_path / "shares.csv"
    path.write_text("share\n0.1\n.30\n1e1\n5\n")
    source = open_source(path)
    for numbers in ((), ("share",)):
        assert met(source, "share = 0.1", numbers) == [0]
        assert met(source, "share = 0.3 OR share = 10", numbers) == [1, 2]
        assert met(source, "share >= 5 AND share < 5.5", numbers) == [3]


def test_typed_numbers_neither_overflow_nor_round(tmp_path: Path) -> None:
    table = pa.table(
        {
            "tiny": pa.array([-128, 127, None], pa.int8()),
            "wide": pa.array([2**64 - 1, 0, None], pa.uint64()),
            "price": pa.array([Decimal("0.20"), Decimal("99999999.99"), None], pa.decimal128(10, 2)),
            "single": pa.array([0.1, 0.3, None], pa.float32()),
            "long": pa.array([2**53 + 1, 2**63 - 1, None], pa.int64()),
        }
    )
    path = tmp_path / "typed.parquet"
    pq.write_table(table, path)
    for source in (open_source(path), open_source(table)):
        assert met(source, "abs(tiny) = 128 AND - tiny = 128 AND tiny * 2 = -256") == [0]
        assert met(source, "wide - 1 < 0") == [1]
        assert met(source, f"wide = {2**64 - 1} AND wide > -1") == [0]
        assert met(source, "price + 0.1 = 0.3") == [0]
        assert met(source, "single = 0.1") == [0]
        assert met(source, f"long = {2**53 + 1}") == [0]
        assert met(source, "long * long > 1") == [0, 1]
        assert "too large" in str(refused(source, "long * long * long * long > 1"))


def test_days_and_times_with_zones_are_read_as_texts() -> None:
    table = pa.table(
        {
            "day": pa.array([date(2001, 1, 1), date(2001, 1, 2), None]),
            "at": pa.array([0, 10**9, None], pa.timestamp("ms", tz="Europe/Berlin")),
            "clock": pa.array([0, 3600, None], pa.time32("s")),
        }
    )
    source = open_source(table)
    assert met(source, "day < '2001-01-01 12:00'") == [0]
    assert met(source, "day IN ('2001-01-02', '2001-01-03')") == [1]
    assert met(source, "at = '1970-01-01'") == [0]
    assert met(source, "at = '1970-01-01 01:00+01:00'") == [0]
    assert met(source, "at > '1970-01-01 02:00'") == [1]
    assert met(source, "clock = '01:00:00'") == [1]
    assert "a time with a zone" in str(refused(source, "at = day"))


def test_a_policy_reports_the_sentence_once_with_one_hint() -> None:
    for where, hints in (("age > ", 1), ("illness = 'flu'", 1), ("random() = 1", 1), ("nothing = 1", 1)):
        policy = wh.Policy([wh.Hidden(column="illness", where=where, predictors=["job"], informed=True)])
        with pytest.raises(PolicyError) as made:
            wh.release(FRAME, policy)
        with pytest.raises(PolicyError) as checked:
            wh.audit(FRAME, policy, original=FRAME)
        assert str(made.value).count("Hint:") == hints
        assert str(made.value) == str(checked.value)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rng=st.randoms(use_true_random=True))
def test_random_conditions_choose_what_slow_evaluation_chooses(rng: Random) -> None:
    rows = random_table(rng)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    frame = pa.table(
        {
            "n": pa.array(columns["n"], pa.int64()),
            "Digits": pa.array([None if each is None else str(each) for each in columns["Digits"]], pa.string()),
            "x": pa.array([None if each is None else float(each) for each in columns["x"]], pa.float64()),
            "t": pa.array(columns["t"], pa.string()),
            'odd "name"': pa.array(columns['odd "name"'], pa.string()),
            "b": pa.array(columns["b"], pa.bool_()),
            "day": pa.array([None if each is None else date(2001, 1, each) for each in columns["day"]], pa.date32()),
        }
    )
    source = open_source(frame)
    try:
        for _ in range(12):
            phrase = random_condition(rng)
            expected = [i for i, row in enumerate(rows) if phrase.value(row) is True]
            assert met(source, phrase.reads, ("Digits",)) == expected, phrase.reads
    finally:
        source.close()
