"""The attack by the list that is published beside a release: what a ``*`` may stand for."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from withhold.attackers import set_guess
from withhold.auditing._sight import Sight
from withhold.errors import DataError

__all__ = ["SetGuess", "guess_from_sets"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGuess:
    """Somebody reads beside the release which values a ``*`` of a column may stand for, and guesses one of them.

    Success is the value of the original. Blindly one of n values is right once in n times; who knows from elsewhere
    which of them is the most frequent does better.
    """

    kind: Literal["sets"] = "sets"
    column: str
    """The column."""
    n_cells: int | None
    """How many cells of the file are withheld; None where it is not published."""
    n_values: int | None
    """How many values such a cell may stand for; None where it is not published."""
    rate: float
    """How often a blind guess is right."""
    best_rate: float | None = None
    """How often the most frequent of these values is right, where the original was given."""


def guess_from_sets(release: object, sight: Sight) -> list[SetGuess]:
    """Return what the list beside a release gives away; nothing where there is no list."""
    listed = _load(release)
    found = []
    for column, entry in listed.items():
        if column not in sight.names:
            continue
        codes, _ = sight.after[column]
        withheld = codes < 0
        n_values = _n_values(entry, release)
        n_cells = int(withheld.sum())
        if not n_cells or not n_values:
            continue
        best = None
        if sight.is_aligned:
            held = sight.before[column][0][withheld]
            best = float(np.bincount(held + 1).max() / held.size)
        found.append(
            SetGuess(
                column=column,
                n_cells=n_cells,
                n_values=n_values,
                rate=set_guess([n_values]),
                best_rate=best,
            )
        )
    return found


def _n_values(entry: Any, release: object) -> int:
    """Return how many values a list names; a list that no release wrote is refused."""
    try:
        return len(entry["may_stand_for"]) + int(entry["others"])
    except (KeyError, TypeError, ValueError, OverflowError):
        beside = f"{Path(str(release)).name}.withheld.json"
        raise DataError(f"{beside}: is no list that a release wrote. Hint: remove it, or release again.") from None


def _load(release: object) -> dict[str, Any]:
    if not isinstance(release, str | Path):
        return {}
    path = Path(release)
    try:
        found = json.loads(path.with_name(f"{path.name}.withheld.json").read_text(encoding="utf-8"))
        return dict(found["columns"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
