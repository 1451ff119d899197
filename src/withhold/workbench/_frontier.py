"""The frontier: the same policy for many settings of one number, loss against protection."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.errors import InfeasibleError
from withhold.policy import Policy
from withhold.releasing import release
from withhold.table import Table
from withhold.workbench._forms import form_of
from withhold.workbench._policy_text import policy_toml

__all__ = ["Knob", "Point", "knobs_of", "trace_frontier", "usual_settings", "with_setting"]

WHOLE = (2, 3, 5, 10, 20, 50, 100)
SHARES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, slots=True)
class Knob:
    """A number of a requirement that can be turned."""

    number: int
    """The place of the requirement in its policy."""
    key: str
    """The key of the number."""
    label: str
    """What it is about, in words."""
    is_whole: bool
    """Whether it is a whole number."""
    is_rising: bool
    """Whether a larger number protects more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What one setting costs and reaches."""

    setting: float
    """The number that was asked for."""
    loss: float | None
    """The mean penalty of a cell, 0 as it was and 1 withheld; None where no table can meet it."""
    blanked: int = 0
    """Cells that are withheld."""
    coarsened: int = 0
    """Cells that are coarser."""
    reached: str = ""
    """What the requirement reached, in words."""


def knobs_of(policy: Policy, keys: Mapping[str, Any]) -> list[Knob]:
    """Return the numbers of a policy that a frontier can be drawn over.

    Examples
    --------
    >>> from withhold import Anonymity
    >>> policy = Policy([Anonymity(columns=["age", "sex"], k=5)])
    >>> [knob.label for knob in knobs_of(policy, {"require": [{"kind": "anonymity", "k": 5}]})]
    ['k of “5 people share age, sex”']
    """
    found = []
    for i, (requirement, card) in enumerate(zip(policy.require, keys["require"], strict=True)):
        is_rising = requirement.home.words.bound == "at least"
        for field in form_of(card["kind"]).fields:
            if field.widget == "number" and field.is_required:
                label = f"{field.label} of “{requirement.says}”"
                found.append(Knob(i, field.key, label, field.is_whole or field.low == 1, is_rising))
    return found


def usual_settings(knob: Knob) -> tuple[float, ...]:
    """Return the settings to try where nobody says which."""
    return WHOLE if knob.is_whole else SHARES


def with_setting(keys: Mapping[str, Any], knob: Knob, setting: float) -> dict[str, Any]:
    """Return the policy with another number."""
    made = deepcopy(dict(keys))
    made["require"][knob.number][knob.key] = int(setting) if knob.is_whole else setting
    return made


def trace_frontier(
    table: Table,
    keys: Mapping[str, Any],
    knob: Knob,
    settings: Sequence[float],
    *,
    folder: Path,
    seed: int | None = None,
    say: Callable[[str], object] = lambda what: None,
    found: Callable[[Point], object] = lambda point: None,
) -> list[Point]:
    """Make the release of each setting, and return what it costs.

    Parameters
    ----------
    table
        The table.
    keys
        The policy.
    knob, settings
        Which number to turn, and to what.
    folder
        Where taxonomies lie.
    seed
        The seed, if any.
    say
        Called with what is being done.
    found
        Called with each point.
    """
    points = []
    for setting in settings:
        say(f"{knob.key} = {setting:g}")
        policy = Policy.loads(policy_toml(with_setting(keys, knob, setting)), folder=folder)
        point = _point(table, policy, knob, setting, seed, say)
        points.append(point)
        found(point)
    return points


def _point(
    table: Table, policy: Policy, knob: Knob, setting: float, seed: int | None, say: Callable[[str], object]
) -> Point:
    try:
        made = release(table, policy, rng=seed, progress=lambda what, step: say(f"{knob.key} = {setting:g}: {what}"))
    except InfeasibleError:
        return Point(setting=setting, loss=None)
    record = made.record
    lost = record.withheld.columns.values()
    reached = record.requirements[knob.number].reached
    return Point(
        setting=setting,
        loss=float(record.metrics["ncp"]["overall"]),
        blanked=sum(each.blanked for each in lost),
        coarsened=sum(each.coarsened for each in lost),
        reached=", ".join(f"{k} {v:.4g}" for k, v in reached.items() if isinstance(v, int | float)),
    )
