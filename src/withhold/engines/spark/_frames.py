"""Frames of a session as sources."""

from typing import Any

from withhold.engines.duckdb import check_names
from withhold.engines.spark._connection import asking
from withhold.engines.spark._source import SparkSource
from withhold.errors import DataError

__all__ = ["is_frame", "open_frame"]


def is_frame(data: object) -> bool:
    """Return whether something is a frame of Spark, of a session here or of Spark Connect."""
    return type(data).__name__ == "DataFrame" and type(data).__module__.startswith("pyspark.sql")


def open_frame(frame: Any, *, description: str = "the frame") -> SparkSource:
    """Open a frame; its session does the work."""
    check_names(tuple(str(name) for name in frame.columns), description)
    with asking(description):
        if frame.isEmpty():
            raise DataError(f"{description} has no row.")
    return SparkSource(frame.sparkSession, frame, description=description)
