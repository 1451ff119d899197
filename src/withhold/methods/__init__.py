"""The papers' algorithms, each callable by itself on a `Table`."""

from withhold.methods.refine import pda, tds
from withhold.methods.rules import fair, grades

__all__ = ["fair", "grades", "pda", "tds"]
