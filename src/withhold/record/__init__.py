"""The owner's record of a release: typed data, with a JSON Schema; pages and explanations read nothing else."""

from withhold.record._record import (
    AnyStep,
    CellReason,
    Losses,
    Record,
    Regrouping,
    Repair,
    RequirementLoss,
    RequirementRecord,
    Round,
    Stop,
    record_schema,
    write_record,
)

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
