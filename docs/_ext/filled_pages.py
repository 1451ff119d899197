"""Fill the reference pages: a comment such as ``<!-- schema: policy -->`` becomes what the package itself says.

So a key, an option or a name that is added to the package is in the manual at its next build.
"""

import fnmatch
import re
from collections.abc import Callable, Iterable
from typing import Any

from command_pages import command_line
from name_pages import names_of
from schema_pages import schema_of

__all__ = ["filled", "setup", "with_targets", "without_empty_globs"]

PLACE = re.compile(r"^<!-- (schema|commands|names): ([\w.]+) -->$", flags=re.MULTILINE)
COLON = "\N{RATIO} "
GLOB = re.compile(r"^[\w/-]+\*$")
MAKERS: dict[str, Callable[[str], str]] = {"schema": schema_of, "commands": command_line, "names": names_of}


def filled(text: str) -> str:
    """Return the text of a page with every place filled in."""
    return PLACE.sub(lambda place: MAKERS[place[1]](place[2]), text)


def with_targets(text: str) -> str:
    """Return a page whose HTML anchors, which any forge follows, are targets that this site checks."""
    anchors = set(re.findall(r'<a id="([\w-]+)"></a>', text))
    text = re.sub(r'<a id="([\w-]+)"></a>', r"(at-\1)=", text)
    text = re.sub(r"\]\(#([\w-]+)\)", lambda link: f"](#{'at-' * (link[1] in anchors)}{link[1]})", text)
    return re.sub(r"\]\(reproduction\.md#([\w-]+)\)", r"](#at-\1)", text)


def without_empty_globs(text: str, pages: Iterable[str]) -> str:
    """Return a list of pages without patterns such as ``spark*`` that match no page that is not listed by its name."""
    lines = text.splitlines()
    unlisted = [page for page in pages if page not in lines]
    return "\n".join(line for line in lines if not GLOB.match(line) or fnmatch.filter(unlisted, line))


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", _fill)
    app.connect("autodoc-process-docstring", _keep_colons, priority=100)
    app.connect("autodoc-process-docstring", _give_colons_back, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _fill(app: Any, name: str, source: list[str]) -> None:
    text = with_targets(filled(source[0]))
    source[0] = without_empty_globs(text, app.env.found_docs) if "{toctree}" in text else text


def _keep_colons(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Hide the colon of a field's first line from napoleon, which would take what is before it for a type."""
    if what in ("attribute", "property", "data") and lines:
        lines[0] = lines[0].replace(": ", COLON)


def _give_colons_back(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    lines[:] = [line.replace(COLON, ": ") for line in lines]
