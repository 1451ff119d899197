"""Sample tables: the papers' examples, and synthetic ones: a clinic, a survey, a school registry, random entries."""

from withhold.samples._clinic import CLINIC_POLICY, CLINIC_TAXONOMIES, clinic
from withhold.samples._papers import pda_table1, tds_table1, thesis_table1, thesis_table4
from withhold.samples._school_registry import Registry, school_registry
from withhold.samples._survey import survey
from withhold.samples._synthetic import synthetic

__all__ = [
    "CLINIC_POLICY",
    "CLINIC_TAXONOMIES",
    "Registry",
    "clinic",
    "pda_table1",
    "school_registry",
    "survey",
    "synthetic",
    "tds_table1",
    "thesis_table1",
    "thesis_table4",
]
