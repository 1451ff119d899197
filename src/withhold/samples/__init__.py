"""Sample tables: the papers' examples, a synthetic clinic and a synthetic school registry of any size."""

from withhold.samples._clinic import CLINIC_POLICY, CLINIC_TAXONOMIES, clinic
from withhold.samples._papers import pda_table1, tds_table1
from withhold.samples._registry import Registry, school_registry

__all__ = [
    "CLINIC_POLICY",
    "CLINIC_TAXONOMIES",
    "Registry",
    "clinic",
    "pda_table1",
    "school_registry",
    "tds_table1",
]
