"""A project folder: the policy, the taxonomies and the choices, never the data."""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from withhold._staging import write_beside
from withhold.errors import InputError, OutputError

__all__ = ["Choices", "open_project", "safe_name", "save_project"]

FILE = "workbench.json"
POLICY = "policy.toml"
UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a person chose that the policy has no key for."""

    data: str = ""
    """Where the table lay."""
    marked: tuple[str, ...] = ()
    """Columns marked sensitive."""
    never: tuple[str, ...] = ()
    """Columns that are never split."""
    seed: int | None = None
    """The seed, if any."""
    moves: dict[str, Any] = field(default_factory=dict)
    """How the last release came about."""


def safe_name(name: str) -> str:
    """Return a name that is a file in the folder it is put in, and nowhere else.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("age (years)"), safe_name("..")
    ('passwd', 'age_years_', 'file')
    """
    last = re.split(r"[/\\\0]", name)[-1]
    return UNSAFE.sub("_", last).lstrip(".")[:100] or "file"


def save_project(folder: Path, *, policy: str, choices: Choices, taxonomies: Mapping[str, Path]) -> None:
    """Write a project folder: ``policy.toml``, the taxonomies it names, and what was chosen besides.

    Parameters
    ----------
    folder
        The folder; made where it is not there.
    policy
        The text of the policy.
    choices
        What the policy has no key for.
    taxonomies
        The taxonomy files by the names under which the policy has them.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder.name}: is a file, not a folder. Hint: choose another name.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / FILE).exists() and not (folder / POLICY).exists():
        raise OutputError(f"{folder.name}: holds other files. Hint: choose a new or an empty folder.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # taxonomies list values of the table
        for name, path in taxonomies.items():
            place = folder / safe_name(name)
            if path.resolve() != place.resolve():
                shutil.copyfile(path, place)
    except OSError as error:
        raise OutputError(f"{folder.name}: cannot be written ({error.strerror}).") from None
    text = json.dumps({"withhold_project": 1, **asdict(choices)}, ensure_ascii=False, indent=1) + "\n"
    write_beside(folder / POLICY, lambda path: path.write_text(policy, encoding="utf-8"))
    write_beside(folder / FILE, lambda path: path.write_text(text, encoding="utf-8"))


def open_project(folder: Path) -> tuple[str, Choices]:
    """Return the text of the policy of a project folder, and what was chosen besides."""
    try:
        policy = (folder / POLICY).read_text(encoding="utf-8-sig")
    except OSError:
        raise InputError(f"{folder.name}: is no project: it has no {POLICY}. Hint: choose its folder.") from None
    except UnicodeDecodeError:
        raise InputError(f"{POLICY}: is not UTF-8.") from None
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        known = {key: found[key] for key in ("data", "marked", "never", "seed", "moves") if key in found}
        known.update({key: tuple(map(str, known[key])) for key in ("marked", "never") if key in known})
        return policy, Choices(**known)
    except FileNotFoundError:
        return policy, Choices()
    except (OSError, ValueError, TypeError, AttributeError):
        raise InputError(f"{FILE}: is not the file of a project. Hint: remove it to open the policy alone.") from None
