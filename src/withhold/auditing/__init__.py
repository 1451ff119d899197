"""Checks of a written release, and attacks on it, by code that shares nothing with the methods."""

from withhold.auditing._audit import audit, check_source
from withhold.auditing._comparison import n_surplus
from withhold.auditing._count_uniques import Uniques, count_uniques
from withhold.auditing._disclosures import Disclosure
from withhold.auditing._examine import describe_source
from withhold.auditing._expected_share import ExpectedShare, expected_share
from withhold.auditing._finding import Finding
from withhold.auditing._linkage import Homogeneity, Linkage
from withhold.auditing._meaning import Meaning
from withhold.auditing._published_columns import Uncovered
from withhold.auditing._published_sets import SetGuess
from withhold.auditing._result import Audit, CellAttack, RiskSpread
from withhold.auditing._sampled import SampledRisk, people_covered, weights_of_rows
from withhold.auditing._sight import Sight
from withhold.auditing._undone import Undone
from withhold.auditing.candidates import Candidates, ReadOff
from withhold.auditing.earlier import Earlier, Together

__all__ = [
    "Audit",
    "Candidates",
    "CellAttack",
    "Disclosure",
    "Earlier",
    "ExpectedShare",
    "Finding",
    "Homogeneity",
    "Linkage",
    "Meaning",
    "ReadOff",
    "RiskSpread",
    "SampledRisk",
    "SetGuess",
    "Sight",
    "Together",
    "Uncovered",
    "Undone",
    "Uniques",
    "audit",
    "check_source",
    "count_uniques",
    "describe_source",
    "expected_share",
    "n_surplus",
    "people_covered",
    "weights_of_rows",
]
