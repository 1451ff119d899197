"""Linkage by compatibility: the rows that a person could be, and what somebody with the full register rules out."""

from withhold.auditing.candidates._candidates import Candidates, ReadOff, count_candidates, find_candidates, still_alone
from withhold.auditing.candidates._covering import Known, known_column
from withhold.auditing.candidates._register import still_possible
from withhold.auditing.candidates._row_join import Cover, Pairs, join_rows

__all__ = [
    "Candidates",
    "Cover",
    "Known",
    "Pairs",
    "ReadOff",
    "count_candidates",
    "find_candidates",
    "join_rows",
    "known_column",
    "still_alone",
    "still_possible",
]
