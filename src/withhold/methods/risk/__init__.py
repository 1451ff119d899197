"""Record risk over all sets of columns that an outsider may know, and suppression that keeps it below a threshold."""

from withhold.methods.risk._record_risk import Risk, high_risk, record_risk, risk_by_column

__all__ = ["Risk", "high_risk", "record_risk", "risk_by_column"]
