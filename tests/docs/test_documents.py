"""What the documents show runs, and what the tool offers the documents name."""

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from withhold import policy_schema
from withhold.cli._main import COMMANDS, cli
from withhold.cli.demo import write_clinic

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [*DOCUMENTS, *sorted((ROOT / "docs").glob("*/*.md")), ROOT / "SECURITY.md"]


def blocks(path: Path, language: str) -> list[str]:
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", path.read_text(), flags=re.S | re.M)
    return [re.sub(rf"^{indent}", "", text, flags=re.M) for indent, text in found]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_in_documents_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(path, "python"):
        exec(block, names)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_policies_in_documents_have_only_known_keys(path: Path) -> None:
    known = set(policy_schema()["properties"])
    for block in blocks(path, "toml"):
        assert set(tomllib.loads(block)) <= known


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    for command in COMMANDS:
        assert f"withhold {command}" in readme


def test_every_key_of_a_policy_is_documented() -> None:
    page = (ROOT / "docs" / "policy.md").read_text()
    for key in policy_schema()["properties"]:
        assert f"`{key}`" in page or f"[{key}." in page or f"[[{key}]]" in page, key


def test_documents_name_no_file_that_is_not_there() -> None:
    for path in PAGES:
        for link in re.findall(r"\]\(([\w./-]+\.md)\)", path.read_text()):
            assert (path.parent / link).exists(), link


def test_the_demo_policy_is_a_policy() -> None:
    from withhold import Policy, samples

    assert len(Policy.loads(samples.CLINIC_POLICY).require) == 2


def test_the_sample_in_the_readme_is_what_a_release_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    write_clinic(Path(), rows=5_000, seed=0)
    sample = (ROOT / "README.md").read_text().partition("$ withhold ")[2].partition("```")[0]
    words, _, shown = sample.partition("\n")
    printed = CliRunner().invoke(cli, words.split(), catch_exceptions=False).output.splitlines()
    assert len(shown.splitlines()) == len(printed)
    for line, real in zip(shown.splitlines(), printed, strict=True):
        assert real.rstrip().startswith(line.removesuffix(" …").rstrip()), line


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_command_that_is_shown_has_these_options(path: Path) -> None:
    for line in re.findall(r"^ *(?:\$ )?withhold ([a-z-]+(?: .*)?)$", fenced_text(path), flags=re.M):
        name, *words = shlex.split(line, comments=True)
        assert name in COMMANDS, line
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        options = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)} | {"--help"}
        assert {word for word in words if word.startswith("--")} <= options, line


def fenced_text(path: Path) -> str:
    """Return what stands in the code blocks of a page, with continued lines joined."""
    found = re.findall(r"^ *```.*?\n(.*?)^ *```", path.read_text(encoding="utf-8"), flags=re.S | re.M)
    return re.sub(r"\\\n\s*", " ", "\n".join(found))
