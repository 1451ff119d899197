"""Conditions of a policy: what the grammar holds works as in SQL, and nothing else gets through."""

import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slow_conditions import random_condition, random_table

import withhold as wh
from withhold.conditions import Field, bind, columns_of, parse
from withhold.engines import Source, open_source
from withhold.engines.duckdb import _source
from withhold.engines.duckdb._condition import condition_sql
from withhold.engines.duckdb._connection import Database
from withhold.errors import ConditionError, DataError, PolicyError

SECRET = "root:x:0:0:swordfish"
FRAME = pd.DataFrame(
    {
        "age": pd.array([30, None, 40, 7], dtype="Int64"),
        "share": [0.5, np.nan, 2.5, 0.1],
        "job": ["cook", "baker", None, "clerk"],
        "zip": ["01", "2", "3", None],
        "note": ["1", "x", None, "2"],
        "smokes": pd.array([True, False, None, True], dtype="boolean"),
        "born": pd.to_datetime(["2001-01-01", "2002-02-02 12:00", None, "1990-12-31"], format="ISO8601"),
        "größe": ["S", "M", "L", "S"],
        "illness": ["flu", "cold", "flu", "none"],
    }
)


@pytest.fixture(scope="module")
def source() -> Iterator[Source]:
    opened = open_source(FRAME)
    yield opened
    opened.close()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    return path


