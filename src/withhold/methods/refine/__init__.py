"""One top-down search; TDS and PDA are its two readings, and a policy with both kinds is one run."""

from withhold.methods.refine._pda import pda
from withhold.methods.refine._refinement import Refinement, run
from withhold.methods.refine._search import Candidate, Score, Search, Splits, Step
from withhold.methods.refine._start import start_search
from withhold.methods.refine._tds import tds

__all__ = ["Candidate", "Refinement", "Score", "Search", "Splits", "Step", "pda", "run", "start_search", "tds"]
