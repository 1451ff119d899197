"""Sample tables: the papers' examples, and a synthetic clinic of any size."""

from withhold.samples._clinic import CLINIC_POLICY, CLINIC_TAXONOMIES, clinic
from withhold.samples._papers import pda_table1, tds_table1, thesis_table1, thesis_table4

__all__ = ["CLINIC_POLICY", "CLINIC_TAXONOMIES", "clinic", "pda_table1", "tds_table1", "thesis_table1", "thesis_table4"]
