"""Local recoding: each row is published as finely as its own group allows.

Rows lie in groups; a group publishes on each column the lowest node, the narrowest interval or the smallest set that
covers its rows. Groups are cut top-down, the cheapest are kept, the other rows are cut again.
"""

from withhold.methods.local._cover import Cover
from withhold.methods.local._forms import (
    Rule,
    at_least,
    at_least_together,
    at_most_share,
    distinct_values,
    entropy_of,
    equal_distance,
    ordered_distance,
    recursive_values,
    taxonomy_distance,
)
from withhold.methods.local._local_columns import Column, NumberColumn, SetColumn, SuppressColumn, TreeColumn
from withhold.methods.local._measures import MET, NEAR, UNMET, figure_of, is_met, measure
from withhold.methods.local._problem import Promise
from withhold.methods.local._recode import Recoding, recode
from withhold.methods.local._recoded import Published, Recoded

__all__ = [
    "MET",
    "NEAR",
    "UNMET",
    "Column",
    "Cover",
    "NumberColumn",
    "Promise",
    "Published",
    "Recoded",
    "Recoding",
    "Rule",
    "SetColumn",
    "SuppressColumn",
    "TreeColumn",
    "at_least",
    "at_least_together",
    "at_most_share",
    "distinct_values",
    "entropy_of",
    "equal_distance",
    "figure_of",
    "is_met",
    "measure",
    "ordered_distance",
    "recode",
    "recursive_values",
    "taxonomy_distance",
]
