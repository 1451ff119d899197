"""One top-down search; TDS and, later, PDA are its readings."""

from withhold.methods.refine._search import Candidate, Score, Search, Splits, Step
from withhold.methods.refine._tds import Refinement, start_search, tds

__all__ = ["Candidate", "Refinement", "Score", "Search", "Splits", "Step", "start_search", "tds"]
