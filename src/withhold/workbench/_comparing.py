"""What is found out about the release of a bench: attacks, and the frontier."""

from copy import deepcopy
from typing import Any

import numpy as np

from withhold.auditing import Audit, audit
from withhold.errors import InputError
from withhold.workbench._compared import Compared
from withhold.workbench._frontier import Knob, Point, trace_frontier, with_setting
from withhold.workbench._jobs import Job
from withhold.workbench._running import Running

__all__ = ["Comparing"]


class Comparing(Running):
    """A bench on which a release is attacked and compared with others."""

    def start_audit(self) -> Job:
        """Attack the release and measure what analysts lose, on samples."""
        compared = self._compared()

        def work(job: Job) -> Audit:
            release = compared.release
            is_shuffled = release.policy.rows == "shuffle"
            return audit(
                compared.path,
                release.policy,
                original=self._table(),
                positions=np.arange(compared.n_rows) if is_shuffled else None,
                quick=True,
                progress=job.say,
                rng=0,
            )

        def done(job: Job) -> None:
            self.audit = job.result if self.compared is compared else None
            self.touch("compare")

        return self.jobs.start("Attacking the release", work, done)

    def start_frontier(self, knob: Knob, settings: tuple[float, ...]) -> Job:
        """Make the release for many settings of a number."""
        table, keys = self._table(), deepcopy(dict(self.keys))
        self.points, self.knob = (), knob

        def add(point: Point) -> None:
            self.points = (*self.points, point)
            self.touch("frontier")

        def work(job: Job) -> Any:
            return trace_frontier(table, keys, knob, settings, folder=self.work, seed=self.seed, say=job.say, found=add)

        return self.jobs.start("Drawing the frontier", work, lambda job: self.touch("frontier"))

    def take_setting(self, setting: float) -> None:
        """Take a setting of the frontier into the policy."""
        if self.knob is None:
            raise InputError("no frontier was drawn.")
        self.set_keys(with_setting(self.keys, self.knob, setting))

    def _compared(self) -> Compared:
        if self.compared is None:
            raise InputError("there is no release yet. Hint: run the policy first.")
        return self.compared
