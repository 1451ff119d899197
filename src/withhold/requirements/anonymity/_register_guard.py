"""Counting people of a table of the population while a release is made: those whom groups surely may stand for."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.groups import Lanes, PeopleLanes
from withhold.population import matching_people, open_register
from withhold.requirements.anonymity._population import least_people
from withhold.requirements.anonymity._population_guard import PopulationGuard
from withhold.requirements.anonymity._requirement import Anonymity
from withhold.table import DraftColumn, Numbers, Table, is_number

__all__ = ["RegisterGuard"]

Ints = NDArray[np.int64]
CAUTION = 2.0
"""By how much the people of a small group are fewer than its rows let expect."""


class RegisterGuard(PopulationGuard):
    """Every group holds at least k rows, and its texts may stand for enough people of the population.

    Groups are judged by the people whom their nodes cover. Where rows are grouped anew, each stands for its part of the
    people who hold the very same values, which are never more than those whom the new group covers.
    """

    @property
    def mean(self) -> float:
        """How many people a row is taken to stand for where rows are counted: fewer than on average.

        Small groups of local recoding mostly cover fewer people than their rows stand for, and would have to be grouped
        anew.
        """
        return max(self._average / CAUTION, 1.0)

    @property
    def asked_of_search(self) -> Anonymity:
        """The requirement, with as many rows as stand for enough people on average."""
        return replace(
            self.requirement, k=max(self.requirement.k, ceil(least_people(self.requirement) / self._average))
        )

    @property
    def _average(self) -> float:
        return max(self.register.n_rows / max(self.job.draft.n_rows, 1), 1.0)

    def begin(self) -> None:
        """Refuse to look for more people than the population has."""
        asked = least_people(self.requirement)
        if self.register.n_rows < asked:
            raise InfeasibleError(
                f"require[{self.number}]: {self.requirement.says} cannot be met: the population has only "
                f"{self.register.n_rows:,} people where {asked:,} are asked for. Hint: ask for less.",
                requirement=self.number,
                asked=asked,
                reached=self.register.n_rows,
            )

    @cached_property
    def register(self) -> Table:
        """The population."""
        return open_register(self.job.policy)

    @cached_property
    def _places(self) -> list[tuple[Ints, Ints]]:
        return [_codes(self.job.table, self.register, name) for name in self.given]

    def _bad_rows(self, lanes: Sequence[Lanes]) -> Ints:
        by_size = super()._bad_rows([each for each in lanes if not isinstance(each, PeopleLanes)])
        groups = self.job.draft.groups(self.given)
        is_bad = self._people(groups) < least_people(self.requirement)
        return np.union1d(by_size, np.flatnonzero(is_bad[groups]))

    def figures(self) -> list[float]:
        """Return the smallest group, and the fewest people."""
        people = self._people(self.job.draft.groups(self.given))
        return [super().figures()[0], float(people.min(initial=self.register.n_rows))]

    def _people(self, groups: Ints) -> Ints:
        """Return how many people the texts of each group surely may stand for."""
        first = np.unique(groups, return_index=True)[1]
        keys = np.empty((first.size, len(self.given)), dtype=np.int64)
        allowed = []
        for j, name in enumerate(self.given):
            column = self.job.draft.column(name)
            nodes, keys[:, j] = np.unique(column.nodes[first], return_inverse=True)
            allowed.append(np.stack([_covers(column, int(node), *self._places[j]) for node in nodes]))
        return matching_people(keys, allowed, [self.register.store.cells(name) for name in self.given])


def _covers(column: DraftColumn, node: int, low: Ints, high: Ints) -> NDArray[np.bool_]:
    """Return which values of the population a node covers, by the codes below and above each."""
    if node == 0 or node == column.missing:
        return np.ones(low.size, dtype=bool)
    if node in column.members:
        members = column.members[node]
        # The check reads a set with a member that nobody in the population holds as something else.
        return np.asarray(np.isin(low, members) & np.isin(members, low).all())
    return np.asarray((low >= column.first[node]) & (high < column.last[node]) & (low >= 0))


def _codes(table: Table, register: Table, name: str) -> tuple[Ints, Ints]:
    """Return for each value of the population the nearest codes of the table; a category has one, or -1."""
    values = register.store.values(name)
    domain = table.domain(name)
    known = [value is not None and value not in table.missing for value in values]
    if isinstance(domain, Numbers) or name in table.bins:
        numbers = np.array(
            [float(v) if v is not None and k and is_number(v) else np.nan for v, k in zip(values, known, strict=True)]
        )
        if not isinstance(domain, Numbers):
            codes = table.bins[name].codes(numbers).astype(np.int64)
            return codes, codes
        low = np.searchsorted(domain.values, numbers, side="right").astype(np.int64) - 1
        high = np.searchsorted(domain.values, numbers, side="left").astype(np.int64)
        is_outside = np.isnan(numbers) | (low < 0) | (high >= domain.n_values)
        return np.where(is_outside, -1, low), np.where(is_outside, -1, high)
    place = {label: i for i, label in enumerate(domain.leaves) if label is not None}
    codes = np.array([place.get(str(v), -1) if k else -1 for v, k in zip(values, known, strict=True)], dtype=np.int64)
    return codes, codes
