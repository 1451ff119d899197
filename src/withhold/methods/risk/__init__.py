"""Record risk over all sets of columns that an outsider may know, and suppression that keeps it below a threshold."""

from typing import Any

from withhold.methods.risk._minimal_uniques import MinimalUniques, minimal_uniques
from withhold.methods.risk._record_risk import Risk, high_risk, record_risk, risk_by_column
from withhold.methods.risk._suppress import suppress_risk
from withhold.methods.risk._suppression import Round, Suppression

__all__ = [
    "MinimalUniques",
    "Risk",
    "Round",
    "Suppression",
    "high_risk",
    "kernels",
    "minimal_uniques",
    "record_risk",
    "risk_by_column",
    "suppress_risk",
]


def kernels() -> list[Any]:
    """Return what is compiled on first use, longest first; imported late, because that takes a second."""
    from withhold.methods.risk._recursion import solve_parts

    return [solve_parts]
