"""A small program as a user would write it; `mypy --strict` reads it with the types that the package exports."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, assert_type

import withhold as wh


def publish(data: Path, out: Path) -> bool:
    """Release a file and audit it."""
    policy = wh.Policy(
        [wh.Anonymity(columns=("age", "sex"), k=5)],
        drop=["name"],
        recoding="local",
        columns={"age": wh.ColumnSettings(type="number", range=(0, 120))},
    )
    release = wh.release(data, policy, rng=1)
    assert_type(release, wh.Release)
    release.write(out)
    found = wh.audit(out, policy, original=data)
    assert_type(found, wh.Audit)
    for finding in found.findings:
        print(finding)
    return found.ok


def everything(columns: Sequence[str]) -> wh.Policy:
    """Ask for every kind with lists, as policy files do; fields hold tuples."""
    anonymity = wh.Anonymity(columns=columns, k=5)
    assert_type(anonymity.columns, tuple[str, ...])
    template = wh.Template(given=["sex", "job"], hide={"illness": ["flu"], "drug": "opium"}, at_most=0.5, keep=["sex"])
    assert_type(template.hide, dict[str, tuple[str, ...]])
    hidden = wh.Hidden(cells=[(0, "illness"), (3, "illness")], against=["id3", wh.Against(adversary="rules")])
    assert_type(hidden.against, tuple[wh.Against, ...])
    risk = wh.Risk(known={"age": 0.5, "sex": 1}, sensitive={"illness": {"flu": 1}, "drug": 0.5}, at_most=1)
    assert_type(risk.known, dict[str, float])
    diversity = wh.Diversity(columns=["age"], sensitive="illness", l=2)
    closeness = wh.Closeness(columns=list(columns), sensitive="illness", t=0.3)
    settings = {
        "age": wh.ColumnSettings(type="number", bins=[0, 18, 65], edges=[0, 20, 40]),
        "job": wh.ColumnSettings(taxonomy={"any": {"office": {"clerk": {}}}}),
    }
    return wh.Policy([anonymity, template, hidden, risk, diversity, closeness], columns=settings)


def mistakes() -> None:
    """Make mistakes that a type checker must find: it fails where one of these comments is not needed."""
    wh.Anonymity(columns=[1], k=5)  # type: ignore[list-item]
    wh.Anonymity(columns=["age"], k="5")  # type: ignore[arg-type]
    wh.Anonymity(columns=["age"], k=5).columns = ("sex",)  # type: ignore[misc]
    wh.Template(given=["sex"], hide=["flu"], at_most=0.5)  # type: ignore[arg-type]


def what_went_wrong(error: wh.errors.WithholdError) -> int:
    """Return the exit code of an error."""
    assert_type(error.exit_code, int)
    return error.exit_code


def schema() -> dict[str, Any]:
    """Return the schema of policies."""
    return wh.policy_schema()
