"""Follow a page as a reader would: run its Python, write its policies, type its commands, compare what is shown.

In a page

- ```` ```python ```` runs, all blocks of a page in one namespace;
- ```` ```toml ```` and ```` ```csv ```` whose first line is ``# NAME`` are written to that file;
- ```` ```console ```` holds commands after ``$``, and below each the lines that it prints. ``…`` at the end of a line
  stands for its rest, ``…`` alone for any lines. A command without lines may print anything. ``# exit code N`` behind a
  command is what it ends with; 0 otherwise.
"""

import re
import shlex
import subprocess
from pathlib import Path

from click.testing import CliRunner

from withhold.cli._main import cli
from withhold.errors import WithholdError

__all__ = ["Page", "fenced", "follow"]

Page = list[tuple[str, str]]
FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^\1```", flags=re.S | re.M)


def fenced(path: Path) -> Page:
    """Return the blocks of a page in order, each with its language."""
    return [
        (language, re.sub(rf"^{indent}", "", text, flags=re.M))
        for indent, language, text in FENCE.findall(path.read_text(encoding="utf-8"))
    ]


def follow(page: Page) -> None:
    """Run every block in the working folder."""
    names: dict[str, object] = {}
    for language, text in page:
        if language == "python":
            exec(text, names)
        elif language in ("toml", "csv") and text.startswith("# "):
            name, _, content = text[2:].partition("\n")
            Path(name).write_text(text if language == "toml" else content, encoding="utf-8")
        elif language == "console":
            _type(text)


def _type(text: str) -> None:
    """Type the commands of a block, and compare what each of them prints."""
    for typed in re.split(r"^\$ ", text, flags=re.M)[1:]:
        line, *shown = typed.replace("\\\n", " ").splitlines()
        command, _, code = line.partition("# exit code ")
        printed, got = _run(command.strip())
        assert got == int(code or 0), f"{command}: exit code {got}\n{printed}"
        _compare(command, [each.rstrip() for each in shown], [each.rstrip() for each in printed.splitlines()])


def _run(command: str) -> tuple[str, int]:
    words = shlex.split(command)
    if words[0] != "withhold":
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr, done.returncode
    result = CliRunner().invoke(cli, words[1:])
    if isinstance(result.exception, WithholdError):
        said = "".join(f"withhold: {line}\n" for line in str(result.exception).splitlines())
        return result.output + said, result.exception.exit_code
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output, result.exit_code


def _compare(command: str, shown: list[str], printed: list[str]) -> None:
    """Assert that the lines shown were printed, in this order, with others only where ``…`` stands."""
    place, may_skip = 0, False
    for line in shown:
        if line == "…":
            may_skip = True
            continue
        fits = [i for i, real in enumerate(printed[place:], place) if _fits(line, real)]
        assert fits, f"{command}: not printed after line {place}: {line}\n" + "\n".join(printed)
        assert may_skip or fits[0] == place, f"{command}: line {place} is {printed[place]!r}, not {line!r}"
        place, may_skip = fits[0] + 1, False
    assert not shown or may_skip or place == len(printed), f"{command}: printed more: {printed[place:]}"


def _fits(line: str, real: str) -> bool:
    return real.startswith(line.removesuffix("…").rstrip()) if line.endswith("…") else real == line
