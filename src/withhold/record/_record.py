"""The owner's record of a release: everything that was asked, done and reached, as typed data."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from withhold._private import open_private
from withhold.methods.refine import Step
from withhold.metrics import Withheld

__all__ = [
    "AnyStep",
    "CellReason",
    "Losses",
    "Record",
    "Regrouping",
    "Repair",
    "RequirementLoss",
    "RequirementRecord",
    "Round",
    "Stop",
    "record_schema",
    "write_record",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """One turn of a guard that withheld cells, because its requirement did not hold on the draft."""

    requirement: int
    """The place of the requirement in its policy."""
    kind: str
    """Its kind."""
    cells: dict[str, int]
    """For each column how many cells it changed."""

    @property
    def column(self) -> str:
        """The columns it changed, for progress."""
        return ", ".join(self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round of local recoding: more rows are in groups, or rows changed places between groups."""

    grouped: int
    """The rows that are in groups."""
    rows: int
    """The rows that will be."""

    @property
    def column(self) -> str:
        """What it is about, for progress."""
        return f"{self.grouped:,} of {self.rows:,} rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Regrouping:
    """All rows were grouped: each published as finely as its group allows, or every column at one level."""

    rows: int
    """The rows that were grouped."""
    withheld_rows: int
    """The rows that are published as ``*`` throughout."""
    loss: float
    """The mean penalty of a cell: 0 as it was, 1 withheld."""
    levels: dict[str, int] = field(default_factory=dict)
    """For recoding by levels: the level of each column, 0 as it was."""
    is_optimal: bool = False
    """For recoding by levels: whether no other levels lose less."""

    @property
    def column(self) -> str:
        """What it is about, for progress."""
        return "all columns"


AnyStep = Step | Round | Regrouping | Repair
"""A move of the search, which gives values back; a round or the end of grouping; or a repair, which withholds cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A move that the search did not make."""

    column: str
    """The column."""
    value: str
    """The value that is published coarse, or not at all."""
    why: str
    """Why it was not made finer."""
    requirements: tuple[int, ...]
    """The requirements that stood in the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReason:
    """Why some cells of a column were withheld or coarsened by themselves."""

    requirement: int
    """The place of the requirement in its policy; -1 for a setting of the column."""
    why: str
    """What they were withheld as."""
    rows: list[int]
    """Their rows, ascending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementRecord:
    """What became of one requirement."""

    kind: str
    """Its kind."""
    columns: tuple[str, ...]
    """The columns it is about."""
    says: str = ""
    """What it promises, in a few words."""
    asked: dict[str, Any]
    """What was asked for."""
    reached: dict[str, Any]
    """What is reached."""
    ok: bool
    """Whether that is enough."""
    proven: bool = False
    """Whether the check of the written file says so."""
    details: dict[str, Any] = field(default_factory=dict)
    """What was done for it; the keys depend on the kind, and stand beside the others in JSON."""

    def __getitem__(self, key: str) -> Any:
        """Return a figure by its key in JSON."""
        return self.to_json()[key]

    def get(self, key: str, default: Any = None) -> Any:
        """Return a figure by its key in JSON, or a default."""
        return self.to_json().get(key, default)

    def __contains__(self, key: object) -> bool:
        return key in self.to_json()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "details"}
        return {**own, "columns": list(self.columns), **self.details}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementLoss:
    """What was withheld from the columns of one requirement."""

    columns: tuple[str, ...]
    """Its columns."""
    blanked: int
    """Cells of them that are withheld, whoever asked for it."""
    coarsened: int
    """Cells of them that are coarser."""
    cells: int = 0
    """Single cells, in any column, that were withheld or coarsened for this requirement itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What was withheld."""

    columns: dict[str, Withheld]
    """For each column that changed."""
    requirements: tuple[RequirementLoss, ...]
    """For each requirement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Everything about a release, for its owner; not for publication."""

    withhold: str
    """The version that made it."""
    public: Literal[False] = False
    """Never: it holds values."""
    source: str
    """What the release was made from."""
    n_rows: int
    """The number of rows."""
    rows: Literal["keep", "shuffle"]
    """Whether rows keep their order."""
    recoding: Literal["global", "local", "levels"] = "global"
    """Whether a value is published alike in all rows."""
    seeded: bool
    """Whether a seed decided what should be random."""
    target: str | None
    """The column that analysts will want to predict."""
    dropped: tuple[str, ...]
    """Columns that are not published."""
    missing: tuple[str, ...]
    """Texts that stand for a missing value."""
    requirements: tuple[RequirementRecord, ...]
    """What became of each requirement."""
    steps: tuple[Step, ...]
    """The moves of the search."""
    regrouping: Regrouping | None = None
    """What local recoding did."""
    repairs: tuple[Repair, ...] = ()
    """The repairs after it."""
    notes: tuple[str, ...]
    """What the owner should know."""
    withheld: Losses
    """What was withheld, by column and by requirement."""
    cuts: dict[str, tuple[str, ...]]
    """For each refined column the values that are published."""
    stopped: tuple[Stop, ...]
    """Why values are not finer."""
    cells: dict[str, tuple[CellReason, ...]]
    """Why single cells are withheld, by column."""
    withheld_sets: dict[str, tuple[str | None, ...]]
    """For columns disclosed value by value what a ``*`` may stand for; None is missing."""
    metrics: dict[str, Any]
    """What was lost and what was kept."""
    timings: dict[str, float]
    """Seconds, by part of the work."""
    sha256: str = ""
    """The fingerprint of the file that was written."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can hold it; `record_schema` describes it."""
        found = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}
        found["requirements"] = [_plain(each.to_json()) for each in self.requirements]
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Record":
        """Return a record that was written as JSON; a `ValueError` where it is none."""
        own = {each.name for each in fields(RequirementRecord)} - {"details"}
        entries = [
            {**{k: v for k, v in each.items() if k in own}, "details": {k: v for k, v in each.items() if k not in own}}
            for each in data["requirements"]
        ]
        found: Record = _adapter().validate_python({**data, "requirements": entries})
        return found


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: dataclasses as objects, tuples as lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple) or (isinstance(value, list) and value and not isinstance(value[0], int)):
        return [_plain(each) for each in value]
    return value


def write_record(record: Record | Mapping[str, Any], path: Path) -> None:
    """Write a record that only its owner may read."""
    with open_private(path) as file:
        json.dump(record.to_json() if isinstance(record, Record) else record, file, ensure_ascii=False, indent=1)
        file.write("\n")


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of the owner's record, ``OUT.report.json``.

    Examples
    --------
    >>> [key for key in record_schema()["properties"] if key in ("requirements", "steps", "withheld")]
    ['requirements', 'steps', 'withheld']
    """
    schema: dict[str, Any] = _adapter().json_schema(mode="serialization")
    entry = schema["$defs"]["RequirementRecord"]
    entry["properties"].pop("details")  # what depends on the kind stands beside the others
    entry["additionalProperties"] = True
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "withhold record"}


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Record)
