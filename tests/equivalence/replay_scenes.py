"""Small tables and policies of every kind, and what each promises against an outsider who replays the method."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.equivalence.replay_attacker import Columns, PublishedRows, published, replay
from tests.equivalence.replay_promises import Used, as_likely_as_before, close, confident, diverse

import withhold as wh

__all__ = ["KINDS", "Outcome", "Scene", "attack", "scenes"]

KINDS = ("template", "diversity", "closeness", "risk", "hidden", "rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """People, a policy about them, and what is secret."""

    known: Columns
    """What the outsider knows of everybody."""
    policy: wh.Policy
    """The policy."""
    values: tuple[str, ...]
    """What a secret cell may hold."""
    rows: tuple[int, ...]
    """Whose cell of `ill` is secret."""
    used: Used
    """Which share of what is promised is used by what is inferred; above 1 the promise is broken."""
    view: Callable[[PublishedRows], object]
    """What the outsider sees of a release, or looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an outsider infers who replays a scene."""

    n_tables: int
    """How many tables can be released."""
    n_releases: int
    """How many different releases they make."""
    n_broken: int
    """How many of these let more be inferred than promised."""
    n_certain: int
    """How many of those make the outsider certain of somebody's value."""
    most_used: float
    """The largest of what is inferred, over what is promised."""


def attack(scene: Scene) -> Outcome:
    """Release every table of a scene, and infer."""

    def seen(columns: Columns) -> object:
        rows = published(columns, scene.policy)
        return None if rows is None else scene.view(rows)

    found = replay(scene.known, "ill", scene.values, seen, scene.rows)
    used = [scene.used(tables, people) for tables, people in found]
    broken = [people for (_, people), each in zip(found, used, strict=True) if each > 1]
    return Outcome(
        n_tables=sum(len(tables) for tables, _ in found),
        n_releases=len(found),
        n_broken=len(broken),
        n_certain=sum(any(len(each) == 1 for each in people) for people in broken),
        most_used=float(max(used, default=0)),
    )


def scenes(kind: str, *, informed: bool, seed: int) -> Iterator[Scene]:
    """Yield scenes of a kind without end."""
    rng = np.random.default_rng(seed)
    make = {"template": _groups, "diversity": _groups, "closeness": _groups, "risk": _risk}.get(kind, _hidden)
    while True:
        yield make(kind, rng, informed)


def _people(rng: np.random.Generator, n_people: int) -> dict[str, list[str]]:
    known = {"job": rng.choice(list("ABC"), n_people).tolist()}
    if rng.random() < 0.3:
        known["sex"] = rng.choice(["f", "m"], n_people).tolist()
    return known


def _groups(kind: str, rng: np.random.Generator, informed: bool) -> Scene:
    values = ("yes", "no") if rng.random() < 0.8 else ("yes", "no", "never")
    n_people = int(rng.choice([3, 4, 5], p=[0.2, 0.5, 0.3])) if len(values) == 2 else int(rng.integers(3, 5))
    known = _people(rng, n_people)
    read: dict[str, Any] = {"informed": True, "groups_of": int(rng.integers(2, 4))} if informed else {}
    if kind == "template":
        at_most = float(rng.choice([0.3, 0.5, 0.5, 0.7]))
        requirement: Any = wh.Template(given=list(known), hide={"ill": ["yes"]}, at_most=at_most, **read)
        used = confident(at_most)
    elif kind == "diversity":
        model = str(rng.choice(["distinct", "entropy", "recursive"]))
        fields: dict[str, Any] = {"c": 3.0} if model == "recursive" else {}
        n_least = 2 if model != "distinct" or len(values) == 2 else int(rng.integers(2, 4))
        requirement = wh.Diversity(columns=list(known), sensitive="ill", l=n_least, model=model, **fields, **read)
        used = diverse(model, n_least)
    else:
        most = float(rng.choice([0.2, 0.25, 0.4]))
        requirement = wh.Closeness(columns=list(known), sensitive="ill", t=most, **read)
        used = close(most)
    recoding: Any = str(rng.choice(["global", "global", "local", "levels"]))
    policy = wh.Policy([requirement], recoding=recoding)
    return Scene(known=known, policy=policy, values=values, rows=tuple(range(n_people)), used=used, view=_in_any_order)


def _risk(kind: str, rng: np.random.Generator, informed: bool) -> Scene:
    """Return people of whom blanks must say nothing: with every value as likely, each is left as likely."""
    n_people = int(rng.choice([3, 4, 5], p=[0.3, 0.5, 0.2]))
    known = _people(rng, n_people)
    requirement = wh.Risk(
        known=dict.fromkeys(known, 0.5),
        sensitive={"ill": {"yes": 1.0}},
        at_most=float(rng.choice([8.0, 15.0, 25.0, 40.0])),
        informed=informed,
        most_withheld=1.0,
    )
    return Scene(
        known=known,
        policy=wh.Policy([requirement]),
        values=("yes", "no"),
        rows=tuple(range(n_people)),
        used=as_likely_as_before(2),
        view=_blanks_only,
    )


def _hidden(kind: str, rng: np.random.Generator, informed: bool) -> Scene:
    """Return rows with hidden cells: whoever knows all others must find every value as likely as before."""
    values = ("yes", "no") if rng.random() < 0.6 else ("yes", "no", "never")
    n_people = int(rng.integers(5, 8))
    n_hidden = int(rng.integers(1, 3 if len(values) == 3 else 4))
    rows = tuple(sorted(rng.choice(n_people, n_hidden, replace=False).tolist()))
    known = {
        "drug": rng.choice(["a", "b"], n_people).tolist(),
        "ward": rng.choice(["x", "y", "z"], n_people).tolist(),
        "ill": rng.choice(values, n_people).tolist(),
    }
    against: list[Any] = [["naive-bayes"], ["id3"], ["naive-bayes", "id3"]][int(rng.integers(3))]
    if kind == "rules":
        against = [{"adversary": "rules", "confidence": float(rng.choice([0.5, 0.7, 0.9])), "support": 1}]
    cells = [(row, "ill") for row in rows]
    requirement = wh.Hidden(cells=cells, against=against, informed=informed, most_withheld=1.0)
    trees = {"ill": wh.ColumnSettings(taxonomy={"any": list(values)})}
    return Scene(
        known=known,
        policy=wh.Policy([requirement], columns=trees),
        values=values,
        rows=rows,
        used=as_likely_as_before(len(values)),
        view=lambda made: made,
    )


def _in_any_order(rows: PublishedRows) -> object:
    return frozenset(Counter(rows).items())


def _blanks_only(rows: PublishedRows) -> object:
    """Return what is published but for the sensitive column itself, of which only blanks are seen."""
    return _in_any_order(tuple((*row[:-1], "*" if row[-1] == "*" else "") for row in rows))