def met(source: Source, condition: str, numbers: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> list[int]:
    """Return the rows that meet a condition, by both ways of asking."""
    rows = source.rows_where(condition, numbers, without=without).tolist()
    assert np.flatnonzero(source.meets(condition, numbers, without=without)).tolist() == rows
    return rows


def refused(source: Source, condition: str, **more: Any) -> ConditionError:
    with pytest.raises(ConditionError) as error:
        source.rows_where(condition, (), **more)
    with pytest.raises(ConditionError) as again:
        source.meets(condition, (), **more)
    assert str(error.value) == str(again.value)
    return error.value


INVISIBLE = [
    "\u200b",
    "\u2060",
    "\ufeff",
    "\u00a0",
    "\u3000",
    "\u180e",
    "\u200d",
    "\u0085",
    "\u2028",
    "\u202e",
    "\x0b",
    "\x00",
]


@pytest.mark.parametrize("space", INVISIBLE)
def test_an_invisible_character_opens_no_query(source: Source, secret: Path, space: str) -> None:
    condition = f"EXISTS ({space}FROM read_text('{secret}') WHERE content LIKE 'root%')"
    error = refused(source, condition)
    assert error.position == 9
    assert f"U+{ord(space):04X}" in str(error)
    assert "swordfish" not in str(error)


@pytest.mark.parametrize("space", ["\u200b", "\u2060", "\ufeff", "", " "])
def test_no_release_spells_a_file_in_its_stars(tmp_path: Path, secret: Path, space: str) -> None:
    where = f"EXISTS ({space}FROM read_text('{secret}') WHERE substr(content, 1, 1) = 'r')"
    policy = wh.Policy([wh.Hidden(column="illness", where=where, predictors=["job"])])
    with pytest.raises(PolicyError, match=r"require\[0\].where: the condition cannot be evaluated"):
        wh.release(FRAME, policy)
    with pytest.raises(PolicyError, match=r"require\[0\].where: the condition cannot be evaluated"):
        wh.audit(FRAME, policy, original=FRAME)


@pytest.mark.parametrize("space", ["", " ", "\u200b", "\u2060", "\ufeff"])
def test_no_query_reads_the_hidden_column_of_the_informed(space: str) -> None:
    for where in (f"EXISTS ({space}FROM source WHERE c8 = 'flu')", f"age IN ({space}SELECT age FROM source)"):
        policy = wh.Policy([wh.Hidden(column="illness", where=where, predictors=["job"], informed=True)])
        with pytest.raises(PolicyError, match=r"require\[0\].where: the condition"):
            wh.release(FRAME, policy)


HOSTILE = [
    "",
    " \t\n",
    ";",
    "()",
    "(",
    ")",
    "true)",
    "(true",
    "true) OR (true",
    "true; DROP TABLE source",
    "true;",
    "true -- comment",
    "true /* comment */",
    "*/ true /*",
    "--",
    "job = 'cook",
    "job = ''cook''",
    "job = 'it''s'''s'",
    'job = "cook"',
    '"job = 1',
    '"" = 1',
    "job = `cook`",
    "job = $$cook$$",
    "job = $a$cook$a$",
    r"job = E'\'' OR true",
    "job = e'cook'",
    "job = x'636f6f6b'",
    "job = U&'cook'",
    "job = N'cook'",
    "job = 'co' 'ok'",
    "job = ‘cook’",
    "job = “cook”",
    "jоb = 'cook'",
    "größe = 'S'",
    "age ＝ 30",
    "age > ３０",
    "age > 30；",
    "(SELECT true)",
    "EXISTS (SELECT 1)",
    "EXISTS (FROM source)",
    "EXISTS (TABLE source)",
    "EXISTS (WITH a AS (SELECT 1) FROM a)",
    "age IN (SELECT 30)",
    "age IN (FROM range(50))",
    "age IN (VALUES (30))",
    "age = ANY (SELECT 30)",
    "age = (FROM range(1))",
    "false UNION ALL SELECT true",
    "true ORDER BY 1",
    "true LIMIT 1",
    "true GROUP BY ALL",
    "read_text('SECRET') IS NOT NULL",
    "query('SELECT 1') = 1",
    "query_table('source') = 1",
    "pragma_version() IS NULL",
    "getvariable('x') = 1",
    "getenv('HOME') = 'x'",
    "current_setting('temp_directory') = 'x'",
    "version() = 'x'",
    "random() < 0.5",
    '"random"() < 0.5',
    "uuid() = 'x'",
    "now() > '2001-01-01'",
    "CURRENT_DATE > '2001-01-01'",
    "today() > '2001-01-01'",
    "row_number() OVER () = 1",
    "sum(age) > 1",
    "count(*) > 1",
    "regexp_matches(job, '(a+)+$')",
    "job SIMILAR TO 'c.*'",
    "job ~ 'c.*'",
    "job ILIKE 'C%'",
    "job GLOB '*'",
    "job COLLATE nocase = 'COOK'",
    "job LIKE 'c%' ESCAPE 'x'",
    "COLUMNS('.*') = 'cook'",
    "COLUMNS(*) = 'cook'",
    "* = 1",
    "source.age = 1",
    "main.source.age = 1",
    "rowid = 1",
    "c0 = 30",
    "v0 = 30",
    "place = 0",
    "cells = 0",
    "CAST(age AS VARCHAR) = '30'",
    "age::VARCHAR = '30'",
    "TRY_CAST(job AS INTEGER) = 1",
    "CASE WHEN age = 30 THEN true END",
    "born > DATE '2001-01-01'",
    "born > TIMESTAMP '2001-01-01'",
    "born > '2001-01-01' - INTERVAL 1 DAY",
    "age = NULL",
    "age IS TRUE",
    "age IS DISTINCT FROM 30",
    "age[1] = 1",
    "[1, 2] = [1, 2]",
    "{'a': 1} = {'a': 1}",
    "list_contains([30], age)",
    "x -> x = 1",
    "job || 'x' = 'cookx'",
    "age == 30",
    "age <=> 30",
    "age ! = 30",
    "age = 1 = true",
    "1 < age < 5",
    "age = 1 AND",
    "AND age = 1",
    "age = 1 OR OR age = 2",
    "NOT",
    "age NOT 30",
    "age BETWEEN 1",
    "age BETWEEN 1 OR 2",
    "age IN 30",
    "age IN ()",
    "age IN (30,)",
    "age IN (30",
    "lower(job = 'cook'",
    "lower() = 'cook'",
    "lower(job, job) = 'cook'",
    "substr(job) = 'c'",
    "substr(job, 1.5) = 'c'",
    "substr(job, 'x') = 'c'",
    "length(age) = 2",
    "abs(job) = 1",
    "job + 1 = 2",
    "job",
    "age",
    "'cook'",
    "30",
    "age = 'old'",
    "age = true",
    "smokes = 1",
    "smokes < true",
    "note = 1",
    "born = 'yesterday'",
    "born = 5",
    "born = '2001-01-01 00:00+01:00'",
    "age = 12abc",
    "age = 0x1F",
    "age = 1_000",
    "age = 1.2.3",
    "age = 1e999",
    f"age = {'9' * 39}",
    f"age = {'9' * 5000}",
    f"age = 0.{'3' * 40}",
    "age = $1",
    "age = ?",
    "age = :age",
    "age = @age",
    "age = {age}",
    "age = %s % 1 %",
    "age\\ = 1",
    "job = '\ud800'",
    "jobb = 'cook'",
    "x\x1b[31m = 1",
    '"x\x1b[31m" = 1',
]


@pytest.mark.parametrize("condition", HOSTILE, ids=lambda text: ascii(text)[:50])
def test_what_the_grammar_does_not_hold_is_one_sentence(source: Source, secret: Path, condition: str) -> None:
    error = refused(source, condition.replace("SECRET", str(secret)))
    said = str(error)
    assert said.startswith("the condition ")
    assert said.isprintable()
    assert len(said) < 300
    assert error.position is not None
    assert 1 <= error.position <= len(condition.replace("SECRET", str(secret))) + 1
    assert "swordfish" not in said


def test_no_sentence_repeats_a_text(source: Source) -> None:
    for condition in ("age = 'Qz'", "job = 'Qz' 'Qz'", "'Qz'", "abs('Qz') = 1", "job 'Qz'", "born > 'Qz'", "job = 'Qz"):
        assert "Qz" not in str(refused(source, condition))


def test_the_sentence_names_the_place_and_what_is_expected(source: Source) -> None:
    cases = {
        "age > 30 AND": "at character 13 a column, a number or a text in single quotes is expected; there is nothing",
        "age IN (30 40)": 'at character 12 ")" or "," is expected; there is a number',
        "age IS 30": '"NULL" or "NOT NULL" is expected',
        "lowercase(job) = 'x'": 'at character 1 it calls "lowercase". Hint: it may call abs, coalesce, contains',
        "agee = 1": 'a column "agee", which is not there; did you mean "age"?',
        "born > DATE '2001-01-01'": "Hint: dates are texts",
        "note = 1": 'not all cells of "note" are numbers',
    }
    for condition, said in cases.items():
        assert said in str(refused(source, condition))


@pytest.mark.parametrize(
    "condition",
    [
        "(" * 10_000 + "age = 1" + ")" * 10_000,
        "(" * 10_000,
        "NOT " * 10_000 + "smokes",
        "- " * 10_000 + "age = 1",
        "1" + " + 1" * 10_000 + " = age",
        "age = " + "abs(" * 10_000 + "1" + ")" * 10_000,
        "age IN ((" * 5_000,
        "(age = 1 AND " * 5_000 + "smokes" + ")" * 5_000,
    ],
    ids=["brackets", "open", "not", "minus", "sum", "calls", "in", "and"],
)
def test_deep_nesting_is_a_sentence(source: Source, condition: str) -> None:
    assert "nested too deeply" in str(refused(source, condition))


def test_what_is_nested_as_deeply_as_allowed_runs(source: Source) -> None:
    assert met(source, "(" * 98 + "age = 30" + ")" * 98) == [0]
    assert met(source, "1" + " + 0" * 97 + " = 1") == [0, 1, 2, 3]
    assert met(source, "NOT " * 96 + "age = 30") == [0]


@pytest.mark.parametrize(
    "condition",
    [f"job = '{'x' * 1_000_000}'", f"job IN ({', '.join(['1'] * 400_000)})", "(" * 1_000_000, "\u200b" * 1_000_000],
    ids=["text", "list", "brackets", "invisible"],
)
def test_a_megabyte_is_a_sentence(source: Source, condition: str) -> None:
    error = refused(source, condition)
    assert "longer than 100000 characters" in str(error)
    assert "`cells`" in error.hint


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


@settings(max_examples=50)
@given(content=st.text(max_size=30), name=st.text(max_size=10))
def test_no_byte_of_a_condition_is_read_as_sql(content: str, name: str) -> None:
    tree = parse('"' + name.replace('"', '""') + "\" = '" + content.replace("'", "''") + "'")
    fields = {name: Field(kind="text")}
    made = condition_sql(bind(tree, fields), lambda name, kind: "v0")
    assert columns_of(tree, [name]) == (name,)
    assert made.sql == "(v0 = CAST(? AS VARCHAR))"
    assert made.texts == [content]


@given(condition=st.one_of(st.text(max_size=40), st.text(alphabet="ab1'\"()=<>,.+-*/% \nNOTINULSAD", max_size=40)))
def test_any_text_is_a_tree_or_a_sentence(condition: str) -> None:
    said = "the condition is a tree"
    try:
        parse(condition)
    except ConditionError as error:
        said = str(error)
    assert said.startswith("the condition ")
    assert said.isprintable()


def test_a_forbidden_column_is_an_attribute_of_the_error(source: Source) -> None:
    for condition in ("illness = 'flu'", "ILLNESS = 'flu' AND nothing = 1", 'NOT (age = 1 OR "Illness" IS NULL)'):
        error = refused(source, condition, without=("illness",))
        assert error.forbidden_columns == ("illness",)
        assert isinstance(error, DataError)
    assert refused(source, "nothing = 1").unknown_columns == ("nothing",)
    assert refused(source, "nothing = 1").forbidden_columns == ()


def test_a_condition_runs_where_only_its_columns_are(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    register = Database.register

    def watched(self: Database, name: str, frame: Any) -> None:
        seen.append((name, {key: value.tolist() for key, value in frame.items()}))
        register(self, name, frame)

    monkeypatch.setattr(Database, "register", watched)
    assert source.meets("age > 30 OR job = 'cook'", (), without=("illness",)).tolist() == [True, False, True, False]
    assert source.rows_where("age > 30", (), without=("illness",)).tolist() == [2]
    assert seen[0] == (
        "cells",
        {"place": [0, 1, 2, 3], "v0": ["30", None, "40", "7"], "v1": ["cook", "baker", None, "clerk"]},
    )
    assert sorted(seen[1][1]) == ["place", "v0"]


@pytest.mark.parametrize(
    "sql",
    [
        "FROM read_text('{secret}')",
        "FROM read_csv('{secret}')",
        "FROM '{secret}'",
        "FROM glob('{folder}/*')",
        "COPY (SELECT 1) TO '{folder}/leak.csv'",
        "ATTACH '{folder}/leak.db'",
        "EXPORT DATABASE '{folder}/leak'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET enable_external_access",
        "SET temp_directory = '{folder}'",
        "FROM SECRET",
    ],
)
def test_behind_the_second_wall_is_nothing(secret: Path, sql: str) -> None:
    walled = Database(is_walled=True)
    before = sorted(secret.parent.iterdir())
    with pytest.raises(duckdb.Error):
        walled.try_run(sql.format(secret=secret, folder=secret.parent))
    assert sorted(secret.parent.iterdir()) == before
    walled.close()


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
