"""One top-down search; TDS and PDA are its two readings, and a policy with both kinds is one run."""

from withhold.methods.refine._counted_rows import CountedRows
from withhold.methods.refine._in_the_way import rows_in_the_way
from withhold.methods.refine._partial_rows import PartialRows
from withhold.methods.refine._pda import pda
from withhold.methods.refine._promises import MeasurePromise, Promise, SharePromise, SizePromise
from withhold.methods.refine._refinement import Refinement, refinement_of, run
from withhold.methods.refine._start import Mask, TargetKind, start_search
from withhold.methods.refine._tds import tds
from withhold.methods.refine._top_down import Candidate, Score, Search, Splits, Step

__all__ = [
    "Candidate",
    "CountedRows",
    "Mask",
    "MeasurePromise",
    "PartialRows",
    "Promise",
    "Refinement",
    "Score",
    "Search",
    "SharePromise",
    "SizePromise",
    "Splits",
    "Step",
    "TargetKind",
    "pda",
    "refinement_of",
    "rows_in_the_way",
    "run",
    "start_search",
    "tds",
]
