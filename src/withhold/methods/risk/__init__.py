"""Record risk over all sets of columns that an outsider may know, and suppression that keeps it below a threshold."""

from withhold.methods.risk._record_risk import Risk, high_risk, record_risk, risk_by_column
from withhold.methods.risk._suppress import suppress_risk
from withhold.methods.risk._suppression import Round, Suppression
from withhold.methods.risk._uniques import MinimalUniques, minimal_uniques

__all__ = [
    "MinimalUniques",
    "Risk",
    "Round",
    "Suppression",
    "high_risk",
    "minimal_uniques",
    "record_risk",
    "risk_by_column",
    "suppress_risk",
]
