"""Everything that depends on the kind of a promise: its fields, its guard, its check and its words, a folder each."""

from withhold.requirements._base import Requirement
from withhold.requirements._check import Question
from withhold.requirements._checked import checked, mistakes_of
from withhold.requirements._converted import Converted, converted
from withhold.requirements._guard import Guard, Job
from withhold.requirements._kind import Kind
from withhold.requirements._names import AnyNames, Names
from withhold.requirements._plain import check_numbers
from withhold.requirements._registry import KINDS
from withhold.requirements._words import Block, Words
from withhold.requirements.anonymity import Anonymity
from withhold.requirements.closeness import Closeness
from withhold.requirements.diversity import Diversity
from withhold.requirements.hidden import Against, Hidden
from withhold.requirements.risk import Risk, class_of
from withhold.requirements.template import Template, redundant_templates

__all__ = [
    "KINDS",
    "Against",
    "Anonymity",
    "AnyNames",
    "Block",
    "Closeness",
    "Converted",
    "Diversity",
    "Guard",
    "Hidden",
    "Job",
    "Kind",
    "Names",
    "Question",
    "Requirement",
    "Risk",
    "Template",
    "Words",
    "check_numbers",
    "checked",
    "class_of",
    "converted",
    "mistakes_of",
    "redundant_templates",
]
