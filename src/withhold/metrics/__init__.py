"""What a release lost and what it kept."""

from withhold.metrics._cells import record_ncp
from withhold.metrics._inferences import count_inferences
from withhold.metrics._information import TargetInformation, target_information
from withhold.metrics._loss import (
    Withheld,
    average_group_size,
    discernibility,
    distinct_kept,
    ncp,
    ncp_overall,
    withheld_cells,
)

__all__ = [
    "TargetInformation",
    "Withheld",
    "average_group_size",
    "count_inferences",
    "discernibility",
    "distinct_kept",
    "ncp",
    "ncp_overall",
    "record_ncp",
    "target_information",
    "withheld_cells",
]
