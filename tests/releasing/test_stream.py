"""Rows that arrive after a release: they wait until their group is large enough."""

import stat
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import withhold as wh
from withhold.cli.release import command
from withhold.errors import DataError, InputError, OutputError

POLICY = wh.Policy([wh.Anonymity(columns=["age"], k=3)], recoding="local", drop=["id"])


def rows(ages: list[int], ill: list[str] | None = None) -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(ages)), "age": ages, "ill": ill or ["no"] * len(ages)})


@pytest.fixture(scope="module")
def first() -> wh.Release:
    return wh.release(rows([20, 21, 22, 40, 41, 43]), POLICY, rng=1)


def test_a_row_joins_a_group_and_others_wait_until_they_are_enough(first: wh.Release) -> None:
    stream = wh.Stream(first)
    part = stream.apply(rows([21, 30]))
    assert (part["age"].tolist(), stream.arrivals, stream.n_held) == (["< 23"], (0,), 1)
    assert stream.apply(rows([31])).empty
    assert (stream.n_held, stream.n_published) == (2, 7)
    part = stream.apply(rows([32, 60]))
    assert len(part) == 4 if stream.n_held == 0 else 3
    assert stream.n_published + stream.n_held == 11
    assert "id" not in part.columns


def test_rows_that_form_groups_of_their_own_do_not_join(first: wh.Release) -> None:
    stream = wh.Stream(first, groups="own")
    assert stream.apply(rows([21, 21])).empty
    assert stream.apply(rows([21]))["age"].tolist() == ["21", "21", "21"]


def test_a_row_that_would_break_a_promise_waits() -> None:
    policy = wh.Policy([wh.Template(given=["age"], hide={"ill": ["flu"]}, at_most=0.5)], recoding="local")
    frame = rows([20, 20, 40, 40], ["flu", "no", "flu", "no"]).drop(columns="id")
    stream = wh.Stream(wh.release(frame, policy, rng=1))
    assert stream.apply(rows([20, 20], ["flu", "flu"]).drop(columns="id")).empty
    assert len(stream.apply(rows([20, 20], ["no", "no"]).drop(columns="id"))) == 4


def test_a_saved_stream_goes_on_and_only_its_owner_may_read_it(first: wh.Release, tmp_path: Path) -> None:
    stream = wh.Stream(first)
    stream.apply(rows([21, 30, 31]))
    stream.save(tmp_path / "s.json")
    assert stat.S_IMODE((tmp_path / "s.json").stat().st_mode) == 0o600
    loaded = wh.Stream.load(tmp_path / "s.json", POLICY)
    assert (loaded.n_held, loaded.n_published) == (2, 7)
    assert loaded.apply(rows([32])).equals(stream.apply(rows([32])))
    assert loaded.arrivals == (1, 2, 3)
    with pytest.raises(InputError, match="another policy"):
        wh.Stream.load(tmp_path / "s.json", wh.Policy([wh.Anonymity(columns=["age"], k=2)], recoding="local"))
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(InputError, match="not the file of a stream"):
        wh.Stream.load(tmp_path / "t.json", POLICY)


def test_what_cannot_be_a_stream_is_refused(first: wh.Release) -> None:
    with pytest.raises(DataError, match="lack columns of the first table: ill"):
        wh.Stream(first).apply(rows([20]).drop(columns="ill"))
    whole = wh.release(rows([20, 21, 22]), wh.Policy([wh.Anonymity(columns=["age"], k=3)]), rng=1)
    with pytest.raises(InputError, match='recoding = "local"'):
        wh.Stream(whole)


def test_the_command_line_begins_a_stream_and_adds_parts(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        'recoding = "local"\ndrop = ["id"]\n[columns.age]\ntype = "number"\n'
        '[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 3\n'
    )
    for i, ages in enumerate([[20, 21, 22, 40, 41, 43], [21, 30], [31, 32]]):
        rows(ages).to_csv(tmp_path / f"rows{i}.csv", index=False)

    def words(i: int) -> list[str]:
        named = {"--policy": "p.toml", "--out": f"part{i}.csv", "--stream": "s.json"}
        return [
            str(tmp_path / f"rows{i}.csv"),
            *(w for key, name in named.items() for w in (key, str(tmp_path / name))),
        ]

    for i, expected in enumerate([6, 1, 3]):
        result = CliRunner().invoke(command, words(i), catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert len(pd.read_csv(tmp_path / f"part{i}.csv")) == expected
    assert "10 in all parts, over which every requirement is proven" in result.output
    with pytest.raises(OutputError, match="is there already"):
        CliRunner().invoke(command, words(2), catch_exceptions=False)


COLUMNS = ["age", "sex"]


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.sampled_from(["join", "own"]), st.sampled_from(["template", "diversity", "entropy"]))
def test_every_promise_holds_over_the_union_at_every_moment(seed: int, groups: str, kind: str) -> None:
    rng = np.random.default_rng(seed)
    asked: list = [wh.Anonymity(columns=COLUMNS, k=3)]
    asked.append(
        wh.Template(given=COLUMNS, hide={"ill": ["flu"]}, at_most=0.5)
        if kind == "template"
        else wh.Diversity(columns=COLUMNS, sensitive="ill", l=2, model="distinct" if kind == "diversity" else "entropy")
    )

    def some(n_rows: int) -> pd.DataFrame:
        given = rng.integers(20, 30, n_rows), rng.choice(["f", "m"], n_rows), rng.choice(["flu", "no", "hiv"], n_rows)
        return pd.DataFrame(dict(zip([*COLUMNS, "ill"], given, strict=True)))

    start = some(20)
    try:
        made = wh.release(start, wh.Policy(asked, recoding="local"), rng=1)
    except wh.errors.InfeasibleError:
        return
    stream, arrived = wh.Stream(made, groups=groups), []
    union = [*made.to_frame().astype(str).itertuples(index=False, name=None)]
    for n_rows in (1, 4, 6):
        more = some(n_rows)
        arrived += [*more.itertuples(index=False, name=None)]
        part = [*stream.apply(more).itertuples(index=False, name=None)]
        for number, (_, sex, ill) in zip(stream.arrivals, part, strict=True):
            assert ill == arrived[number][2]
            assert sex in ("*", "{f, m}", arrived[number][1])
        union += part
        assert stream.n_published == len(union)
        assert stream.n_held == len(arrived) + 20 - len(union)
        held = Counter((texts[:2], texts[2]) for texts in union)
        for group, n in Counter(texts[:2] for texts in union).items():
            counts = np.array([held[group, value] for value in ("flu", "no", "hiv")])
            assert n >= 3
            if kind == "template":
                assert 2 * counts[0] <= n
            else:
                assert (counts > 0).sum() >= 2
            if kind == "entropy":
                shares = counts[counts > 0] / n
                assert np.exp(-(shares * np.log(shares)).sum()) >= 2 - 1e-9
