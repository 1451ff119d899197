"""Keeping anonymity: group sizes steer the search, and rows of small groups are grouped anew."""

from typing import Any

import numpy as np

from withhold.methods.groups import Lanes, Size
from withhold.methods.refine import Promise, SizePromise
from withhold.requirements._guard import Guard, Job
from withhold.requirements.anonymity._blanking_guard import SuppressionGuard
from withhold.requirements.anonymity._requirement import Anonymity
from withhold.requirements.grouping import GroupGuard

__all__ = ["GUARD", "kernels", "promise"]


def promise(requirement: Anonymity) -> list[Promise]:
    """Return what it asks of a search."""
    return [SizePromise(requirement.columns, requirement.k)]


class AnonymityGuard(GroupGuard):
    """Every group holds at least k rows."""

    @property
    def requirement(self) -> Anonymity:
        """The requirement."""
        found = self.job.policy.require[self.number]
        assert isinstance(found, Anonymity)
        return found

    def truths(self) -> list[Lanes]:
        """Return the size of groups."""
        draft = self.job.draft
        return [Lanes(Size(self.requirement.k), np.zeros(draft.n_rows, dtype=np.int64), 1, draft.weights)]

    def reached(self, figures: list[float]) -> dict[str, Any]:
        """Return the smallest group."""
        return {"reached": {"k": figures[0]}, "ok": figures[0] >= self.requirement.k}

    def entry(self) -> dict[str, Any]:
        """Return the smallest group."""
        return {"asked": {"k": self.requirement.k}, **self.done()}


def kernels(requirement: Anonymity) -> list[Any]:
    """Return what is compiled on first use, longest first."""
    from withhold.methods import suppression

    return [] if requirement.refines else suppression.kernels()


def guard_of(job: Job, number: int) -> Guard:
    """Return the guard for the way in which blanks are read."""
    return (AnonymityGuard if job.policy.require[number].refines else SuppressionGuard)(job, number)


GUARD = guard_of
