"""Roles of columns: what a click on drop, known, sensitive, target or keep does to a policy."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal, get_args

from withhold.policy import Policy
from withhold.requirements import KINDS
from withhold.workbench._forms import blank_card, known_key

__all__ = ["ROLES", "Role", "roles_of", "sensitive_columns", "with_role"]

Role = Literal["drop", "known", "sensitive", "target", "keep"]
ROLES: dict[Role, tuple[str, str]] = {
    "drop": ("Drop", "Never published: names, numbers of people."),
    "known": ("May be known", "A neighbour, an employer or another file may hold it."),
    "sensitive": ("Sensitive", "What nobody may learn about a person."),
    "target": ("Target", "What analysts will want to predict; information is kept for it."),
    "keep": ("Keep", "Published as it is."),
}
"""The name of each role on the page, and what it means."""
assert set(ROLES) == set(get_args(Role))


def roles_of(
    keys: Mapping[str, Any], names: Sequence[str], *, marked: Iterable[str] = (), policy: Policy | None = None
) -> dict[str, Role]:
    """Return the role of every column, as the policy has it.

    Parameters
    ----------
    keys
        The keys and values of the policy.
    names
        The columns of the table.
    marked
        Columns that are sensitive though no requirement names them yet.
    policy
        The policy, where the keys are one: it knows what its requirements hold for sensitive.

    Examples
    --------
    >>> keys = {"drop": ["name"], "require": [{"kind": "anonymity", "columns": ["age"], "k": 5}]}
    >>> roles_of(keys, ["name", "age", "income"], marked=["income"])
    {'name': 'drop', 'age': 'known', 'income': 'sensitive'}
    """
    known = {name for requirement in _requirements(keys) for name in _known(requirement)}
    sensitive = {*marked, *sensitive_columns(policy)}
    found: dict[str, Role] = {}
    for name in names:
        if name in keys.get("drop", ()):
            found[name] = "drop"
        elif name == keys.get("target"):
            found[name] = "target"
        elif name in known:
            found[name] = "known"
        else:
            found[name] = "sensitive" if name in sensitive else "keep"
    return found


def sensitive_columns(policy: Policy | None) -> tuple[str, ...]:
    """Return the columns that some requirement keeps an outsider from learning."""
    if policy is None:
        return ()
    own = [r.sensitive_columns(policy, i) for i, r in enumerate(policy.require) if not r.files]
    return tuple(dict.fromkeys(name for each in own for name in each))


def with_role(keys: Mapping[str, Any], name: str, role: Role) -> dict[str, Any]:
    """Return the policy after a column got a role.

    A column that an outsider may know joins the first requirement that lists such columns, and the others that list the
    same ones; any other role takes it out of all of them.

    Examples
    --------
    >>> keys = {"require": [{"kind": "anonymity", "columns": ["age"], "k": 5}]}
    >>> with_role(keys, "sex", "known")["require"][0]["columns"]
    ['age', 'sex']
    >>> with_role(keys, "age", "drop")["drop"]
    ['age']
    """
    made = deepcopy(dict(keys))
    made["drop"] = [each for each in made.get("drop", []) if each != name] + ([name] if role == "drop" else [])
    if role == "target":
        made["target"] = name
    elif made.get("target") == name:
        del made["target"]
    if role == "known":
        _add(made, name)
    else:
        before = {id(each) for each in _requirements(made) if name in _known(each)}
        for requirement in _requirements(made):
            _take_out(requirement, name)
        # A requirement about this column alone goes with it; the last one stays, to be filled in.
        left = [each for each in made.get("require", ()) if id(each) not in before or _known(each)]
        if left:
            made["require"] = left
    return made


def _requirements(keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [each for each in keys.get("require", ()) if isinstance(each, dict) and each.get("kind") in KINDS]


def _known(requirement: Mapping[str, Any]) -> list[str]:
    key = known_key(requirement["kind"])
    listed = requirement.get(key, ()) if key else ()
    return [str(name) for name in listed] if isinstance(listed, list | dict) else []


def _add(keys: dict[str, Any], name: str) -> None:
    if any(name in _known(requirement) for requirement in _requirements(keys)):
        return
    lists = [each for each in _requirements(keys) if isinstance(each.get(known_key(each["kind"]) or ""), list)]
    shared = set(_known(lists[0])) if lists else set()
    for requirement in lists:
        if set(_known(requirement)) == shared:
            requirement[known_key(requirement["kind"]) or ""].append(name)
    if lists:
        return
    keys.setdefault("require", []).append(blank_card(next(iter(KINDS)), known=[name], sensitive=[]))


def _take_out(requirement: dict[str, Any], name: str) -> None:
    listed = requirement.get(known_key(requirement["kind"]) or "")
    if isinstance(listed, list) and name in listed:
        listed.remove(name)
    elif isinstance(listed, dict):
        listed.pop(name, None)
