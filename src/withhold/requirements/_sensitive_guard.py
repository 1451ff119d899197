"""What the guards of diversity and closeness share: a measure of the sensitive column, by truth and as published."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.groups import Lanes, Measure
from withhold.requirements._sensitive import SensitiveRequirement
from withhold.requirements.grouping import GroupGuard, truth_lane
from withhold.table import DraftColumn

__all__ = ["SensitiveGuard"]


class SensitiveGuard(GroupGuard):
    """Every group keeps a measure of what it holds in the sensitive column."""

    @property
    def requirement(self) -> SensitiveRequirement:
        """The requirement."""
        found = self.job.policy.require[self.number]
        assert isinstance(found, SensitiveRequirement)
        return found

    @abstractmethod
    def measure(self, lane: NDArray[np.int64], n_lanes: int) -> Measure:
        """Return the measure, given the lanes of all rows."""

    def truths(self) -> list[Lanes]:
        """Return the measure of what stood in the table."""
        table, name = self.job.table, self.requirement.sensitive
        codes = table.lookup(name).astype(np.int64)
        codes = np.where(table.answered_codes(name)[codes], codes, -1)
        return [self._lanes(truth_lane(self, name, codes), table.n_codes(name))]

    def published(self) -> list[Lanes]:
        """Return the measure of what is published, where that differs."""
        made = self.job.draft.column(self.requirement.sensitive)
        if made.is_by_value and np.array_equal(made.cut, made.leaves):
            return []
        lane_of, n_lanes = self.published_lanes(made)
        return [self._lanes(lane_of[made.nodes], n_lanes)]

    def published_lanes(self, made: DraftColumn) -> tuple[NDArray[np.int64], int]:
        """Return for each node its lane: a coarser value is a value of its own, a blank or missing cell is none."""
        seen: dict[str | None, int] = {}
        lane_of = np.array([seen.setdefault(label, len(seen)) for label in made.labels], dtype=np.int64)
        lane_of[0] = -1
        if made.missing is not None:
            lane_of[made.missing] = -1
        return lane_of, len(seen)

    def withhold_sensitive(self, rows: NDArray[np.int64]) -> int:
        """Withhold the sensitive column of some rows, whatever they hold."""
        return self.job.draft.blank(self.requirement.sensitive, rows, self.reason("sensitive"))

    def _lanes(self, lane: NDArray[np.int64], n_lanes: int) -> Lanes:
        return Lanes(self.measure(lane, n_lanes), lane, n_lanes, self.job.draft.weights)

    def _entry(self, **asked: Any) -> dict[str, Any]:
        return {"sensitive": self.requirement.sensitive, "asked": asked, **self.done()}
