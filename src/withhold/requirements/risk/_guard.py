"""Keeping record risk low: cells of exposed records are withheld until none is above the threshold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from withhold.errors import Mistake, PolicyError
from withhold.requirements._guard import Guard, Job, Say
from withhold.requirements._limit import as_shares, check_limit, shares_withheld
from withhold.requirements._plain import check_numbers
from withhold.requirements.risk._requirement import Risk
from withhold.requirements.risk._unseen import heaviest, unseen_grid
from withhold.table import Grid

__all__ = ["GUARD", "examples", "kernels"]

COUNTED_COST = 3.0
"""A blank in a column that groups are counted over costs more: it may break a group, which takes further cells."""
MOST_COMPARED = 200_000
"""Up to how many rows the price without `informed` is measured beside the price with it."""
HINT = "leave out the rows that are most exposed, allow a larger risk, or use fewer columns"
"""What an owner may do before most of a column is withheld."""
Bars = Sequence[tuple[float, float, int]]


@dataclass(slots=True)
class Outcome:
    """What was done for record risk."""

    n_above: int = 0
    """How many records were above the threshold before."""
    n_rounds: int = 0
    """How many rounds it took."""
    n_blanked: int = 0
    """How many cells were blanked for it, given back ones left out."""
    n_coarsened: int = 0
    """How many cells climbed along their taxonomies."""
    n_sensitive: int = 0
    """How many of the blanked ones were sensitive themselves."""
    n_given_back: int = 0
    """How many cells turned out not to be needed, and were given back."""
    largest: float = 0.0
    """The largest risk that a record has now, at most."""
    ncp: float = 0.0
    """The normalised certainty penalty over the columns it names."""
    before: Bars = ()
    """How many records lay in each interval of risk before …"""
    after: Bars = ()
    """… and after."""
    n_if_seen: int | None = None
    """How many cells would be withheld by a look at who is sensitive; None where that is what was done."""
    by_column: dict[str, float] = field(default_factory=dict)
    """The share of all risk that goes when nobody knows a column."""


class RiskGuard(Guard):
    """No record's risk is above the threshold."""

    def __init__(self, job: Job, number: int) -> None:
        super().__init__(job, number)
        requirement = job.policy.require[number]
        assert isinstance(requirement, Risk)
        self.requirement = requirement
        self.outcome = Outcome()
        self._ran = False
        where = f"require[{number}].known"
        refined = job.policy.refined
        check_numbers(job.table, requirement.columns, where=where, source=job.policy.source, but=refined)
        self._check_values()
        self._costs = {name: COUNTED_COST for name in requirement.columns if name in job.policy.counted}
        self._climbs = requirement.modify == "generalize"

    def _check_values(self) -> None:
        """Refuse weights for values that do not occur; to the informed even that would reveal something."""
        mistakes: list[Mistake] = []
        if self.requirement.informed:
            return
        for name, weights in self.requirement.sensitive.items():
            for value in weights if isinstance(weights, dict) else ():
                if not self.job.table.holding(name, value).any():
                    what = f'the value "{value}" does not occur in the column. Hint: values are compared as text.'
                    mistakes.append(Mistake(f"require[{self.number}].sensitive.{name}", what))
        if mistakes:
            raise PolicyError(mistakes, source=self.job.policy.source)

    def repair(self, say: Say) -> bool:
        """Withhold cells of the records above the threshold."""
        from withhold.methods.risk import risk_by_column, suppress_risk

        requirement, outcome = self.requirement, self.outcome
        is_first, self._ran = not self._ran, True
        if not is_first and not requirement.until_safe:
            return False
        say("measuring the risk of every record")
        question = self._question()
        grid: Grid = question[0]
        counts, n_records = self.job.draft.weights, self.job.table.n_rows
        settings: Any = {
            "alpha": requirement.alpha,
            "at_most": requirement.at_most,
            "until_safe": requirement.until_safe,
            "generalize": self._parents() if self._climbs else False,
            "costs": self._costs,
            "counts": counts,
        }
        done = suppress_risk(*question, **settings)
        if is_first and requirement.informed and n_records <= MOST_COMPARED:
            seen = suppress_risk(*self._question(is_seen=True), **settings)
            places = np.nonzero(seen.published.codes != seen.original.codes)[0]
            outcome.n_if_seen = self.job.draft.n_cells(places)
        if is_first:
            outcome.n_above = done.rounds[0].above if done.rounds else 0
            outcome.before = done.before.histogram()
            outcome.by_column = risk_by_column(*question, alpha=requirement.alpha, counts=counts)
        n_blanked, n_coarsened, lost = self._write_back(grid, done.published)
        outcome.n_rounds += len(done.rounds)
        outcome.n_blanked += n_blanked
        outcome.n_coarsened += n_coarsened
        outcome.n_sensitive += done.sensitive
        outcome.n_given_back += done.given_back
        outcome.largest = float(done.after.high.max(initial=0.0))
        outcome.after = done.after.histogram()
        outcome.ncp += lost / max(n_records * len(grid.columns), 1)
        check_limit(self, requirement.columns, requirement.most_withheld, hint=HINT)
        return bool(n_blanked or n_coarsened)

    def _question(self, *, is_seen: bool = False) -> tuple[Any, ...]:
        """Return the cells, who may know what, and what weighs how much; with `informed` nothing sensitive is read."""
        requirement, draft = self.requirement, self.job.draft
        if requirement.informed and not is_seen:
            weights = heaviest(requirement.sensitive)
            grid = unseen_grid(draft, requirement.columns, weights, requirement.known)
            return grid, requirement.known, weights
        return draft.grid(requirement.columns).with_sorted_values(), requirement.known, self._weights()

    def _weights(self) -> dict[str, Any]:
        """Return what each value weighs; a coarser one as much as the heaviest value below it."""
        found: dict[str, Any] = {}
        for name, given in self.requirement.sensitive.items():
            if not isinstance(given, dict):
                found[name] = given
                continue
            column = self.job.draft.column(name)
            weight = np.zeros(column.n_codes)
            for value, each in given.items():
                weight[self.job.table.lookup(name)[self.job.table.holding(name, value)]] = each
            found[name] = {
                str(label): float(weight[column.members.get(node, slice(*column.range(node)))].max(initial=0.0))
                for node, label in enumerate(column.labels)
                if node and label is not None
            }
        return found

    def _parents(self) -> dict[str, dict[str, str]]:
        """Return what stands above each value: in taxonomies, and in the intervals that a search grew."""
        unread = self.requirement.sensitive if self.requirement.informed else ()
        columns = [self.job.draft.column(name) for name in self.requirement.columns if name not in unread]
        return {column.name: column.parents() for column in columns}

    def _write_back(self, before: Grid, after: Grid) -> tuple[int, int, float]:
        """Write what was withheld to the draft; return blanked and coarsened cells, and what they lost."""
        draft = self.job.draft
        n_blanked, n_coarsened, lost = 0, 0, 0.0
        for j, name in enumerate(before.columns):
            rows = np.flatnonzero(before.codes[:, j] != after.codes[:, j])
            column = draft.column(name)
            if self.requirement.informed and name in self.requirement.sensitive:
                nodes = np.zeros(rows.size, dtype=np.int32)
            else:
                number = {label: node for node, label in enumerate(column.labels)}
                node_of = np.array([*(number[label] for label in after.labels[j]), 0], dtype=np.int32)
                nodes = node_of[after.codes[rows, j]]
            draft.coarsen(name, rows, nodes, self.reason("risk"))
            n_blank = draft.n_cells(rows[nodes == 0])
            n_blanked, n_coarsened = n_blanked + n_blank, n_coarsened + draft.n_cells(rows) - n_blank
            lost += float(column.prices() @ draft.count(nodes, len(column.labels), of=rows))
        return n_blanked, n_coarsened, lost

    def entry(self) -> dict[str, Any]:
        """Return how exposed records were, and what was withheld until none is above the threshold."""
        outcome = self.outcome
        return {
            "informed": self.requirement.informed,
            "asked": {"at_most": self.requirement.at_most},
            "reached": {"risk": outcome.largest},
            "ok": outcome.largest <= self.requirement.at_most,
            "records_above_before": outcome.n_above,
            "rounds": outcome.n_rounds,
            "blanked": outcome.n_blanked,
            "coarsened": outcome.n_coarsened,
            "sensitive_blanked": outcome.n_sensitive,
            "share_withheld": as_shares(shares_withheld(self, self.requirement.columns)),
            "given_back": outcome.n_given_back,
            "withheld_if_seen": outcome.n_if_seen,
            "ncp": outcome.ncp,
            "histogram": {"before": _bars(outcome.before), "after": _bars(outcome.after)},
            "risk_by_column": outcome.by_column,
        }

    def notes(self) -> list[str]:
        """Return that nobody looked whom the blanks mark, where only counts are there."""
        if self.job.draft.weights is None or self.requirement.informed or not self.outcome.n_blanked:
            return []
        return [
            f"require[{self.number}] withholds cells of people with a sensitive value; whom that marks was not looked "
            "for, which takes the rows of the release beside those of the table. Hint: informed = true withholds from "
            "everybody alike."
        ]


def _bars(bars: Bars) -> list[list[float | None]]:
    """Return a histogram as JSON can hold it: the last class has no end."""
    return [[low, high if math.isfinite(high) else None, n] for low, high, n in bars]


def kernels(requirement: Risk) -> list[Any]:
    """Return what is compiled on first use, longest first."""
    from withhold.methods import risk

    return risk.kernels()


def examples() -> list[Risk]:
    """Return requirements on the sample of a clinic; each of them compiles another part of what keeps the promise."""
    known = {"age": 0.3, "sex": 0.8, "postcode": 0.2}
    return [Risk(known=known, sensitive={"diagnosis": {"depression": 1.0}}, at_most=1)]


GUARD = RiskGuard
