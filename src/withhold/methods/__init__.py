"""The papers' algorithms, each callable by itself on a `Table`."""

from withhold.methods.refine import pda, tds
from withhold.methods.risk import high_risk, minimal_uniques, record_risk, risk_by_column, suppress_risk

__all__ = ["high_risk", "minimal_uniques", "pda", "record_risk", "risk_by_column", "suppress_risk", "tds"]
