"""SQLite and PostgreSQL: tables and queries are read, and a release replaces a table only once it is proven."""

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from tests.command_line import run_here

import withhold as wh
from engines.files.postgres_server import find_programs, running_server
from withhold.errors import DataError, MissingExtraError, OutputError, UnmetError

PEOPLE = pa.table(
    {
        "age": [20 + i % 30 for i in range(60)],
        "sex": ["m" if i % 2 else "f" for i in range(60)],
        "code": [f"0{i % 5}" for i in range(60)],
        "income": [1000.5 + i if i % 7 else None for i in range(60)],
    }
)
POLICY = wh.Policy([wh.Anonymity(columns=["age", "sex"], k=5)], columns={"age": wh.ColumnSettings(type="number")})


def driver(system: str):
    return pytest.importorskip(
        f"adbc_driver_{system}.dbapi", reason=f"the ADBC driver of {system} is not installed (withhold[files,postgres])"
    )


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    driver("postgresql")
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed on this system (initdb, pg_ctl)")
    with running_server(programs) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the URL of a database that holds the table people."""
    monkeypatch.chdir(tmp_path)
    found = "sqlite:///people.db" if request.param == "sqlite" else request.getfixturevalue("server")
    run(found, "DROP TABLE IF EXISTS public_people", "DROP TABLE IF EXISTS people")
    with connected(found) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("people", PEOPLE, mode="create")
        connection.commit()
    return found


def connected(url: str):
    if url.startswith("sqlite"):
        return driver("sqlite").connect(url.removeprefix("sqlite:///"))
    return driver("postgresql").connect(url)


def run(url: str, *statements: str) -> list[tuple]:
    found: list[tuple] = []
    with connected(url) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            found = cursor.fetchall() if statement.startswith("SELECT") else []
        connection.commit()
    return found


def at(url: str, table: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}table={table}"


def tables(url: str) -> set[str]:
    if url.startswith("sqlite"):
        return {row[0] for row in run(url, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    return {row[0] for row in run(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}


def cells(table: wh.Table, name: str) -> list[str | None]:
    return [table.store.values(name)[code] for code in table.store.cells(name)]


def test_a_table_is_read_with_its_types(url: str) -> None:
    table = wh.read(at(url, "people"))
    assert table.n_rows == 60
    assert [table.store.kind(name) for name in table.names] == ["number", "category", "category", "number"]
    assert cells(table, "code")[:2] == ["00", "01"]
    assert cells(table, "income")[:2] == [None, "1001.5"]
    assert cells(wh.read(url, table="people"), "sex") == cells(table, "sex")


def test_the_rows_of_a_query_are_read(url: str) -> None:
    table = wh.read(url, query="SELECT age, sex AS s FROM people WHERE age < 22 ORDER BY age DESC;")
    assert (table.names, cells(table, "age")) == (("age", "s"), ["21", "21", "20", "20"])


def test_a_query_cannot_write(url: str) -> None:
    with pytest.raises(DataError, match="the query"):
        wh.read(url, query="DELETE FROM people RETURNING age")
    assert wh.read(at(url, "people")).n_rows == 60


def test_mistakes_are_one_sentence_without_a_password(url: str) -> None:
    with pytest.raises(DataError, match="table gone: there is no such table"):
        wh.read(at(url, "gone"))
    with pytest.raises(DataError, match="the query: is not SQL"):
        wh.read(url, query="SELEC 1")
    with pytest.raises(DataError, match="name a table or a query"):
        wh.read(url)
    with pytest.raises(DataError, match='"mysql://" is not a known kind of database'):
        wh.read("mysql://me:secret@host/db?table=x")
    with pytest.raises(DataError, match="there is no row"):
        wh.read(url, query="SELECT * FROM people WHERE age > 1000")


def test_a_release_becomes_a_table_and_is_proven_in_it(url: str, tmp_path: Path) -> None:
    audit = wh.release(wh.read(at(url, "people")), POLICY).write(at(url, "public_people"))
    assert audit.ok
    assert tables(url) == {"people", "public_people"}
    assert wh.audit(at(url, "public_people"), POLICY, original=at(url, "people"), attack=False).ok
    assert run(url, "SELECT count(*), sum(income) FROM public_people") == run(
        url, "SELECT count(*), sum(income) FROM people"
    )
    beside = sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".db")
    assert [name.split("public_people")[1] for name in beside] == [".codebook.csv", ".report.json"]


def test_a_release_takes_the_place_of_the_table_before(url: str) -> None:
    run(url, "CREATE TABLE public_people (old integer)")
    wh.release(at(url, "people"), POLICY).write(at(url, "public_people"))
    assert wh.read(at(url, "public_people")).names == ("age", "sex", "code", "income")


def test_a_release_that_fails_its_check_leaves_the_old_table(url: str, tmp_path: Path, monkeypatch) -> None:
    run(url, "CREATE TABLE public_people (old integer)", "INSERT INTO public_people VALUES (7)")
    release = wh.release(at(url, "people"), POLICY)

    def refuse(*_: object) -> None:
        raise UnmetError("refused")

    monkeypatch.setattr(release, "_prove", refuse)
    with pytest.raises(UnmetError):
        release.write(at(url, "public_people"))
    assert run(url, "SELECT old FROM public_people") == [(7,)]
    assert tables(url) == {"people", "public_people"}
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".db"] == []


def test_the_table_that_was_read_is_never_replaced(url: str) -> None:
    with pytest.raises(OutputError, match="is an input, which is never changed"):
        wh.release(at(url, "people"), POLICY).write(at(url, "people"))


def test_a_view_is_not_replaced(url: str) -> None:
    run(url, "CREATE VIEW seen AS SELECT 1 AS one")
    try:
        with pytest.raises(OutputError, match="table seen: the old one cannot be replaced"):
            wh.release(at(url, "people"), POLICY).write(at(url, "seen"))
        assert run(url, "SELECT one FROM seen") == [(1,)]
    finally:
        run(url, "DROP VIEW seen")


def test_the_command_line_takes_urls_and_never_overwrites_its_input(url: str, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text('[[require]]\nkind = "anonymity"\ncolumns = ["sex", "code"]\nk = 2\n')
    words = ["--policy", "policy.toml", "--out", at(url, "public_people")]
    done = run_here("release", url, "--query", "SELECT sex, code FROM people", *words, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "table public_people: 60 rows" in done.stdout
    done = run_here("release", at(url, "public_people"), *words, folder=tmp_path)
    assert done.returncode == 2
    assert "is an input, which is never changed" in done.stderr


def test_postgres_types_that_are_no_plain_values_are_text(server: str) -> None:
    query = (
        "SELECT 1.50::numeric(10,2) AS amount, ARRAY[1, 2] AS list, '{\"a\": 1}'::jsonb AS document, true AS truth, "
        "DATE '2020-02-03' AS day, '1 day'::interval AS span, 'x'::char(3) AS padded, 0.1::real AS short"
    )
    table = wh.read(server, query=query)
    assert [cells(table, name)[0] for name in table.names] == [
        "1.50", "{1,2}", '{"a": 1}', "true", "2020-02-03", "1 day", "x  ", "0.1",
    ]  # fmt: skip


def test_a_server_that_is_not_there_is_one_sentence_without_the_password() -> None:
    driver("postgresql")
    with pytest.raises(DataError, match="clinic: cannot be opened") as caught:
        wh.read("postgresql://me:secret@127.0.0.1:1/clinic?table=people")
    assert "secret" not in str(caught.value)


def test_sqlite_cells_of_several_types_are_spelled_as_the_database_spells_them(tmp_path: Path) -> None:
    driver("sqlite")
    with sqlite3.connect(tmp_path / "mixed.db") as connection:
        connection.execute("CREATE TABLE t (a, b)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, 1)] * 3000 + [("x", 2.5), (2.5, None)])
    connection.close()
    table = wh.read(f"sqlite:///{tmp_path}/mixed.db?table=t")
    assert cells(table, "a")[2999:] == ["1", "x", "2.5"]
    assert table.store.kind("b") == "number"


def test_an_sqlite_file_is_made_only_by_a_release_that_succeeds(tmp_path: Path, monkeypatch) -> None:
    driver("sqlite")
    with pytest.raises(DataError, match=r"gone\.db: there is no such file"):
        wh.read(f"sqlite:///{tmp_path}/gone.db?table=t")
    release = wh.release(PEOPLE.to_pandas(), POLICY)
    with monkeypatch.context() as patch:
        patch.setattr(release, "_prove", lambda source: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            release.write(f"sqlite:///{tmp_path}/made.db?table=t")
    assert list(tmp_path.iterdir()) == []
    assert release.write(f"sqlite:///{tmp_path}/made.db?table=t").ok


def test_other_types_find_a_place_in_every_database(url: str) -> None:
    people = PEOPLE.to_pandas().assign(truth=True, day=pd.Timestamp("2020-01-02 03:04:05"), whole=pd.array([1] * 60))
    assert wh.release(people, POLICY).write(at(url, "public_people")).ok


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(MissingExtraError, match=r"adbc-driver-postgresql.*withhold\[postgres\]"):
        wh.read("postgresql://host/db?table=people")
