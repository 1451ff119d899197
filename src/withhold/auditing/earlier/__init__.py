"""Releases of overlapping people: what several of them say together."""

from withhold.auditing.earlier._check_together import check_together, opened
from withhold.auditing.earlier._layers import Layer, lay_over, layer_of, people_by_key
from withhold.auditing.earlier._together import Earlier, Together, audit_together, of_together
from withhold.auditing.earlier._value_sets import ValueSets, possible_values, sets_of_groups, sizes_of

__all__ = [
    "Earlier",
    "Layer",
    "Together",
    "ValueSets",
    "audit_together",
    "check_together",
    "lay_over",
    "layer_of",
    "of_together",
    "opened",
    "people_by_key",
    "possible_values",
    "sets_of_groups",
    "sizes_of",
]
