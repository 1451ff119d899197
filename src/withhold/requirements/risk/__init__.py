"""Record risk: nobody is exposed above a threshold, over all that an outsider may know."""

from withhold.requirements.risk._requirement import Risk
from withhold.requirements.risk._words import class_of

__all__ = ["Risk", "class_of"]
