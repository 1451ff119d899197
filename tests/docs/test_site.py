"""The site: reference pages are filled from the package, and every page is listed."""

import fnmatch
import re
import sys
from pathlib import Path

import pytest

import withhold
from withhold.cli._main import COMMANDS, cli
from withhold.policy import policy_schema

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> "dict[str, str]":
    monkeypatch.setattr(sys, "path", [str(DOCS / "_ext"), *sys.path])
    import filled_pages

    return {page.stem: filled_pages.filled(page.read_text(encoding="utf-8")) for page in DOCS.glob("reference/*.md")}


def test_reference_pages_hold_every_key_command_option_and_name(filled: "dict[str, str]") -> None:
    schema = policy_schema()
    for part in (schema, *schema["$defs"].values()):
        for key in part.get("properties", {}):
            assert f"| `{key}` |" in filled["policy"], key
    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert f"## withhold {name}" in filled["command-line"]
        assert command is not None
        for option in command.params:
            if option.param_type_name == "option":
                is_shown = not getattr(option, "hidden", False)
                assert (f"`{option.opts[0]}" in filled["command-line"]) == is_shown, option.opts
    for name in withhold.__all__:
        is_plain = not name.startswith("_") and name not in ("errors", "methods", "metrics", "population", "samples")
        assert not is_plain or f":: {name}\n" in filled["python"], name
    assert "<!-- " not in "".join(filled.values())


def test_every_page_is_listed_on_the_first_one() -> None:
    listed = re.findall(r"^[\w/*-]+$", (DOCS / "index.md").read_text(encoding="utf-8"), flags=re.M)
    pages = [str(page.relative_to(DOCS).with_suffix("")) for page in DOCS.rglob("*.md") if "_build" not in page.parts]
    unlisted = [page for page in pages if page != "index" and not any(fnmatch.fnmatch(page, each) for each in listed)]
    assert unlisted == []


def test_patterns_without_pages_are_left_out_and_anchors_become_targets(filled: "dict[str, str]") -> None:
    from filled_pages import with_targets, without_empty_globs

    assert without_empty_globs("tds\nspark*\ntd*", ["tds"]) == "tds"
    assert without_empty_globs("tds\nspark*", ["tds", "spark-local"]) == "tds\nspark*"
    assert with_targets('<a id="x"></a>\n[see](#x), [y](#y)') == "(at-x)=\n[see](#at-x), [y](#y)"
