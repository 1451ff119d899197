"""Every tutorial can be followed: its Python runs, its commands print what it shows."""

from pathlib import Path

import pytest

from docs.follow import fenced, follow

ON_A_CLUSTER = "cluster.md"
"""Followed beside the other tests of the cluster."""
PAGES = sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("*.md"))
TUTORIALS = [path for path in PAGES if path.name != ON_A_CLUSTER]


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_can_be_followed(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    page = fenced(path)
    assert any(language == "console" for language, _ in page)
    follow(page)


def test_a_line_that_is_not_printed_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    follow([("console", "$ printf 'a\\nb\\n'\na\n…\n")])
    for shown in ("a\nc\n", "b\n…\n", "a\n"):
        with pytest.raises(AssertionError):
            follow([("console", f"$ printf 'a\\nb\\n'\n{shown}")])
    with pytest.raises(AssertionError):
        follow([("console", "$ false\n")])
