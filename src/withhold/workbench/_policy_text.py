"""A policy as text that is edited from two sides: written by forms, typed by hand, with mistakes at their lines."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.errors import Mistake, PolicyError
from withhold.policy import Policy, check_names, contradictions

__all__ = ["LocatedMistake", "Read", "located", "policy_toml", "read_policy", "spoken", "toml_value"]

FIRST = (
    *("target", "target_kind", "drop", "missing", "recoding"),
    *("effort", "most_rows_withheld", "rows", "score", "splits"),
)
"""The keys of a policy in the order in which they are written; what is not listed follows them."""
AT_LINE = re.compile(r"at line (\d+)")
REQUIREMENT = re.compile(r"(?:kind \w+ )?require\[(\d+)\]")
BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedMistake:
    """One mistake of a policy: at which line, and what is wrong in words."""

    line: int
    """The line, from 1."""
    what: str
    """The sentence."""
    requirement: int | None = None
    """The place of the requirement that it is about, if it is about one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a text says: its keys as far as it is TOML, the policy where it is one, the mistakes where it is not."""

    text: str
    """The text."""
    keys: dict[str, Any] | None
    """The keys and values; None where the text is not TOML."""
    policy: Policy | None
    """The policy; None where there are mistakes."""
    mistakes: tuple[LocatedMistake, ...] = ()
    """What is wrong."""


def read_policy(text: str, *, folder: Path, names: Sequence[str] | None = None) -> Read:
    r"""Read a text as a policy, and find the line of every mistake.

    Parameters
    ----------
    text
        The text.
    folder
        Where taxonomies lie.
    names
        The columns of the table, where one is open: a policy that names others is mistaken.

    Examples
    --------
    >>> read = read_policy('drop = []\n[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 1', folder=Path())
    >>> read.mistakes[0].line, read.mistakes[0].what
    (5, 'k must be an integer of at least 2; got 1.')
    """
    keys = _keys(text)
    try:
        policy = Policy.loads(text, folder=folder, source="policy.toml")
        found = [] if names is None else [*check_names(policy, tuple(names)), *contradictions(policy, tuple(names))]
        if found:
            raise PolicyError(found)
    except PolicyError as error:
        mistakes = tuple(_located(text, each) for each in error.mistakes)
        return Read(text=text, keys=keys, policy=None, mistakes=mistakes)
    return Read(text=text, keys=keys, policy=policy)


def located(read: Read, error: PolicyError) -> tuple[LocatedMistake, ...]:
    """Return the mistakes that were found later, when the policy met the table, at their lines."""
    return tuple(_located(read.text, each) for each in error.mistakes)


def spoken(text: str, policy: Policy | None) -> str:
    """Return a sentence in which requirements are called by what they promise, never by their place.

    Examples
    --------
    >>> from withhold import Anonymity
    >>> spoken("require[0]: is met", Policy([Anonymity(columns=["age", "sex"], k=5)]))
    '“5 people share age, sex”: is met'
    """

    def named(match: re.Match[str]) -> str:
        number = int(match[1])
        if policy is None or number >= len(policy.require):
            return f"requirement {number + 1}"
        return f"“{policy.require[number].says}”"

    return REQUIREMENT.sub(named, text)


def _keys(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None


def _located(text: str, mistake: Mistake) -> LocatedMistake:
    match = AT_LINE.search(mistake.what)
    if match and not mistake.where:
        return LocatedMistake(line=int(match[1]), what=f"Not TOML: {mistake.what.removeprefix('is not TOML: ')}")
    parts = re.findall(r"[^.\[\]]+", mistake.where)
    number = int(parts[1]) if parts[:1] == ["require"] and len(parts) > 1 and parts[1].isdigit() else None
    key = " ".join(part for part in parts[2 if number is not None else 0 :] if not part.isdigit())
    what = spoken(mistake.what, None)
    return LocatedMistake(line=_line_of(text, parts), what=f"{key} {what}".strip(), requirement=number)


def _line_of(text: str, parts: Sequence[str]) -> int:
    """Return the line on which a key stands, or its table where the key is missing; 1 where neither is there."""
    lines = text.splitlines()
    begin, rest = 0, list(parts)
    if len(parts) > 1 and parts[0] == "require" and parts[1].isdigit():
        heads = [i for i, line in enumerate(lines) if line.strip().startswith("[[require]]")]
        if int(parts[1]) >= len(heads):
            return 1
        begin, rest = heads[int(parts[1])], list(parts[2:])
    elif len(parts) > 1 and parts[0] == "columns":
        heads = [i for i, line in enumerate(lines) if line.strip() in (f"[columns.{n}]" for n in _spelled(parts[1]))]
        begin, rest = (heads[0] if heads else 0), list(parts[2:])
    for i in range(begin, len(lines)):
        stripped = lines[i].strip()
        if i > begin and stripped.startswith("[") and begin:
            break
        if rest and re.match(rf"[\"']?{re.escape(rest[0])}[\"']?\s*=", stripped):
            return i + 1
    return begin + 1


def _spelled(name: str) -> tuple[str, ...]:
    return (name, json.dumps(name, ensure_ascii=False), f"'{name}'")


def policy_toml(keys: Mapping[str, Any]) -> str:
    """Return the text of a policy from its keys and values; defaults that are empty are left out.

    Examples
    --------
    >>> print(policy_toml({"drop": ["name"], "require": [{"kind": "anonymity", "columns": ["age"], "k": 5}]}))
    drop = ["name"]
    <BLANKLINE>
    [[require]]
    kind = "anonymity"
    columns = ["age"]
    k = 5
    <BLANKLINE>
    """
    plain = {key: value for key, value in keys.items() if key not in ("require", "columns") and value not in (None, [])}
    order = [*(key for key in FIRST if key in plain), *(key for key in plain if key not in FIRST)]
    parts = ["\n".join(f"{_key(key)} = {toml_value(plain[key])}" for key in order)] if order else []
    for name, settings in keys.get("columns", {}).items():
        if settings:
            parts.append(_table(f"[columns.{_key(name)}]", settings))
    parts += [_table("[[require]]", requirement) for requirement in keys.get("require", ())]
    return "\n\n".join(parts) + "\n"


def _table(head: str, keys: Mapping[str, Any]) -> str:
    lines = [f"{_key(key)} = {toml_value(value)}" for key, value in keys.items() if value is not None]
    return "\n".join([head, *lines])


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _text(name)


def toml_value(value: Any) -> str:
    """Return a value as TOML spells it, in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(str(k))} = {toml_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(each) for each in value) + "]"
    return _text(str(value))


def _text(value: str) -> str:
    # A JSON text is a TOML text, but for the characters JSON lets stand as they are.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
