"""Conditions of a policy: nothing but what the grammar holds gets through."""

from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.condition_cases import FRAME, refused

import withhold as wh
from withhold.conditions import Field, bind, columns_of, parse
from withhold.engines import Source
from withhold.engines.duckdb._condition import condition_sql
from withhold.engines.duckdb._connection import Database
from withhold.errors import ConditionError, DataError, PolicyError

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


@pytest.mark.parametrize(
    "condition",
    [f"job = '{'x' * 1_000_000}'", f"job IN ({', '.join(['1'] * 400_000)})", "(" * 1_000_000, "\u200b" * 1_000_000],
    ids=["text", "list", "brackets", "invisible"],
)
def test_a_megabyte_is_a_sentence(source: Source, condition: str) -> None:
    error = refused(source, condition)
    assert "longer than 100000 characters" in str(error)
    assert "`cells`" in error.hint


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
