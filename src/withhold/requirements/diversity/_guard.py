"""Keeping diversity: histograms steer the search, and rows of groups that are not diverse are grouped anew."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups import NEAR, Distinct, Entropy, Measure, Recursive
from withhold.methods.refine import MeasurePromise, Promise, SizePromise
from withhold.requirements._sensitive_guard import SensitiveGuard
from withhold.requirements.diversity._requirement import Diversity

__all__ = ["GUARD", "examples", "promise"]


def promise(requirement: Diversity) -> list[Promise]:
    """Return what it asks of a search; with `informed` the size of groups alone."""
    if requirement.groups_of is not None:
        return [SizePromise(requirement.columns, requirement.groups_of)]
    says = f"diversity of {requirement.sensitive} over {', '.join(requirement.columns)}"
    measure = _measure(requirement)
    return [MeasurePromise(requirement.columns, requirement.sensitive, lambda table, rows: measure, says)]


def _measure(requirement: Diversity) -> Measure:
    if requirement.model == "entropy":
        return Entropy(requirement.l)
    if requirement.model == "recursive":
        assert requirement.c is not None
        return Recursive(requirement.c, int(requirement.l))
    return Distinct(int(requirement.l))


class DiversityGuard(SensitiveGuard):
    """Every group holds well-represented values."""

    def measure(self, lane: NDArray[np.int64], n_lanes: int) -> Measure:
        """Return the measure of the model."""
        requirement = self.requirement
        assert isinstance(requirement, Diversity)
        return _measure(requirement)

    def reached(self, figures: list[float]) -> dict[str, Any]:
        """Return the figure of the least diverse group."""
        requirement = self.requirement
        assert isinstance(requirement, Diversity)
        return {"reached": {"l": figures[0]}, "ok": figures[0] >= requirement.l * (1 - NEAR)}

    def entry(self) -> dict[str, Any]:
        """Return the model and its bound."""
        requirement = self.requirement
        assert isinstance(requirement, Diversity)
        factor = {} if requirement.c is None else {"c": requirement.c}
        return self._entry(l=requirement.l, model=requirement.model, **factor)


def examples() -> list[Diversity]:
    """Return requirements on the sample of a clinic; each of them compiles another part of what keeps the promise."""
    columns = ("age", "sex", "postcode")
    return [Diversity(columns=columns, sensitive="diagnosis", l=2)]


GUARD = DiversityGuard
