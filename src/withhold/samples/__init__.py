"""Sample tables: the papers' examples, a synthetic clinic, and tables of random entries of any size."""

from withhold.samples._clinic import CLINIC_POLICY, CLINIC_TAXONOMIES, clinic
from withhold.samples._papers import pda_table1, tds_table1, thesis_table1, thesis_table4
from withhold.samples._synthetic import synthetic

__all__ = [
    "CLINIC_POLICY",
    "CLINIC_TAXONOMIES",
    "clinic",
    "pda_table1",
    "synthetic",
    "tds_table1",
    "thesis_table1",
    "thesis_table4",
]
