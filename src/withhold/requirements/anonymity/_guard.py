"""Keeping anonymity: group sizes steer the search, and rows of small groups are grouped anew."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups import Lanes, Size, UnitLanes, Units, alike_units
from withhold.methods.refine import Promise, SizePromise
from withhold.requirements._guard import Guard, Job, Say
from withhold.requirements.anonymity._blanking_guard import SuppressionGuard
from withhold.requirements.anonymity._requirement import Anonymity
from withhold.requirements.grouping import GroupGuard
from withhold.table import units_of

__all__ = ["GUARD", "examples", "kernels", "promise"]

RARE = "unit"


def promise(requirement: Anonymity) -> list[Promise]:
    """Return what it asks of a search."""
    return [SizePromise(requirement.columns, requirement.k)]


class AnonymityGuard(GroupGuard):
    """Every group holds at least k rows, or k units where the policy says which rows belong together."""

    n_withheld_units = 0

    @property
    def requirement(self) -> Anonymity:
        """The requirement."""
        found = self.job.policy.require[self.number]
        assert isinstance(found, Anonymity)
        return found

    @cached_property
    def units(self) -> NDArray[np.int64] | None:
        """The unit of each row; None where the policy names none."""
        unit = self.job.policy.unit
        return None if unit is None else units_of(self.job.table, unit)

    def truths(self) -> list[Lanes]:
        """Return the size of groups."""
        if self.units is not None:
            return [UnitLanes(Units(self.requirement.k), self.units, 1)]
        draft = self.job.draft
        return [Lanes(Size(self.requirement.k), np.zeros(draft.n_rows, dtype=np.int64), 1, draft.weights)]

    def is_untouched(self) -> bool:
        """Return whether the search alone decided, which counts rows."""
        return self.units is None and super().is_untouched()

    def repair(self, say: Say) -> bool:
        """Group rows anew until every group keeps the promise; withhold units that too few others look like."""
        is_changed = super().repair(say)
        while (rows := self._rows_of_rare_units()).size:
            say(f"withholding {rows.size:,} rows of rare units")
            for name in self.given:
                self.job.draft.coarsen(name, rows, 0, self.reason(RARE))
            super().repair(say)
            is_changed = True
        return is_changed

    def _rows_of_rare_units(self) -> NDArray[np.int64]:
        """Return the rows of units that publish something that fewer than `unit_k` units publish."""
        asked = self.requirement.unit_k
        if asked is None or self.units is None:
            return np.zeros(0, dtype=np.int64)
        draft = self.job.draft
        counts = np.any([draft.column(name).nodes != 0 for name in self.given], axis=0)
        alike = alike_units(self.units, draft.groups(self.given), counts)
        is_rare = (alike > 0) & (alike < asked)
        self.n_withheld_units += int(is_rare.sum())
        return np.flatnonzero(is_rare[self.units] & counts)

    def reached(self, figures: list[float]) -> dict[str, Any]:
        """Return the smallest group."""
        return {"reached": {"k": figures[0]}, "ok": figures[0] >= self.requirement.k}

    def entry(self) -> dict[str, Any]:
        """Return the smallest group, and what is counted."""
        asked: dict[str, Any] = {"k": self.requirement.k}
        more: dict[str, Any] = {} if self.units is None else {"counted": "units"}
        if self.requirement.unit_k is not None:
            asked["unit_k"] = self.requirement.unit_k
            more["withheld_units"] = self.n_withheld_units
        return {"asked": asked, **more, **self.done()}


def kernels(requirement: Anonymity) -> list[Any]:
    """Return what is compiled on first use, longest first."""
    from withhold.methods import suppression

    return [] if requirement.refines else suppression.kernels()


def guard_of(job: Job, number: int) -> Guard:
    """Return the guard for the way in which blanks are read, and for what is asked of the population."""
    if getattr(job.policy.require[number], "asks_of_population", False):
        from withhold.requirements.anonymity._population_guard import PopulationGuard
        from withhold.requirements.anonymity._register_guard import RegisterGuard

        return (PopulationGuard if job.policy.population is None else RegisterGuard)(job, number)
    return (AnonymityGuard if job.policy.require[number].refines else SuppressionGuard)(job, number)


def examples() -> list[Anonymity]:
    """Return requirements on the sample of a clinic; each of them compiles another part of what keeps the promise."""
    columns = ("age", "sex", "postcode")
    return [Anonymity(columns=columns, k=5), Anonymity(columns=columns, k=3, blanks="any")]


GUARD = guard_of
