"""Keeping anonymity where a blank is any value: as few cells as possible are blanked, one by one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.suppression import compatible, suppress
from withhold.requirements._guard import Guard, Say
from withhold.requirements.anonymity._requirement import Anonymity

__all__ = ["SuppressionGuard"]

WHY = "suppressed"


class SuppressionGuard(Guard):
    """Every row may be the same as k rows, a blank being any value, and equals k rows where it has no blank.

    It reads the texts of the draft as it stands: what others coarsened is a text like any other, what they blanked is
    a blank. Cells are only ever blanked, so repairing ends.
    """

    turn = 2
    n_blanked = 0

    @property
    def requirement(self) -> Anonymity:
        """The requirement."""
        found = self.job.policy.require[self.number]
        assert isinstance(found, Anonymity)
        return found

    def repair(self, say: Say) -> bool:
        """Blank cells until the promise holds."""
        names, settings = self.requirement.columns, self.job.policy.columns
        groups, codes, weights, is_blank = self._distinct()
        try:
            found = suppress(
                codes,
                weights,
                self.requirement.k,
                blanked=is_blank,
                costs=[settings[name].weight if name in settings else 1.0 for name in names],
                keep=[j for j, name in enumerate(names) if name in settings and settings[name].keep],
            )
        except InfeasibleError as error:
            raise self._infeasible(error) from None
        new = found & ~is_blank
        if not new.any():
            return False
        say(f"blanking {int(weights @ new.sum(axis=1)):,} cells")
        for j, name in enumerate(names):
            rows = np.flatnonzero(new[groups, j])
            self.n_blanked += self.job.draft.coarsen(name, rows, 0, self.reason(WHY))
        return True

    def _distinct(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
        """Return for each row its place among the distinct ones; their codes, weights and blanks."""
        draft, columns = self.job.draft, self.job.policy.columns
        groups = draft.groups(self.requirement.columns)
        _, first, weights = np.unique(groups, return_index=True, return_counts=True)
        codes = np.empty((first.size, len(self.requirement.columns)), dtype=np.int32)
        is_blank = np.zeros(codes.shape, dtype=bool)
        for j, name in enumerate(self.requirement.columns):
            column = draft.column(name)
            codes[:, j] = column.text_codes[first]
            is_blank[:, j] = column.nodes[first] == 0
            if name in columns and columns[name].missing == "any" and column.missing is not None:
                is_blank[:, j] |= column.nodes[first] == column.missing
        return groups, codes, weights.astype(np.int64), is_blank

    def entry(self) -> dict[str, Any]:
        """Return the smallest number of rows that may be the same, and how many cells were blanked."""
        _, codes, weights, is_blank = self._distinct()
        whole = weights[~is_blank.any(axis=1)]
        k = int(min(compatible(codes, weights, is_blank).min(initial=self.job.draft.n_rows), whole.min(initial=2**62)))
        asked = self.requirement.k
        return {
            "asked": {"k": asked},
            "reached": {"k": k},
            "ok": k >= asked,
            "blanks": "any",
            "suppressed": self.n_blanked,
        }

    def notes(self) -> list[str]:
        """Return that the promise is a weaker one."""
        return [
            f"require[{self.number}] reads a blank as any value, a weaker promise: {self.requirement.k:,} people may "
            'be the same, not are. blanks = "value" promises equal rows.'
        ]

    def _infeasible(self, error: InfeasibleError) -> InfeasibleError:
        return InfeasibleError(
            f"require[{self.number}]: {self.requirement.says} cannot be met: {error}",
            requirement=self.number,
            asked=error.asked,
            reached=error.reached,
        )
