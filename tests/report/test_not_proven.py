"""What is said where only the file is there, and a promise about hidden cells needs the original."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from withhold.cli._main import cli

POLICY = '[[require]]\nkind = "hidden"\ncells = "cells.csv"\nagainst = ["naive-bayes", "id3"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "h.csv").write_text("drug,hiv\na,*\nb,n\na,y\nb,n\na,y\n")
    (tmp_path / "o.csv").write_text("drug,hiv\na,y\nb,n\na,y\nb,n\na,y\n")
    (tmp_path / "cells.csv").write_text("row,column\n0,hiv\n")
    (tmp_path / "h.toml").write_text(POLICY)
    return tmp_path


@pytest.mark.parametrize("public", [[], ["--public"]])
def test_without_the_original_nothing_is_claimed_about_adversaries(folder: Path, public: list[str]) -> None:
    paths = [str(folder / "h.csv"), "--policy", str(folder / "h.toml"), *public]
    paths += ["--report", str(folder / "r.html"), "--report", str(folder / "r.json")]
    done = CliRunner().invoke(cli, ["audit", *paths])
    assert done.exit_code == 1, done.output
    assert "Not proven is not met" in done.stderr
    page = (folder / "r.html").read_text()
    report = json.loads((folder / "r.json").read_text())
    assert report["verdict"][0] == "Not proven: no promise is broken, but 1 of 1 was not checked to the end."
    assert [each["is_complete"] for each in report["findings"]] == [False]
    for reported in (done.output, page, *report["verdict"]):
        assert "Every requirement is met" not in reported
        assert "stay hidden" not in reported
    assert "whether adversaries recover them was not checked" in done.output
    assert "whether adversaries recover them was not checked" in page
    assert "verdict doubtful" in page
    assert "h.csv: not proven" in page


def test_with_the_original_the_same_file_is_broken(folder: Path) -> None:
    paths = [str(folder / "h.csv"), "--policy", str(folder / "h.toml"), "--original", str(folder / "o.csv")]
    done = CliRunner().invoke(cli, ["audit", *paths, "--checks-only"])
    assert done.exit_code == 1, done.output
    assert "naive Bayes, trained on the file: it recovers 1 of 1 hidden cells" in done.output
