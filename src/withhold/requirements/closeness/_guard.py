"""Keeping closeness: distances steer the search, and rows of groups that are far from the table are grouped anew."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups import NEAR, Distance, Measure
from withhold.methods.refine import CountedRows, MeasurePromise, Promise, SizePromise
from withhold.requirements._sensitive_guard import SensitiveGuard
from withhold.requirements.closeness._requirement import Closeness
from withhold.table import DraftColumn, Table, Taxonomy

__all__ = ["GUARD", "examples", "promise"]


def promise(requirement: Closeness) -> list[Promise]:
    """Return what it asks of a search; with `informed` the size of groups alone."""
    if requirement.groups_of is not None:
        return [SizePromise(requirement.columns, requirement.groups_of)]
    says = f"closeness of {requirement.sensitive} over {', '.join(requirement.columns)}"

    def measure(table: Table, rows: CountedRows) -> Measure:
        found = rows.distinct([requirement.sensitive], whole=[requirement.sensitive])
        whole = np.zeros(table.n_codes(requirement.sensitive), dtype=np.int64)
        np.add.at(whole, found.codes[0], found.weights)
        whole[~table.answered_codes(requirement.sensitive)] = 0
        return measure_of(requirement, table, whole)

    return [MeasurePromise(requirement.columns, requirement.sensitive, measure, says)]


def measure_of(
    requirement: Closeness, table: Table, whole: NDArray[np.int64], occurs: NDArray[np.bool_] | None = None
) -> Measure:
    """Return the distance from a histogram over the codes of the sensitive column; `occurs` in the table are some."""
    domain = table.domain(requirement.sensitive)
    if requirement.distance == "equal":
        return Distance.equal(requirement.t, whole)
    if requirement.distance == "ordered":
        return Distance.ordered(requirement.t, whole, occurs)
    assert isinstance(domain, Taxonomy)
    return Distance.along(requirement.t, whole, domain)


class ClosenessGuard(SensitiveGuard):
    """Every group is distributed nearly as the table."""

    _occurs: NDArray[np.bool_] | None = None

    def measure(self, lane: NDArray[np.int64], n_lanes: int) -> Measure:
        """Return the distance from all rows."""
        requirement = self.requirement
        assert isinstance(requirement, Closeness)
        whole = self.job.draft.count(np.where(lane < 0, n_lanes, lane), n_lanes + 1)[:n_lanes]
        if self._occurs is None:
            self._occurs = whole > 0  # the truth is asked for first
        return measure_of(requirement, self.job.table, whole, self._occurs)

    def published_lanes(self, made: DraftColumn) -> tuple[NDArray[np.int64], int]:
        """Return the code of each value; a coarser one has no place among them."""
        lane_of = np.full(len(made.labels), -1, dtype=np.int64)
        lane_of[made.leaves] = np.arange(made.n_codes)
        lane_of[0] = -1
        if made.missing is not None:
            lane_of[made.missing] = -1
        return lane_of, made.n_codes

    def reached(self, figures: list[float]) -> dict[str, Any]:
        """Return the distance of the farthest group."""
        requirement = self.requirement
        assert isinstance(requirement, Closeness)
        return {"reached": {"t": figures[0]}, "ok": figures[0] <= requirement.t * (1 + NEAR)}

    def entry(self) -> dict[str, Any]:
        """Return the distance and its bound."""
        requirement = self.requirement
        assert isinstance(requirement, Closeness)
        return self._entry(t=requirement.t, distance=requirement.distance)


def examples() -> list[Closeness]:
    """Return requirements on the sample of a clinic; each of them compiles another part of what keeps the promise."""
    columns = ("age", "sex", "postcode")
    return [Closeness(columns=columns, sensitive="diagnosis", t=0.5)]


GUARD = ClosenessGuard
