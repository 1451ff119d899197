"""The risk of records, computed anew from a written file by another way than the methods go."""

from withhold.auditing.record_risk._risk_check import RiskCheck, check_record_risk

__all__ = ["RiskCheck", "check_record_risk"]
