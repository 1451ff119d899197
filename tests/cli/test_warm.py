"""`withhold warm`: the small releases of every kind are made, and leave nothing behind."""

import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from withhold.cli import warm
from withhold.cli._main import cli
from withhold.errors import InputError
from withhold.policy import Policy
from withhold.requirements import KINDS


@pytest.fixture
def released(monkeypatch: pytest.MonkeyPatch) -> list[Policy]:
    made: list[Policy] = []
    monkeypatch.setattr(warm, "_release", lambda patients, policy, audit: made.append(policy))
    return made


def test_every_kind_is_warmed_by_requirements_of_its_own(released: list[Policy]) -> None:
    result = CliRunner().invoke(cli, ["warm"], catch_exceptions=False)
    assert [line.partition(":")[0] for line in result.output.splitlines()] == list(KINDS)
    assert {type(policy.require[0]) for policy in released} == {kind.requirement for kind in KINDS.values()}
    assert {policy.recoding for policy in released} == {"local", "global", "levels"}


def test_a_kind_can_be_warmed_by_itself_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(warm, "GROUPED", ("global",))
    result = CliRunner().invoke(cli, ["warm", "template"], catch_exceptions=False)
    assert result.output.startswith("template: ready after ")
    assert not list(tmp_path.iterdir())


def test_a_kind_that_does_not_exist_is_refused_before_any_work(released: list[Policy]) -> None:
    result = CliRunner().invoke(cli, ["warm", "anonimity"])
    assert isinstance(result.exception, InputError)
    assert 'did you mean "anonymity"?' in str(result.exception)
    assert not released
