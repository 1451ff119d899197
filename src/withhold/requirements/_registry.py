"""The one list of kinds in the package: a new kind is one folder and one line here."""

from withhold.requirements._kind import Kind
from withhold.requirements.anonymity import Anonymity
from withhold.requirements.closeness import Closeness
from withhold.requirements.diversity import Diversity
from withhold.requirements.hidden import Hidden
from withhold.requirements.risk import Risk
from withhold.requirements.template import Template

__all__ = ["KINDS"]

KINDS = {kind.name: kind for kind in map(Kind, (Anonymity, Template, Hidden, Risk, Diversity, Closeness))}
