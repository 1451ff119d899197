"""The private file of a stream: rows as they came, what is published of them, and what waits."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from withhold._private import open_private
from withhold.errors import InputError, OutputError
from withhold.policy import Policy
from withhold.releasing._begin_with import Cells
from withhold.releasing._coded_rows import CodedRows

__all__ = ["StreamState", "read_stream", "write_stream"]

_Ints = NDArray[np.int64]
KIND, VERSION = "withhold stream", 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StreamState:
    """What a stream keeps between two parts."""

    groups: Literal["join", "own"]
    names: tuple[str, ...]
    published: CodedRows
    texts: dict[str, Cells]
    blank: dict[str, _Ints]
    held: CodedRows
    numbers: _Ints
    n_arrived: int
    numeric: tuple[str, ...] = field(default=())
    """The columns that are numbers though the policy does not say so."""


def write_stream(state: StreamState, policy: Policy, path: Path) -> None:
    """Write a state: a new file, private from its creation on, that takes the place of the old one at once."""
    numeric = [name for name, each in policy.columns.items() if each.type == "number"]
    content: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "policy": _fingerprint(policy),
        "groups": state.groups,
        "names": list(state.names),
        "published": _listed(state.published.columns),
        "texts": _listed(state.texts),
        "blank": {name: rows.tolist() for name, rows in state.blank.items()},
        "held": _listed(state.held.columns),
        "numbers": state.numbers.tolist(),
        "n_arrived": state.n_arrived,
        "numeric": numeric,
    }
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open_private(made) as file:
            json.dump(content, file, ensure_ascii=False)
        made.replace(path)
    except OSError as error:
        made.unlink(missing_ok=True)
        raise OutputError(f"{path.name}: cannot be written ({error.strerror}).") from None


def read_stream(path: Path, policy: Policy) -> StreamState:
    """Read a state; refuse another policy's."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        is_ours = content["kind"] == KIND and content["version"] == VERSION
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read ({error.strerror}).") from None
    except (ValueError, TypeError, KeyError):
        is_ours = False
    if not is_ours:
        raise InputError(f"{path.name}: is not the file of a stream. Hint: Stream.save writes one.")
    if content["policy"] != _fingerprint(policy):
        raise InputError(f"{path.name}: was saved under another policy, which what is published must keep.")
    published, held = _read(content["published"]), _read(content["held"])
    return StreamState(
        groups=content["groups"],
        names=tuple(content["names"]),
        published=CodedRows(columns=published, n_rows=_n_rows(published)),
        texts=_read(content["texts"]),
        blank={name: np.array(rows, dtype=np.int64) for name, rows in content["blank"].items()},
        held=CodedRows(columns=held, n_rows=_n_rows(held)),
        numbers=np.array(content["numbers"], dtype=np.int64),
        n_arrived=int(content["n_arrived"]),
        numeric=tuple(content["numeric"]),
    )


def _fingerprint(policy: Policy) -> str:
    """Return what a policy promises, as one short text; how its columns are masked may change."""
    asked = repr((policy.require, policy.drop, policy.missing, policy.recoding, policy.unit))
    return sha256(asked.encode()).hexdigest()


def _listed(columns: Mapping[str, Cells]) -> dict[str, Any]:
    return {name: [list(texts), codes.tolist()] for name, (texts, codes) in columns.items()}


def _read(columns: Mapping[str, Any]) -> dict[str, Cells]:
    return {name: (tuple(texts), np.array(codes, dtype=np.int64)) for name, (texts, codes) in columns.items()}


def _n_rows(columns: Mapping[str, Cells]) -> int:
    return next((codes.size for _, codes in columns.values()), 0)
