"""A script and a notebook that make exactly the same release again."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from withhold._version import __version__
from withhold.workbench._live_run import Moves

__all__ = ["Making", "command_line", "notebook", "script"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What a release was made from and how."""

    data: str
    """Where the table lies."""
    policy: str
    """Where the policy lies."""
    out: str
    """Where the release goes."""
    report: str
    """Where the page about it goes."""
    moves: Moves
    """How the search went."""
    seed: int | None = None
    """The seed, if any."""
    is_random: bool = False
    """Whether it depends on chance that no seed fixed."""


def script(making: Making) -> str:
    """Return a Python script that makes the release again.

    Examples
    --------
    >>> moves = Moves(max_steps=None, chosen=None)
    >>> print(script(Making(data="a.csv", policy="policy.toml", out="b.csv", report="b.html", moves=moves)))
    ... # doctest: +ELLIPSIS
    \"\"\"Make the release b.csv again; written by the workbench of withhold ....\"\"\"
    <BLANKLINE>
    import withhold as wh
    <BLANKLINE>
    release = wh.release("a.csv", "policy.toml")
    release.write("b.csv", report="b.html")
    <BLANKLINE>
    """
    name = json.dumps(Path(making.out).name, ensure_ascii=False)[1:-1]
    head = f'"""Make the release {name} again; written by the workbench of withhold {__version__}."""'
    return "\n".join([head, "", *(line for part in _parts(making) for line in part)]) + "\n"


def notebook(making: Making) -> str:
    """Return a Jupyter notebook that makes the release again, a cell for each part."""
    text = f"# {Path(making.out).name}\n\nThis notebook makes the release again. Written by withhold {__version__}."
    cells = [_cell("markdown", text.splitlines())]
    cells += [_cell("code", [line for line in part if line]) for part in _parts(making)]
    cells.append(_cell("code", ["release"]))
    made = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def command_line(making: Making) -> str | None:
    """Return the command that makes the release again; None where somebody chose the steps by hand.

    Examples
    --------
    >>> moves = Moves(max_steps=3, chosen=None)
    >>> command_line(Making(data="a.csv", policy="p.toml", out="b.csv", report="b.html", moves=moves, seed=1))
    'withhold release a.csv --policy p.toml --out b.csv --report b.html --max-steps 3 --seed 1'
    """
    if making.moves.chosen is not None:
        return None
    words = ["withhold", "release", making.data, "--policy", making.policy, "--out", making.out]
    words += ["--report", making.report]
    words += [] if making.moves.max_steps is None else ["--max-steps", str(making.moves.max_steps)]
    words += [] if making.seed is None else ["--seed", str(making.seed)]
    return shlex.join(words)


def _parts(making: Making) -> list[list[str]]:
    chance = [
        "# No seed was set, so shuffled rows and random choices come out otherwise each time.",
    ]
    write = [f"release.write({_quoted(making.out)}, report={_quoted(making.report)})"]
    body = _steered(making) if making.moves.chosen is not None else _straight(making)
    return [["import withhold as wh", ""], [*(chance if making.is_random else []), *body], write]


def _straight(making: Making) -> list[str]:
    words = [_quoted(making.data), _quoted(making.policy)]
    words += [] if making.moves.max_steps is None else [f"max_steps={making.moves.max_steps}"]
    words += [] if making.seed is None else [f"rng={making.seed}"]
    return [f"release = wh.release({', '.join(words)})"]


def _steered(making: Making) -> list[str]:
    seed = "" if making.seed is None else f", rng={making.seed}"
    assert making.moves.chosen is not None
    moves = [f"    ({_quoted(column)}, {_quoted(value)})," for column, value in making.moves.chosen]
    return [
        "# The steps that were chosen by hand, in order.",
        "MOVES = [",
        *moves,
        "]",
        f"run = wh.Run(wh.read({_quoted(making.data)}), wh.Policy.load({_quoted(making.policy)}){seed})",
        "for move in MOVES:",
        "    run.step(next(each for each in run.candidates() if (each.column, each.value) == move))",
        "run.stop()",
        "release = run.finish()",
    ]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _cell(kind: str, lines: Sequence[str]) -> dict[str, object]:
    source = [f"{line}\n" for line in lines[:-1]] + list(lines[-1:])
    cell: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": source}
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}
