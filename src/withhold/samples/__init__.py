"""Sample tables: the papers' examples, and a synthetic clinic of any size."""

from withhold.samples._clinic import CLINIC_POLICY, CLINIC_TAXONOMIES, clinic
from withhold.samples._papers import tds_table1

__all__ = ["CLINIC_POLICY", "CLINIC_TAXONOMIES", "clinic", "tds_table1"]
