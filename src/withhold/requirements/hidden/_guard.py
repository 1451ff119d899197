"""Keeping cells hidden: they are blank, and other cells go until no adversary recovers them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.errors import Mistake, PolicyError
from withhold.methods.inference import Defence, Sheet, Shield
from withhold.requirements._guard import Guard, Job, Say
from withhold.requirements._limit import as_shares, check_limit, shares_withheld
from withhold.requirements._plain import check_numbers
from withhold.requirements.hidden._other_adversaries import (
    PROTECTS,
    hide_from_families,
    hide_from_learners,
    hide_from_unseen_rules,
    named_learners,
)
from withhold.requirements.hidden._requirement import Against, Hidden, whole
from withhold.table import WITHHELD, Grid, Taxonomy

__all__ = ["GUARD", "examples", "kernels"]

MOST_EXCHANGES = 10_000
"""How many entries are tried in place of blanked ones, to blank fewer."""
HINT = "hide fewer cells, let rows be deleted (`delete_above`) or leave them out of the table"
"""What an owner may do before most of a column is withheld."""
HIDES, DELETED = "hidden", "deleted row"


@dataclass(slots=True)
class Outcome:
    """What was done for hidden cells."""

    exposed: dict[str, int] = field(default_factory=dict)
    """For each adversary how many of them it would have recovered, had only they been hidden."""
    classes: list[dict[str, Any]] = field(default_factory=list)
    """For each column and value: hidden cells, and what protected how many of them."""
    n_blanked: int = 0
    """How many other cells were blanked for it."""
    n_coarsened: int = 0
    """How many other cells were coarsened for it."""
    rules: dict[str, Any] = field(default_factory=dict)
    """What was mined and blanked against association rules."""
    learners: list[dict[str, Any]] = field(default_factory=list)
    """How often each learner, and a guess, was right at the end."""


class HiddenGuard(Guard):
    """Hidden cells, and the adversaries that must not recover them."""

    def __init__(self, job: Job, number: int) -> None:
        super().__init__(job, number)
        requirement = job.policy.require[number]
        assert isinstance(requirement, Hidden)
        self.requirement = requirement
        table, names = job.table, job.draft.names
        listed = job.hidden[number]
        self._targets = [table.names[j] for j in dict.fromkeys(listed["column"].tolist())]
        predictors = requirement.predictors
        self.names = tuple(name for name in names if predictors is None or name in predictors or name in self._targets)
        check_numbers(
            table, self.names, where=f"require[{number}].predictors", source=job.policy.source, but=job.policy.refined
        )
        known = np.ones(listed.size, dtype=bool)
        for name in () if requirement.informed else self._targets:
            here = listed["column"] == table.names.index(name)
            known[here] = table.answered(name)[table.store.cells(name)[listed["row"][here]]]
        self.cells = listed[known]
        """The hidden cells that held something; to the informed even that is not shown, so all of them."""
        self.n_missing = int((~known).sum())
        self.outcome = Outcome()
        self.deleted = np.zeros(table.n_rows, dtype=bool)
        self._check()
        self._classifiers = [each for each in requirement.against if each.adversary not in ("rules", "any")]
        self._any = next((each for each in requirement.against if each.adversary == "any"), None)
        self._learners = named_learners(self, self._any)
        self._rules = next((each for each in requirement.against if each.adversary == "rules"), None)
        self._taxonomies = {
            name: domain
            for name in self.names
            if table.has_given_domain(name)
            and name not in table.bins
            and isinstance(domain := table.domain(name), Taxonomy)
        }

    def _check(self) -> None:
        mistakes = []
        table = self.job.table
        for name in self._targets:
            if self._n_values(name) < 2:
                what = f'column "{name}" has only one value, so a blank in it hides nothing.'
                if self.requirement.informed:
                    what = (
                        f'column "{name}" has only one value where it is not hidden. Hint: a taxonomy names the values '
                        "that it may hold; whether hidden cells hold others may decide nothing."
                    )
                mistakes.append(Mistake(f"require[{self.number}]", what))
        for k, each in enumerate(self.requirement.against):
            if each.adversary == "rules" and each.support > table.n_rows:
                what = f"is more than the {table.n_rows} rows of the table, so no rule could count."
                mistakes.append(Mistake(f"require[{self.number}].against[{k}].support", what))
        if not self.cells.size and not mistakes:
            mistakes.append(Mistake(f"require[{self.number}]", "every cell it names is missing already."))
        if mistakes:
            raise PolicyError(mistakes, source=self.job.policy.source)

    def _n_values(self, name: str) -> int:
        """Count the values of a hidden column; with `informed` those that are declared, or not hidden."""
        table = self.job.table
        if self.requirement.informed and table.has_given_domain(name):
            return int(table.answered_codes(name).sum())
        is_read = table.answered(name)[table.store.cells(name)].copy()
        if self.requirement.informed:
            is_read[self.job.rows_hidden(name)] = False
        return int(np.unique(table.codes(name)[is_read]).size)

    def begin(self) -> None:
        """Blank the hidden cells; where they climb instead, that comes later."""
        draft = self.job.draft
        for name, rows in self.by_column().items():
            if self.requirement.informed:
                draft.coarsen(name, rows, 0, self.reason(HIDES))  # a missing cell reads like the others
            else:
                draft.blank(name, rows, self.reason(HIDES))

    def repair(self, say: Say) -> bool:
        """Meet its adversaries on the draft as it stands; what one takes may help another, so they take turns."""
        say(f"protecting {self.cells.size:,} hidden cells")
        draft, parts, begin, n_quiet = self.job.draft, self._parts, self.job.draft.mark, 0
        for meet in cycle(parts):
            mark = draft.mark
            meet(say)
            n_quiet = 1 if draft.mark > mark else n_quiet + 1
            if n_quiet >= len(parts):
                break
        check_limit(self, self.names, self.requirement.most_withheld, hint=HINT, deleted=self.deleted)
        return self.job.draft.mark > begin

    @property
    def _parts(self) -> list[Callable[[Say], object]]:
        """What meets each sort of adversary."""
        found: list[Callable[[Say], object]] = []
        if self._classifiers:
            found.append(self._from_classifiers)
        if (rules := self._rules) is not None:
            found.append(lambda say: self._meet_rules(rules))
        if any(each.family for each in self._classifiers):
            found.append(lambda say: hide_from_families(self, self._classifiers, say))
        if (learner := self._any) is not None:
            found.append(lambda say: hide_from_learners(self, learner, self._learners, say))
        return found

    def by_column(self, cells: NDArray[Any] | None = None) -> dict[str, NDArray[np.int64]]:
        chosen = self.cells if cells is None else cells
        return {name: chosen["row"][chosen["column"] == self.job.table.names.index(name)] for name in self._targets}

    def left_cells(self) -> NDArray[Any]:
        """Return the hidden cells whose rows are not deleted."""
        left: NDArray[Any] = self.cells[~self.deleted[self.cells["row"]]]
        return left

    def _from_classifiers(self, say: Say) -> None:
        requirement, draft, is_first = self.requirement, self.job.draft, not self.outcome.exposed
        left = self.left_cells()
        truth = None if requirement.informed else self.by_column(left)
        grid = draft.grid(self.names, truth=truth)
        learned = self.without_hidden(grid) if requirement.informed else grid
        if requirement.modify == "generalize":
            # What is unknown is shared out among the values that the file shows; what no cell holds any more is none.
            free = [name for name in self.names if name not in self._targets and name not in self._taxonomies]
            learned = learned.with_held_only(free)
        sheet = Sheet(
            learned, modify=requirement.modify, predictors=requirement.predictors, taxonomies=self._taxonomies
        )
        place = np.full(len(self.job.table.names), -1)
        place[[self.job.table.names.index(name) for name in self.names]] = np.arange(len(self.names))
        cells = list(zip(left["row"].tolist(), place[left["column"]].tolist(), strict=True))
        defences = [Defence(e.adversary, e.method, e.degree, e.delete_above) for e in self._classifiers]
        shield = Shield(sheet, cells, defences, choices=self.job.choices, is_blind=requirement.informed)
        if is_first:
            mark = sheet.mark
            shield.hide()
            self.outcome.exposed = {e.adversary: shield.count_exposed(e.adversary) for e in self._classifiers}
            sheet.undo(mark)
        begin, before = sheet.mark, sheet.state.codes.copy()
        pinned = self._blank_for_others()
        self._put_published(sheet, [cell for cell in cells if not is_first or cell in pinned])
        shield.run(lambda n_exposed: say(f"protecting hidden cells: {n_exposed} exposed"))
        self._write_back(sheet, before, cells, pinned)
        gone = np.zeros_like(self.deleted)
        gone[[row for (row, _), status in shield.statuses.items() if status == "deleted"]] = True
        sheet.undo(begin)
        self.delete_rows(np.flatnonzero(gone & ~self.deleted))
        if is_first:
            held = draft.grid(self.names, truth=self.by_column(left)) if requirement.informed else grid
            self.outcome.classes = self._classes(shield, held)

    def without_hidden(self, grid: Grid) -> Grid:
        """Return the grid as if no cell that is hidden from the informed had ever held anything."""
        table = self.job.table
        rows = {name: self.job.rows_hidden(name) for name in self.names}
        in_order = {name for name in self.names if table.has_given_domain(name) or name in table.bins}
        return grid.without(rows, in_order=in_order)

    def _blank_for_others(self) -> set[tuple[int, int]]:
        """Return the cells that another requirement hides as well, and that stay blank for it."""
        if self.requirement.modify != "generalize":
            return set()
        found: set[tuple[int, int]] = set()
        for number, cells in self.job.hidden.items():
            other = self.job.policy.require[number]
            assert isinstance(other, Hidden)
            for j, name in enumerate(self.names if other.modify != "generalize" else ()):
                rows = cells["row"][cells["column"] == self.job.table.names.index(name)]
                found.update((row, j) for row in rows.tolist())
        return found

    def _put_published(self, sheet: Sheet, cells: list[tuple[int, int]]) -> None:
        """Put what is published into the hidden cells; they are blank, or have climbed."""
        draft = self.job.draft
        for row, j in cells:
            column = draft.column(self.names[j])
            label = column.labels[int(column.nodes[row])]
            sheet.put(row, j, sheet.node(j, WITHHELD if label is None else label))

    def _write_back(
        self, sheet: Sheet, before: NDArray[np.int32], cells: list[tuple[int, int]], pinned: set[tuple[int, int]]
    ) -> None:
        """Write what the shield changed to the draft; pinned cells stay as they are."""
        draft = self.job.draft
        hidden = np.zeros(before.shape, dtype=bool)
        if cells:
            hidden[tuple(np.array(cells).T)] = True
        free = np.ones(before.shape, dtype=bool)
        if pinned:
            free[tuple(np.array(sorted(pinned)).T)] = False
        changed = sheet.state.codes != before
        for j, name in enumerate(self.names):
            column = draft.column(name)
            number = {label: node for node, label in enumerate(column.labels)} | {WITHHELD: 0}
            node_of = np.array([number.get(text, 0) for text in sheet.texts[j]], dtype=np.int32)
            rows = np.flatnonzero(changed[:, j] & ~hidden[:, j])
            nodes = node_of[sheet.state.codes[rows, j]]
            n = draft.coarsen(name, rows, nodes, self.reason(PROTECTS))
            n_blank = int(np.count_nonzero(nodes == 0))
            self.outcome.n_blanked += min(n_blank, n)
            self.outcome.n_coarsened += max(n - n_blank, 0)
            if sheet.generalizes:
                own = np.flatnonzero(hidden[:, j] & free[:, j] & (sheet.state.codes[:, j] >= 0))
                nodes = node_of[sheet.state.codes[own, j]]
                # What stood finer after an earlier turn may have to climb again.
                draft.coarsen(name, own, nodes, self.reason(HIDES))
                draft.refine(name, own, nodes, self.reason(HIDES))

    def delete_rows(self, rows: NDArray[np.int64]) -> None:
        """Withhold all of some rows: nothing less protected a hidden cell of theirs."""
        self.deleted[rows] = True
        kept = {name for each in self.job.policy.require for name in each.kept}
        for name in self.job.draft.names if rows.size else ():
            if name not in kept:
                self.job.draft.coarsen(name, rows, 0, self.reason(DELETED))

    def _classes(self, shield: Shield, grid: Grid) -> list[dict[str, Any]]:
        """Return for each column and value how many cells were hidden, and what protected them."""
        found: dict[tuple[int, int], Counter[str]] = {}
        for row, target in shield.cells:
            way = shield.ways.get((row, target), shield.statuses[row, target].replace("_", " "))
            found.setdefault((target, int(grid.codes[row, target])), Counter())[way] += 1
        return [
            {
                "column": grid.columns[target],
                "value": grid.labels[target][value] if value >= 0 else None,
                "cells": sum(ways.values()),
                "protected_by": dict(ways),
            }
            for (target, value), ways in sorted(found.items())
        ]

    def _meet_rules(self, against: Against) -> None:
        if self.requirement.informed:
            hide_from_unseen_rules(self, against)
        else:
            self._from_rules(against)

    def _from_rules(self, against: Against) -> None:
        from withhold.methods.rules import RuleGuard, fair

        if against.rounds is not None and self.outcome.rules:
            return  # no more rounds than were asked for
        left = self.left_cells()
        grid = self.job.draft.grid(self.names, truth=self.by_column(left))
        private = np.zeros(grid.codes.shape, dtype=bool)
        for name, rows in self.by_column(left).items():
            private[rows, grid.place(name)] = True
        settings: Any = {"confidence": against.confidence, "support": whole(against.support)}
        if not self.outcome.rules:
            rules = fair(grid, private, **settings)
            self.outcome.exposed["rules"] = len(rules.predictable[0])
            self.outcome.rules = {
                "found": len(rules), "by_length": rules.by_length, "by_column": rules.by_column, "blanked": 0,
                "invalidation": 0, "marginalization": 0,
            }  # fmt: skip
        guard = RuleGuard(grid.codes, private, **settings)
        if against.rounds is None:
            guard.give_back(*guard.protect(blanking=whole(against.blanking)))
            new = guard.blanked
            new = guard.exchange(min(200 + 20 * int(new.sum()), MOST_EXCHANGES), own=new) if new.any() else new
        else:
            guard.rounds(blanking=whole(against.blanking), most=against.rounds)
            new = guard.blanked
        why = guard.reasons(*np.nonzero(new))
        self.outcome.rules["blanked"] += int(new.sum())
        self.outcome.rules["invalidation"] += int(np.count_nonzero(why[:, 0] > why[:, 1]))
        self.outcome.rules["marginalization"] += int(np.count_nonzero(why[:, 0] <= why[:, 1]))
        for j, name in enumerate(self.names):
            n = self.job.draft.blank(name, np.flatnonzero(new[:, j]), self.reason(PROTECTS))
            self.outcome.n_blanked += n

    def entry(self) -> dict[str, Any]:
        """Return what was done for hidden cells: by column and value, never by person."""
        what = "inferred" if self.requirement.informed else "recovered"
        return {
            "columns": list(self._targets),
            "informed": self.requirement.informed,
            "asked": {what: 0},
            "reached": {what: 0},
            "ok": True,
            "cells": int(self.cells.size),
            "missing_before": self.n_missing,
            "exposed_before": self.outcome.exposed,
            "classes": self.outcome.classes,
            "others_blanked": self.outcome.n_blanked,
            "others_coarsened": self.outcome.n_coarsened,
            "rows_deleted": int(self.deleted.sum()),
            "share_withheld": as_shares(shares_withheld(self, self.names, deleted=self.deleted)),
            **({"rules": self.outcome.rules} if self.outcome.rules else {}),
            **({"learners": self.outcome.learners} if self.outcome.learners else {}),
        }

    def notes(self) -> list[str]:
        """Warn where the choice of cells, or that they are protected, shows what stood in them."""
        is_informed, found = self.requirement.informed, []
        if not is_informed:
            found.append(
                f"require[{self.number}]: who knows which cells are protected, and from whom, may guess them "
                "more often than if they were only blank; `withhold audit --original` measures that, and "
                "`informed = true` prevents it."
            )
        for name, rows in self.by_column().items():
            codes = self.job.table.codes(name).astype(np.int64)
            values, n_hidden = np.unique(codes[rows], return_counts=True)
            n_all = np.bincount(codes)[values]
            where = f'require[{self.number}]: column "{name}"'
            if values.size == 1 and rows.size > 1:
                found.append(f"{where}: all hidden cells hold the same value; who knows how they were chosen knows it.")
            elif (n_hidden == n_all).any():
                found.append(f"{where}: a value occurs in hidden cells only, so the release never shows it.")
            n_values = int(self.job.table.answered_codes(name)[np.unique(codes)].sum())
            if self._classifiers and not is_informed and n_values == 2:
                found.append(
                    f"{where}: it has two values, so whoever knows that a cell is protected from a classifier knows "
                    f"that its guess is wrong, and so the value. Hint: {self.requirement.as_informed} where outsiders "
                    "may know that."
                )
        return found


def kernels(requirement: Hidden) -> list[Any]:
    """Return what is compiled on first use, longest first."""
    from withhold.methods import inference

    return inference.kernels() if set(requirement.adversaries) - {"rules", "any"} else []


def examples() -> list[Hidden]:
    """Return requirements on the sample of a clinic; each of them compiles another part of what keeps the promise."""
    cells = tuple((row, "diagnosis") for row in range(0, 300, 3))
    classifiers = (Against(adversary="naive-bayes"), Against(adversary="id3"))
    rules = (Against(adversary="rules", support=10),)
    printed = [Against(adversary="naive-bayes", method=method) for method in ("decp", "incp", "dropp")]
    printed += [Against(adversary="id3", method="hid3")]
    printed += [
        Against(adversary="naive-bayes", method="decp", modify="generalize"),
        Against(adversary="id3", method="hid3", modify="generalize"),
        Against(adversary="naive-bayes", modify="generalize"),
    ]
    return [
        Hidden(cells=cells, against=classifiers),
        Hidden(cells=cells, against=rules),
        Hidden(cells=cells, against=classifiers, informed=True),
        *(Hidden(cells=cells, against=(each,)) for each in printed),
    ]


GUARD = HiddenGuard
