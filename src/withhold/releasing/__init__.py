"""Making a release: a run that can be stepped, its record for the owner, and writing it once it is proven."""

from withhold.releasing._append import append_file
from withhold.releasing._counting import counted_table, with_rows_or_counts
from withhold.releasing._destination import Destination, destination_of
from withhold.releasing._explain import Explanation, explain_cell, explain_file
from withhold.releasing._notes import without_repeats
from withhold.releasing._release import Release, release, release_file
from withhold.releasing._run import Progress, Run
from withhold.releasing._stream import Stream

__all__ = [
    "Destination",
    "Explanation",
    "Progress",
    "Release",
    "Run",
    "Stream",
    "append_file",
    "counted_table",
    "destination_of",
    "explain_cell",
    "explain_file",
    "release",
    "release_file",
    "with_rows_or_counts",
    "without_repeats",
]
