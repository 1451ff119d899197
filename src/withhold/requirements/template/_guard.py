"""Keeping templates: confidences steer the search, and rows of confident groups are grouped anew."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups import Lanes, Share
from withhold.methods.refine import Promise, SharePromise, SizePromise
from withhold.requirements.grouping import GroupGuard, truth_lane
from withhold.requirements.template._requirement import Template

__all__ = ["GUARD", "examples", "promise"]

HOLDS, OTHER, UNKNOWN = 0, 1, -1
"""The lanes of a sensitive value: rows that hold it, rows that answered otherwise, rows of which it is not known."""


def promise(requirement: Template) -> list[Promise]:
    """Return what it asks of a search, for each sensitive column; with `informed` the size of groups alone."""
    if requirement.groups_of is not None:
        return [SizePromise(requirement.given, requirement.groups_of)]
    return [
        SharePromise(requirement.given, requirement.masked, column, values, requirement.at_most)
        for column, values in requirement.hide.items()
    ]


class TemplateGuard(GroupGuard):
    """No group implies a sensitive value too surely: neither by what stood there, nor by what is published."""

    may_grow = True

    @property
    def requirement(self) -> Template:
        """The requirement."""
        found = self.job.policy.require[self.number]
        assert isinstance(found, Template)
        return found

    def truths(self) -> list[Lanes]:
        """Return the shares by what stood in the table."""
        table = self.job.table
        found = []
        for column, value in self.requirement.terms:
            lane_of = np.where(table.holding(column, value), HOLDS, OTHER)
            lane_of = np.where(table.answered(column), lane_of, UNKNOWN)
            found.append(self._share(truth_lane(self, column, lane_of)))
        return found

    def published(self) -> list[Lanes]:
        """Return the shares by what is published: a coarser value that may be the sensitive one is not known."""
        draft = self.job.draft
        found = []
        for column, value in self.requirement.terms:
            made = draft.column(column)
            if made.is_by_value and np.array_equal(made.cut, made.leaves):
                continue
            lookup, holds = self.job.table.lookup(column), self.job.table.holding(column, value)
            lane_of = np.full(len(made.labels), OTHER, dtype=np.int64)
            for code in np.unique(lookup[holds]).tolist():
                lane_of[made.covering(code)] = UNKNOWN
                if holds[lookup == code].all():  # a bin may hold other numbers, too
                    lane_of[(made.first == code) & (made.last == code + 1)] = HOLDS
            lane_of[0] = UNKNOWN
            if made.missing is not None:
                lane_of[made.missing] = UNKNOWN
            found.append(self._share(lane_of[made.nodes]))
        return found

    def withhold_sensitive(self, rows: NDArray[np.int64]) -> int:
        """Withhold the sensitive columns of some rows, whatever they hold."""
        return sum(self.job.draft.blank(name, rows, self.reason("sensitive")) for name in self.requirement.hide)

    def _share(self, lane: NDArray[np.int64]) -> Lanes:
        return Lanes(Share((HOLDS,), self.requirement.at_most), lane, 2, self.job.draft.weights)

    def reached(self, figures: list[float]) -> dict[str, Any]:
        """Return the largest confidence of each sensitive value."""
        shares = dict(zip(self.requirement.terms, figures, strict=True))
        values = [{"column": c, "value": v, "confidence": share} for (c, v), share in shares.items()]
        largest = max(figures)
        return {"reached": {"confidence": largest, "values": values}, "ok": largest <= self.requirement.at_most}

    def entry(self) -> dict[str, Any]:
        """Return the sensitive values."""
        hide = {column: list(values) for column, values in self.requirement.hide.items()}
        return {"hide": hide, "asked": {"at_most": self.requirement.at_most}, **self.done()}


def examples() -> list[Template]:
    """Return requirements on the sample of a clinic; each of them compiles another part of what keeps the promise."""
    return [Template(given=("sex", "insurance"), hide={"diagnosis": ("depression",)}, at_most=0.3)]


GUARD = TemplateGuard
