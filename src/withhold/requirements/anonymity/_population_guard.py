"""Keeping what is asked of the population: groups whose rows stand for too few people are grouped anew."""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from withhold.methods.groups import Lanes, Measure, PeopleLanes, PeopleSum, PersonRisk
from withhold.population import People, open_register, people_in, people_of
from withhold.requirements.anonymity._guard import AnonymityGuard
from withhold.requirements.anonymity._population import least_people
from withhold.requirements.anonymity._requirement import Anonymity

__all__ = ["PopulationGuard"]

FEW_ROWS = 5
"""From this many rows on the sum of their weights is seldom too high (docs/samples.md)."""


class PopulationGuard(AnonymityGuard):
    """Every group holds at least k rows, and these stand for enough people of the population.

    Searches count rows, so they are steered by as many of them as stand for enough people on average. What that leaves
    open is closed by grouping rows anew.
    """

    @property
    def asked_of_search(self) -> Anonymity:
        """The requirement, with as many rows as stand for enough people on average."""
        least = [each.measure.least_rows for each in self._of_people]  # type: ignore[attr-defined]
        return replace(self.requirement, k=max(self.requirement.k, *least))

    @property
    def mean(self) -> float:
        """How many people a row stands for on average."""
        return self.people.mean

    def truths(self) -> list[Lanes]:
        """Return the size of groups, and what is asked of their people."""
        return [*super().truths(), *self._of_people]

    def is_untouched(self) -> bool:
        """Return that no search decides alone: rows are what it counts."""
        return False

    def begin(self) -> None:
        """Refuse what even one group of all rows cannot keep, before any search."""
        every = np.arange(self.job.draft.n_rows)
        for each in self._of_people:
            together = each.histogram(every, np.ones(every.size, dtype=np.int64)).reshape(1, -1)
            if not each.measure.is_met(together)[0]:
                raise self._infeasible([each], every)

    def reached(self, figures: list[float]) -> dict[str, Any]:
        """Return the smallest group, the fewest people, and the largest risk."""
        found = super().reached(figures[:1])
        names = [name for name in ("k_map", "individual_risk") if getattr(self.requirement, name) is not None]
        if self.job.policy.population is not None:
            names = ["k_map"]
        return {**found, "reached": {**found["reached"], **dict(zip(names, figures[1:], strict=True))}}

    def entry(self) -> dict[str, Any]:
        """Return what is asked for, and on what people are counted by."""
        found, policy = super().entry(), self.job.policy
        asked = {name: getattr(self.requirement, name) for name in ("k_map", "individual_risk")}
        basis = "population" if policy.population is not None else "sample" if policy.weight is None else "weight"
        found["asked"] = {**found["asked"], **{name: value for name, value in asked.items() if value is not None}}
        return {**found, "people_by": basis}

    def notes(self) -> list[str]:
        """Return that people are estimated, where they are."""
        if self.job.policy.population is not None:
            return super().notes()
        by = f"weights of {self.job.policy.weight}" if self.job.policy.weight else "share of the population in the file"
        what = f"require[{self.number}]: the people of the population are an estimate, by the {by}, not a count"
        if self.requirement.k < FEW_ROWS:
            what += f", and one that is often too high where fewer than {FEW_ROWS} rows share a combination"
        return [*super().notes(), f"{what}."]

    @cached_property
    def people(self) -> People:
        """How many people each row stands for."""
        policy, table = self.job.policy, self.job.table
        if policy.population is not None:
            return people_in(table, open_register(policy), self.requirement.columns)
        return people_of(table, weight=policy.weight, sample=policy.sample)

    @cached_property
    def _of_people(self) -> list[PeopleLanes]:
        people, asked = self.people, self.requirement
        lane = np.unique(people.amounts, return_inverse=True)[1].reshape(-1).astype(np.int64)
        measures: list[Measure] = []
        if self.job.policy.population is not None:
            measures = [PeopleSum(least_people(asked), people.unit, self.mean, by_rows=True)]
        else:
            if asked.k_map is not None:
                measures.append(PeopleSum(asked.k_map, people.unit, self.mean))
            if asked.individual_risk is not None:
                measures.append(PersonRisk(asked.individual_risk, people.unit, self.mean, asked.estimator))
        return [PeopleLanes(measure, lane, 1, amounts=people.amounts) for measure in measures]
