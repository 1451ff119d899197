"""The cluster: Spark reads, groups, recodes and writes; distinct rows with counts come here, rows stay there."""

from withhold.engines.spark._connection import open_session
from withhold.engines.spark._files import open_place
from withhold.engines.spark._frames import is_frame, open_frame
from withhold.engines.spark._source import MOST_GROUPS, MOST_ROWS, SparkSource
from withhold.engines.spark._work_done import work_done

__all__ = [
    "MOST_GROUPS",
    "MOST_ROWS",
    "SparkSource",
    "is_frame",
    "open_frame",
    "open_place",
    "open_session",
    "work_done",
]
